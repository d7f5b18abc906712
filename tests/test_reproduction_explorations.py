"""Measures of explorations: each says yes and no where it should."""

import pytest

from duelbench.reproduction import explorations
from duelbench.reproduction.measures import Library
from tests.measured import HORIZON, explored, write

D = ("d",)
SOONER = explorations.sooner("fig", "a", "b", datasets=D)
AS_SOON = explorations.as_soon("fig", "a", "b", 1.2, datasets=D)
RIGHT = explorations.less_often_wrong("fig", "a", "b", datasets=D)
NOTHING = explored(float("nan"), float("nan"), declared=0.0)

CASES = {
    "sooner": (SOONER, explored(10), explored(20), True),
    "later": (SOONER, explored(20), explored(10), False),
    "later, as half the runs end late": (SOONER, explored(10, declared=0.5), explored(20), False),
    "sooner than never": (SOONER, explored(10), NOTHING, True),
    "as soon": (AS_SOON, explored(110), explored(100), True),
    "too late": (AS_SOON, explored(125), explored(100), False),
    "too soon": (AS_SOON, explored(80), explored(100), False),
    "too late, as some end late": (AS_SOON, explored(100, declared=0.9), explored(100), False),
    "right": (RIGHT, explored(9), explored(9, 0.8), True),
    "wrong": (RIGHT, explored(9, 0.6), explored(9, 0.8), False),
    "within the noise": (RIGHT, explored(9, 0.8), explored(9, 0.75), None),
    "within the noise, as few have declared": (RIGHT, explored(9, 1.0, declared=0.04), explored(9, 0.75, 0.04), None),
    "right, and never declared": (RIGHT, explored(9), NOTHING, True),
    "right, but seldom declared": (RIGHT, explored(9, 1.0, declared=0.2), explored(9, 0.7), False),
}


@pytest.mark.parametrize("case", CASES)
def test_measures_say_yes_and_no(tmp_path, case):
    measure, a, b, agrees = CASES[case]
    write(tmp_path, "fig", {("d", "a"): a, ("d", "b"): b})
    assert measure(Library(tmp_path)).agrees is agrees


def test_one_dataset_that_disagrees_decides(tmp_path):
    cells = {
        ("d", "a"): explored(10),
        ("d", "b"): explored(20, 0.5),
        ("e", "a"): explored(30, 0.5),
        ("e", "b"): explored(20),
    }
    write(tmp_path, "fig", cells, datasets=("d", "e"))
    assert explorations.sooner("fig", "a", "b", datasets=D)(Library(tmp_path)).agrees is True
    assert explorations.sooner("fig", "a", "b", datasets=("d", "e"))(Library(tmp_path)).agrees is False
    assert explorations.as_soon("fig", "a", "b", 1.6, datasets=("e",))(Library(tmp_path)).agrees is True
    assert explorations.as_soon("fig", "a", "b", 1.6, datasets=("d", "e"))(Library(tmp_path)).agrees is False


def test_runs_without_a_declaration_count_with_the_horizon(tmp_path):
    write(tmp_path, "fig", {("d", "a"): explored(10, declared=0.25), ("d", "b"): NOTHING})
    assert explorations.duels(Library(tmp_path), "fig", "a", "d") == 0.25 * 10 + 0.75 * HORIZON
    assert explorations.duels(Library(tmp_path), "fig", "b", "d") == HORIZON
    assert explorations.not_right(Library(tmp_path), "fig", "b", D).value == 102 / 104


def test_runs_of_all_datasets_count_alike(tmp_path):
    cells = {
        ("d", "a"): explored(10, 0.5, declared=0.2),
        ("e", "a"): explored(10, 1.0, declared=0.6),
        ("f", "a"): NOTHING,
    }
    write(tmp_path, "fig", cells, datasets=("d", "e", "f"))
    share = explorations.not_right(Library(tmp_path), "fig", "a", ("d", "e", "f"))
    p = (90 + 40 + 100 + 2) / 304  # with two hits and two misses added
    assert share.value == pytest.approx(p)
    assert share.sem == pytest.approx((p * (1 - p) / 304) ** 0.5)


def test_findings_show_the_numbers(tmp_path):
    write(tmp_path, "fig", {("d", "a"): explored(10), ("d", "b"): explored(25, 0.75, declared=0.75)})
    assert SOONER(Library(tmp_path)).measured == "d: 10.0 to 269"
    assert RIGHT(Library(tmp_path)).measured == "a not right in 1.9 ± 1.3 %; b not right in 44.0 ± 4.9 %"
    assert AS_SOON(Library(tmp_path)).measured == "ratio of duels 0.0372 (d); agreement is up to 1.2"
