"""``duelbench run``: results, what is kept, interruptions, kernels that do not compile."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

from tests.commands import REPOSITORY, duelbench, here


def test_run(two_played):
    directory, done = two_played
    assert done.returncode == 0, done.stderr
    assert "Two: copeland regret at T = 2,000" in done.stdout
    assert re.search(r"rucb +[\d,.]+ +[\d,.]+ +[\d,.]+ +3 ", done.stdout)
    assert "6 runs played, 0 kept; results in results/two" in done.stdout
    assert "round" not in done.stderr  # no progress bar off a terminal
    assert (directory / "results/two/summary.csv").exists()


def test_what_is_there_is_kept(two_played, monkeypatch):
    monkeypatch.chdir(two_played[0])
    assert "nothing to play, 6 kept" in here("run", "two.yaml").output


def test_output_goes_where_it_is_told_to(two, tmp_path):
    done = here("run", two, "-o", "elsewhere/deep", "-j", 0)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "elsewhere/deep/summary.csv").exists()
    assert not (tmp_path / "results").exists()


def heed_interrupts():
    """Whatever runs the tests in the background may have had them ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_an_interrupted_run_leaves_whole_files_and_goes_on(tmp_path):
    spec = "horizon: 2e6\nruns: 20\ndatasets: [mslr5-non-condorcet]\nalgorithms: [{name: rucb, alpha: [0.51, 0.6]}]\n"
    (tmp_path / "long.yaml").write_text(spec)
    process = subprocess.Popen(
        [sys.executable, "-c", "from duelbench.cli import main; main()", "run", "long.yaml", "-j", "2"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    )
    while process.poll() is None and len(list(tmp_path.rglob("run-*.csv"))) < 3:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command goes on" in said
    assert "Traceback" not in said
    kept = {path: path.read_bytes() for path in tmp_path.rglob("run-*.csv")}
    assert 0 < len(kept) < 40
    assert not (tmp_path / "results/long/summary.csv").exists()
    done = duelbench("run", "long.yaml", cwd=tmp_path)
    assert f"{40 - len(kept)} runs played, {len(kept)} kept" in done.stdout
    assert all(path.read_bytes() == text for path, text in kept.items())


UNFIT = """
from typing import NamedTuple
import numpy as np
from duelbench.algorithms import Algorithm
from duelbench.compiling.jit import kernel
class OnlyState(NamedTuple):
    arms: int
@kernel
def select(state, t, last, rng):
    return {}, 1, 1
@kernel
def update(state, first, second, wins, count):
    pass
class Unfit(Algorithm):
    name = "unfit"
    State, select, update = OnlyState, staticmethod(select), staticmethod(update)
    def start(self, arms, horizon):
        return OnlyState(arms)
"""


@pytest.mark.parametrize("answer", ["np.zeros(3).sum()", "state.b", "{1: 2}[1]"])
def test_a_kernel_of_ones_own_that_does_not_compile_is_one_line(tmp_path, answer):
    (tmp_path / "unfit.py").write_text(UNFIT.format(answer) if "{1" not in answer else UNFIT.replace("{}", answer))
    (tmp_path / "s.yaml").write_text("horizon: 9\nruns: 2\ndatasets: [six-rankers]\nalgorithms: ['unfit.py:Unfit']\n")
    failed = duelbench("run", "s.yaml", cwd=tmp_path)
    assert failed.returncode == 2
    assert re.search(r"^error: .*unfit.py:(9|10): this does not compile", failed.stderr, re.M)
    assert "Traceback" not in failed.stderr
