"""Every shipped spec runs, small; every figure has its make target."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.cli.leaderboard import DEFAULT as LEADERBOARD
from duelbench.errors import UserError
from duelbench.leaderboard.board import board, not_for
from duelbench.leaderboard.page import page
from duelbench.plots import draw
from duelbench.plots.figures import drawing_of
from duelbench.plots.results import Results
from duelbench.runs.backends import local
from duelbench.runs.execute import execute
from duelbench.runs.plan import make_plan
from duelbench.sources.tables import TABLES
from duelbench.spec.load import load
from tests.experiments import nothing

ROOT = Path(__file__).parents[1]
SPECS = sorted((ROOT / "configs").glob("*.yaml"))
FIGURES = [path for path in SPECS if path.stem.startswith("fig-") or path.stem == "identify"]
DRAWN_SMALL = {path.stem for path in FIGURES}
KEPT = sorted(path.parent for path in (ROOT / "results").glob("*/manifest.json"))
TARGETS = [
    *(f"fig-dts-{figure}" for figure in ("1a", "1b", "2", "delay")),
    *(f"fig-ecw-1{letter}" for letter in "abcdef"),
    "fig-ecw-beta",
    *(f"fig-ccb-{figure}" for figure in ("1", "scale")),
    *(f"fig-batched-{figure}" for figure in ("1a", "1b", "1c", "1d", "2")),
    *(f"fig-savage-{figure}" for figure in ("bandits", "exploration", "regret")),
    *(f"fig-ws-{figure}" for figure in ("2a", "3", "3b", "5", "6")),
    "fig-mergedts-1",
    "fig-mergedts-2",
    "fig-merge-scale",
    *(f"fig-rex3-{figure}" for figure in ("arms", "arxiv", "mslr", "vanishing")),
    *(f"fig-mdb-{figure}" for figure in ("strong", "weak")),
    "fig-anaconda",
    "fig-changes-1",
    *(f"fig-heckel-{figure}" for figure in ("4b", "5a", "6")),
    *(f"fig-{paper}-1" for paper in ("nts", "dkwt", "pocowista", "parwis", "maxing")),
    "identify",
]


def plan_of(path, *, smoke=False):
    try:
        return make_plan(load(path, smoke=smoke))
    except UserError as error:
        if "datasets fetch" in str(error):
            pytest.skip(str(error))
        raise


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_specs_check(path):
    plan = plan_of(path)
    assert plan.spec.name == path.stem
    assert max(len(line) for line in path.read_text().splitlines()) <= 120


@pytest.mark.parametrize("path", FIGURES, ids=lambda path: path.stem)
def test_the_smoke_variant_of_a_figure_is_small_and_can_be_drawn(path, tmp_path):
    plan = plan_of(path, smoke=True)
    assert plan.rounds <= 10_000_000
    execution = execute(plan, tmp_path, local(0), announce=nothing, progress=nothing)
    assert execution.failures == []
    results = Results(tmp_path)
    assert results.spec.figures == plan.spec.figures
    assert all(drawing_of(figure, results).axes for figure in results.spec.figures)


@pytest.mark.slow
@pytest.mark.parametrize("path", FIGURES, ids=lambda path: path.stem)
def test_the_smoke_variant_of_a_figure_is_drawn(path, tmp_path):
    plan = plan_of(path, smoke=True)
    execute(plan, tmp_path, local(0), announce=nothing, progress=nothing)
    assert len(draw(tmp_path, formats=["png"])) == len(plan.spec.figures)


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name)
def test_the_results_that_are_kept_can_be_read(path):
    results = Results(path)
    assert results.checkpoints and results.panels and results.algorithms


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=pytest.mark.slow if path.name in DRAWN_SMALL else ()) for path in KEPT],
    ids=lambda path: path.name,
)
def test_the_results_that_are_kept_can_be_drawn(path):
    """The smoke variant of most is drawn above."""
    results = Results(path)
    for figure in results.spec.figures:
        if not getattr(figure, "bounds", ()) or (path / "bounds.csv").exists():
            assert drawing_of(figure, results).axes


def test_every_figure_of_the_papers_has_a_spec():
    assert {path.stem for path in FIGURES} == set(TARGETS)


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize("smoke", [False, True])
def test_make_knows_every_figure(smoke):
    def commands(target):
        line = ["make", "-n", target, *(["SMOKE=1"] if smoke else [])]
        return subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True).stdout

    everything = commands("figures")
    place = "results/smoke/" if smoke else "results/"
    for target in TARGETS:
        assert f"duelbench run configs/{target}.yaml{' --smoke' if smoke else ''}" in commands(target)
        assert f"duelbench plot {place}{target}" in commands(target)
        assert f"configs/{target}.yaml" in everything
    assert f"duelbench report {place}" in commands("report")


def test_the_leaderboard_leaves_out_only_what_is_not_made_for_a_table():
    specs = [load(ROOT / f"configs/{name}.yaml") for name in LEADERBOARD]
    played = {
        (table.label, entry.name, json.dumps(entry.parameters))
        for spec in specs
        for table in spec.expanded_datasets()
        for entry in spec.expanded_algorithms()
    }
    tables = TABLES.keys() - {"sushi16-ws"}  # other shares of sushi than sushi16
    assert {table for table, _, _ in played} == tables
    assert len({(table, name) for table, name, _ in played}) == len(played)
    without = {(table, name) for table in tables for name in catalogue()} - {each[:2] for each in played}
    for table, name in without:
        algorithm = catalogue()[name]()
        assert not_for(type(algorithm), TABLES[table].matrix(), algorithm.model_dump()), (table, name)


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_make_knows_the_leaderboard():
    line = ["make", "-n", "leaderboard", "SMOKE=1"]
    said = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert f"for spec in {' '.join(LEADERBOARD)}" in said
    assert "duelbench leaderboard " + " ".join(f"results/smoke/{name}" for name in LEADERBOARD) in said


def test_the_smoke_variant_of_the_leaderboard(tmp_path):
    results = []
    for name in LEADERBOARD:
        plan = plan_of(ROOT / f"configs/{name}.yaml", smoke=True)
        execute(plan, tmp_path / name, local(0), announce=nothing, progress=nothing)
        results.append(Results(tmp_path / name))
    assert "| D-TS (`d-ts`) |" in page(board(results), "x.png")
