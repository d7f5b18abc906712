"""Shipped specs: all pass the check, smoke variants run and are drawn, kept results are read, `make` knows them."""

import json
from pathlib import Path

import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.errors import UserError
from duelbench.experiment.backends import local
from duelbench.experiment.execute import execute
from duelbench.experiment.plan import make_plan
from duelbench.plots.drawing import draw_results
from duelbench.results.results import Results
from duelbench.sources.published_matrices import TABLES
from duelbench.spec.model import load
from duelbench.spec.resolved import ResolvedSpec
from results.leaderboard.board import not_for
from results.leaderboard.page import main
from tests.experiments import nothing

ROOT = Path(__file__).parents[1]
SPECS = sorted((ROOT / "configs").glob("*.yaml"))
LEADERBOARD = sorted(path.stem for path in SPECS if path.stem.startswith("leaderboard"))
CHANGES = "leaderboard-changes"
TARGETS = [path.stem for path in SPECS if path.stem not in (*LEADERBOARD, "quickstart")]
KEPT = sorted(path.parent for path in (ROOT / "results").glob("*/manifest.json"))
QUICK = {"fig-dts-delay", "fig-changes-1", "fig-ecw-1a", "fig-heckel-5a"}
"""They cover delays, changes, submatrices with bounds, budgets, regret, scaling and identification."""
WHOLE = {"fig-batched-1": "abcd", "fig-dts-1": "ab", "fig-ecw-1": "abcdef"}
"""Figures of papers, and the letters of their specs."""
EXPENSIVE = {"fig-rex3-arms", "fig-rex3-vanishing", "fig-mdb-strong"}
"""Their check takes seconds: submatrices of up to 136 arms, or a matrix for each of thousands of changes or runs."""


def plan_of(path, *, smoke=False):
    try:
        return make_plan(load(path, smoke=smoke))
    except UserError as error:
        if "datasets fetch" in str(error):
            pytest.skip(str(error))
        raise


def slow_but(names, paths):
    """Return pytest parameters for paths, marked slow except for these names."""
    return [pytest.param(each, id=each.stem, marks=() if each.stem in names else pytest.mark.slow) for each in paths]


@pytest.mark.parametrize("path", slow_but({path.stem for path in SPECS} - EXPENSIVE, SPECS))
def test_specs_check(path):
    plan = plan_of(path)
    assert plan.name == path.stem
    assert max(len(line) for line in path.read_text().splitlines()) <= 120
    if path.stem in TARGETS:
        assert plan_of(path, smoke=True).rounds <= 10_000_000


@pytest.mark.parametrize("path", slow_but(QUICK, [path for path in SPECS if path.stem in TARGETS]))
def test_smoke(path, tmp_path):
    plan = plan_of(path, smoke=True)
    execution = execute(plan, tmp_path, local(0), announce=nothing, progress=nothing)
    assert execution.failures == []
    assert Results(tmp_path).spec.figures == plan.figures
    assert len([*draw_results(Results(tmp_path), tmp_path, formats=["png"])]) == len(plan.figures)


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name)
def test_kept_results_are_read(path):
    results = Results(path)
    assert results.checkpoints and results.panels and results.algorithms
    written = results.manifest.spec
    for each in written["algorithms"]:
        each.pop("reference", None)  # a key of earlier versions
    read = ResolvedSpec.model_validate(written)
    assert read.model_dump(mode="json", exclude_unset=True) == written  # later versions add keys
    assert results.manifest.total_seconds() > 0
    assert results.bounds or not (path / "bounds.csv").exists()


@pytest.mark.parametrize("path", [path for path in KEPT if path.name in QUICK], ids=lambda path: path.name)
def test_kept_results_are_drawn(path):
    results = Results(path)
    for figure in results.spec.figures:
        here = figure.kind != "tail"  # tail needs the files of the runs
        if here and (not getattr(figure, "bounds", ()) or (path / "bounds.csv").exists()):
            assert figure.draw(results).axes


def test_leaderboard_is_complete():
    specs = [load(ROOT / f"configs/{name}.yaml") for name in LEADERBOARD if name != CHANGES]
    played = {
        (table.label, point.entry.name, json.dumps(point.parameters))
        for spec in specs
        for table in spec.expanded_datasets()
        for point in spec.expanded_algorithms()
    }
    tables = TABLES.keys() - {"sushi16-ws"}  # other shares than those of sushi16
    assert {table for table, _, _ in played} == tables
    assert len({(table, name) for table, name, _ in played}) == len(played)
    without = {(table, name) for table in tables for name in catalogue()} - {each[:2] for each in played}
    for table, name in without:
        assert catalogue()[name].finds_order or not_for(name, table, catalogue()[name]().model_dump()), (table, name)


def test_smoke_of_leaderboard(tmp_path):
    for name in LEADERBOARD:
        plan = plan_of(ROOT / f"configs/{name}.yaml", smoke=True)
        execute(plan, tmp_path / name, local(0), announce=nothing, progress=nothing)
    main(tmp_path)
    page = (tmp_path / "LEADERBOARD.md").read_text()
    assert "| D-TS (`d-ts`) |" in page and "| *Versatile-DB* (`versatile-db`) |" in page
    assert {path.name for path in (tmp_path / "leaderboard").glob("*.png")} == {"leaderboard.png", "changes.png"}
