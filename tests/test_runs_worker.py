"""What a worker makes of its runs."""

import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.errors import UserError
from duelbench.runs import backends, worker
from duelbench.runs.backends import local
from duelbench.runs.code import PACKAGE, code_of
from duelbench.runs.execute import execute
from duelbench.runs.series import PlannedRun
from duelbench.runs.worker import Chunk, play_chunk
from tests.experiments import ENVIRONMENT, nothing, planned, played

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


@pytest.mark.parametrize("play_there", [backends._play_on_dask, play_chunk])
def test_a_worker_with_other_code_refuses(tmp_path, monkeypatch, play_there):
    alone = SimpleNamespace(state=SimpleNamespace(nthreads=1))
    monkeypatch.setattr("distributed.get_worker", lambda: alone)
    (series,) = planned(tmp_path, "horizon: 10\nruns: 9\ndatasets: [six-rankers]\nalgorithms: [uniform]\n").series
    chunk = Chunk(series, (PlannedRun(0, 3, 0, series.key(3, 0)),))
    (outcome,) = play_there(chunk, 100)
    assert not outcome.failed
    series.code["engine.play"] = "of another version"
    worker._checked.clear()
    with pytest.raises(UserError, match=r"another version of engine\.play"):
        play_there(chunk, 100)


@pytest.mark.parametrize("workers", [0, 2])
def test_workers_of_this_machine_refuse_other_code_and_the_command_ends(tmp_path, workers):
    plan = planned(tmp_path, "horizon: 10\nruns: 9\ndatasets: [six-rankers]\nalgorithms: [uniform]\n")
    plan.series[0].code["engine.play"] = "edited after planning"
    worker._checked.clear()
    with pytest.raises(UserError, match=r"another version of engine\.play than the command: .* repeat the command"):
        execute(plan, tmp_path / "out", local(workers), announce=nothing, progress=nothing)
    assert not list((tmp_path / "out").rglob("run-*"))


EDITED = """
from pathlib import Path
import duelbench.algorithms.catalogue
from duelbench.runs.code import code_of
kind = duelbench.algorithms.catalogue.catalogue()["uniform"]
file = Path(duelbench.__file__).parent / "engine" / "rollout.py"
assert file.is_relative_to(Path.cwd())
file.write_text(file.read_text() + "EDITED = 1\\n")
print(code_of(kind)["engine.rollout"])
"""


def test_the_code_that_counts_is_what_was_loaded_and_not_what_has_been_written_since(tmp_path):
    """As in a worker of a cluster that goes on for days."""
    shutil.copytree(PACKAGE, tmp_path / "duelbench", ignore=shutil.ignore_patterns("__pycache__"))
    environment = ENVIRONMENT | {"PYTHONPATH": str(tmp_path)}
    first, second = (
        subprocess.run(
            [sys.executable, "-c", EDITED], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        for _ in range(2)
    )
    expected = code_of(catalogue()["uniform"])["engine.rollout"]
    assert first.stdout.strip() == expected
    assert second.stdout.strip() != expected
