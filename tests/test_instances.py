"""Records of runs: instances, bounds, and their ends."""

import csv
import json

import numpy as np
import pandas as pd
import pytest

from duelbench.bounds import BOUNDS
from duelbench.errors import UserError
from duelbench.experiment import matrix_tables
from duelbench.experiment.matrix_tables import drawn_in
from duelbench.experiment.run import _earlier, instance, play_run
from duelbench.layout import INSTANCES
from duelbench.results.results import Results
from duelbench.sources.generators import BtlUniform
from duelbench.sources.published_matrices import TABLES
from duelbench.spec.values import REGRET_BOUNDED
from tests.experiments import planned, played

SPEC = """\
horizon: 20
runs: 3
seed: 4
datasets:
  - six-rankers
  - {name: sushi16, submatrix: {size: 5, seed: [0, 1]}}
  - {name: sushi16, label: each, submatrix: {size: 4, per_run: true}}
  - {name: btl-uniform, arms: 4}
  - {name: btl-uniform, arms: 4, seed: 7, label: fixed}
  - {name: uniform-random, arms: 4, label: free}
algorithms: [uniform]
"""


def rows(directory):
    with (directory / INSTANCES).open(newline="") as file:
        return {(row["dataset"], row["run"]): row for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    plan, directory, _, _ = played(tmp_path_factory.mktemp("instances"), SPEC)
    return plan, directory


def test_instances(once):
    plan, directory = once
    there = rows(directory)
    datasets = {each.label: each for each in plan.datasets}
    sushi = TABLES["sushi16"].matrix()
    for label, numbers in (("sushi16-seed=0", [""]), ("sushi16-seed=1", [""]), ("each", "012")):
        for number in numbers:
            matrix = instance(datasets[label], *plan.seed_of(int(number or 0)), shuffle_arms=False)
            assert sushi.submatrix(json.loads(there[label, number]["arms"])).digest() == matrix.digest()
    for label, numbers in (("btl-uniform", "012"), ("fixed", [""])):
        for number in numbers:
            weights = np.array(json.loads(there[label, number]["parameters"])["weights"])
            matrix = instance(datasets[label], *plan.seed_of(int(number or 0)), shuffle_arms=False)
            assert BtlUniform(arms=4).matrix({"weights": weights}).digest() == matrix.digest()
    assert there["free", "0"]["parameters"] == ""  # its parameters are the matrix
    assert ("six-rankers", "") not in there
    assert len({there[label, ""]["arms"] for label in ("sushi16-seed=0", "sushi16-seed=1")}) == 2


def test_drawn_in_another_spec(once, tmp_path):
    _, directory = once
    plan = planned(tmp_path, SPEC.replace("seed: 4", "seed: 5"))
    with pytest.raises(UserError, match="run 1 of each was played on another instance"):
        drawn_in(directory, plan.written, "each", 1)
    with pytest.raises(UserError, match=r"no dataset 'eech' .did you mean 'each'"):
        drawn_in(directory, plan.written, "eech", 1)
    with pytest.raises(UserError, match="asks for no run 3"):
        drawn_in(directory, plan.written, "each", 3)


# Bounds


BOUNDED = """\
horizon: 100
runs: 4
seed: 5
regret: [copeland, condorcet]
datasets:
  - sushi16
  - {name: uniform-random, arms: 5, condorcet: true}
algorithms: [uniform]
figures:
  - {kind: regret, bounds: [LB, ECWB]}
  - {kind: std}
  - {kind: regret, regret: condorcet, bounds: [RMED]}
"""


def written(tmp_path, text=BOUNDED):
    said = []
    plan = planned(tmp_path, text)
    asked = {each.label: plan.numbers for each in plan.datasets}
    results = Results(tmp_path, plan)
    found = matrix_tables.bound_rows(results, said.append, asked)
    results.open()
    results.finish(found, [], {})
    return said


def test_constants(tmp_path):
    assert written(tmp_path) == ["uniform-random: computing LB, ECWB, RMED of 4 matrices"]
    table = pd.read_csv(tmp_path / "bounds.csv").set_index(["dataset", "bound"])
    plan = planned(tmp_path, BOUNDED)
    fixed, random = plan.datasets
    assert {name: BOUNDS[name].regret for name in REGRET_BOUNDED} == REGRET_BOUNDED
    for name, bound in BOUNDS.items():
        if name == "CCB":
            assert ("sushi16", "CCB") not in table.index
            continue
        values = [bound.constant(instance(random, *plan.seed_of(number), shuffle_arms=True).P) for number in range(4)]
        assert np.std(values) > 0
        assert table.loc[("uniform-random", name), "constant"] == pytest.approx(np.mean(values), rel=1e-6)
        assert tuple(table.loc[("uniform-random", name), ["regret", "matrices"]]) == (bound.regret, 4)
        assert table.loc[("sushi16", name), "constant"] == bound.constant(fixed.source.whole.P)
        assert table.loc[("sushi16", name), "matrices"] == 1


def test_constants_are_reused(tmp_path, monkeypatch):
    written(tmp_path)
    before = (tmp_path / "bounds.csv").read_bytes()
    assert written(tmp_path) == []
    assert (tmp_path / "bounds.csv").read_bytes() == before
    for other in (("runs: 4", "runs: 5"), ("seed: 5", "seed: 6"), ("arms: 5", "arms: 6")):
        assert len(written(tmp_path, BOUNDED.replace(*other))) == len(written(tmp_path)) == 1
    written(tmp_path)
    monkeypatch.setattr(matrix_tables, "source_digest", lambda modules: "other code")
    assert len(written(tmp_path)) == 1
    (tmp_path / "bounds.csv").write_text("dataset,key\nnonsense\n")
    assert len(written(tmp_path)) == 1
    assert len(pd.read_csv(tmp_path / "bounds.csv")) == 6
    assert written(tmp_path, BOUNDED.replace(", bounds: [LB, ECWB]", "").replace(", bounds: [RMED]", "")) == []
    assert not (tmp_path / "bounds.csv").exists()


# Runs


def test_numbers_of_recommended_arms(tmp_path):
    """Recommended arms have the numbers of the dataset, also in runs with shuffled arms."""
    text = "horizon: 2e3\nruns: 2\nrecommend: copeland\ndatasets: [six-rankers]\nalgorithms: [rucb]\n"
    (series,) = planned(tmp_path, text).series
    assert series.spec.shuffle_arms
    named = {play_run(series, 1, run)[-1].recommended.arm for run in range(5)}
    assert named == {TABLES["six-rankers"].matrix().condorcet_winner()}


def test_ties_are_recommended_at_random(tmp_path):
    """Ties are broken at random even if arms are not shuffled, so the first arm has no advantage."""
    text = "horizon: 3\nruns: 1\nregret: condorcet\nshuffle_arms: false\ndatasets: [six-rankers]\nrecommend: copeland\n"
    (series,) = planned(tmp_path, text + "algorithms: [sparring]\n").series
    first = [play_run(series, 1, run)[0].recommended for run in range(200)]
    self_duels = [each.arm for each in first if each.votes == 0]
    counts = np.bincount(self_duels, minlength=6)
    assert len(self_duels) > 20
    assert counts.max() < 0.5 * counts.sum()


def test_declaration_of_no_winner(tmp_path):
    """Declaring no winner is right only in the cycle; h is so large that some runs miss the winner of the order."""
    (tmp_path / "circle.csv").write_text("0.5,0.9,0.1\n0.1,0.5,0.9\n0.9,0.1,0.5\n")
    (tmp_path / "line.csv").write_text("0.5,0.6,0.6\n0.4,0.5,0.6\n0.4,0.4,0.5\n")
    text = "horizon: 100\nruns: 1\nregret: [copeland, borda]\ndatasets: [{file: circle.csv}, {file: line.csv}]\n"
    text += "algorithms: [{name: nts, h: 0.49, alpha: 0.9, beta: 0.9}]\n"
    in_circle, in_line = (
        [play_run(series, 1, run)[-1].declared for run in range(40)] for series in planned(tmp_path, text).series
    )
    for found in in_circle, in_line:  # in the circle all scores are equal, but there is no Condorcet winner
        assert {right for _, right in found} == {(True, True), (False, False)}
        assert 0.1 < np.mean([right[0] for _, right in found]) < 0.99


def test_earlier_votes_are_renumbered(tmp_path):
    """With earlier votes, the arm that won nearly all of them is recommended in every run, wherever it is numbered."""
    votes = ["first,second,winner", *["c,a,c"] * 30, *["c,b,c"] * 30, *["a,b,tie"] * 31, *["d,a,a"] * 5, *["d,c,c"] * 5]
    (tmp_path / "votes.csv").write_text("\n".join([*votes, "b,d,tie"]))
    text = (
        "budget: 1\nruns: 1\nrecommend: copeland\nalgorithms: [uniform]\ndatasets: [{votes: votes.csv, draw: posterior"
    )

    def end(series, run):
        rounds = []
        rows = play_run(series, 1, run, watch=lambda ledger: rounds.append(int(ledger.place[0].t)))
        return rows[0].recommended.arm, rounds[-1]

    for more, sure in ((", continue: true", True), ("", False)):
        (series,) = planned(tmp_path, f"{text}{more}}}]\n").series
        ends = [end(series, run) for run in range(40)]
        assert ({arm for arm, _ in ends} == {2}) is sure
        assert {t for _, t in ends} == {104 if sure else 2}  # 102 votes before, of which 32 are ties
        if sure:
            shuffled = [2, 0, 3, 1]
            as_they_are, earlier = (_earlier(series, 0, 0, np.array(each))["earlier"] for each in (range(4), shuffled))
            assert (earlier == as_they_are[np.ix_(shuffled, shuffled)]).all()
            assert (earlier != as_they_are).any()


def test_weighted_earlier_votes(tmp_path):
    """a has 0.25 votes and b 2.5: algorithms see whole numbers with these means, recommendations the exact numbers."""
    (tmp_path / "votes.csv").write_text("first,second,winner,weight\na,b,a,0.25\na,b,b,2.5\n")
    text = "budget: 1\nruns: 1\nrecommend: btl\nshuffle_arms: false\nalgorithms: [uniform]\ndatasets:\n"
    options = "draw: posterior, continue: true, weight: weight"
    (series,) = planned(tmp_path, f"{text}  - {{votes: votes.csv, {options}}}\n").series
    earlier = [_earlier(series, 0, run, np.arange(2)) for run in range(400)]
    assert {int(each["earlier"][0, 1]) for each in earlier} == {0, 1}
    assert {int(each["earlier"][1, 0]) for each in earlier} == {2, 3}
    assert np.mean([each["earlier"] for each in earlier], axis=0) == pytest.approx(
        np.array([[0, 0.25], [2.5, 0]]), abs=0.06
    )
    assert all(each["counted"].wins.tolist() == [[0, 0.25], [2.5, 0]] for each in earlier)
