"""``duelbench run``: results, what is kept, interruptions, kernels that do not compile."""

import json
import os
import re
import subprocess

import pytest

from tests.commands import duelbench, here
from tests.experiments import ENVIRONMENT, command
from tests.mistakes import ANSWER, KERNELS, PLAIN
from tests.mistakes import SPEC as OWN_SPEC


def test_run(two_played):
    directory, done = two_played
    assert done.returncode == 0, done.stderr
    assert "Two: copeland regret at T = 2,000" in done.stdout
    assert re.search(r"RUCB +[\d,.]+ +[\d,.]+ +[\d,.]+ +3 ", done.stdout)
    assert "6 runs played, 0 kept; results in results/two" in done.stdout
    assert "round" not in done.stderr  # no progress bar off a terminal
    assert (directory / "results/two/summary.csv").exists()


def test_run_again(two_played, monkeypatch):
    monkeypatch.chdir(two_played[0])
    assert "nothing to play, 6 kept" in here("run", "two.yaml").output


def test_output(two, tmp_path):
    done = here("run", two, "-o", "elsewhere/deep", "-j", 0)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "elsewhere/deep/summary.csv").exists()
    assert not (tmp_path / "results").exists()


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
    ],
)
def test_kernel_does_not_compile(tmp_path, capfd, answer, said):
    (tmp_path / "unfit.py").write_text(UNFIT.replace("{}", answer))
    (tmp_path / "s.yaml").write_text("horizon: 9\nruns: 2\ndatasets: [six-rankers]\nalgorithms: ['unfit.py:Unfit']\n")
    failed = here("run", tmp_path / "s.yaml")
    assert failed.exit_code == 2
    assert re.search(rf"^error: .*unfit.py:(9|10): {re.escape(said)}", failed.stderr, re.M)
    assert "Traceback" not in failed.stderr + capfd.readouterr().err


def test_interpreted_and_checked(tmp_path, monkeypatch):
    """Each has a directory of its own. To whoever names one that has others, they are stale: results do not mix."""
    monkeypatch.chdir(tmp_path)
    for name in ("NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"):  # the command sets them; this algorithm compiles nothing
        monkeypatch.setenv(name, os.environ.get(name, "0"))
    (tmp_path / "mine.py").write_text(PLAIN)
    (tmp_path / "spec.yaml").write_text(OWN_SPEC.replace("1e4", "500"))
    for options in ((), ("--interpreted",), ("--checked",)):
        assert here("run", "spec.yaml", *options, "-j", 0).exit_code == 0
    results = tmp_path / "results"
    for how in ("interpreted", "checked"):
        said = here("compare", results / "spec", results / how / "spec").stdout
        assert said.endswith("are identical\n")
        record = (results / how / "spec/six-rankers/Mine/series.json").read_text()
        assert f'"how": "{how}"' in record
    mixed = here("run", "spec.yaml", "--interpreted", "-o", results / "spec", "-j", 0)
    assert 'runs are stale (how none → "interpreted")' in mixed.stderr
    assert "2 runs played, 0 kept" in mixed.stdout


@pytest.mark.slow
def test_checked_index(tmp_path):
    line = "    first += 1000 if state.place[0].duels == 400 else 0\n"
    learn = "    state.wins[first] += wins\n"
    (tmp_path / "mine.py").write_text(KERNELS.replace(learn, line + learn))
    (tmp_path / "spec.yaml").write_text(OWN_SPEC.replace("1e4", "500"))
    done = duelbench("run", "spec.yaml", "--checked", "-j", 1, cwd=tmp_path)
    assert (done.returncode, "2 runs failed" in done.stderr) == (1, True)
    failure = (tmp_path / "results/checked/spec/six-rankers/Mine/run-00000.failed").read_text()
    assert failure.rstrip().endswith("IndexError: index is out of bounds")


def test_breakpoint(tmp_path):
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
def test_exclusive_options(two, options, said):
    done = here("run", two, *options)
    assert (done.exit_code, said in done.output) == (2, True)


@pytest.mark.parametrize("share", ["0/3", "4/3", "3", "a/b", "1/100001", "-1/3"])
def test_bad_shares(two, share):
    done = here("run", two, "--shard", share)
    assert (done.exit_code, "is not a shard: write 3/64" in done.output) == (2, True)


NAMED = r"""
budget: 200
runs: 3
datasets: [{name: cyclic4, arms: [rock, paper, scissors, well], title: $C_4$}, {name: mine, file: m.csv}]
algorithms: [{name: uniform, title: $\alpha$}, {name: uniform, label: twin, title: α}]
"""


def test_titles_on_screen(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.csv").write_text("a,b\n0.5,1.0\n0.0,0.5\n")
    (tmp_path / "named.yaml").write_text(NAMED)
    said = here("run", "named.yaml", "-j", "0").output
    assert "\nC_4\n" in said
    assert "\nmine, K = 2\n" in said
    assert re.search(r"^  α \(uniform\) .* (rock|paper|scissors|well) \(\d+%\)$", said, re.MULTILINE)
    assert re.search(r"^  α \(twin\) .* a \(100%\)$", said, re.MULTILINE)
    spec = json.loads((tmp_path / "results/named/manifest.json").read_text())["spec"]
    assert [each["arm_names"] for each in spec["datasets"]] == [["rock", "paper", "scissors", "well"], ["a", "b"]]


def test_check(two, tmp_path):
    done = here("check", two)
    assert done.exit_code == 0, done.output
    assert "six-rankers (K = 6)" in done.stdout
    assert "3 of each pair, 6 in all" in done.stdout
    assert "rounds      12,000" in done.stdout
    assert not (tmp_path / "results").exists()


def test_schema():
    schema = json.loads(here("check", "--schema").stdout)
    assert schema["$schema"].endswith("2020-12/schema")
    assert "d-ts+" in json.dumps(schema)
    assert "confidence constant" in json.dumps(schema)
