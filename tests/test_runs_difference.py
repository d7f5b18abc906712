"""Differences of means: what is seen, what would have been, and what a few runs cannot tell."""

import math

import numpy as np

from duelbench.runs.difference import difference

KEY = (("six-rankers", "rucb"), "copeland")


def test_what_would_have_been_seen_is_seen_so_often():
    """Of differences as large as is said to be visible nine in ten are found; of half of that not nearly."""
    rng, runs = np.random.default_rng(5), (10, 40)
    found = {1.0: 0, 0.5: 0}
    for share in found:
        for _ in range(1000):
            samples = [rng.normal(100, 20, count) for count in runs]
            rows = [{1: (len(each), float(each.mean()), float(each.std(ddof=1)))} for each in samples]
            visible = difference(KEY, *rows, 1).visible
            moved = {1: (runs[1], rows[1][1][1] + share * visible, rows[1][1][2])}
            found[share] += difference(KEY, rows[0], moved, 1).differs
    assert 900 <= found[1.0] <= 970
    assert found[0.5] < 600


def rows(runs, mean, std):
    """The row of a summary at the last t."""
    return {1: (runs, mean, std)}


def test_two_runs_against_many_are_too_few_and_forty_are_not():
    many = rows(500, 100.0, 40.0)
    assert difference(KEY, rows(2, 110.0, 40.0), many, 1).too_few
    assert difference(KEY, rows(1, 100.0, math.nan), many, 1).too_few
    enough = difference(KEY, rows(40, 110.0, 40.0), many, 1)
    assert (enough.too_few, enough.agrees) == (False, True)
    assert difference(KEY, rows(40, 200.0, 40.0), many, 1).differs


def test_few_runs_that_lie_close_together():
    """Runs of one distribution are rarely said to differ, however few they are and however skewed."""
    assert difference(KEY, rows(2, 190.7, 13.5), rows(300, 300.0, 312.0), 1).too_few
    rng = np.random.default_rng(3)
    for runs, other in ((2, 300), (3, 300), (5, 200), (10, 40)):
        alarms = 0
        for _ in range(500):
            samples = [rng.lognormal(sigma=1.0, size=size) for size in (runs, other)]
            found = [rows(len(each), float(each.mean()), float(each.std(ddof=1))) for each in samples]
            alarms += difference(KEY, *found, 1).differs
        assert alarms <= 25, runs


def test_without_spread_two_runs_tell():
    assert difference(KEY, rows(2, 3.0, 0.0), rows(2, 3.0, 0.0), 1).agrees
    assert difference(KEY, rows(2, 3.0, 0.0), rows(2, 4.0, 0.0), 1).differs


def test_what_is_the_same_to_the_byte_needs_no_more_runs():
    assert difference(KEY, rows(3, 100.0, 40.0), rows(2, 110.0, 40.0), 1, alike=True).agrees
