"""Duels that may end in a tie: matrices with ties, and what algorithms receive for a tie."""

import csv
import json
from types import SimpleNamespace

import numpy as np
import pytest

from duelbench import simulate
from duelbench.algorithms.identification.potential_copeland import Pocowista
from duelbench.conformance.case import TIED, order
from duelbench.conformance.rounds import streams
from duelbench.engine import play as module
from duelbench.engine.play import Problem, Rules, new_ledger, play
from duelbench.engine.problem import problem_of
from duelbench.engine.recommendation import recommended
from duelbench.errors import UserError
from duelbench.experiment.trace import write_trace
from duelbench.kernels.duels import LONGEST
from duelbench.preferences.changing import Changing
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.results.results import Results
from duelbench.sources.datasets import dataset
from tests.experiments import nothing, planned, played

FAIR = np.full((2, 2), 0.5)


@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
def test_share_of_ties_is_davidsons(share):
    g = np.array([0.0, 0.7, -1.1, 4.0])
    z, nu = g[:, None] - g, 2 * share / (1 - share)
    below = np.exp(z / 2) + np.exp(-z / 2) + nu
    W, T = np.exp(z / 2) / below, nu / below
    matrix = PreferenceMatrix(W + T / 2).with_tie_share(share)
    off_diagonal = ~np.eye(4, dtype=bool)
    assert matrix.ties[off_diagonal] == pytest.approx(T[off_diagonal], rel=1e-9)
    assert not matrix.ties.flags.writeable
    assert matrix.relabelled([3, 1, 0, 2]).ties[0, 2] == matrix.submatrix([0, 3]).ties[0, 1] == matrix.ties[0, 3]
    assert matrix.digest() not in (matrix.with_tie_share(0.2).digest(), PreferenceMatrix(matrix.P).digest())


def test_largest_and_smallest_share_of_ties():
    matrix = TIED["ties"]
    assert matrix.with_tie_share(1).ties == pytest.approx(np.where(np.eye(4), 0, 2 * np.minimum(matrix.P, matrix.P.T)))
    assert order(3, 0.7).with_tie_share(0).ties is None
    assert (order(3, 1.0).with_tie_share(0.5).ties == 0).all()
    assert PreferenceMatrix(FAIR).with_tie_share(1).ties.tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("ties", "said"),
    [
        ([[0, 0.3], [0.2, 0]], "row 1, column 2 (counted from 1) is 0.3: row 2, column 1 must be the same"),
        ([[0, 0.7], [0.7, 0]], "there cannot be more ties than 0.6, since a tie counts as half a win in 0.7"),
        ([[0, -0.1], [-0.1, 0]], "a probability lies between 0 and 1"),
        (np.zeros((3, 3)), "the table of ties has 3 rows and the matrix 2"),
        ([0.1, 0.2], "a table of ties has one row and one column per arm"),
    ],
)
def test_refused_ties(ties, said):
    with pytest.raises(UserError, match=said.replace("(", r"\(").replace(")", r"\)")):
        PreferenceMatrix([[0.5, 0.7], [0.3, 0.5]], ties=ties)


# The round loop


def heard(monkeypatch, matrix, answers, marks, takes_ties=False, seed=1, **rules):
    """Play scripted answers on a matrix of two arms; return questions, told outcomes, and the ledger."""
    script, asked, outcomes = iter(answers), [], []

    def choose(state, t, last, rng):
        asked.append((t, int(last)))
        first, second, count = next(script)
        return first, second, min(count, last - t + 1)

    name = "update_with_ties" if takes_ties else "update"
    monkeypatch.setattr(module, "select", choose)
    monkeypatch.setattr(module, name, lambda state, *outcome: outcomes.append(tuple(map(int, outcome))))
    monkeypatch.setattr(module, "takes_ties", takes_ties)
    ledger = new_ledger(np.array(marks), 1, 2, rules.get("delay", 1), ties=True)
    problem = Problem(matrix.P, np.ones((1, 2, 2)), T=matrix.ties)
    loop = getattr(play, "py_func", play)
    loop(None, problem, Rules(**rules), ledger, *streams(seed, 0))
    return SimpleNamespace(asked=asked, outcomes=outcomes, ledger=ledger)


TWO = PreferenceMatrix([[0.5, 0.65], [0.35, 0.5]], ties=[[0, 0.5], [0.5, 0]])
"""Wins 0.4, ties 0.5, losses 0.1; of the decided duels 0.8 are won."""


@pytest.mark.parametrize("block", [1, 50])
@pytest.mark.parametrize("delay", [1, 7])
def test_three_outcomes(monkeypatch, block, delay):
    found = heard(monkeypatch, TWO, [(0, 1, block)] * 8000, [8000], takes_ties=True, delay=delay)
    _, _, wins, ties, counts = np.array(found.outcomes).T
    assert 8000 - delay < counts.sum() <= 8000
    assert found.ledger.wins[0, 1] / 8000 == pytest.approx(0.4, abs=0.017)
    assert found.ledger.ties[0, 1] / 8000 == pytest.approx(0.5, abs=0.017)
    assert (np.minimum(wins, ties) >= 0).all() and (wins + ties <= counts).all()
    assert np.cov(wins, ties)[0, 1] == pytest.approx(-0.2 * counts.mean(), rel=0.35)  # of a multinomial


@pytest.mark.parametrize("block", [1, 30])
def test_dropped_ties(monkeypatch, block):
    """A dropped tie takes a round, and the duel is repeated."""
    found = heard(monkeypatch, TWO, [(0, 1, block)] * 10_000, [10, 10_000], drop=True)
    ledger, (_, _, wins, counts) = found.ledger, np.array(found.outcomes).T
    decided, dropped = int(counts.sum()), int(ledger.place[0].dropped)
    assert (ledger.duels[0, 1], ledger.place[0].t, ledger.place[0].votes) == (10_000, 10_001, 10_000)
    assert ledger.ties[0, 1] == dropped == pytest.approx(5000, abs=160)
    cut = int(ledger.block[0].count - ledger.block[0].left) if ledger.block[0].left else 0  # the end is within a block
    assert 0 <= 10_000 - cut - dropped - decided == ledger.asked[0].count - ledger.asked[0].left < max(block, 2)
    assert wins.sum() / decided == pytest.approx(0.8, abs=0.02)
    assert [t for t, _ in found.asked] == [1 + int(counts[:k].sum()) for k in range(len(found.asked))]  # its own clock
    assert all(last - t + 1 == LONGEST for t, last in found.asked)
    assert ledger.regret.tolist() == [[10, 10_000]]


def test_holds_where_ties_are_dropped(monkeypatch):
    found = heard(monkeypatch, TWO, [(0, 1, 5), (1, 1, 10), (1, 1, 1000)], [20, 60], drop=True)
    dropped = int(found.ledger.place[0].dropped)
    assert dropped
    assert [t for t, _ in found.asked] == [1, 6, 16]
    assert found.outcomes[1:] == [(1, 1, 0, 10)]
    assert found.ledger.regret.tolist() == [[20, 60]]


@pytest.mark.parametrize("votes", [False, True])
def test_every_duel_is_a_tie(monkeypatch, votes):
    matrix = PreferenceMatrix(FAIR).with_tie_share(1)
    for block in (1, 40):
        found = heard(monkeypatch, matrix, [(0, 1, block)], [3, 120], drop=True, votes=votes)
        assert found.outcomes == []
        assert found.ledger.ties[0, 1] == found.ledger.duels[0, 1] == 120
        kept = heard(monkeypatch, matrix, [(0, 1, block)] * 120, [3, 120], takes_ties=True, votes=votes)
        assert all(outcome[2:] == (0, outcome[4], outcome[4]) for outcome in kept.outcomes)


def test_a_coin_is_the_run_without_ties():
    without = problem_of(PreferenceMatrix(TIED["ties"].P), ["copeland"])
    problem = problem_of(TIED["ties"], ["copeland"])
    assert problem.T.size == 0
    assert all(np.array_equal(one, other) for one, other in zip(problem, without, strict=True))
    with pytest.raises(UserError, match="ties need constant preferences"):
        problem_of(Changing([(1, TWO), (10, TWO)]), ["copeland"], ties=True)


def test_dropping_plays_on_the_decided_outcomes():
    """Decided duels are distributed as in a run on W / (W + Wᵀ), at 1/(1 − T) times as many votes."""
    mixed, decided = TWO, PreferenceMatrix([[0.5, 0.8], [0.2, 0.5]])
    spent = [simulate(Pocowista(), mixed, 2000, ties="drop", run=run).declaration[1] for run in range(400)]
    heard_of = [simulate(Pocowista(), decided, 2000, run=run).declaration[1] for run in range(400)]
    error = np.hypot(np.std(spent) / 2, np.std(heard_of)) / 20
    assert np.mean(spent) / 2 == pytest.approx(np.mean(heard_of), abs=3 * error)
    assert error < 0.06 * np.mean(heard_of)


# Recommendations


def test_recommendation_with_ties():
    duels, wins, ties = np.zeros((3, 3, 3), np.int64)
    duels[0, 1], wins[0, 1], ties[0, 1] = 16, 6, 10
    duels[1, 2], wins[1, 2] = 16, 13
    duels[0, 2], wins[0, 2] = 2, 1
    assert recommended("borda", duels, wins, ties=ties) == 0  # 11/16 + 1/2 against 5/16 + 13/16
    assert recommended("borda", duels, wins) == 1
    assert recommended("copeland", duels, wins, ties=ties) == 0
    assert recommended("posterior", duels, wins, draw_seed=1, ties=ties) == 0
    none = np.zeros_like(ties)
    for rule in ("copeland", "borda", "btl", "posterior"):
        assert recommended(rule, duels, wins, draw_seed=1, ties=none) == recommended(rule, duels, wins, draw_seed=1)


# Specs

SPEC = """\
horizon: 400
runs: 2
seed: 3
datasets:
  - {name: six-rankers, ties: [0, 0.3]}
algorithms:
  - pbr
  - {name: pbr, ties: drop}
  - {name: pbr, ties: coin}
  - {name: d-ts, ties: drop}
  - {name: d-ts, ties: coin}
"""


def test_ties_of_a_spec(tmp_path):
    plan = planned(tmp_path, SPEC)
    assert [each.label for each in plan.datasets] == ["six-rankers-ties=0", "six-rankers-ties=0.3"]
    assert [each.label for each in plan.algorithms] == ["pbr", "pbr-drop", "pbr-coin", "d-ts-drop", "d-ts-coin"]
    assert plan.algorithms[1].called() == "PBR (ties: drop)"
    plain = planned(tmp_path, SPEC.replace(", ties: [0, 0.3]", ""))
    keys, others = ([series.key(0) for series in each.series[:5]] for each in (plan, plain))
    assert keys == others  # a share of 0 means no ties
    assert len(set(keys)) == 5
    assert "ties" not in plan.series[0].record | plan.series[4].record  # the defaults
    _, directory, execution, _ = played(tmp_path, SPEC)
    assert execution.played == 20
    manifest = json.loads((directory / "manifest.json").read_text())["spec"]
    assert [each.get("ties") for each in manifest["algorithms"]] == [None, "drop", "coin", "drop", None]
    series = {each.labels.algorithm: each for each in plan.series if each.labels.dataset.endswith("0.3")}
    rows, ties = {}, {}
    for label in ("pbr", "pbr-drop", "pbr-coin"):
        runs = Results(directory, plan).runs[series[label].labels]
        write_trace(runs, 0, tmp_path / "trace.csv", announce=nothing, progress=nothing)
        with (tmp_path / "trace.csv").open() as file:
            table = list(csv.DictReader(file))
        ties[label] = sum(int(row.get("ties", 0)) for row in table)
        rows[label] = [(row["first"], row["second"]) for row in table]
        assert [*table[0]][4] == ("count" if label == "pbr-coin" else "ties")
        assert all(int(row["wins"]) + int(row.get("ties", 0)) <= int(row["count"]) for row in table)
    assert rows["pbr"][:30] == rows["pbr-coin"][:30]  # once in each order
    assert rows["pbr-drop"][:30] != rows["pbr"][:30]
    assert 60 < ties["pbr"] < 160
    assert 60 < ties["pbr-drop"] < 160
    assert ties["pbr-coin"] == 0


@pytest.mark.parametrize(
    ("dataset", "algorithm", "said"),
    [
        ("{name: btl, ties: 1.5}", "pbr", "it must be the share of ties between equal arms, from 0 to 1"),
        ("{name: btl, ties: true}", "pbr", "it must be the share of ties"),
        ("{name: btl, ties: half}", "pbr", "it must be the share of ties"),
        ("{name: btl-uniform, ties: t.csv}", "pbr", "the ties of random matrices are a share"),
        ("{name: cyclic4, ties: t.csv}", "pbr", "there is no such file"),
        ("{name: btl, ties: 0.1, changes: {breakpoints: 1}}", "pbr", "ties need constant preferences"),
        ("{name: btl, changes: [{at: 9, name: btl, ties: 0.1}]}", "pbr", "ties need constant preferences"),
        ("btl", "{name: d-ts, ties: keep}", "d-ts has no third outcome: write coin or drop"),
        ("btl", "{name: pbr, ties: half}", "ties"),
        ("btl", "{name: anaconda, ties: drop}", "the algorithm detects no changes"),
    ],
)
def test_refused_ties_of_a_spec(tmp_path, dataset, algorithm, said):
    with pytest.raises(UserError, match=said) as caught:
        planned(tmp_path, f"horizon: 100\nruns: 1\ndatasets:\n  - {dataset}\nalgorithms:\n  - {algorithm}\n")
    assert caught.value.line == (4 if dataset.startswith("{") else 6)


def test_files_of_ties(tmp_path):
    (tmp_path / "p.csv").write_text("a,b\n0.5,0.7\n0.3,0.5\n")
    np.save(tmp_path / "t.npy", [[0, 0.2], [0.2, 0]])
    for name, text in (
        ("t", "a,b\n0,0.2\n0.2,0\n"),
        ("wrong", "b,a\n0,0.2\n0.2,0\n"),
        ("large", "0,0.65\n0.65,0\n"),
    ):
        (tmp_path / f"{name}.csv").write_text(text)
    for file in ("t.csv", "t.npy"):
        found = dataset(file="p.csv", parameters={"ties": file}, base=tmp_path)
        assert found.has_ties
        assert found.with_names(["x", "y"]).instance(np.random.default_rng(1)).ties.tolist() == [[0, 0.2], [0.2, 0]]
    with pytest.raises(UserError, match="these are not the arms of the matrix"):
        dataset(file="p.csv", parameters={"ties": "wrong.csv"}, base=tmp_path)
    with pytest.raises(UserError, match=r"there cannot be more ties than 0\.6") as caught:
        dataset(file="p.csv", parameters={"ties": "large.csv"}, base=tmp_path)
    assert (caught.value.source, caught.value.line) == (str(tmp_path / "large.csv"), 1)


def test_ties_of_random_matrices():
    found = dataset("btl-uniform", parameters={"arms": 4, "ties": 0.2}, submatrix={"size": 3, "per_run": True})
    matrix = found.instance(np.random.default_rng(1))
    assert np.array_equal(matrix.ties, PreferenceMatrix(matrix.P).with_tie_share(0.2).ties)
    assert found.identity()["ties"] == 0.2
    assert "ties" not in dataset("btl-uniform", parameters={"arms": 4, "ties": 0}).identity()


def test_ties_of_votes(tmp_path):
    votes = "a,b,tie\n" * 6 + "a,b,a\n" * 3 + "a,b,b\n" + "b,c,b\n" * 4 + "b,c,c\n" * 2 + "a,c,a\n" * 5
    (tmp_path / "votes.csv").write_text("first,second,winner\n" + votes)
    shared = dataset(votes="votes.csv", parameters={"ties": "keep"}, base=tmp_path)
    matrix = shared.instance(np.random.default_rng(1))
    assert (matrix.P[0, 1], matrix.ties[0, 1], matrix.ties[0, 2]) == (0.6, 0.6, 0.0)
    parameters = {"draw": "posterior", "ties": "keep"}
    drawn = dataset(votes="votes.csv", parameters=parameters, base=tmp_path)
    assert drawn.has_ties
    assert drawn.identity()["ties"] == "model"
    T = np.mean([drawn.instance(np.random.default_rng(run)).ties for run in range(200)], axis=0)
    assert T[0, 1] == pytest.approx(0.55, abs=0.06)
    assert T[1, 2] < 0.4
    half = dataset(votes="votes.csv", parameters={"draw": "posterior"}, base=tmp_path)
    assert not half.has_ties
    assert half.instance(np.random.default_rng(1)).ties is None


OWN = """
from duelbench import Algorithm

def select(state, t, last, rng):
    return 0, 1, 1

def update(state, first, second, wins, ties, count):
    state.append(ties)

class Mine(Algorithm):
    name = "mine"
    takes_ties = True
    select = staticmethod(select)
    update = staticmethod(update)
    def start(self, arms, horizon):
        return []
    def recommendation(self, state):
        assert len(state) < 400 or 80 < sum(state) < 160
        return 0
"""


def test_user_algorithm_takes_ties(tmp_path):
    (tmp_path / "mine.py").write_text(OWN)
    text = SPEC.partition("algorithms:")[0].replace("[0, 0.3]", "0.3").replace("runs: 2", "runs: 1\nrecommend: own")
    text += "algorithms: ['mine.py:Mine']\n"
    _, directory, execution, _ = played(tmp_path, text)
    assert execution.played == 1
    assert "six-rankers,Mine,copeland,400,1," in (directory / "summary.csv").read_text()
    (tmp_path / "mine.py").write_text(OWN.replace("wins, ties, count", "wins, count").replace("+= ties", "+= 1"))
    with pytest.raises(UserError, match="state, first, second, wins, ties, count"):
        planned(tmp_path, text)
