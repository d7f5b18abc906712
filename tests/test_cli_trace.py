"""``duelbench trace``: one run as CSV."""

import csv
import io
import json

import pytest

from duelbench.layout import run_file
from tests.commands import duelbench, here


@pytest.fixture
def played_here(two_played, monkeypatch):
    """The working directory is one with results in results/two."""
    monkeypatch.chdir(two_played[0])
    return two_played[0]


def test_a_run_is_written_to_a_file_or_to_standard_output(played_here, tmp_path):
    said = here("trace", "results/two", "six-rankers/rucb", 1)
    assert said.exit_code == 0, said.output
    rows = list(csv.DictReader(io.StringIO(said.stdout)))
    last = (played_here / "results/two/six-rankers/rucb" / run_file(1)).read_text().splitlines()[-1]
    assert f"2000,{rows[-1]['copeland']}" == last
    named = here("trace", "results/two", "rucb", 1, "-o", tmp_path / "deep" / "x.csv")
    assert named.output == f"run 1 of six-rankers/rucb: {tmp_path / 'deep' / 'x.csv'}\n"
    assert (tmp_path / "deep" / "x.csv").read_text() == said.stdout


def test_the_worst_and_the_best_run_are_those_that_the_summary_names(played_here, tmp_path):
    extremes = json.loads((played_here / "results/two/manifest.json").read_text())["extremes"]["six-rankers"]["rucb"]
    for which, number in extremes.items():
        said = here("trace", "results/two", "rucb", f"--{which}", "-o", tmp_path / "x.csv").output
        assert said.startswith(f"run {number} of ")
    line = next(line for line in two_summary(played_here).splitlines() if line.startswith("  rucb"))
    assert line.endswith(f"#{extremes['best']}     #{extremes['worst']}")


def two_summary(directory):
    return here("run", directory / "two.yaml", "-o", directory / "results/two").output


def test_say_which_run(played_here):
    for arguments in ([], [1, "--worst"], ["--best", "--worst"]):
        done = here("trace", "results/two", "rucb", *arguments)
        assert (done.exit_code, "say which run" in done.output) == (2, True)


def test_a_mistake_leaves_no_file(played_here, tmp_path):
    done = duelbench("trace", "results/two", "rucbb", 1, "-o", tmp_path / "x.csv", cwd=played_here)
    assert (done.returncode, "no series 'rucbb'" in done.stderr) == (2, True)
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "x.csv").exists()


def test_code_of_a_file_runs_only_if_the_spec_is_named(tmp_path, monkeypatch):
    from tests.experiments import ONES_OWN

    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.py").write_text(ONES_OWN.replace("DO", "pass"))
    text = "horizon: 30\nruns: 2\ndatasets: [six-rankers]\nalgorithms: ['one.py:One']\nsmoke: {horizon: 20}\n"
    (tmp_path / "own.yaml").write_text(text)
    assert duelbench("run", "own.yaml", "-j", 1, "--smoke", cwd=tmp_path).returncode == 0
    assert "say that you mean it" in here("trace", "results/smoke/own", "One", 0).output
    said = here("trace", "results/smoke/own", "One", 0, "--spec", "own.yaml")
    assert said.stdout.splitlines()[-1].startswith("20,"), said.output  # the small variant, as the results are
