"""Timing: the fastest repetition of each run counts."""

import numpy as np
import pytest

from duelbench.benchmark import timing
from duelbench.benchmark.timing import Timing, time_runs


def test_a_run_counts_with_its_fastest_repetition_and_horizons_take_turns(monkeypatch):
    asked = []

    def one_run(algorithm, matrix, horizon, run):
        asked.append((run, horizon))
        repeat = asked.count((run, horizon))
        return 0.2 / repeat + run + horizon, timing.Trajectory(None, None, np.array([[5, horizon], [run, 7]]), None)

    monkeypatch.setattr(timing, "_one_run", one_run)
    monkeypatch.setattr(timing, "REPEATS", 4)
    short, long = time_runs(None, None, [10, 20], 2)
    assert asked == [(0, 10), (0, 20), (1, 10), (1, 20)] * 4
    assert short == Timing(10, 2, 10.5, pytest.approx(10.55), pytest.approx(11.05))
    assert long == Timing(20, 2, 20.5, pytest.approx(20.55), pytest.approx(21.05))
    monkeypatch.setattr(timing, "PATIENCE", 0.0)
    asked.clear()
    assert time_runs(None, None, [10], 5)[0].runs == 1
    assert len(asked) == 1


def test_every_run_is_played_once_where_all_are_wanted(monkeypatch):
    asked = []

    def one_run(algorithm, matrix, horizon, run):
        asked.append(run)
        return 1.0, timing.Trajectory(None, None, np.zeros((2, 2)), None)

    monkeypatch.setattr(timing, "_one_run", one_run)
    monkeypatch.setattr(timing, "PATIENCE", 0.0)
    assert time_runs(None, None, [10], 5, complete=True)[0].runs == 5
    assert asked == [0, 1, 2, 3, 4]
