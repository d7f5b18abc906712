"""Measures: each says yes and no where it should, and shows its numbers."""

import math

import pytest

from duelbench.reproduction import measures
from duelbench.reproduction.measures import Library, Mean, NotRunError
from tests.experiments import seal
from tests.measured import explored, write


def finding(tmp_path, measure, **given):
    cells = {
        ("d", algorithm): numbers if isinstance(numbers, dict) else {"mean": numbers}
        for algorithm, numbers in given.items()
    }
    write(tmp_path, "fig", cells)
    return measure(Library(tmp_path))


STD, HALF_STD = measures.std_share("fig", "a", "b", 20, 1.25, "d"), measures.at_most_std("fig", "a", "b", 0.5, "d")

RIGHT = measures.more_often_right("fig", "a", "b", dataset="d")

SOONER = measures.sooner("fig", "a", "b", datasets=("d",))

NEAR = measures.near("fig", "a", "b", "top", 0.1)

HALFWAY = measures.approaches("fig", "a", "b", "goal")

CASES = {
    "lower": (measures.lower("fig", "a", "b", "c"), {"a": 1, "b": 2, "c": 3}, True),
    "lower than the best of several": (measures.lower("fig", "a", "b", "c"), {"a": 2.5, "b": 2, "c": 3}, False),
    "lower, within the noise": (measures.lower("fig", "a", "b"), {"a": 1, "b": 1.2}, None),
    "lower by a factor": (measures.lower("fig", "a", "b", factor=0.1), {"a": 9, "b": 100}, True),
    "not lower by that factor": (measures.lower("fig", "a", "b", factor=0.1), {"a": 11, "b": 100}, False),
    "ordered": (measures.ordered("fig", "a", "b", "c"), {"a": 1, "b": 2, "c": 3}, True),
    "not ordered": (measures.ordered("fig", "a", "b", "c"), {"a": 1, "b": 4, "c": 3}, False),
    "close": (measures.close("fig", "a", "b", 1.5), {"a": 10, "b": 14}, True),
    "far above": (measures.close("fig", "a", "b", 1.5), {"a": 16, "b": 10}, False),
    "far below": (measures.close("fig", "a", "b", 1.5), {"a": 10, "b": 16}, False),
    "near on the axis": (NEAR, {"a": 30, "b": 10, "top": 250}, True),
    "near from below": (NEAR, {"a": 10, "b": 30, "top": 250}, True),
    "near or not": (NEAR, {"a": 30, "b": 10, "top": 201}, None),
    "far apart on the axis": (NEAR, {"a": 30, "b": 10, "top": 150}, False),
    "approached": (HALFWAY, {"a": 30, "b": 14, "goal": 10}, True),
    "not approached": (HALFWAY, {"a": 30, "b": 24, "goal": 10}, False),
    "approached by half": (HALFWAY, {"a": 30, "b": 20.1, "goal": 10}, None),
    "overtaken": (HALFWAY, {"a": 30, "b": 5, "goal": 10}, True),
    "slopes": (measures.slope("fig", "a", "b", 2), {"a": 10, "b": {"mean": 50, "before": 41}}, True),
    "slopes apart": (measures.slope("fig", "a", "b", 2), {"a": 10, "b": {"mean": 50, "before": 48}}, False),
    "linear": (measures.linear("fig", "a"), {"a": {"mean": 100, "before": 11}}, True),
    "not linear": (measures.linear("fig", "a"), {"a": {"mean": 100, "before": 30}}, False),
    "std": (STD, {"a": {"mean": 1, "std": 2.2}, "b": 10}, True),
    "std too large": (STD, {"a": {"mean": 1, "std": 2.6}, "b": 10}, False),
    "std too small": (STD, {"a": {"mean": 1, "std": 1.5}, "b": 10}, False),
    "smaller std": (HALF_STD, {"a": 1, "b": {"mean": 1, "std": 3}}, True),
    "std not smaller": (HALF_STD, {"a": 1, "b": {"mean": 1, "std": 1.5}}, False),
    "sooner": (SOONER, {"a": explored(10), "b": explored(20)}, True),
    "later, as half the runs end late": (SOONER, {"a": explored(10, declared=0.5), "b": explored(20)}, False),
    "right": (RIGHT, {"a": explored(9), "b": explored(9, 0.4)}, True),
    "wrong": (RIGHT, {"a": explored(9, 0.3), "b": explored(9, 0.4)}, False),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_measures_say_yes_and_no(tmp_path, case):
    measure, given, agrees = CASES[case]
    assert finding(tmp_path, measure, **given).agrees is agrees


def test_findings_show_the_numbers(tmp_path):
    measured = finding(tmp_path, measures.lower("fig", "a", "b"), a=1234.5, b=0.012345).measured
    assert measured == "a 1,234 ± 0.100; b 0.0123 ± 0.100"


def test_what_is_near_is_shown_as_a_share_and_as_a_ratio(tmp_path):
    measured = finding(tmp_path, NEAR, a=30, b=10, top=250).measured
    # sqrt(0.1² + 0.1² + (0.08 · 0.1)²) / 250
    assert measured == (
        "a 30.0 ± 0.100; b 10.0 ± 0.100; 8.00 ± 0.0567 % of top's 250 apart, agreement is up to 10 %; ratio 3.00"
    )


def test_of_many_only_the_closest_and_those_that_disagree_are_shown(tmp_path):
    measure = measures.lower("fig", "a", "b", "c", "d", "e")
    assert finding(tmp_path, measure, a=5, b=9, c=8, d=20, e=1).measured == "a 5.00 ± 0.100; e 1.00 ± 0.100"


def test_robustness_and_growth_compare_datasets(tmp_path):
    delays = {("d-delay=1", "a"): {"mean": 10}, ("d-delay=10", "a"): {"mean": 15}, ("d-delay=99", "a"): {"mean": 31}}
    write(tmp_path, "late", delays, datasets=("d-delay=1", "d-delay=10", "d-delay=99"))
    assert measures.robust("late", "a", (10,), 2, "d")(Library(tmp_path)).agrees is True
    assert measures.robust("late", "a", (10, 99), 2, "d")(Library(tmp_path)).agrees is False
    grown = {("k4", "a"): explored(100), ("k8", "a"): explored(400)}
    write(tmp_path, "arms", grown, datasets=("k4", "k8"))
    for power, agrees in ((2, True), (1, False), (3, False)):
        growth = measures.grows_like("arms", "a", ((4, "k4"), (8, "k8")), power, 0.5)
        assert growth(Library(tmp_path)).agrees is agrees


def test_bounds_come_from_their_files(tmp_path):
    write(tmp_path, "fig", {("d", "a"): {"mean": 1}})
    with pytest.raises(NotRunError):
        measures.bounds_ratio("fig", 0.8, 1)(Library(tmp_path))
    (tmp_path / "fig/bounds.csv").write_text("dataset,bound,regret,constant\nd,LB,copeland,9\nd,ECWB,copeland,10\n")
    seal(tmp_path / "fig")
    assert measures.bounds_ratio("fig", 0.8, 1)(Library(tmp_path)).agrees is True
    assert measures.bounds_ratio("fig", 0, 0.1)(Library(tmp_path)).agrees is False
    (tmp_path / "table").mkdir()
    (tmp_path / "table/table.csv").write_text("bound,regret,matrices,mean,sem\nLB,copeland,10,700,5\n")
    assert measures.table_value("table", "LB", 670, 1.1)(Library(tmp_path)).agrees is True
    assert measures.table_value("table", "LB", 600, 1.1)(Library(tmp_path)).agrees is False


def test_below_counts_both_errors():
    assert measures.below(Mean(1, 0.3), Mean(2, 0.3)) is True
    assert measures.below(Mean(1, 0.4), Mean(2, 0.4)) is None
    assert measures.below(Mean(2, 0.3), Mean(1, 0.3)) is False


def test_numbers_are_short():
    assert [measures.number(x) for x in (0.0, 1234567.8, 12.345, 0.00123, math.inf)] == [
        "0", "1,234,568", "12.3", "0.00123", "inf",
    ]  # fmt: skip
