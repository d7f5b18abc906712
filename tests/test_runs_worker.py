"""What a worker makes of its runs."""

from types import SimpleNamespace

import pytest

from duelbench.runs import backends, worker
from duelbench.runs.series import PlannedRun
from duelbench.runs.worker import Chunk, play_chunk
from tests.experiments import planned, played

SLOW = """
import time
from duelbench.algorithms import Algorithm
class Slow(Algorithm):
    name = "slow"
    State = list
    def select(state, t, last, rng):
        HERE
        return 0, 0, 1
    def update(state, first, second, wins, count): pass
    select, update = staticmethod(select), staticmethod(update)
    def start(self, arms, horizon): return []
"""


class Recorder:
    """A heartbeat that is written down."""

    def __init__(self):
        self.heard = []

    def report(self, value):
        self.heard.append(("report", value))

    def begin(self, note, seconds):
        self.heard.append(("begin", note, seconds))

    def end(self):
        self.heard.append(("end",))


def chunk_of(tmp_path, text, numbers):
    plan = planned(tmp_path, text)
    (series,) = plan.series
    return Chunk(series, tuple(plan.run(series, number) for number in numbers))


def test_the_heartbeat_hears_of_every_run_and_of_its_time(tmp_path):
    chunk = chunk_of(tmp_path, "horizon: 10\nruns: 9\ndatasets: [six-rankers]\nalgorithms: [uniform]\n", [4, 7])
    recorder = Recorder()
    outcomes = play_chunk(chunk, 3.0, recorder)
    assert [(each.number, each.failed) for each in outcomes] == [(4, False), (7, False)]
    assert [each for each in recorder.heard if each[0] != "report"] == [
        ("begin", "4", 3.0 + worker.LOADING),
        ("begin", "4", 3.0 + worker.GRACE),
        ("end",),
        ("begin", "7", 3.0 + worker.GRACE),
        ("end",),
    ]


def test_a_slow_run_gives_up_by_itself_and_keeps_its_worker(tmp_path):
    (tmp_path / "slow.py").write_text(SLOW.replace("HERE", "pass"))
    text = "horizon: 1e8\nruns: 2\ndatasets: [six-rankers]\nrun_timeout: 0.2\nalgorithms: ['slow.py:Slow']\n"
    execution = played(tmp_path, text).execution
    assert len(execution.failures) == 2
    assert "TimeoutError: the run was not over after run_timeout = 0.2 seconds" in execution.failures[0].read_text()


def test_the_record_of_a_hanging_run_says_where_it_hung(tmp_path):
    (tmp_path / "slow.py").write_text(SLOW.replace("HERE", "time.sleep(1000)"))
    text = "horizon: 10\nruns: 1\ndatasets: [six-rankers]\nalgorithms: ['slow.py:Slow']\n"
    record = played(tmp_path, text, workers=1, run_timeout=0.3).execution.failures[0].read_text()
    assert "slow.py" in record
    assert "in select" in record


@pytest.mark.parametrize("play_there", [backends._play_on_dask, backends._play_elsewhere])
def test_a_worker_with_other_code_refuses(tmp_path, monkeypatch, play_there):
    alone = SimpleNamespace(state=SimpleNamespace(nthreads=1))
    monkeypatch.setattr("distributed.get_worker", lambda: alone)
    (series,) = planned(tmp_path, "horizon: 10\nruns: 9\ndatasets: [six-rankers]\nalgorithms: [uniform]\n").series
    chunk = Chunk(series, (PlannedRun(0, 3, 0, series.key(3, 0)),))
    (outcome,) = play_there(chunk, 100)
    assert not outcome.failed
    series.code["engine.play"] = "of another version"
    worker._checked.clear()
    with pytest.raises(RuntimeError, match=r"another version of engine\.play"):
        play_there(chunk, 100)
