"""The summary agrees with the files of the runs, and as many runs as necessary are played."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from duelbench import load_results
from duelbench.analysis.compare import compare
from duelbench.layout import SUMMARY_COLUMNS
from duelbench.preferences.regret import regret_table
from duelbench.results import summary as summaries
from duelbench.results.summary import TOO_FEW, Runs, heavy_tailed
from duelbench.sources.published_matrices import TABLES
from tests.experiments import files, own_algorithm, planned, played

SPEC = "horizon: 3e3\nruns: 6\nseed: 5\nregret: [copeland, borda]\ndatasets: [six-rankers]\nalgorithms: [rucb]\n"
EIGHT_DIGITS, SIX_DIGITS, FOUR_DIGITS = 5e-8, 5e-6, 5e-4
"""The relative errors of numbers in the summary."""


def test_statistics(tmp_path):
    plan, directory, _, _ = played(tmp_path, SPEC)
    summary = pd.read_csv(directory / "summary.csv")
    paths = sorted((directory / "six-rankers" / "rucb").glob("run-*.csv"))
    runs = np.array([pd.read_csv(path, comment="#")["borda"] for path in paths])
    rows = summary.query("dataset == 'six-rankers' and algorithm == 'rucb' and regret == 'borda'")
    assert rows["t"].tolist() == list(plan.checkpoints)
    assert rows["mean"].to_numpy() == pytest.approx(runs.mean(axis=0), rel=EIGHT_DIGITS)
    assert rows["std"].to_numpy() == pytest.approx(runs.std(axis=0, ddof=1), rel=SIX_DIGITS)
    assert rows["sem"].to_numpy() == pytest.approx(runs.std(axis=0, ddof=1) / np.sqrt(6), rel=FOUR_DIGITS)
    differ = np.ptp(runs, axis=0) > 0
    for name, expected in (
        ("skewness", scipy.stats.skew(runs)),
        ("kurtosis", scipy.stats.kurtosis(runs, fisher=False)),
    ):
        assert rows[name].to_numpy() == pytest.approx(np.where(differ, expected, 0.0), rel=FOUR_DIGITS)
    assert rows["q25"].to_numpy() == pytest.approx(np.quantile(runs, 0.25, axis=0), rel=FOUR_DIGITS)
    assert set(rows["runs"]) == {6}


def test_final(tmp_path):
    """The summary names the best and the worst run at the horizon, and the arm recommended most often."""
    plan = planned(tmp_path, BUDGET)
    series = plan.series[0]
    runs = Runs(series, series.columns, 3)
    for number, (regret, arm) in enumerate(((5.0, 4), (2.0, 1), (9.0, 5))):
        cells = {"t": "300", "copeland": str(regret), "borda": str(regret), "recommended": str(arm), "votes": "300"}
        row = ",".join(cells.get(column, "0") for column in series.columns)
        rows = [row.replace("300", str(t), 1) for t in series.rows]
        runs.add(tmp_path / f"run-{number:05d}.csv", "\n".join([",".join(series.columns), *rows]) + "\n")
    final = runs.summary().final
    assert (final.best, final.worst, final.furthest) == (1, 2, 2)
    assert final.named == (1, pytest.approx(1 / 3))  # of three arms, each named once, the first


@pytest.mark.parametrize(
    ("regret", "constant"),
    [
        ((201398.67,) * 7, True),
        ((0.1 + 0.2, 0.3, 0.3), True),
        ((1e-9 / 3, 1e-9 / 3, 1e-9 / 3), True),
        ((0.0, 0.0, 0.0), True),
        ((5e11, 5e11 + 0.5, 5e11), False),
        ((1.0, 1.0 + 1e-12, 1.0), False),
        ((0.0, 1e-30, 0.0), False),
    ],
)
def test_rounding_is_no_variance(tmp_path, regret, constant):
    """Runs that are equal up to rounding have no variance."""
    plan = planned(tmp_path, SPEC)
    series = plan.series[0]
    runs = Runs(series, series.columns, len(regret))
    for number, each in enumerate(regret):
        rows = [",".join([str(t), repr(each), repr(each)]) for t in series.rows]
        runs.add(tmp_path / f"run-{number:05d}.csv", "\n".join([",".join(series.columns), *rows]) + "\n")
    lines, final, _ = runs.summary()
    cells = dict(zip(SUMMARY_COLUMNS, lines.splitlines()[0].split(","), strict=True))
    statistics = [cells[name] for name in ("std", "sem", "skewness", "kurtosis")]
    assert (statistics == ["0"] * 4) == ((final.std, final.kurtosis, final.largest) == (0, 0, 0)) == constant


DECLARING = own_algorithm(
    "if t > 10:\n        state[:] = [(1, 10)]\n        return 1, 1, last - t + 1",
    fields="def declaration(self, state): return state[0] if state else None",
    name="Guess",
)
"""Duels 0 and 1 for ten rounds and then declares 1."""


def test_cells_of_declarations():
    """The share of right declarations is among the runs that declare."""
    duels, right = np.array([10.0, np.nan, 30.0, np.nan]), np.array([1.0, np.nan, 0.0, np.nan])
    assert summaries._declarations(duels, right) == ["0.5", "20", "0.5"]


def test_declarations(tmp_path):
    (tmp_path / "guess.py").write_text(DECLARING)
    (tmp_path / "m.csv").write_text("0.5,0.4,0.6\n0.6,0.5,0.4\n0.4,0.6,0.5\n")  # a cycle; the Borda winners are all
    (tmp_path / "two.csv").write_text("0.5,0.9\n0.1,0.5\n")
    text = (
        "horizon: 100\nruns: 40\nregret: [copeland]\ndatasets:\n  - {file: m.csv}\n  - {file: two.csv}\n"
        "algorithms: ['guess.py:Guess', rucb]\n"
    )
    _, directory, _, _ = played(tmp_path, text)
    rows = (directory / "m" / "Guess" / "run-00000.csv").read_text().splitlines()
    assert rows[1] == "t,copeland,declared_at,right_copeland"
    assert rows[2].endswith(",,")
    assert rows[-1].endswith(",10,1")
    summary = pd.read_csv(directory / "summary.csv").set_index(["dataset", "algorithm", "t"])
    assert [summary.loc[("m", "Guess", t), "declared"] for t in (9, 10)] == [0.0, 1.0]
    last = summary.loc[("two", "Guess", 100)]
    assert (last["declared"], last["duels_to_declaration"]) == (1.0, 10.0)
    assert 0.2 < last["right"] < 0.8  # with shuffled arms, about half of the runs are right
    assert 0.2 < last["right"] < 0.8  # with shuffled arms, about half of the runs are right
    assert np.isnan(summary.loc[("two", "rucb", 100), "declared"])


BUDGET = SPEC.replace("horizon: 3e3", "budget: 300")


def test_recommendations(tmp_path):
    _, directory, _, _ = played(tmp_path, BUDGET + "shuffle_arms: true\n")
    paths = sorted((directory / "six-rankers" / "rucb").glob("run-*.csv"))
    texts = pd.concat(pd.read_csv(path, comment="#", dtype=str) for path in paths)
    runs = texts.astype(float).astype({"recommended": int})  # pandas before 3.1 misreads the last bit
    assert list(runs.columns[3:]) == ["votes", "recommended", "simple_copeland", "simple_borda"]
    assert (runs["votes"] == runs["t"]).all()
    # One of the six arms, numbered as in the dataset, is the winner by either notion.
    matrix = TABLES["six-rankers"].matrix()
    for kind in ("copeland", "borda"):
        cost = np.diag(regret_table(matrix, kind))
        assert (runs[f"simple_{kind}"] == cost[runs["recommended"]]).all()
        assert runs["recommended"].nunique() > 1
        last = runs[runs["t"] == 300][f"simple_{kind}"]
        row = pd.read_csv(directory / "summary.csv").query(f"regret == '{kind}' and t == 300").iloc[0]
        assert row["recommended_right"] == (last == 0).mean()
        assert row["simple"] == pytest.approx(last.mean(), rel=SIX_DIGITS)
        assert (row["votes"], row["votes_sem"]) == (300, 0)
        assert np.isnan(row["duels_sem"])  # it declares nothing


# As many runs as necessary


UNTIL = """\
horizon: 60
seed: 5
runs: {until: 1 %, least: 4, most: 100}
datasets: [cyclic4, {name: btl-uniform, arms: 3}]
algorithms: [uniform, {name: btm, label: B}]
"""


def ends(directory, dataset, algorithm):
    """Return the final regret of each counted run, in order."""
    runs = load_results(directory).runs
    mine = runs[(runs.dataset == dataset) & (runs.algorithm == algorithm) & (runs.t == 60)]
    assert list(mine["run"]) == list(range(len(mine)))
    return mine["value"].to_numpy()


def wanted(values, of):
    """Return the number of runs that the rule plays for a standard error of 1 % of the mean of ``of``."""
    runs = 4
    while runs < 100 and np.std(values[:runs], ddof=1) / np.sqrt(runs) > 0.01 * np.mean(of[:runs]):
        runs *= 2
    return min(runs, 100)


@pytest.fixture(scope="module")
def enough(tmp_path_factory):
    return played(tmp_path_factory.mktemp("until"), UNTIL)


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    return played(tmp_path_factory.mktemp("all"), UNTIL.replace("{until: 1 %, least: 4, most: 100}", "100"))


def test_until(enough, everything):
    manifest = json.loads((enough.directory / "manifest.json").read_text())["spec"]
    took = set()
    for dataset in ("cyclic4", "btl-uniform"):
        for algorithm in ("uniform", "B"):
            values = ends(everything.directory, dataset, algorithm)
            runs = wanted(values, of=values)
            mine = ends(enough.directory, dataset, algorithm)
            assert np.array_equal(mine, values[:runs])
            assert manifest["taken"][dataset][algorithm] == runs
            took.add(runs)
    assert len(took) > 1
    summary = pd.read_csv(enough.directory / "summary.csv")
    assert set(summary["runs"]) == took


def test_until_resumed(enough, tmp_path):
    played(tmp_path, UNTIL.replace("1 %", "30 %"), "resumed")
    _, resumed, execution, _ = played(tmp_path, UNTIL, "resumed")
    assert execution.reused > 0
    assert files(resumed) == files(enough.directory)
    _, resumed, execution, _ = played(tmp_path, UNTIL, "resumed")
    assert execution.played == 0
    assert files(resumed) == files(enough.directory)
    assert compare(resumed, enough.directory).identical


def is_heavy(values):
    scaled = (values - values.mean()) / values.std(ddof=1)
    return heavy_tailed(len(values), (scaled**4).mean())


@pytest.mark.parametrize(
    ("runs", "draw", "low", "high"),
    [
        (50, lambda rng, n: rng.normal(size=n), 0.0, 0.001),
        (50, lambda rng, n: rng.exponential(size=n), 0.02, 0.06),
        (100, lambda rng, n: rng.exponential(size=n), 0.0, 0.01),
        (500, lambda rng, n: rng.exponential(size=n), 0.0, 0.001),
        (50, lambda rng, n: rng.pareto(1.2, size=n), 0.7, 0.8),
        (500, lambda rng, n: rng.pareto(1.2, size=n), 0.6, 0.7),
        (500, lambda rng, n: (rng.random(n) < 0.002) * 1000 + rng.normal(100, 10, n), 0.3, 0.7),
    ],
)
def test_heavy_tails(runs, draw, low, high):
    rng = np.random.default_rng(8)
    share = np.mean([is_heavy(draw(rng, runs)) for _ in range(1000)])
    assert low <= share <= high


def test_heavy_tails_of_few_runs():
    assert not is_heavy(np.array([0.0] * (TOO_FEW - 2) + [1.0]))
    assert is_heavy(np.array([0.0] * (TOO_FEW - 1) + [1.0]))
