"""The numbers of a table, the best among them and what is like it."""

import math

import pandas as pd
import pytest
from scipy.stats import ttest_ind_from_stats

from duelbench.plots.results import Results
from duelbench.tables.asked import ask
from duelbench.tables.table import make_table
from tests.experiments import resolved, write_results
from tests.measured import PLAIN
from tests.tabled import MEANS, made, table


def column(found, dataset, t=1000):
    return next(each.cells for each in found.columns if (each.dataset, each.t) == (dataset, t))


def test_the_best_and_what_is_like_it(tmp_path):
    found = table(tmp_path, rounds=(100, 1000))
    assert [(each.dataset, each.t) for each in found.columns] == [
        ("one", 100),
        ("one", 1000),
        ("two", 100),
        ("two", 1000),
    ]
    one, two = column(found, "one"), column(found, "two")
    assert [(cell.value, cell.error, cell.runs) for cell in one] == [(*MEANS["one", each], 100) for each in "abc"]
    assert [(cell.best, cell.alike, cell.rank) for cell in one] == [
        (True, False, 1),
        (False, True, 2),
        (False, False, 3),
    ]
    assert [(cell.best, cell.alike) for cell in two] == [(False, False), (True, False), (False, True)]
    # Three pairs: b and c are the least apart, so Holm's factor is 1.
    p = ttest_ind_from_stats(3.5, 1, 100, 3.6, 1, 100, equal_var=False).pvalue
    assert two[2].p == pytest.approx(p)
    assert found.tested


def test_mean_ranks_are_over_all_datasets(tmp_path):
    assert table(tmp_path).ranks[1000].mean.tolist() == [2.0, 1.5, 2.5]
    assert table(tmp_path, datasets=["one"]).ranks == {}
    without = {place: each for place, each in MEANS.items() if place != ("two", "c")}
    found = table(tmp_path, without)
    assert found.ranks == {1000: None}
    assert column(found, "two")[2] is None
    assert table(tmp_path, without, algorithms=["a", "b"]).ranks[1000].mean.tolist() == [1.5, 1.5]


def test_a_tail_is_heavy_where_one_run_has_much_of_the_variance(tmp_path):
    """Of 100 runs, 99 at 0 and one at 1: kurtosis 98. Of 30 nothing is said."""
    heavy = {("one", "a"): (1.0, 0.1, {"kurtosis": 98.0}), ("one", "b"): (1.0, 0.1)}
    found = column(table(tmp_path / "many", heavy), "one")
    assert [cell.heavy for cell in found] == [True, False]
    assert [cell.best for cell in found] == [True, True]
    results = made(tmp_path / "few", heavy, runs=30)
    assert not any(cell.heavy for cell in make_table(results, ask(results)).cells)


def test_one_run_is_compared_with_nothing(tmp_path):
    results = made(tmp_path, {("one", "a"): (1.0, math.nan), ("one", "b"): (2.0, math.nan)}, runs=1)
    found = make_table(results, ask(results))
    assert not found.tested
    assert [(cell.best, cell.alike) for cell in found.cells] == [(True, False), (False, False)]


RIGHT = {"a": 0.95, "b": 0.9, "c": 0.4}


def recommending(tmp_path):
    rows = []
    for label, right in RIGHT.items():
        more = {"recommended_right": right, "right_low": right - 0.05, "right_high": right + 0.04}
        more |= {"votes": 1000 * right, "votes_sem": 10.0, "simple": 1 - right}
        rows.append((("one", label, "copeland", 1000), PLAIN | {"mean": 1, "std": 1, "sem": 0.1} | more))
    spec = resolved(["one"], RIGHT, recommend="own", count="votes", runs=100)
    return Results(write_results(tmp_path, spec, rows))


def test_of_shares_the_largest_is_best_and_fishers_test_compares(tmp_path):
    results = recommending(tmp_path)
    found = make_table(results, ask(results, show="right")).cells
    assert [(cell.value, cell.best, cell.alike, cell.rank) for cell in found] == [
        (0.95, True, False, 1),
        (0.9, False, True, 2),
        (0.4, False, False, 3),
    ]
    assert found[0].interval == pytest.approx((0.9, 0.99))


def test_of_votes_the_fewest_are_best(tmp_path):
    results = recommending(tmp_path)
    found = make_table(results, ask(results, show="votes")).cells
    assert [(cell.value, cell.error, cell.best) for cell in found] == [
        (950, 10, False),
        (900, 10, False),
        (400, 10, True),
    ]


def test_errors_of_simple_regret_are_from_the_runs(tmp_path):
    results = recommending(tmp_path)
    asked = ask(results, show="simple")
    assert not make_table(results, asked).tested
    runs = pd.DataFrame(
        [
            {"dataset": "one", "algorithm": label, "regret": kind, "t": t, "simple": number}
            for label in RIGHT
            for kind, t, numbers in (
                ("copeland", 1000, (0.0, 0.2, 0.1)),
                ("borda", 1000, (9, 0)),
                ("copeland", 5, (1, 2)),
            )
            for number in numbers
        ]
    )
    found = make_table(results, asked, runs)
    assert [cell.error for cell in found.cells] == pytest.approx([0.1 / 3**0.5] * 3)
    assert found.tested
