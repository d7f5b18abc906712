"""RUCB, CCB and SCB: what their paths in catalogue.py do not show."""

import numpy as np
import pytest

from duelbench.algorithms.confidence.ccb import Ccb, new_hypotheses, reset
from duelbench.algorithms.confidence.rucb import Rucb
from duelbench.algorithms.confidence.scb import Scb
from duelbench.conformance.case import order
from duelbench.conformance.rounds import pair_tables, simulate, streams
from tests.instances import INSTANCES
from tests.playing import engine_path
from tests.reference import ccb
from tests.reference_paths import reference_course

# RUCB


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("delay", [1, 5])
def test_champions_are_unbeaten(delay):
    """Champions are the arms without losses, with late outcomes and a quarter of them from foreign duels."""
    P, rng = INSTANCES["random10"].P, np.random.default_rng(delay)
    algorithm, policy = Rucb(alpha=0.05), np.random.default_rng(2)
    state = algorithm.start(10, 10**9)
    waiting, numbers = [], set()
    t = 1
    for _ in range(2000):
        first, second, count = algorithm.select(state, t, t + 50, policy)
        champions = np.flatnonzero(state.comparisons.losses == 0)
        assert state.summary[0].n_champions == len(champions)
        assert np.array_equal(state.champions[: len(champions)], champions)
        assert state.summary[0].believed in (-1, *champions)
        numbers.add(len(champions))
        t += count
        if rng.random() < 0.25:
            first, second = rng.choice(10, 2, replace=False).tolist()
        waiting.append((first, second, int(rng.random() < P[first, second])))
        if len(waiting) == delay:
            for outcome in waiting:
                algorithm.update(state, *outcome, 1)
            waiting = []
    assert numbers >= {0, 1, 2, 3}


# CCB


@pytest.mark.usefixtures("interpreted")
def test_no_hold_in_the_round_of_a_late_reset():
    """Line 9B may empty S after the removals, which are then due again in the next round, including draws."""
    paths = []
    for last in (2, 1000):
        algorithm, policy = Ccb(), np.random.default_rng(1)
        state = algorithm.start(4, 1000)
        algorithm.select(state, 1, 1, policy)
        for winner, loser in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)):
            algorithm.update(state, winner, loser, 100, 100)
        state.hypotheses.shortlist[:] = [False, True, False, True]
        assert algorithm.select(state, 2, last, policy) == (0, 0, 1)
        assert state.hypotheses.shortlist.all()
        assert state.hypotheses.totals[0].most_losses == 0
        first, second, count = algorithm.select(state, 3, last + 1, policy)
        assert (first, second, count) == (0, 0, last - 1)
        assert state.hypotheses.shortlist.tolist() == [True, False, False, False]
        assert state.hypotheses.size.tolist() == [0, 1, 1, 1]
        algorithm.select(state, 3 + count, 3 + count, policy)
        paths.append((state.hypotheses.beaters.tolist(), policy.random()))
    assert paths[0] == paths[1]


@pytest.mark.usefixtures("interpreted")
def test_reset_forgets_losses():
    hypotheses = new_hypotheses(6)
    hypotheses.totals[0].most_losses = 1
    hypotheses.shortlist[:] = False
    reset(hypotheses)
    assert hypotheses.totals[0].most_losses == 6
    assert hypotheses.shortlist.all()


def test_shared_holds_interpreted(request):
    """Shared holds are the same compiled and interpreted; other tests have no matrix on which CCB shares a hold."""

    def played():
        rngs = streams(5, 0)
        course = simulate(Ccb(), INSTANCES["three winners"].P, pair_tables(5), np.array([1, 10, 700, 8000]), *rngs)
        return course.regret.tolist(), [each.random() for each in rngs]

    compiled = played()
    request.getfixturevalue("interpreted")
    assert not Ccb.compiled()
    assert played() == compiled


# SCB


READINGS = {"pseudo-code": {}, "experiments": {"alpha": 0.51}, "D-TS": {"alpha": 0.51, "first_round": 1000}}


def states(algorithm, matrix, path):
    """Play along a reference path; yield the state after every round."""
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


@pytest.mark.usefixtures("interpreted")
def test_scb_path_in_experiments():
    matrix = order(40, 1.0)
    path, _ = reference_course(Scb(**READINGS["D-TS"]), matrix, 13_000, 1)
    played = list(states(Scb(**READINGS["D-TS"]), matrix, path))
    assert (path[:, 0] == path[:, 1]).sum() > 500
    drops_arms_of_unknown_pairs(played[-1])
    short = Scb(alpha=0.51, first_round=10)
    rounds, _ = reference_course(short, order(2, 1.0), 1100, 1)
    assert np.array_equal(engine_path(short, order(2, 1.0), 1100, 1), rounds)
    idle = rounds[:, 0] == rounds[:, 1]
    assert idle[109] and not idle[110] and idle[-1]  # rounds of 10, 100 and 10,000


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("reading", READINGS)
def test_scb_blocks_hide_no_decision(reading):
    """Whatever the outcomes of a block, its pair is undecided before the last duel."""
    rng = np.random.default_rng(4)
    algorithm = Scb(**READINGS[reading])
    for p in (0.5, 0.55, 0.8, 1.0):
        state = algorithm.start(2, 10**9)
        t, longest = 1, 0
        while t < (90_000 if algorithm.alpha else 60_000):  # into the round in which many pairs are decided
            first, second, count = algorithm.select(state, t, 10**9, rng)
            if first == second:
                t += count
                continue
            longest = max(longest, count)
            # The pair stays the same until the outcomes are known.
            assert algorithm.select(state, t + count - 1, 10**9, rng) == (first, second, 1)
            won, lost = state.wins[first, second], state.wins[second, first]
            level, duels = float(state.budget[0].delta) / 4, int(state.cursor[0].duels)
            for extra in range(1, count):
                for w, n in ((won + extra, won + lost + extra), (won, won + lost + extra)):
                    late = duels + extra
                    known = ccb.in_experiments(0.51, late, late, 2) if algorithm.alpha else ccb.exploration(n, level)
                    assert n * ccb.kl(w / n, 0.5) <= known
            algorithm.update(state, first, second, int(rng.binomial(count, p)), count)
            t += count
        assert longest > 10 or (algorithm.alpha and p > 0.5)  # the gap is obvious at once
