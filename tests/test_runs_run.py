"""One run leaves nothing behind."""

import gc

import numpy as np

from duelbench.runs.run import play_run
from tests.experiments import planned


def test_playing_leaks_no_memory(tmp_path):
    """Compiled code keeps a reference to every generator that it sees, so runs must not bring new ones."""
    (series,) = planned(tmp_path, "horizon: 10\nruns: 1\ndatasets: [six-rankers]\nalgorithms: [uniform]\n").series

    def generators():
        gc.collect()
        return sum(issubclass(type(each), np.random.Generator) for each in gc.get_objects())  # type: dead proxies too

    play_run(series, 1, 0)
    before = generators()
    for run in range(20):
        play_run(series, 1, run)
    assert generators() == before
