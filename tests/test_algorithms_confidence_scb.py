"""SCB: the path of its literal transcription, and its blocks of duels against stepping."""

import numpy as np
import pytest

from duelbench.algorithms.confidence.scb import Scb
from duelbench.literal import scb
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.proving.instances import order
from duelbench.proving.paths import engine_path, literal_path, plays
from duelbench.proving.rounds import pair_tables, simulate, streams
from duelbench.sources.generators import LinearOrder
from tests.paths import INSTANCES, counts_of_answers, share_of_the_winner

NAMES = (
    *("six-rankers", "mslr5-condorcet", "mslr5-non-condorcet", "cyclic4", "random10"),
    *("two arms", "sushi16", "tennis8", "three winners"),
)


@pytest.mark.parametrize("name", [*NAMES, "fast"])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_path_is_the_literal_one(name, seed):
    matrix = order(6, 0.97) if name == "fast" else INSTANCES[name]
    path = literal_path(scb.run, matrix, 4000, seed)
    assert plays(Scb(), matrix, path, seed, holds=False)
    if name == "fast":
        assert path[-1, 0] == path[-1, 1] == 0  # an arm was found


def test_the_path_is_the_literal_one_through_elimination_and_into_the_next_round():
    matrix = order(40, 1.0)
    horizon = 4 + 16 + 256 + 65536 + 2000
    path = literal_path(scb.run, matrix, horizon, 1)
    found = path[:, 0] == path[:, 1]
    assert found[60_000:65_812].all() and not found[65_812:].any()
    # Played answer by answer: the engine sums over all pairs where it is stopped.
    environment, policy = streams(1, 0)
    state = Scb().start(40, horizon)
    for t in range(1, horizon + 1):
        first, second, count = Scb.select(state, t, t, policy)
        assert (first, second, count) == (*path[t - 1], 1)
        Scb.update(state, first, second, int(first != second and environment.random() < matrix.P[first, second]), 1)
        if t == 30_000:  # arms were dropped before all of their pairs were known
            assert state.cursor[0].n_remaining < 40
            assert state.unknown[~state.remaining].max() > 0


def test_a_small_mistake_leaves_the_path(monkeypatch):
    matrix = order(6, 0.97)
    path = engine_path(Scb(), matrix, 4000, 1)
    exploration = scb.exploration
    monkeypatch.setattr(scb, "exploration", lambda m, x: 1.02 * exploration(m, x))
    assert not np.array_equal(literal_path(scb.run, matrix, 4000, 1), path)


@pytest.mark.parametrize("name", ["mslr5-non-condorcet", "tennis8", "three winners", "all tied"])
def test_nothing_breaks_without_a_condorcet_winner(name):
    matrix = PreferenceMatrix(np.full((5, 5), 0.5)) if name == "all tied" else INSTANCES[name]
    course = simulate(Scb(), matrix.P, pair_tables(matrix.arms), np.array([1, 1000, 300_000]), *streams(1, 0))
    assert course.duels.sum() == 300_000


def test_feedback_may_come_late():
    assert share_of_the_winner(Scb(), delay=7) > 0.9


def test_a_block_never_hides_a_decision():
    """However the duels of a block end, the pair could not have been decided before its last one."""
    rng = np.random.default_rng(4)
    algorithm = Scb()
    for p in (0.5, 0.55, 0.8, 1.0):
        state = algorithm.start(2, 10**9)
        t, longest = 1, 0
        while t < 60_000:
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
            level = float(state.budget[0].delta) / 4
            for extra in range(1, count):
                for w, n in ((won + extra, won + lost + extra), (won, won + lost + extra)):
                    assert n * scb.kl(w / n, 0.5) <= scb.exploration(n, level)
            algorithm.update(state, first, second, int(rng.binomial(count, p)), count)
            t += count
        assert longest > 10


def test_a_hundred_million_rounds_cost_the_informative_duels():
    """By answers, not by the clock: a converged run gives far fewer of them than it plays rounds."""
    matrix = LinearOrder(arms=4).draw(np.random.default_rng(0))
    assert len(counts_of_answers(Scb(), matrix, 10**8, 1)) < 20_000
