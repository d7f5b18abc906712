"""Streams: what a run's numbers are drawn from."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from duelbench.algorithms.confidence.rucb import Rucb
from duelbench.algorithms.thompson.rcs import Rcs
from duelbench.engine.streams import outcomes_stream, policy_stream, stream


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


def test_axes_of_a_run():
    """Duels depend on the dataset and the run, choices on the algorithm and its parameters, too."""
    first, dataset = Rucb(), {"matrix": "x"}
    duels = [outcomes_stream(1, dataset, 0), outcomes_stream(1, dataset, 1), outcomes_stream(1, {"matrix": "y"}, 0)]
    others = [(dataset, 1, first), ({"matrix": "y"}, 0, first), (dataset, 0, Rucb(alpha=0.6)), (dataset, 0, Rcs())]
    choices = [policy_stream(1, *each) for each in [(dataset, 0, first), *others]]
    assert len({each.random() for each in [*duels, *choices]}) == 8


def test_streams_of_neighbours_are_independent():
    draws = np.array([stream(3, run=run).random(200) for run in range(200)])
    assert stats.kstest(draws.ravel(), "uniform").pvalue > 0.001
    assert stats.kstest(draws[:, 0], "uniform").pvalue > 0.001
    correlation = np.corrcoef(draws)[~np.eye(200, dtype=bool)]
    assert np.abs(correlation).max() < 0.4


def test_what_json_cannot_write_is_refused():
    with pytest.raises(TypeError):
        stream(1, thing=object())
