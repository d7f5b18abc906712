"""What stands above and below a table."""

import math

import pytest

from duelbench.tables.asked import ask
from duelbench.tables.caption import notes, title
from duelbench.tables.table import make_table
from tests.tabled import MEANS, made, table


def words(found, transposed=False):
    return " ".join(notes(found, transposed))


def test_the_title_says_what_is_shown_where_and_of_how_many_runs(tmp_path):
    assert title(table(tmp_path), str) == "Cumulative Copeland regret at $t$ = 1000: mean ± standard error, 100 runs."
    said = title(table(tmp_path, rounds=(100, 1000), datasets=["one"]), str)
    assert said == r"Cumulative Copeland regret on One & $\alpha = 1$: mean ± standard error, 100 runs."
    votes = made(tmp_path, count="votes")
    assert " at 1000 votes:" in title(make_table(votes, ask(votes)), str)
    more = {**MEANS, ("one", "a"): (*MEANS["one", "a"], {"runs": 2500})}
    assert title(table(tmp_path, more), str).endswith(", 100 to 2,500 runs.")


def test_marks_are_explained_where_they_may_be(tmp_path):
    said = words(table(tmp_path))
    assert "Bold: the least of its column. †: not told from it by Welch's $t$ between every two algorithms" in said
    assert "at 5 % for all of them together (Holm)" in said
    assert "‡" not in said and "–:" not in said
    assert "of its row" in words(table(tmp_path), transposed=True)
    without = {place: each for place, each in MEANS.items() if place != ("two", "c")}
    assert "–: no results." in words(table(tmp_path, without))
    heavy = {**MEANS, ("one", "a"): (*MEANS["one", "a"], {"kurtosis": 90.0})}
    assert "‡: one run, or a few, have much of the variance" in words(table(tmp_path, heavy))
    assert words(table(tmp_path, {("one", "a"): (1, 1)})) == ""


def test_nothing_is_tested_without_errors(tmp_path):
    results = made(tmp_path, {("one", "a"): (1.0, math.nan), ("one", "b"): (2.0, math.nan)}, runs=1)
    found = make_table(results, ask(results))
    assert "Nothing is tested" in words(found)
    assert title(found, str).endswith(": mean, 1 run.")


@pytest.mark.parametrize(
    ("datasets", "expected"),
    [
        (2, "Mean ranks over 2 datasets are too few to tell algorithms apart."),
        (8, "Mean ranks over 8 datasets differ from 1.17 on (Nemenyi, 5 %; Friedman $p$ < 0.001)."),
    ],
)
def test_what_ranks_tell(tmp_path, datasets, expected):
    cells = {
        (f"d{n}", label): (mean, 0.1) for n in range(datasets) for label, mean in zip("abc", (1, 2, 3), strict=True)
    }
    assert words(table(tmp_path, cells)).endswith(expected)


def test_ranks_that_friedmans_test_does_not_tell_apart(tmp_path):
    cells = {(f"d{n}", label): (1 + (n + k) % 3, 0.1) for n in range(6) for k, label in enumerate("abc")}
    assert words(table(tmp_path, cells)).endswith("over 6 datasets do not tell algorithms apart (Friedman $p$ = 1.00).")
