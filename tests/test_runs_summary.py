"""The summary is that of the files."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from duelbench.errors import UserError
from duelbench.plots.results import Results
from duelbench.preferences.regret import regret_table
from duelbench.runs import summary as summaries
from duelbench.runs.files import numbers
from duelbench.runs.summary import Runs
from duelbench.sources.tables import TABLES
from tests.experiments import planned, played

SPEC = "horizon: 3e3\nruns: 6\nseed: 5\nregret: [copeland, borda]\ndatasets: [six-rankers]\nalgorithms: [rucb]\n"


def read_run(path):
    """The (columns, rows) numbers in a run's file, without t."""
    return numbers(path.read_text().partition("\n")[2])


def test_the_summary_is_that_of_the_files(tmp_path):
    plan, directory, _, _ = played(tmp_path, SPEC)
    summary = pd.read_csv(directory / "summary.csv")
    runs = np.array([read_run(directory / "six-rankers" / "rucb" / f"run-{number:05d}.csv") for number in range(6)])
    rows = summary.query("dataset == 'six-rankers' and algorithm == 'rucb' and regret == 'borda'")
    assert rows["t"].tolist() == plan.checkpoints.tolist()
    assert rows["mean"].to_numpy() == pytest.approx(runs[:, 1].mean(axis=0))
    assert rows["std"].to_numpy() == pytest.approx(runs[:, 1].std(axis=0, ddof=1))
    assert rows["sem"].to_numpy() == pytest.approx(runs[:, 1].std(axis=0, ddof=1) / np.sqrt(6))
    scaled = (runs[:, 1] - runs[:, 1].mean(axis=0)) / np.maximum(rows["std"].to_numpy(), 1e-300)
    assert rows["skewness"].to_numpy() == pytest.approx((scaled**3).mean(axis=0))
    assert rows["kurtosis"].to_numpy() == pytest.approx((scaled**4).mean(axis=0))
    assert rows["q25"].to_numpy() == pytest.approx(np.quantile(runs[:, 1], 0.25, axis=0))
    assert set(rows["runs"]) == {6}


def test_a_label_may_have_a_comma(tmp_path):
    spec = "horizon: 100\nruns: 2\ndatasets: [{name: six-rankers, label: 'six, rankers'}]\n"
    _, directory, _, _ = played(tmp_path, f"{spec}algorithms: [{{name: btm, label: 'BTM, all duels'}}]\n")
    assert Results(directory).value("runs", "six, rankers", "BTM, all duels", "copeland", 100) == 2


DECLARING = '''
from duelbench.algorithms import Algorithm
class Guess(Algorithm):
    """Duels 0 and 1 for ten rounds and declares the second."""
    name = "guess"
    State = dict
    def select(state, t, last, rng):
        if t <= 10: return 0, 1, 1
        state["winner"] = 1, 10
        return 1, 1, last - t + 1
    def update(state, first, second, wins, count): pass
    select, update = staticmethod(select), staticmethod(update)
    def start(self, arms, horizon): return {}
    def declaration(self, state): return state.get("winner")
'''


def test_declared_winners_are_in_the_files_and_the_summary(tmp_path):
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
    assert summary.loc[("m", "Guess", 9), "declared"] == 0.0
    last = summary.loc[("two", "Guess", 100)]
    assert (last["declared"], last["duels_to_declaration"]) == (1.0, 10.0)
    assert 0.2 < last["right"] < 0.8  # the arms are shuffled: right in about half of the runs
    assert np.isnan(summary.loc[("two", "rucb", 100), "declared"])


def filled(plan, count, place):
    """The runs of the first series, with made-up numbers; the second column is when a winner was declared, or not."""
    series = plan.series[0]
    found = Runs(series, count)
    rng = np.random.default_rng(3)
    for number in range(count):
        regret = rng.random(len(series.rows)).cumsum()
        declared = [f"{7 + number},{number % 2}" if t > 10 and number % 3 else "," for t in series.rows]
        rows = [f"{t},{value!r},{end}" for t, value, end in zip(series.rows, regret.tolist(), declared, strict=True)]
        found.add(place / f"run-{number:05d}.csv", "\n".join([",".join(series.columns), *rows]) + "\n")
    return found


DECLARED = "horizon: 100\nruns: 3\ndatasets: [six-rankers]\nalgorithms: [btm]\n"


@pytest.mark.parametrize("room", [1, 2, 3, 7, 22, 23, 40])
@pytest.mark.parametrize("rows_together", [1, 100, 1 << 14])
def test_numbers_that_wait_in_a_file_give_the_same_summary(tmp_path, monkeypatch, room, rows_together):
    plan = planned(tmp_path, DECLARED)
    monkeypatch.setattr(summaries, "BLOCK", rows_together)
    expected = filled(plan, 23, tmp_path).summary()
    assert expected.lines.count("\n") == len(plan.checkpoints)
    monkeypatch.setattr(summaries, "MEMORY", room * 8 * 3 * len(plan.checkpoints))
    assert filled(plan, 23, tmp_path).summary() == expected
    assert [path.name for path in tmp_path.iterdir()] == ["spec.yaml"]


def test_a_series_that_no_memory_holds_takes_little(tmp_path):
    """One array of 29 GiB: such a series could be played, and not be summarised."""
    text = DECLARED.replace("100", "1e12").replace("runs: 3", "runs: 200000\ncheckpoints_per_decade: 1000")
    plan = planned(tmp_path, text)
    assert len(plan.checkpoints) > 9000
    tracemalloc.start()
    try:
        filled(plan, 1, tmp_path)
        Runs(plan.series[0], plan.runs)
        assert tracemalloc.get_traced_memory()[1] < 3 * summaries.MEMORY
    finally:
        tracemalloc.stop()


def test_no_room_for_numbers_that_wait_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(summaries, "MEMORY", 1)
    plan = planned(tmp_path, DECLARED)
    with pytest.raises(UserError, match=r"wait to be summarised: make room for .* GB"):
        filled(plan, 2, tmp_path / "not there")


BUDGET = SPEC.replace("horizon: 3e3", "budget: 300")


def test_recommended_arms_are_in_the_files_and_the_summary(tmp_path):
    _, directory, _, _ = played(tmp_path, BUDGET + "shuffle_arms: true\n")
    paths = sorted((directory / "six-rankers" / "rucb").glob("run-*.csv"))
    runs = pd.concat(pd.read_csv(path, comment="#") for path in paths)
    assert list(runs.columns[3:]) == ["votes", "recommended", "simple_copeland", "simple_borda"]
    assert (runs["votes"] == runs["t"]).all()
    # Of all six arms, as the dataset numbers them, one is the winner by either notion.
    matrix = TABLES["six-rankers"].matrix()
    for kind in ("copeland", "borda"):
        cost = np.diag(regret_table(matrix, kind))
        assert (runs[f"simple_{kind}"] == cost[runs["recommended"]]).all()
        assert runs["recommended"].nunique() > 1
        last = runs[runs["t"] == 300][f"simple_{kind}"]
        row = pd.read_csv(directory / "summary.csv").query(f"regret == '{kind}' and t == 300").iloc[0]
        assert row["recommended_right"] == (last == 0).mean()
        assert row["simple"] == pytest.approx(last.mean())
        assert (row["votes"], row["votes_sem"]) == (300, 0)
        assert np.isnan(row["duels_sem"])  # it declares nothing


def test_errors_of_votes_and_of_duels_are_their_own():
    """Duels count self-duels, too, and runs that have declared nothing have none."""
    votes, duels = np.array([10.0, 20.0, 60.0]), np.array([15.0, np.nan, 75.0])
    mean, of_votes, of_duels, *_ = summaries._recommendations(votes, duels, np.zeros(3))
    assert float(mean) == 30
    assert float(of_votes) == pytest.approx(votes.std(ddof=1) / 3**0.5)
    assert float(of_duels) == pytest.approx(np.std([15, 75], ddof=1) / 2**0.5)
    assert summaries._recommendations(votes, np.full(3, np.nan), np.zeros(3))[2] == ""


def test_votes_that_a_converged_algorithm_does_not_ask_for_are_not_spent(tmp_path):
    """Savage declares the winner of two arms within some hundred votes; its recommendation stands."""
    (tmp_path / "sure.csv").write_text("0.5,0.9\n0.1,0.5\n")
    text = "budget: 1e5\nruns: 2\ndatasets: [{file: sure.csv}]\nalgorithms: [savage]\n"
    _, directory, _, _ = played(tmp_path, text)
    row = pd.read_csv(directory / "summary.csv").iloc[-1]
    assert row["t"] == 100_000
    assert row["votes"] == row["duels_to_declaration"] < 1000
    ends = pd.concat(
        pd.read_csv(path, comment="#").tail(1) for path in (directory / "sure" / "savage").glob("run-*.csv")
    )["votes"]
    assert row["votes_sem"] == row["duels_sem"] == pytest.approx(ends.std() / 2**0.5)
    assert row["votes_sem"] > 0
    assert row["recommended_right"] == 1
