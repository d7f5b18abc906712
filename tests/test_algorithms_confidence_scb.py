"""SCB: the path of its literal transcription, and its blocks of duels against stepping."""

import numpy as np
import pytest

from duelbench.algorithms.confidence.scb import Scb
from duelbench.conformance.instances import order
from duelbench.conformance.paths import engine_path, literal_path, plays
from duelbench.conformance.rounds import pair_tables, simulate, streams
from duelbench.literal import scb
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.generators import LinearOrder
from tests.paths import INSTANCES, counts_of_answers, share_of_the_winner

NAMES = (
    *("six-rankers", "mslr5-condorcet", "mslr5-non-condorcet", "cyclic4", "random10"),
    *("two arms", "sushi16", "tennis8", "three winners"),
)
READINGS = {"pseudo-code": {}, "experiments": {"alpha": 0.51}, "D-TS": {"alpha": 0.51, "first_round": 1000}}


@pytest.mark.parametrize("name", [*NAMES, "fast"])
@pytest.mark.parametrize("reading", READINGS)
def test_the_path_is_the_literal_one(name, reading):
    matrix = order(6, 0.97) if name == "fast" else INSTANCES[name]
    for seed in (1, 2):
        path = literal_path(scb.run, matrix, 4000, seed, **READINGS[reading])
        assert plays(Scb(**READINGS[reading]), matrix, path, seed, holds=False)
        if name == "fast":
            assert path[-1, 0] == path[-1, 1] == 0  # an arm was found


def test_the_path_is_the_literal_one_through_elimination_and_into_the_next_round():
    matrix = order(40, 1.0)
    horizon = 4 + 16 + 256 + 65536 + 2000
    path = literal_path(scb.run, matrix, horizon, 1)
    found = path[:, 0] == path[:, 1]
    assert found[60_000:65_812].all() and not found[65_812:].any()
    # Played answer by answer: the engine sums over all pairs where it is stopped.
    for t, state in enumerate(states(Scb(), matrix, path), 1):
        if t == 30_000:
            drops_arms_of_unknown_pairs(state)


def states(algorithm, matrix, path):
    """Play along a literal path; yield the state after every round."""
    environment, policy = streams(1, 0)
    state = algorithm.start(matrix.arms, len(path))
    for t, pair in enumerate(path, 1):
        first, second, count = algorithm.select(state, t, t, policy)
        assert (first, second, count) == (*pair, 1)
        wins = int(first != second and environment.random() < matrix.P[first, second])
        algorithm.update(state, first, second, wins, 1)
        yield state


def drops_arms_of_unknown_pairs(state):
    assert state.cursor[0].n_remaining < len(state.remaining)
    assert state.unknown[~state.remaining].max() > 0


def test_in_experiments_arms_are_dropped_and_rounds_are_squared_as_literally():
    matrix = order(40, 1.0)
    path = literal_path(scb.run, matrix, 13_000, 1, **READINGS["D-TS"])
    played = list(states(Scb(**READINGS["D-TS"]), matrix, path))
    assert (path[:, 0] == path[:, 1]).sum() > 500
    drops_arms_of_unknown_pairs(played[-1])
    rounds = literal_path(scb.run, order(2, 1.0), 1100, 1, alpha=0.51, first_round=10)
    assert plays(Scb(alpha=0.51, first_round=10), order(2, 1.0), rounds, 1, holds=False)
    idle = rounds[:, 0] == rounds[:, 1]
    assert idle[109] and not idle[110] and idle[-1]  # rounds of 10, 100 and 10,000


@pytest.mark.parametrize(("reading", "limit"), [("pseudo-code", "exploration"), ("experiments", "in_experiments")])
def test_a_small_mistake_leaves_the_path(monkeypatch, reading, limit):
    matrix = order(6, 0.97)
    path = engine_path(Scb(**READINGS[reading]), matrix, 4000, 1)
    right = getattr(scb, limit)
    monkeypatch.setattr(scb, limit, lambda *given: 1.02 * right(*given))
    assert not np.array_equal(literal_path(scb.run, matrix, 4000, 1, **READINGS[reading]), path)


@pytest.mark.parametrize("name", ["mslr5-non-condorcet", "tennis8", "three winners", "all tied"])
def test_nothing_breaks_without_a_condorcet_winner(name):
    matrix = PreferenceMatrix(np.full((5, 5), 0.5)) if name == "all tied" else INSTANCES[name]
    course = simulate(Scb(), matrix.P, pair_tables(matrix.arms), np.array([1, 1000, 300_000]), *streams(1, 0))
    assert course.duels.sum() == 300_000


def test_feedback_may_come_late():
    assert share_of_the_winner(Scb(), delay=7) > 0.9


@pytest.mark.parametrize("reading", READINGS)
def test_a_block_never_hides_a_decision(reading):
    """However the duels of a block end, the pair could not have been decided before its last one."""
    rng = np.random.default_rng(4)
    algorithm = Scb(**READINGS[reading])
    for p in (0.5, 0.55, 0.8, 1.0):
        state = algorithm.start(2, 10**9)
        t, longest = 1, 0
        while t < (90_000 if algorithm.alpha else 60_000):  # into the round in which much is to be decided
            first, second, count = algorithm.select(state, t, 10**9, rng)
            if first == second:
                t += count
                continue
            longest = max(longest, count)
            assert algorithm.select(state, t + count - 1, 10**9, rng) == (
                first,
                second,
                1,
            )  # until the outcomes are known
            won, lost = state.wins[first, second], state.wins[second, first]
            level, duels = float(state.budget[0].delta) / 4, int(state.cursor[0].duels)
            for extra in range(1, count):
                for w, n in ((won + extra, won + lost + extra), (won, won + lost + extra)):
                    late = duels + extra
                    known = scb.in_experiments(0.51, late, late, 2) if algorithm.alpha else scb.exploration(n, level)
                    assert n * scb.kl(w / n, 0.5) <= known
            algorithm.update(state, first, second, int(rng.binomial(count, p)), count)
            t += count
        assert longest > 10 or (algorithm.alpha and p > 0.5)  # the gap is seen at once


def test_a_hundred_million_rounds_cost_the_informative_duels():
    """By answers, not by the clock: a converged run gives far fewer of them than it plays rounds."""
    matrix = LinearOrder(arms=4).draw(np.random.default_rng(0))
    assert len(counts_of_answers(Scb(), matrix, 10**8, 1)) < 20_000
