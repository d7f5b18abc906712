"""Sparring over EXP3: its literal path, what the sides hear, and its regret as published."""

from types import SimpleNamespace

import numpy as np
import pytest

from duelbench.algorithms.exponential_weights.sparring_exp3 import SparringExp3
from duelbench.conformance.paths import engine_path, literal_path
from duelbench.conformance.rounds import streams
from duelbench.literal import sparring_exp3
from tests.comparison import MATRICES, mutated
from tests.paths import DIFFERENT, INSTANCES, leaves_the_path, plays_as_written
from tests.winners import Stated, deviation

PLAIN = {"from duelbench.compiling.jit import kernel": "kernel = lambda function: function"}


@pytest.mark.parametrize("parameters", [{}, {"g": 0.1}, {"gamma": 0.03}], ids=str)
@pytest.mark.parametrize("name", DIFFERENT)
def test_the_path_is_the_literal_one(name, parameters):
    assert plays_as_written(SparringExp3, sparring_exp3, name, 1500, parameters)


@pytest.mark.parametrize("mistake", [{"g": 1.0}, {"gamma": 0.06}, {"g": 0.5 / 1.2**2}])
def test_other_parameters_have_another_path(mistake):
    assert leaves_the_path(SparringExp3, SimpleNamespace(run=default), mistake)


def default(P, horizon, policy, environment, **ignored):
    return sparring_exp3.run(P, horizon, policy, environment)


@pytest.mark.parametrize(
    "mistake",
    [
        {"        if rng.random() < 0.5:\n": "        if rng.random() < 0.0:\n"},
        {"    if first == second:\n        if rng": "    if first == second and t < 0:\n        if rng"},
        {"1.0 / bandit.p[arm]": "0.5 / bandit.p[arm]"},
        {"        if wins == 1:": "        if wins == 0:"},
        {"mix(bandit.gains, gamma / bandit.gains.shape[0]": "mix(bandit.gains, gamma"},
    ],
)
def test_a_mistaken_algorithm_has_another_path(mistake, tmp_path):
    matrix = INSTANCES["cyclic4"]
    literal = literal_path(sparring_exp3.run, matrix, 300, 1)
    for replaced, alike in ((PLAIN, True), (PLAIN | mistake, False)):
        path = engine_path(mutated("sparring_exp3", replaced, tmp_path, "SparringExp3")(), matrix, 300, 1)
        assert np.array_equal(path, literal) == alike


def test_one_side_gains_in_every_round():
    """By 1/p of its arm, the other side nothing; after self-duels, too."""
    P = MATRICES["six-rankers"].P
    environment, policy = streams(3, 0)
    algorithm, self_duels = SparringExp3(), 0
    state = algorithm.start(6, 500)
    for t in range(1, 501):
        before = [side.gains.copy() for side in (state.left, state.right)]
        first, second, count = algorithm.select(state, t, 500, policy)
        algorithm.update(state, first, second, int(first != second and environment.random() < P[first, second]), count)
        gained = [side.gains - old for side, old in zip((state.left, state.right), before, strict=True)]
        assert sorted(np.count_nonzero(each) for each in gained) == [0, 1]
        for each, side, arm in zip(gained, (state.left, state.right), (first, second), strict=True):
            assert each.sum() == pytest.approx(0) or each[arm] == pytest.approx(1 / side.p[arm])
        self_duels += first == second
    assert 50 < self_duels < 500


@pytest.mark.slow
@pytest.mark.parametrize(("t", "mean", "error", "runs"), [(283_000, 1882, 9, 100), (808_000, 3070, 15, 60)])
def test_regret_as_published(t, mean, error, runs):
    """Figures of Gajane, Urvoy and Clérot (ICML 2015), read to half a percent."""
    stated = Stated("six-rankers", t, mean, error, runs, "condorcet")
    assert abs(deviation(SparringExp3(), stated)) < 3
    assert abs(deviation(SparringExp3(g=1.0), stated._replace(runs=20))) > 5
