"""DEXP3 with high probability: its literal paths, and its regret beside what others have counted."""

import numpy as np
import pytest

from duelbench.algorithms.exponential_weights.dexp3 import Dexp3
from duelbench.algorithms.exponential_weights.dexp3_hp import Dexp3Hp
from duelbench.conformance.paths import engine_path
from duelbench.literal import dexp3, dexp3_hp
from tests.paths import INSTANCES, share_of_the_winner
from tests.transcribed import literal_course, mistaken, plays_as
from tests.winners import Stated, deviation


@pytest.mark.parametrize("parameters", [{}, {"delta": 0.9}, {"beta": 0.5, "eta": 0.1}])
def test_the_path_is_the_literal_one(parameters):
    for label, matrix in INSTANCES.items():
        for seed, horizon in ((1, 300), (2, 50), (3, 1), (4, 2)):
            assert plays_as(dexp3_hp, Dexp3Hp, matrix, horizon, seed, **parameters), label


def test_without_the_bonus_it_is_dexp3():
    for label in ("cyclic4", "two arms"):
        path = engine_path(Dexp3Hp(beta=0), INSTANCES[label], 500, 1)
        assert np.array_equal(path, engine_path(Dexp3(), INSTANCES[label], 500, 1))
        assert not np.array_equal(path, engine_path(Dexp3Hp(), INSTANCES[label], 500, 1))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("beta)\n", "-beta)\n"),
        ("math.sqrt(math.log", "1.2 * math.sqrt(math.log"),
        ("math.log(K / delta", "math.log(1 / delta"),
    ],
)
def test_a_mistaken_transcription_has_another_path(old, new):
    matrix = INSTANCES["cyclic4"]
    wrong, _ = literal_course(mistaken(dexp3_hp, old, new), matrix, 2000, 1)
    assert not np.array_equal(engine_path(Dexp3Hp(), matrix, 2000, 1), wrong)


def test_another_wrong_sign_is_seen_too(monkeypatch):
    monkeypatch.setattr(dexp3_hp, "play", mistaken(dexp3, "s += beta / q", "s -= beta / q").play)
    assert not plays_as(dexp3_hp, Dexp3Hp, INSTANCES["cyclic4"], 500, 1)


# Of 60 runs each, by another program with these steps.
STATED = [
    Stated("six-rankers", 10_000, 613, 4, 400, "borda"),
    Stated("mslr5-condorcet", 10_000, 950, 7, 400, "borda"),
    Stated("cyclic4", 10_000, 820, 5, 400, "borda"),
    Stated("six-rankers", 100_000, 4670, 20, 100, "borda"),
    Stated("mslr5-condorcet", 100_000, 5588, 33, 100, "borda"),
    Stated("cyclic4", 100_000, 5567, 33, 100, "borda"),
]


@pytest.mark.parametrize(
    "stated", [pytest.param(each, marks=pytest.mark.slow if each.t > 10_000 else ()) for each in STATED]
)
def test_regret_as_stated(stated):
    assert abs(deviation(Dexp3Hp(), stated)) < 3.5
    assert abs(deviation(Dexp3(), stated)) > 4


@pytest.mark.parametrize("delay", [2, 1000])
def test_late_outcomes_teach_all_the_same(delay):
    assert share_of_the_winner(Dexp3Hp(), delay) > 0.7
