"""Measures of printed counts and shares, on results made up for them."""

import pytest

from duelbench.reproduction import counts
from duelbench.reproduction.counts import Adjusted
from duelbench.reproduction.estimates import Mean
from duelbench.reproduction.measures import Library, NotRunError
from tests.measured import HORIZON, recommended, write


def found(tmp_path, measure, *, datasets=("d",), **cells):
    given = {(dataset, label): numbers for label, numbers in cells.items() for dataset in datasets}
    write(tmp_path, "fig", given, datasets, recommend="own")
    return measure(Library(tmp_path))


def as_many(stated, within=1.1, **more):
    return counts.as_many("fig", "a", "{}", {"d": stated}, within=within, **more)


@pytest.mark.parametrize(
    ("measure", "cell", "agrees"),
    [
        (as_many(Mean(100, 1)), recommended(104), True),
        (as_many(Mean(100, 1)), recommended(115), False),
        (as_many(Mean(100, 1)), recommended(109), None),
        (as_many(Mean(100, 10)), recommended(104), None),  # theirs is not known well enough
        (as_many(Mean(100, 1)), recommended(104, error=9), None),  # nor ours
        (as_many(Mean(100, 1), adjusted=Adjusted(factor=1.25)), recommended(80), True),
        (as_many(Mean(100, 1), adjusted=Adjusted(plus=20)), recommended(80), True),
        (as_many(Mean(100, 1)), recommended(80), False),
        (as_many(Mean(7, 0.1)), recommended(100), False),
        (as_many(Mean(7, 0.1), counted="votes"), recommended(100, error=0.1), True),
        (as_many(Mean(100, 1)), recommended(100, declared=0.5), False),  # the others count with the horizon
        (as_many(Mean(HORIZON, 1)), recommended(float("nan"), declared=0.0), True),
    ],
)
def test_counts_say_yes_no_and_undecided(tmp_path, measure, cell, agrees):
    assert found(tmp_path, measure, a=cell).agrees is agrees


def test_an_error_that_is_not_printed_is_as_ours_would_be_from_as_many_runs(tmp_path):
    # ours: 100 runs with an error of 2 %; theirs of 25 runs: 4 %
    (text, agrees) = found(tmp_path, as_many(100.0, runs=25), a=recommended(100, error=2))
    assert text == "d: 100, 1.000 ± 0.045 (ours, and its quotient by theirs); agreement is up to 1.1"
    assert agrees is True


def test_what_is_changed_before_is_said(tmp_path):
    (text, _) = found(tmp_path, as_many(Mean(140, 1), adjusted=Adjusted(1.25, 15)), a=recommended(100))
    assert text.startswith("d: 140, 1.000")
    assert ", times 1.25 plus 15.0 (ours" in text


def test_one_dataset_that_disagrees_decides(tmp_path):
    measure = counts.as_many("fig", "a", "x={}", {"1": Mean(10, 0.1), "2": Mean(20, 0.1)}, within=1.1)
    assert found(tmp_path, measure, datasets=("x=1", "x=2"), a=recommended(10, error=0.1)).agrees is False


ALWAYS = counts.always_right("fig", "a", datasets=("d",), at_most=0.06)
WRONG = counts.wrong_as_often("fig", "a", "{}", {"d": 0.4}, runs=1000, within=0.2)


@pytest.mark.parametrize(
    ("measure", "cell", "agrees"),
    [
        (ALWAYS, recommended(1), True),
        (ALWAYS, recommended(1, right=0.8), False),
        (ALWAYS, recommended(1, right=0.97), None),
        (ALWAYS, recommended(1, declared=0.5), False),
        (WRONG, recommended(1, right=0.6), True),
        (WRONG, recommended(1, right=0.99), False),
        (WRONG, recommended(1, right=0.45), None),
        (WRONG, recommended(1, right=0.6, declared=0.9), True),  # of those that have declared
    ],
)
def test_shares_say_yes_no_and_undecided(tmp_path, measure, cell, agrees):
    assert found(tmp_path, measure, a=cell).agrees is agrees


def test_runs_that_declare_nothing_count_nowhere_and_are_said(tmp_path):
    words = found(tmp_path, WRONG, a=recommended(1, right=0.6, declared=0.5)).measured
    p = (20 + 2) / 54  # 20 of 50 that have declared, with two hits and two misses added
    assert words.startswith(f"d: {100 * p:.1f} ±")
    assert "nothing declared in d: 50.0 % of the runs" in words


@pytest.mark.parametrize(("stated", "agrees"), [(0.7, True), (0.4, False), (0.6, None)])
def test_recommended_arms_at_a_number_of_votes(tmp_path, stated, agrees):
    measure = counts.named_as_often("fig", {"K": stated}, {"K": ("a", HORIZON // 10)}, runs=1000, within=0.15)
    assert found(tmp_path, measure, a=recommended(1, right=0.7)).agrees is agrees


def test_what_was_not_recorded_was_not_run(tmp_path):
    measure = counts.named_as_often("fig", {"K": 0.5}, {"K": ("a", 17)}, runs=10, within=0.1)
    with pytest.raises(NotRunError):
        found(tmp_path, measure, a=recommended(1))
