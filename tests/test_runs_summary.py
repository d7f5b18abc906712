"""The summary is that of the files."""

import numpy as np
import pandas as pd
import pytest

from duelbench.plots.results import Results
from duelbench.runs.files import numbers
from tests.experiments import played

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
