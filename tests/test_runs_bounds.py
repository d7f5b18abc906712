"""bounds.csv: what figures ask for, of the matrices of the runs, computed once."""

import pickle

import numpy as np
import pandas as pd
import pytest

from duelbench.bounds import BOUNDS
from duelbench.plots import draw
from duelbench.runs import bounds
from duelbench.runs.backends import local
from duelbench.runs.bounds import write_bounds
from duelbench.runs.execute import execute
from duelbench.runs.plan import make_plan
from duelbench.runs.run import instance
from duelbench.spec.load import load
from duelbench.spec.values import REGRET_BOUNDED

SPEC = """\
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


def planned(tmp_path, text=SPEC):
    (tmp_path / "spec.yaml").write_text(text)
    return make_plan(load(tmp_path / "spec.yaml"))


def written(tmp_path, text=SPEC):
    said = []
    plan = planned(tmp_path, text)
    write_bounds(plan, tmp_path, said.append, {each.label: plan.numbers for each in plan.datasets})
    return said


def test_the_bounds_of_specs_are_those_there_are():
    assert {name: BOUNDS[name].regret for name in REGRET_BOUNDED} == REGRET_BOUNDED


def test_constants_are_means_over_the_matrices_of_the_runs(tmp_path):
    assert written(tmp_path) == ["uniform-random: computing LB, ECWB, RMED of 4 matrices"]
    table = pd.read_csv(tmp_path / "bounds.csv").set_index(["dataset", "bound"])
    plan = planned(tmp_path)
    fixed, random = plan.datasets
    for name, bound in BOUNDS.items():
        if name == "CCB":
            assert ("sushi16", "CCB") not in table.index
            continue
        values = [bound.constant(instance(random, *plan.seed(number), shuffle_arms=True).P) for number in range(4)]
        assert np.std(values) > 0
        assert table.loc[("uniform-random", name), "constant"] == pytest.approx(np.mean(values), rel=1e-6)
        assert tuple(table.loc[("uniform-random", name), ["regret", "matrices"]]) == (bound.regret, 4)
        assert table.loc[("sushi16", name), "constant"] == bound.constant(fixed.dataset.origin.P)
        assert table.loc[("sushi16", name), "matrices"] == 1


def test_known_constants_are_kept_until_what_determines_them_changes(tmp_path, monkeypatch):
    written(tmp_path)
    before = (tmp_path / "bounds.csv").read_bytes()
    assert written(tmp_path) == []
    assert (tmp_path / "bounds.csv").read_bytes() == before
    assert written(tmp_path, SPEC.replace("runs: 4", "runs: 5")) == [
        "uniform-random: computing LB, ECWB, RMED of 5 matrices"
    ]
    for other in (SPEC.replace("seed: 5", "seed: 6"), SPEC.replace("arms: 5", "arms: 6")):
        written(tmp_path)
        assert len(written(tmp_path, other)) == 1
    written(tmp_path)
    monkeypatch.setattr(bounds, "_code", lambda: "other code")
    assert len(written(tmp_path)) == 1
    (tmp_path / "bounds.csv").write_text("dataset,key\nnonsense\n")
    assert len(written(tmp_path)) == 1
    assert len(pd.read_csv(tmp_path / "bounds.csv")) == 6


def test_nothing_is_computed_that_no_figure_shows(tmp_path):
    written(tmp_path)
    assert written(tmp_path, SPEC.replace(", bounds: [LB, ECWB]", "").replace(", bounds: [RMED]", "")) == []
    assert not (tmp_path / "bounds.csv").exists()


def test_a_run_leaves_what_its_figures_need(tmp_path):
    plan = planned(tmp_path)
    execute(plan, tmp_path / "out", local(0), announce=lambda line: None, progress=lambda done, total: None)
    drawn = draw(tmp_path / "out", formats=("svg",))
    assert [path.name for path in drawn] == ["regret.svg", "std.svg", "regret-2.svg"]


@pytest.mark.parametrize("column", ["dataset", "regret", "bound", "matrices", "constant", "key", "check"])
def test_what_somebody_has_edited_is_computed_anew(tmp_path, column):
    text = SPEC.replace("{name: uniform-random, arms: 5, condorcet: true}", "cyclic4").replace(", condorcet]", "]")
    text = text[: text.index("  - {kind: regret, regret: condorcet")]
    written(tmp_path, text)
    path = tmp_path / "bounds.csv"
    before = path.read_text()
    table = pd.read_csv(path, dtype=str)
    table.loc[0, column] = {"constant": "5.0", "matrices": "2"}.get(column, f"{table.loc[0, column]}x")
    table.to_csv(path, index=False)
    assert path.read_text() != before
    written(tmp_path, text)
    assert path.read_text() == before
    computed = []
    path.write_text(before.replace(table.loc[1, "constant"], "7.5"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            bounds, "constants_of", lambda draw, count, names, jobs: computed.append(names) or np.ones((1, 1))
        )
        written(tmp_path, text)
    assert computed == [["ECWB"]]


def test_a_million_matrices_are_not_listed_for_each_of_the_processes(tmp_path, monkeypatch):
    """The seeds of all runs travelled with every fifty matrices."""
    sizes = []

    def constants(draw, count, names, jobs):
        sizes.append(len(pickle.dumps(draw)))
        return np.ones((1, len(names)))

    monkeypatch.setattr(bounds, "constants_of", constants)
    written(tmp_path, SPEC.replace("runs: 4", "runs: 100000").replace(", condorcet]", "]").split("  - {kind: std")[0])
    assert max(sizes) < 10_000


def test_an_edit_while_the_command_runs_is_not_that_of_its_constants(monkeypatch):
    before = bounds._code()
    monkeypatch.setattr(bounds.Path, "read_bytes", lambda path: b"EDITED = 1\n")
    assert bounds._code() == before
