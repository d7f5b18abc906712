"""Measures: each says yes and no where it should, and shows its numbers."""

import numpy as np
import pytest

from duelbench.reproduction import measures
from duelbench.reproduction.measures import Library
from tests.measured import finding, write

GROUPS = measures.groups("fig", ("a", "b"), ("c", "d"), within=1.25)

AXIS = measures.on_the_axis("fig", 50, "a", "b")

NEAR = measures.near("fig", "a", "b", "top", 0.1)

BEFORE = measures.ordered("fig", "a", "b", share=0.1)

HALFWAY = measures.approaches("fig", "a", "b", "goal")

CASES = {
    "lower": (measures.lower("fig", "a", "b", "c"), {"a": 1, "b": 2, "c": 3}, True),
    "lower than the best of several": (measures.lower("fig", "a", "b", "c"), {"a": 2.5, "b": 2, "c": 3}, False),
    "lower, within the noise": (measures.lower("fig", "a", "b"), {"a": 1, "b": 1.2}, None),
    "lower by a factor": (measures.lower("fig", "a", "b", factor=0.1), {"a": 9, "b": 100}, True),
    "not lower by that factor": (measures.lower("fig", "a", "b", factor=0.1), {"a": 11, "b": 100}, False),
    "ordered": (measures.ordered("fig", "a", "b", "c"), {"a": 1, "b": 2, "c": 3}, True),
    "not ordered": (measures.ordered("fig", "a", "b", "c"), {"a": 1, "b": 4, "c": 3}, False),
    "as read": (measures.as_read("fig", "a", {0.1: 40, 1.0: 95}, 1.1), {"a": {"mean": 100, "before": 41}}, True),
    "not as read": (measures.as_read("fig", "a", {0.1: 30, 1.0: 95}, 1.1), {"a": {"mean": 100, "before": 41}}, False),
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
    "far or not": (measures.close("fig", "a", "b", 1.5), {"a": 15.1, "b": 10}, None),
    "slopes or not": (measures.slope("fig", "a", "b", 2), {"a": 10, "b": {"mean": 50, "before": 45.5}}, None),
    "linear or not": (measures.linear("fig", "a"), {"a": {"mean": 100, "before": 12.6}}, None),
    "ordered before": (BEFORE, {"a": {"mean": 9, "before": 1}, "b": {"mean": 3, "before": 2}}, True),
    "ordered only later": (BEFORE, {"a": {"mean": 3, "before": 2}, "b": {"mean": 9, "before": 1}}, False),
    "groups": (GROUPS, {"a": 20, "b": 18, "c": 10, "d": 11}, True),
    "groups, one out of its own": (GROUPS, {"a": 20, "b": 14, "c": 10, "d": 11}, False),
    "groups in the wrong order": (GROUPS, {"a": 10, "b": 11, "c": 20, "d": 18}, False),
    "groups that overlap": (GROUPS, {"a": 12, "b": 11, "c": 11.1, "d": 10}, None),
    "on the axis": (AXIS, {"a": 20, "b": 49}, True),
    "beyond the axis": (AXIS, {"a": 20, "b": 51}, False),
    "on the axis but for a while": (AXIS, {"a": 20, "b": {"mean": 40, "before": 60}}, False),
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


def test_a_reading_may_be_of_another_dataset_than_the_first(tmp_path):
    write(tmp_path, "fig", {("x", "a"): {"mean": 10}, ("y", "a"): {"mean": 20}}, ("x", "y"))
    for dataset, agrees in (("y", True), ("x", False), (None, False)):
        assert measures.as_read("fig", "a", {1.0: 20}, 1.1, dataset)(Library(tmp_path)).agrees is agrees


def test_what_is_close_is_close_on_all_datasets(tmp_path):
    cells = {("x", "a"): {"mean": 10}, ("x", "b"): {"mean": 11}, ("y", "a"): {"mean": 10}, ("y", "b"): {"mean": 20}}
    write(tmp_path, "two", cells, datasets=("x", "y"))
    assert measures.close_on("two", "a", "b", 1.25, ("x",))(Library(tmp_path)).agrees is True
    assert measures.close_on("two", "a", "b", 1.25, ("x", "y"))(Library(tmp_path)).agrees is False


@pytest.mark.parametrize(
    ("large", "bounds", "agrees"),
    [(15, {"high": 1.25}, True), (40, {"high": 1.25}, False), (40, {"low": 1.5}, True), (17.7, {"high": 1.25}, None)],
)
def test_what_grows_with_the_arms_grows_with_a_power_of_them(tmp_path, large, bounds, agrees):
    cells = {("ten", "a"): {"mean": 1, "sem": 0.01}, ("hundred", "a"): {"mean": large, "sem": 0.2}}
    write(tmp_path, "fig", cells, datasets=("ten", "hundred"))
    found = measures.grows("fig", "a", {"ten": 10, "hundred": 100}, **bounds)(Library(tmp_path))
    assert found.agrees is agrees
    if large == 15:
        error = 2 * np.hypot(0.01, 0.2 / 15) / np.log(10)
        power = np.log10(15)
        assert found.measured == (
            "K = 10: 1.00 ± 0.0100; K = 100: 15.0 ± 0.200; as K to the power "
            f"{power:.2f} ({power - error:.2f} to {power + error:.2f}), agreement is up to 1.25"
        )
