"""``duelbench run``: results, kept runs, interruptions, kernels that do not compile."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.commands import duelbench, here
from tests.experiments import ENVIRONMENT, command
from tests.mistakes import ANSWER, KERNELS, MISTAKES, PLAIN
from tests.mistakes import SPEC as OWN_SPEC


def test_run(two_played):
    directory, done = two_played
    assert done.returncode == 0, done.stderr
    assert "Two: copeland regret at T = 2,000" in done.stdout
    assert re.search(r"RUCB +[\d,.]+ +[\d,.]+ +[\d,.]+ +3 ", done.stdout)
    assert "runs: 6 played, 0 reused; results in results/two" in done.stdout
    assert "\r" not in done.stderr  # no progress bar off a terminal
    assert (directory / "results/two/summary.csv").exists()


def test_run_again(two_played, monkeypatch):
    monkeypatch.chdir(two_played[0])
    assert "runs: 0 played, 6 reused" in here("run", "two.yaml").output


@pytest.mark.skipif(os.environ.get("DUELBENCH_TIER") == "1", reason="kernels of this tier may allocate")
def test_kernel_does_not_compile(tmp_path, capfd):
    (mistake,) = [each for each in MISTAKES if each.name == "an array made in a kernel"]
    (tmp_path / "mine.py").write_text(mistake.text)
    (tmp_path / "spec.yaml").write_text(OWN_SPEC)
    failed = here("run", tmp_path / "spec.yaml")
    assert failed.exit_code == 2
    said = failed.stderr.splitlines()[-1].removeprefix("error: ")
    assert mistake.is_answered_by(said, tmp_path / "mine.py"), said
    assert "Traceback" not in failed.stderr + capfd.readouterr().err


def test_interpreted_and_checked(tmp_path, monkeypatch):
    """Each mode has its own directory; in the same directory, results of another mode are out of date."""
    monkeypatch.chdir(tmp_path)
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
    assert 'runs are out of date (how none → "interpreted")' in mixed.stderr
    assert "runs: 2 played, 0 reused" in mixed.stdout


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


def test_check(two, tmp_path):
    done = here("check", two)
    assert done.exit_code == 0, done.output
    assert "six-rankers (K = 6)" in done.stdout
    assert "3 of each algorithm on each dataset, 6 in all" in done.stdout
    assert "rounds      12,000" in done.stdout
    assert not (tmp_path / "results").exists()


def test_check_says_how_long_it_takes(two_played, tmp_path, monkeypatch):
    """The time is as measured in results with the same horizon; assumptions that matrices do not meet are named."""
    monkeypatch.chdir(shutil.copytree(two_played[0], tmp_path / "here"))
    text = Path("two.yaml").read_text()
    assert re.search(
        r"^time +about \d+ s on (\d+ cores|one core), measured in earlier runs$", here("check", "two.yaml").output, re.M
    )
    Path("longer").mkdir()
    Path("longer/two.yaml").write_text(text.replace("2e3", "3e3").replace("six-rankers", "mslr5-non-condorcet"))
    said = here("check", "longer/two.yaml").output
    assert "horizon     3,000" in said and "\ntime" not in said
    sentence = "mslr5-non-condorcet does not meet the assumptions of rucb (Condorcet winner)"
    assert f"assumptions {sentence}" in said
    assert f"\n{sentence}\n" in here("run", "longer/two.yaml", "-o", "out", "-j", "0").output
