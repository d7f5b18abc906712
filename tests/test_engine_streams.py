"""Streams and checkpoints: what a run's numbers are drawn from, and the rounds they are recorded at."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy import stats

from duelbench.engine.checkpoints import checkpoints
from duelbench.engine.streams import stream


def test_the_numbers_of_a_stream_are_pinned():
    """A change here changes every result that was ever computed: never by accident."""
    assert stream(2016, dataset="six-rankers", run=3).random(3).tolist() == [
        0.10982787799877392,
        0.8521520736461545,
        0.4510804588780596,
    ]
    assert stream(0).integers(0, 10**9, 4).tolist() == [793818656, 76810722, 787250551, 970971803]
    assert stream(2**63 - 1, policy={"name": "rucb", "alpha": 0.51}).random() == 0.5199659854393889


def test_a_stream_does_not_depend_on_the_process():
    code = "from duelbench.engine.streams import stream; print(stream(7, a=1, b='é').random())"
    for seed in ("0", "1"):
        printed = subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        )
        assert float(printed.stdout) == stream(7, b="é", a=1).random()


def test_the_order_of_the_axes_does_not_matter_and_all_else_does():
    first = stream(1, dataset="x", run=2).random()
    assert stream(1, run=2, dataset="x").random() == first
    nested = stream(1, policy={"a": 1, "b": 2}).random()
    assert stream(1, policy={"b": 2, "a": 1}).random() == nested
    others = [
        stream(2, dataset="x", run=2),
        stream(1, dataset="x", run=3),
        stream(1, dataset="x", run="2"),
        stream(1, dataset="y", run=2),
        stream(1, dataset="x", runs=2),
        stream(1, dataset="x"),
        stream(1, dataset="x", run=2, more=None),
        stream(1),
    ]
    assert len({first, nested, *(other.random() for other in others)}) == 2 + len(others)


def test_streams_of_neighbours_are_independent():
    draws = np.array([stream(3, run=run).random(200) for run in range(200)])
    assert stats.kstest(draws.ravel(), "uniform").pvalue > 0.001
    assert stats.kstest(draws[:, 0], "uniform").pvalue > 0.001
    correlation = np.corrcoef(draws)[~np.eye(200, dtype=bool)]
    assert np.abs(correlation).max() < 0.4


def test_what_json_cannot_write_is_refused():
    with pytest.raises(TypeError):
        stream(1, thing=object())


# Checkpoints


def test_checkpoints_by_hand():
    assert checkpoints([1], 20).tolist() == [1]
    assert checkpoints([10], 1).tolist() == [1, 10]
    assert checkpoints([999], 1).tolist() == [1, 10, 100, 999]
    assert checkpoints([100], 4).tolist() == [1, 2, 3, 6, 10, 18, 32, 56, 100]
    assert checkpoints([50, 7], 1).tolist() == [1, 7, 10, 50]


@given(some.lists(some.integers(1, 10**12), min_size=1, max_size=4), some.integers(1, 1000))
def test_checkpoints_increase_from_one_to_the_horizon(horizons, per_decade):
    marks = checkpoints(horizons, per_decade)
    assert marks.dtype == np.int64
    assert marks[-1] == max(horizons)
    assert np.all(np.diff(marks) > 0)
    assert marks[0] == 1
    assert set(horizons) <= set(marks.tolist())
    assert {10**k for k in range(13) if 10**k <= max(horizons)} <= set(marks.tolist())
    if max(horizons) >= 10**9 and per_decade <= 100 and len(horizons) == 1:
        grid = marks[(marks >= 10**7) & (marks < 10**8)]
        assert len(grid) == per_decade


@given(some.integers(1, 10**12), some.integers(1, 10**12), some.integers(1, 200))
def test_the_grid_of_a_shorter_run_is_the_beginning_of_that_of_a_longer_one(a, b, per_decade):
    short, long = sorted((a, b))
    shorter, longer = checkpoints([short], per_decade), checkpoints([long], per_decade)
    assert np.array_equal(shorter[shorter < short], longer[longer < short])
