"""DEXP3: its literal paths, its regret beside what others have counted, estimates without bias, and late outcomes."""

import numpy as np
import pytest

from duelbench.algorithms.exponential_weights.dexp3 import Dexp3, credit
from duelbench.conformance.paths import engine_path
from duelbench.literal import dexp3
from tests.paths import INSTANCES, share_of_the_winner
from tests.transcribed import literal_course, mistaken, plays_as
from tests.winners import Stated, deviation


@pytest.mark.parametrize("parameters", [{}, {"eta": 0.1}, {"gamma": 0.5}, {"eta": 3.0, "gamma": 0.01}])
def test_the_path_is_the_literal_one(parameters):
    for label, matrix in INSTANCES.items():
        for seed, horizon in ((1, 300), (2, 50), (3, 1), (4, 2)):
            assert plays_as(dexp3, Dexp3, matrix, horizon, seed, **parameters), label


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("** (2 / 3)", "** (2 / 3) * 1.2"),
        ("math.sqrt(eta * K)", "math.sqrt(eta)"),
        ("o / (K * q[x]", "o / (q[x]"),
        ("o / (K * q[x]", "(x != y) * o / (K * q[x]"),  # self-duels teach nothing
        ("s[x] += o", "s[y] += o"),
    ],
)
def test_a_mistaken_transcription_has_another_path(old, new):
    matrix = INSTANCES["cyclic4"]
    wrong, _ = literal_course(mistaken(dexp3, old, new), matrix, 500, 1)
    assert not np.array_equal(engine_path(Dexp3(), matrix, 500, 1), wrong)


def test_estimates_have_no_bias():
    """On average over the duel a score grows by the arm's shifted Borda score."""
    P = INSTANCES["six-rankers"].P
    q = np.array([0.4, 0.2, 0.15, 0.1, 0.1, 0.05])
    mean = np.zeros(6)
    for x in range(6):
        for y in range(6):
            state = Dexp3().start(6, 1000)
            state.chance[:] = q
            credit(state, x, y)
            mean += q[x] * q[y] * P[x, y] * state.score
    np.testing.assert_allclose(mean, P.mean(axis=1), rtol=1e-12)


# Of 60 runs each, by another program with these steps.
STATED = [
    Stated("six-rankers", 10_000, 586, 5, 400, "borda"),
    Stated("mslr5-condorcet", 10_000, 858, 7, 400, "borda"),
    Stated("cyclic4", 10_000, 780, 6, 400, "borda"),
    Stated("six-rankers", 100_000, 4320, 23, 100, "borda"),
    Stated("mslr5-condorcet", 100_000, 5117, 29, 100, "borda"),
    Stated("cyclic4", 100_000, 5097, 35, 100, "borda"),
]


@pytest.mark.parametrize(
    "stated", [pytest.param(each, marks=pytest.mark.slow if each.t > 10_000 else ()) for each in STATED]
)
def test_regret_as_stated(stated):
    assert abs(deviation(Dexp3(), stated)) < 3.5


def test_a_mistaken_rate_has_another_regret():
    eta, gamma, *_ = Dexp3().start(6, 10_000)
    assert abs(deviation(Dexp3(eta=1.2 * eta, gamma=gamma), STATED[0])) > 3.5


@pytest.mark.parametrize("delay", [2, 30, 1000])
def test_late_outcomes_teach_all_the_same(delay):
    assert share_of_the_winner(Dexp3(), delay) > 0.7
