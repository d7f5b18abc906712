"""The command line as a user meets it: in processes of its own where that can make a difference."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from duelbench.cli import main

REPOSITORY = Path(__file__).parents[1]
SPEC = "title: Two\nhorizon: 2e3\nruns: 3\ndatasets: [six-rankers]\nalgorithms: [rucb, uniform]\n"


def duelbench(*arguments, cwd, **environment):
    command = [sys.executable, "-c", "from duelbench.cli import main; main()", *map(str, arguments)]
    return subprocess.run(
        command,
        cwd=cwd,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), **environment},
        timeout=300,
        check=False,
    )


@pytest.fixture
def spec(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.yaml").write_text(SPEC)
    return tmp_path / "two.yaml"


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A directory with the spec and its results in results/two, and what the command said."""
    directory = tmp_path_factory.mktemp("played")
    (directory / "two.yaml").write_text(SPEC)
    return directory, duelbench("run", "two.yaml", "-j", 2, cwd=directory)


def here(*arguments):
    """Run the command in this process: what it prints, and its exit code, are those of a process of its own."""
    return CliRunner().invoke(main, [str(each) for each in arguments], catch_exceptions=False)


def test_run(played):
    directory, done = played
    assert done.returncode == 0, done.stderr
    assert "Two: copeland regret at T = 2,000" in done.stdout
    assert re.search(r"rucb +[\d,.]+ +[\d,.]+ +[\d,.]+ +3 ", done.stdout)
    assert "6 runs played, 0 kept; results in results/two" in done.stdout
    assert "round" not in done.stderr  # no progress bar off a terminal
    assert (directory / "results/two/summary.csv").exists()


def test_what_is_there_is_kept(played, monkeypatch):
    monkeypatch.chdir(played[0])
    assert "nothing to play, 6 kept" in here("run", "two.yaml").output


def test_plot_draws_without_numba(played):
    code = (
        "import sys; from duelbench.cli import main; "
        "main(['plot', 'results/two', '-f', 'png'], standalone_mode=False); "
        "assert 'numba' not in sys.modules and 'llvmlite' not in sys.modules"
    )
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, "-c", code]
    drawn = subprocess.run(command, check=True, cwd=played[0], env=environment, capture_output=True, text=True)
    assert drawn.stdout.split() == ["results/two/regret.png", "results/two/regret-loglog.png"]
    assert (played[0] / "results/two/regret.png").stat().st_size > 10_000


def test_output_goes_where_it_is_told_to(spec, tmp_path):
    done = here("run", spec, "-o", "elsewhere/deep", "-j", 0)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "elsewhere/deep/summary.csv").exists()
    assert not (tmp_path / "results").exists()


def test_check_tells_the_plan(spec, tmp_path):
    done = here("check", spec)
    assert done.exit_code == 0, done.output
    assert "six-rankers (K = 6)" in done.stdout
    assert "3 of each pair, 6 in all" in done.stdout
    assert "rounds      12,000" in done.stdout
    assert not (tmp_path / "results").exists()


def test_check_prints_a_schema():
    schema = json.loads(here("check", "--schema").stdout)
    assert schema["$schema"].endswith("2020-12/schema")
    assert "d-ts+" in json.dumps(schema)
    assert "confidence constant" in json.dumps(schema)


def test_a_mistake_is_one_line_with_file_and_line_exit_code_2_and_leaves_results_alone(played, spec, tmp_path):
    shutil.copytree(played[0] / "results", tmp_path / "results")
    before = {path: path.read_bytes() for path in (tmp_path / "results").rglob("*") if path.is_file()}
    assert before
    spec.write_text(SPEC.replace("rucb", "rubc"))
    for verb in ("run", "check"):
        failed = duelbench(verb, "two.yaml", cwd=tmp_path)
        assert failed.returncode == 2
        assert failed.stderr.startswith("error: two.yaml:5: unknown algorithm 'rubc' (did you mean 'rucb'?)")
        assert failed.stderr.count("\n") == 1
        assert failed.stdout == ""
    assert {path: path.read_bytes() for path in (tmp_path / "results").rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "none.yaml"], "there is no such file"),
        (["plot", "nowhere"], "there is no directory nowhere"),
        (["datasets", "show", "sushi"], "did you mean 'sushi16'?"),
        (["run", "two.yaml", "-o", "two.yaml"], "choose another place with -o"),
        (["run", "two.yaml", "-j", "-1"], "-1"),
        (["check"], "Missing argument"),
        (["rum"], "No such command 'rum'"),
    ],
)
def test_other_mistakes_exit_with_2_and_no_traceback(spec, arguments, sentence):
    failed = here(*arguments)
    assert failed.exit_code == 2
    assert sentence in failed.stderr
    assert "Traceback" not in failed.stderr


def test_lists():
    algorithms = here("list", "algorithms").stdout
    for word in ("d-ts+", "rmed1", "alpha = 0.51", "Condorcet winner", "must know the horizon", "ICML 2011"):
        assert word in algorithms
    datasets = here("list", "datasets").stdout
    for word in ("sushi16", "(16 arms)", "btl-uniform", "Kamishima", "datasets fetch mslr-perfect"):
        assert word in datasets
    figures = here("list", "figures").stdout
    for word in ("regret\n", "std\n", "band = sem", "normalize_by"):
        assert word in figures


def test_show_a_dataset(tmp_path):
    shown = here("datasets", "show", "six-rankers").stdout
    assert re.search(r"Condorcet winner +0\n", shown)
    assert "0.55" in shown
    assert "3–5" in shown  # the exact tie
    (tmp_path / "m.csv").write_text("0.5,0.7\n0.3,0.5\n")
    assert "0.7" in here("datasets", "show", tmp_path / "m.csv").stdout


def test_help_names_every_verb_and_imports_none(tmp_path):
    code = (
        "import sys; from duelbench.cli import main; main(['--help'], standalone_mode=False); "
        "print(sorted({'numpy', 'numba', 'pydantic', 'yaml', 'matplotlib', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    for verb in ("run", "plot", "check", "list", "datasets"):
        assert f"  {verb} " in done.stdout
    assert done.stdout.endswith("[]\n")


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
