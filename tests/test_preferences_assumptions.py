"""What a matrix meets is told from it: each condition on matrices that just do and just do not."""

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.preferences.assumptions import CONDITIONS, ranking, unmet
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.tables import TABLES


def of(*rows):
    """The matrix whose upper triangle has these rows."""
    K = len(rows) + 1
    P = np.full((K, K), 0.5)
    for i, row in enumerate(rows):
        P[i, i + 1 :] = row
        P[i + 1 :, i] = 1 - np.array(row)
    return PreferenceMatrix(P)


def meets(condition, matrix, also="", **parameters):
    return condition not in unmet(matrix, f"{condition}, {also}" if also else condition, parameters)


CYCLE = of([0.6, 0.4], [0.6])
TIED = of([0.6, 0.6], [0.5])
STEPS = of([0.6, 0.8], [0.7])  # 0.1 and 0.2 make 0.3: SST and, just, STI


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_everything_that_an_algorithm_assumes_can_be_told(name):
    assert set(catalogue()[name].assumes.split(", ")) <= set(CONDITIONS)


def test_every_condition_is_assumed_by_some_algorithm():
    assumed = {condition for kind in catalogue().values() for condition in kind.assumes.split(", ")}
    assert set(CONDITIONS) == assumed


def test_what_nobody_knows_is_an_error():
    with pytest.raises(KeyError, match="good weather"):
        unmet(STEPS, "good weather", {})


def test_an_order_has_the_better_arms_first_and_a_cycle_has_none():
    assert ranking(STEPS.relabelled([2, 0, 1])) == [1, 2, 0]
    assert ranking(CYCLE) is None
    assert ranking(of([0.5, 0.5, 0.6], [0.6, 0.5], [0.6])) is not None  # ties do not make a cycle
    assert ranking(of([0.6, 0.5, 0.4], [0.6, 0.5], [0.6])) is None  # of four
    tied = TIED.relabelled([2, 1, 0])
    assert ranking(tied)[0] == 2


@pytest.mark.parametrize(
    ("condition", "matrix", "parameters", "met"),
    [
        ("nothing", CYCLE, {}, True),
        ("Condorcet winner", TIED, {}, True),
        ("Condorcet winner", CYCLE, {}, False),
        ("β below the odds of each win", CYCLE, {"beta": 1.49}, True),
        ("β below the odds of each win", CYCLE, {"beta": 1.51}, False),
        ("β below the odds of each win", of([1.0, 1.0], [1.0]), {"beta": 9.0}, True),
        ("Condorcet winner", of([0.5, 0.6], [0.6]), {}, False),
        ("no ties", TIED, {}, False),
        ("no pair at 1/2", CYCLE, {}, True),
        ("no pair within h of 1/2", CYCLE, {"h": 0.1}, True),
        ("no pair within h of 1/2", CYCLE, {"h": 0.11}, False),
        ("Condorcet winner that beats all others by a known gap", TIED, {"gap": 0.1}, True),
        ("Condorcet winner that beats all others by a known gap", TIED, {"gap": 0.11}, False),
        ("Condorcet winner that beats all others by a known gap", CYCLE, {"gap": 0.01}, False),
        ("total order", TIED, {}, True),
        ("total order", CYCLE, {}, False),
        ("SST", STEPS, {}, True),
        ("SST", of([0.7, 0.69], [0.6]), {}, False),
        ("SST", of([0.6, 0.69], [0.7]), {}, False),
        ("SST", CYCLE, {}, False),
        ("γ-SST", of([0.7, 0.6], [0.6]), {"gamma": 2.0}, True),
        ("γ-SST", of([0.7, 0.6], [0.6]), {"gamma": 1.9}, False),
        ("STI", STEPS, {}, True),
        ("STI", of([0.6, 0.81], [0.7]), {}, False),
        ("one Borda winner", TIED, {}, True),
        ("one Borda winner", CYCLE, {}, False),
        ("one Borda winner", of([0.5, 0.7], [0.7]), {}, False),
        ("Plackett–Luce model", of([4 / 7, 4 / 5], [3 / 4]), {}, True),
        ("Bradley-Terry-Luce", of([4 / 7, 4 / 5], [0.751]), {}, False),
        ("Bradley-Terry-Luce", of([1.0, 1.0], [1.0]), {}, False),
        ("utilities", STEPS, {}, True),
        ("linear link", of([0.6, 0.79], [0.7]), {}, False),
        ("arm 0 is a yardstick", STEPS, {}, False),
        ("arm 0 is a yardstick with argmax", STEPS, {"variant": "argmax"}, False),
        ("arm 0 is a yardstick with argmax", STEPS, {"variant": "copeland"}, True),
        ("Condorcet winner with variant condorcet", CYCLE, {"variant": "condorcet"}, False),
        ("Condorcet winner with variant condorcet", CYCLE, {"variant": "copeland"}, True),
    ],
)
def test_conditions(condition, matrix, parameters, met):
    for order in ([0, 1, 2], [2, 0, 1], [1, 0, 2]):
        assert meets(condition, matrix.relabelled(order), **parameters) is met


def test_relaxed_conditions_are_about_the_best_arm_alone():
    later = of([0.9, 0.9, 0.9], [0.7, 0.6], [0.6])  # SST fails for arms 1, 2, 3 only
    assert not meets("SST", later)
    assert meets("relaxed SST", later, gamma=1.0)
    first = of([0.7, 0.6], [0.6])
    assert not meets("relaxed SST", first, gamma=1.9)
    assert meets("relaxed SST", first, gamma=2.0)
    later = of([0.9, 0.9, 0.9], [0.6, 0.81], [0.7])
    assert not meets("STI", later)
    assert meets("STI", later, also="relaxed SST", gamma=1.0)


def test_what_the_tables_are_known_to_be():
    met = {
        name: {
            condition
            for condition in ("Condorcet winner", "no ties", "total order", "SST", "STI", "linear link")
            if meets(condition, table.matrix())
        }
        for name, table in TABLES.items()
    }
    assert met["arithmetic8"] == {"Condorcet winner", "no ties", "total order", "SST", "STI", "linear link"}
    assert met["cyclic4"] == {"Condorcet winner", "no ties"}
    assert met["mslr5-non-condorcet"] == {"no ties"}
    assert "no ties" not in met["six-rankers"] | met["sushi16"]
    assert {name for name, those in met.items() if "Condorcet winner" not in those} == {
        *("mslr5-non-condorcet", "hudry13", "tennis8", "multisol")
    }
