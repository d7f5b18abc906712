"""MergeRUCB and MergeDTS: batches and losses, beyond the paths in catalogue.py, and the path of MergeDTS.

MergeDTS draws differently from its reference implementation in one respect: it tosses coins for the sides of θ. If it
draws every θ in the reference's order, it must play the reference's path; the coins must have the probabilities of θ.
"""

import math
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from duelbench.algorithms.merging import merge_dts
from duelbench.algorithms.merging.batches import advance, begin_anew, count_losers, learn, new_losses
from duelbench.algorithms.merging.merge_dts import MergeDts, likely_loser, likely_winner
from duelbench.algorithms.merging.merge_rucb import MergeRucb
from duelbench.conformance.case import order
from duelbench.conformance.rounds import pair_tables, simulate, streams
from duelbench.kernels.draws import pick
from duelbench.preferences.matrix import PreferenceMatrix
from tests.instances import INSTANCES
from tests.playing import engine_path
from tests.reference import merging
from tests.reference_paths import reference_course

interpreted = pytest.mark.usefixtures("interpreted")
SMALL_C = {"alpha": 0.3, "C": 2.0}


@pytest.mark.parametrize("algorithm", [MergeRucb(**SMALL_C), MergeDts(batch=4, C=100.0)], ids=lambda each: each.name)
def test_winner_is_found_from_late_outcomes(algorithm):
    for seed in range(10):
        marks = np.array([10_000, 20_000])
        late = simulate(algorithm, order(12, 0.95).P, pair_tables(12), marks, *streams(seed, 0), delay=50).regret
        assert late[:, 1].sum() == 20_000
        assert late[0, 1] - late[0, 0] == 10_000


@interpreted
def test_one_arm_stays_of_a_cycle():
    """One arm remains when all late outcomes of a deterministic cycle arrive at once."""
    algorithm, policy = MergeRucb(alpha=0.3, C=2.0), np.random.default_rng(1)
    cycle = PreferenceMatrix([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]])
    state = algorithm.start(3, 1000)
    asked = [algorithm.select(state, t, 1000, policy) for t in range(1, 200)]
    assert algorithm.recommendation(state) is None
    for first, second, count in asked:
        algorithm.update(state, first, second, int(cycle.P[first, second]), count)
    first, second, count = algorithm.select(state, 200, 1000, policy)
    assert first == second == algorithm.recommendation(state)
    assert count == 801


# The path of MergeDTS


SMALL = ("cyclic4", "two arms", "no difference", "certain")
CASES = [(label, 150, {"batch": 4, "C": 3.0}) for label in ("order of 20", "order of 33", "sushi16", *SMALL)] + [
    ("order of 33", 500, {"batch": 5, "C": 3.0, "alpha": 0.4}),
    ("order of 33", 60, {}),
    ("order of 33", 150, {"C": 3.0}),
    ("sushi16", 150, {"C": 1.0, "alpha": 0.1}),
    ("order of 20", 60, {"alpha": 0.9, "batch": 9, "C": None, "delta": 0.5}),
]


def winner_by_draws(state, n, rng):
    """``likely_winner`` with the draws of the reference implementation."""
    arms, wins = [int(arm) for arm in state.batches.listed[:n]], state.losses.wins
    ahead = [sum(rng.beta(wins[i, j] + 1, wins[j, i] + 1) > 0.5 for j in arms if j != i) for i in arms]
    best = np.array([i for i, won in zip(arms, ahead, strict=True) if won == max(ahead)])
    return pick(best, len(best), rng)


def loser_by_draws(state, n, c, rng):
    arms, wins = state.batches.listed[:n], state.losses.wins
    theta = {int(j): rng.beta(wins[j, c] + 1, wins[c, j] + 1) for j in arms if j != c}
    return min(theta, key=theta.get)


@pytest.fixture
def every_draw(monkeypatch, request):
    """MergeDTS with the draws of its reference implementation."""
    request.getfixturevalue("interpreted")
    monkeypatch.setattr(merge_dts, "likely_winner", winner_by_draws)
    monkeypatch.setattr(merge_dts, "likely_loser", loser_by_draws)


@pytest.mark.usefixtures("every_draw")
@pytest.mark.parametrize(("label", "rounds", "parameters"), CASES)
def test_merge_dts_path(label, rounds, parameters):
    for seed, horizon in ((1, rounds), (2, 3)):
        path, _ = reference_course(MergeDts(**parameters), INSTANCES[label], horizon, seed)
        assert np.array_equal(engine_path(MergeDts(**parameters), INSTANCES[label], horizon, seed), path)


def after_duels(*records):
    """Return a state of four arms after duels (winner, loser, number)."""
    state = MergeDts().start(4, 100)
    state.batches.listed[:] = range(4)
    for winner, loser, duels in records:
        MergeDts.update(state, winner, loser, duels, duels)
    return state


@interpreted
def test_coins_have_the_chances_of_draws():
    state, rng = MergeDts().start(5, 100), np.random.default_rng(1)
    for _ in range(3000):
        first, second = rng.choice(5, 2, replace=False)
        MergeDts.update(state, int(first), int(second), int(rng.random() < 0.4 + 0.1 * (second - first)), 1)
    wins, different = state.losses.wins, ~np.eye(5, dtype=bool)
    assert wins[different].sum() == 3000
    expected = stats.beta.sf(0.5, wins + 1, wins.T + 1)
    np.testing.assert_allclose(state.posteriors.chance[different], expected[different], rtol=1e-9)


@interpreted
def test_likely_winner():
    state, rng = after_duels((0, 1, 2), (1, 2, 1), (0, 3, 1), (2, 3, 3)), np.random.default_rng(1)

    def chosen(choose):
        counts = Counter(int(choose(state, 4, rng)) for _ in range(20_000))
        return [counts[arm] for arm in range(4)]

    by_draws = chosen(winner_by_draws)
    assert stats.chi2_contingency([chosen(likely_winner), by_draws]).pvalue > 0.001
    state.posteriors.chance[0, 1] -= 0.2
    assert stats.chi2_contingency([chosen(likely_winner), by_draws]).pvalue < 1e-7


@interpreted
def test_likely_loser_has_lost_to_the_winner():
    state, rng = after_duels((0, 1, 500), (2, 0, 500), (0, 3, 300), (3, 0, 300)), np.random.default_rng(1)
    assert {int(likely_loser(state, 4, 0, rng)) for _ in range(20)} == {1}


# The constant C of the confidence


def test_constant():
    """C is 4e6 for the 136 navigational rankers of MSLR, as in the paper on MergeDTS."""
    assert math.exp(MergeRucb().log_constant(136)) == pytest.approx(4e6, rel=0.15)
    for alpha, delta, K in ((1.01, 0.01, 136), (0.7, 0.1, 5)):
        algorithm = MergeDts(alpha=alpha, delta=delta, C=None)
        assert math.exp(algorithm.log_constant(K)) == pytest.approx(merging.constant(K, alpha, delta))
    assert MergeDts().log_constant(136) == math.log(400_000)
    assert MergeRucb(C=1e6).log_constant(5) == math.log(1e6)


def test_huge_constant():
    log_constant = MergeRucb(alpha=0.501).log_constant(1000)
    assert log_constant > 1000
    state = MergeDts(alpha=0.501, C=None).start(1000, 10)
    assert state.offset == 2**53


def test_constant_must_be_given():
    with pytest.raises(ValueError, match="give C"):
        MergeRucb(alpha=0.5)
    with pytest.raises(ValueError, match="give C"):
        MergeDts(C=None)
    assert MergeRucb(alpha=0.5, C=1e6).C == 1e6


# Arms that have lost a pair with confidence


@interpreted
def test_level_of_a_huge_constant():
    losses = new_losses(3, 0.51, 5000.0, 0)
    advance(losses, 10**6)
    assert losses.clock[0].level == 0.51 * 5000.0


@interpreted
@pytest.mark.parametrize("prior", [0, 1])
@pytest.mark.parametrize("late", [False, True])
def test_suspects_are_enough(prior, late):
    """The losers in a batch equal those found from all pairs, also when time restarts and outcomes are late."""
    rng, arms = np.random.default_rng(3), np.arange(6)
    losses, found = new_losses(6, 0.25, math.log(5.0), prior), 0
    waiting = []
    for t in range(1, 400):
        advance(losses, t)
        expected = merging.losers(list(range(6)), (losses.wins + prior).tolist(), 1.0, losses.clock[0].level)
        assert count_losers(losses, arms, 6) == len(expected)
        assert np.flatnonzero(losses.lost).tolist() == expected
        found += len(expected)
        i, j = rng.choice(6, 2, replace=False)
        if t % 100 == 0:
            begin_anew(losses, t)
        waiting.append((int(i), int(j), int(rng.random() < 0.6), 1))
        while len(waiting) > 7 * late:
            learn(losses, *waiting.pop(0))
    assert found > 100


# Batches of the reference implementation


def test_small_batches_go_to_large_ones():
    sizes = [1, 1, 2, 3, 5, 6]  # batches of four: at most six arms together
    lists = [[size] * size for size in sizes]
    merged = [sorted(arms) for arms in merging.merge_once(lists, 4, np.random.default_rng(1))]
    assert sorted(merged) == [[1, 3, 3, 3], [1, 5, 5, 5, 5, 5], [2, 2], [6] * 6]
