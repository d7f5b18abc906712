"""A command that is killed or interrupted while its workers play."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.experiments import ENVIRONMENT, alive, command, files, played, wait_for

LONG = "horizon: 4e5\nruns: 40\ndatasets: [mslr5-non-condorcet]\nalgorithms: [sparring, rucb]\n"


def start(tmp_path, spec, *options):
    (tmp_path / "long.yaml").write_text(spec)
    return subprocess.Popen(
        command("run", "long.yaml", "-o", "out", *options),
        cwd=tmp_path,
        env=ENVIRONMENT,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        # Whatever runs the tests in the background may have had interrupts ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def descendants(pid):
    """The processes that a process has started, and they."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found += [int(stat.parent.name), *descendants(int(stat.parent.name))]
    return found


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds processes in /proc")
def test_killed_without_mercy_it_goes_on_where_it_was_and_leaves_no_process(tmp_path):
    process = start(tmp_path, LONG, "-j", "2")
    wait_for(lambda: len(list(tmp_path.rglob("run-*.csv"))) >= 3)
    children = descendants(process.pid)
    assert len(children) >= 2
    process.kill()
    process.communicate()
    wait_for(lambda: not [each for each in children if alive(each)])
    kept = {path: path.read_bytes() for path in tmp_path.rglob("run-*.csv")}
    assert 3 <= len(kept) < 80
    assert not (tmp_path / "out" / "summary.csv").exists()
    resumed = start(tmp_path, LONG, "-j", "2")
    out, err = resumed.communicate(timeout=300)
    assert f"{80 - len(kept)} runs played, {len(kept)} kept" in out, err
    assert all(path.read_bytes() == text for path, text in kept.items())
    assert not list(tmp_path.rglob(".run-*"))
    assert played(tmp_path, LONG, into="fresh").execution.played == 80
    assert files(tmp_path / "fresh") == files(tmp_path / "out")


ENDLESS = """
import os
from pathlib import Path
from duelbench.algorithms import Algorithm
from typing import NamedTuple
import numpy as np
from duelbench import kernel

class EndlessState(NamedTuple):
    count: np.ndarray

@kernel
def select(state, t, last, rng):
    while t > 1000 and state.count[0] >= 0:  # not in the trial
        state.count[0] = (state.count[0] + 1) % 1000
    return 0, 1, 1

@kernel
def update(state, first, second, wins, count):
    pass

class Endless(Algorithm):
    name = "endless"
    State = EndlessState
    select, update = staticmethod(select), staticmethod(update)
    def start(self, arms, horizon):
        if horizon > 1:  # when it is compiled a round is played, too
            Path(f"PLACE/{os.getpid()}.begun").touch()
        return EndlessState(np.zeros(1, np.int64))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the worker has to notice by itself")
def test_killed_without_mercy_it_leaves_no_process_in_a_kernel_that_never_returns(tmp_path):
    (tmp_path / "endless.py").write_text(ENDLESS.replace("PLACE", str(tmp_path)))
    spec = "horizon: 1e5\nruns: 2\ndatasets: [six-rankers]\nalgorithms: ['endless.py:Endless']\n"
    process = start(tmp_path, spec, "-j", "2")
    begun = lambda: [int(path.stem) for path in tmp_path.glob("*.begun")]  # noqa: E731
    wait_for(lambda: sum(map(alive, begun())) == 2)  # the process of the trial has ended
    time.sleep(1)  # the kernel follows at once
    children = descendants(process.pid)
    process.kill()
    process.wait()
    try:
        wait_for(lambda: not [each for each in children if alive(each)], 60)
    finally:
        for each in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        process.communicate()


DECADES = "horizon: 1e12\nruns: 2\ncheckpoints_per_decade: 1\ndatasets: [mslr5-non-condorcet]\nalgorithms: [sparring]\n"
"""Half a minute from the checkpoint at 1e8 to the next."""


def test_an_interrupt_stops_what_is_played_in_this_process_between_two_checkpoints(tmp_path):
    process = start(tmp_path, DECADES, "-j", "0")
    wait_for(lambda: list(tmp_path.rglob("series.json")))
    time.sleep(5)
    process.send_signal(signal.SIGINT)
    try:
        _, said = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "Traceback" not in said


def test_an_interrupt_stops_everything_at_once(tmp_path):
    process = start(tmp_path, LONG.replace("4e5", "1e9"), "-j", "2")
    wait_for(lambda: (tmp_path / "out" / "mslr5-non-condorcet" / "sparring" / "series.json").exists())
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in said
