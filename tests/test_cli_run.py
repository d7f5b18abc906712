"""``duelbench run``: results, what is kept, interruptions, kernels that do not compile."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from tests.commands import REPOSITORY, duelbench, here
from tests.experiments import ENVIRONMENT, command
from tests.mistakes import ANSWER, KERNELS, PLAIN
from tests.mistakes import SPEC as OWN_SPEC


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


ALLOCATING = pytest.mark.skipif(os.environ.get("DUELBENCH_TIER") == "1", reason="kernels of this tier may allocate")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        pytest.param("int(np.zeros(3).sum())", "this does not compile: zeros", marks=ALLOCATING),
        ("state.b", "select fails with AttributeError at t = 1 with 6 arms: 'OnlyState' object has no attribute 'b'"),
        pytest.param("{1: 2}[1]", "this does not compile", marks=ALLOCATING),
    ],
)
def test_a_kernel_of_ones_own_that_does_not_compile_is_one_line(tmp_path, answer, said):
    (tmp_path / "unfit.py").write_text(UNFIT.replace("{}", answer))
    (tmp_path / "s.yaml").write_text("horizon: 9\nruns: 2\ndatasets: [six-rankers]\nalgorithms: ['unfit.py:Unfit']\n")
    failed = duelbench("run", "s.yaml", cwd=tmp_path)
    assert failed.returncode == 2
    assert re.search(rf"^error: .*unfit.py:(9|10): {re.escape(said)}", failed.stderr, re.M)
    assert "Traceback" not in failed.stderr


def test_interpreted_and_checked_have_directories_of_their_own_and_the_same_numbers(tmp_path):
    """To whoever names a directory that has others, they are stale: results do not mix."""
    (tmp_path / "mine.py").write_text(PLAIN)
    (tmp_path / "spec.yaml").write_text(OWN_SPEC.replace("1e4", "500"))
    for options in ((), ("--interpreted",), ("--checked",)):
        assert duelbench("run", "spec.yaml", *options, "-j", 1, cwd=tmp_path).returncode == 0
    results = tmp_path / "results"
    for how in ("interpreted", "checked"):
        said = duelbench("compare", results / "spec", results / how / "spec", cwd=tmp_path).stdout
        assert said.endswith("are identical\n")
        record = (results / how / "spec/six-rankers/Mine/series.json").read_text()
        assert f'"how": "{how}"' in record
    mixed = duelbench("run", "spec.yaml", "--interpreted", "-o", results / "spec", "-j", 1, cwd=tmp_path)
    assert 'runs are stale (how none → "interpreted")' in mixed.stderr
    assert "2 runs played, 0 kept" in mixed.stdout


@pytest.mark.slow
def test_checked_notices_what_the_first_rounds_do_not_show(tmp_path):
    line = "    first += 1000 if state.place[0].duels == 400 else 0\n"
    learn = "    state.wins[first] += wins\n"
    (tmp_path / "mine.py").write_text(KERNELS.replace(learn, line + learn))
    (tmp_path / "spec.yaml").write_text(OWN_SPEC.replace("1e4", "500"))
    done = duelbench("run", "spec.yaml", "--checked", "-j", 1, cwd=tmp_path)
    assert (done.returncode, "2 runs failed" in done.stderr) == (1, True)
    failure = (tmp_path / "results/checked/spec/six-rankers/Mine/run-00000.failed").read_text()
    assert failure.rstrip().endswith("IndexError: index is out of bounds")


def test_a_breakpoint_stops_the_command_itself_when_it_is_to(tmp_path):
    stop = "    if t == 400:\n        breakpoint()\n"
    (tmp_path / "mine.py").write_text(KERNELS.replace(ANSWER, stop + ANSWER))
    (tmp_path / "spec.yaml").write_text(OWN_SPEC.replace("1e4", "500").replace("runs: 2", "runs: 1"))
    done = subprocess.run(
        command("run", "spec.yaml", "--interpreted", "-j", "0"),
        cwd=tmp_path, env=ENVIRONMENT, input="p t\nc\n", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, "(Pdb) 400" in done.stdout) == (0, True), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [(["--interpreted", "--checked"], "leave out --checked"), (["--checked", "--executor", "dask"], "this machine")],
)
def test_ways_to_play_that_exclude_each_other(two, options, said):
    done = here("run", two, *options)
    assert (done.exit_code, said in done.output) == (2, True)


@pytest.mark.parametrize("share", ["0/3", "4/3", "3", "a/b", "1/100001", "-1/3"])
def test_what_is_no_share_is_said(two, share):
    done = here("run", two, "--shard", share)
    assert (done.exit_code, "is no share: write 3/64" in done.output) == (2, True)


NAMED = r"""
budget: 200
runs: 3
datasets: [{name: cyclic4, arms: [rock, paper, scissors, well], title: $C_4$}, {name: mine, file: m.csv}]
algorithms: [{name: uniform, title: $\alpha$}, {name: uniform, label: twin, title: α}]
"""


def test_the_screen_has_titles_and_the_names_of_arms_and_no_heading_twice(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.csv").write_text("a,b\n0.5,1.0\n0.0,0.5\n")
    (tmp_path / "named.yaml").write_text(NAMED)
    said = here("run", "named.yaml", "-j", "0").output
    assert "\nC_4\n" in said
    assert "\nmine\n" in said
    assert re.search(r"^  α \(uniform\) .* (rock|paper|scissors|well) \(\d+%\)$", said, re.MULTILINE)
    assert re.search(r"^  α \(twin\) .* a \(100%\)$", said, re.MULTILINE)
    spec = json.loads((tmp_path / "results/named/manifest.json").read_text())["spec"]
    assert [each["arm_names"] for each in spec["datasets"]] == [["rock", "paper", "scissors", "well"], ["a", "b"]]
