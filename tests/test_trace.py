"""One run duel by duel: the replay equals the run."""

import csv
import io

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.experiment import trace
from duelbench.experiment.run import numbered, play_run
from duelbench.experiment.trace import find_series, trace_columns, write_trace
from duelbench.layout import run_file
from duelbench.preferences.regret import regret_table
from duelbench.results.results import Results
from duelbench.results.runs import run_text
from tests.commands import here
from tests.experiments import nothing, own_algorithm, planned, played

SPEC = """\
horizon: 3e3
runs: 3
seed: 8
regret: [copeland, borda]
datasets: [six-rankers]
algorithms: [ALGORITHMS]
"""
FAMILIES = ["rucb", "d-ts", "rmed1", "btm", "sparring", "knockout"]  # with and without holds


def traced(base, plan, directory, series, number, **options):
    """Return the rows of a trace."""
    heard = {"announce": nothing, "progress": nothing, **options}
    write_trace(Results(directory, plan).runs[series.labels], number, base / "trace.csv", **heard)
    return list(csv.DictReader(io.StringIO((base / "trace.csv").read_text())))


def check(rows, series, number, horizon):
    """Check that the rows of a run add up: contiguous rounds, and the regret of the pairs."""
    assert list(rows[0])[-len(trace_columns(series)) :] == trace_columns(series)
    matrix, order = numbered(series.dataset, *series.spec.seed_of(number), series.spec.shuffle_arms)
    tables = {kind: regret_table(matrix, kind) for kind in series.spec.regret}
    t, total = 1, dict.fromkeys(tables, 0.0)
    for row in rows:
        first, second, count = (int(row[name]) for name in ("first_in_run", "second_in_run", "count"))
        assert (int(row["first"]), int(row["second"])) == (order[first], order[second])
        assert (int(row["t"]), row["wins"] == "") == (t, first == second)
        assert row["wins"] == "" or 0 <= int(row["wins"]) <= count
        t += count
        for kind, table in tables.items():
            total[kind] += count * table[first, second]
            assert float(row[kind]) == pytest.approx(total[kind])
    assert t == horizon + 1


@pytest.mark.parametrize("name", FAMILIES)
def test_trace_gives_the_run_again(tmp_path, name):
    (tmp_path / "easy.csv").write_text("0.5,0.9,0.9\n0.1,0.5,0.9\n0.1,0.1,0.5\n")
    text = SPEC.replace("ALGORITHMS", name).replace("six-rankers", "{file: easy.csv}")
    plan, directory, execution, _ = played(tmp_path, text)
    assert not execution.failures
    (series,) = plan.series
    heard = []
    rows = traced(tmp_path, plan, directory, series, 2, progress=heard.append)
    check(rows, series, 2, 3_000)
    assert sum(heard) == 3_000
    last = (directory / "easy" / name / run_file(2)).read_text().splitlines()[-1].split(",")
    assert [rows[-1]["copeland"], rows[-1]["borda"]] == last[1:3]
    assert name not in ("rucb", "d-ts", "rmed1", "knockout") or len(rows) < 2_000  # with holds


def test_trace_of_votes_and_horizons(tmp_path):
    text = SPEC.replace("horizon: 3e3", "budget: 300\nfeedback: {delay: 7}").replace("ALGORITHMS", "rucb, uniform")
    plan, directory, _, _ = played(tmp_path, text)
    for series in plan.series:
        rows = traced(tmp_path, plan, directory, series, 0)
        votes = sum(int(row["count"]) for row in rows if row["wins"])
        assert votes == 300 if series.algorithm.label == "uniform" else votes <= 300
    text = SPEC.replace("ALGORITHMS", "{name: btm, horizons: [100, 1000]}").replace("3e3", "1000")
    plan, directory, _, _ = played(tmp_path, text, "swept")
    (series,) = plan.series
    rows = traced(tmp_path, plan, directory, series, 1)
    for horizon in ("100", "1000"):
        check([row for row in rows if row["horizon"] == horizon], series, 1, int(horizon))


def test_trace_after_earlier_votes(tmp_path):
    (tmp_path / "v.csv").write_text("winner,loser\n" + "a,b\nb,c\na,c\n" * 5)
    text = SPEC.replace("horizon: 3e3", "budget: 40").replace("ALGORITHMS", "rucb")
    told = "{votes: v.csv, draw: posterior, strength: 20, continue: true, label: v}"
    plan, directory, execution, _ = played(tmp_path, text.replace("datasets: [six-rankers]", f"datasets: [{told}]"))
    assert not execution.failures
    rows = traced(tmp_path, plan, directory, plan.series[0], 1)
    assert [int(row["t"]) for row in rows] == [
        16 + t for t in np.cumsum([0, *(int(row["count"]) for row in rows[:-1])])
    ]


def test_trace_of_an_own_algorithm(tmp_path):
    (tmp_path / "one.py").write_text(own_algorithm(name="One"))
    text = SPEC.replace("ALGORITHMS", "'one.py:One'").replace("3e3", "50")
    plan, directory, _, _ = played(tmp_path, text, workers=1)
    (series,) = plan.series
    rows = traced(tmp_path, plan, directory, series, 1)
    check(rows, series, 1, 50)


def test_find_series(tmp_path):
    plan = planned(tmp_path, SPEC.replace("ALGORITHMS", "rucb, d-ts"))
    results = Results(tmp_path)
    results.spec = plan
    for name in ("six-rankers/d-ts/", "d-ts", "D-TS", "six-rankers/D-TS"):
        assert find_series(plan.written, name, results) == ("six-rankers", "d-ts")
    with pytest.raises(UserError, match="did you mean 'six-rankers/d-ts'"):
        find_series(plan.written, "six-rankers/dts", results)


@pytest.fixture
def one(tmp_path):
    """A played series, with its plan and its directory."""
    plan, directory, _, _ = played(tmp_path, SPEC.replace("ALGORITHMS", "uniform").replace("3e3", "300"))
    return tmp_path, plan, directory, plan.series[0]


def test_trace_differs(one, monkeypatch):
    """A replay with another path is refused, and so are other numbers in the run's file with a valid checksum."""
    base, plan, directory, series = one
    monkeypatch.setattr(trace, "play_run", lambda series, seed, run, *rest: play_run(series, seed, run + 1, *rest))
    with pytest.raises(UserError, match="replay gives another result"):
        traced(base, plan, directory, series, 1)
    monkeypatch.undo()
    rows = play_run(series, *series.spec.seed_of(1))
    rows[-1].regret[0] += 1e-9
    (directory / "six-rankers" / "uniform" / run_file(1)).write_text(run_text(series.key(1), series.columns, rows))
    with pytest.raises(UserError, match="replay gives another result"):
        traced(base, plan, directory, series, 1)


def test_trace_of_nothing(one):
    base, plan, directory, series = one
    (directory / "six-rankers" / "uniform" / run_file(1)).unlink()
    with pytest.raises(UserError, match=r"run-00001\.csv: is missing"):
        traced(base, plan, directory, series, 1)


# The command


@pytest.fixture
def played_here(two_played, monkeypatch):
    """Work in a directory with results in results/two."""
    monkeypatch.chdir(two_played[0])
    return two_played[0]


def test_trace_command(played_here, tmp_path):
    said = here("trace", "results/two", "six-rankers/rucb", 1)
    assert said.exit_code == 0, said.output
    rows = list(csv.DictReader(io.StringIO(said.stdout)))
    last = (played_here / "results/two/six-rankers/rucb" / run_file(1)).read_text().splitlines()[-1]
    assert f"2000,{rows[-1]['copeland']}" == last
    named = here("trace", "results/two", "rucb", 1, "-o", tmp_path / "deep" / "x.csv")
    assert named.output == f"run 1 of six-rankers/rucb: {tmp_path / 'deep' / 'x.csv'}\n"
    assert (tmp_path / "deep" / "x.csv").read_text() == said.stdout


def test_trace_runs_own_code_if_the_spec_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.py").write_text(own_algorithm(name="One"))
    text = "horizon: 30\nruns: 2\ndatasets: [six-rankers]\nalgorithms: ['one.py:One', uniform]\nsmoke: {horizon: 20}\n"
    (tmp_path / "own.yaml").write_text(text)
    assert here("run", "own.yaml", "-j", 0, "--smoke").exit_code == 0
    assert "if you trust it, use" in here("trace", "results/smoke/own", "One", 0).output
    assert "if you trust it, use" in here("trace", "results/smoke/own", "one", 0).output  # by its name
    assert here("trace", "results/smoke/own", "uniform", 0).stdout.splitlines()[-1].startswith("20,")
    said = here("trace", "results/smoke/own", "One", 0, "--spec", "own.yaml")
    assert said.stdout.splitlines()[-1].startswith("20,"), said.output  # the small variant, as in the results
