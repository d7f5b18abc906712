"""One run leaves nothing behind."""

import gc

import numpy as np

from duelbench.runs.run import play_run
from tests.experiments import planned


def test_playing_leaks_no_memory(tmp_path):
    """Every run has generators of its own, and compiled code gives them back."""
    (series,) = planned(tmp_path, "horizon: 10\nruns: 1\ndatasets: [six-rankers]\nalgorithms: [uniform]\n").series
    play_run(series, 1, 0)
    gc.collect()
    before = sum(type(each) is np.random.Generator for each in gc.get_objects())
    for run in range(20):
        play_run(series, 1, run)
    gc.collect()
    assert sum(type(each) is np.random.Generator for each in gc.get_objects()) == before
