"""What the papers state fits the specs that are run."""

from pathlib import Path

import pytest

from duelbench.reproduction.measures import Library
from duelbench.reproduction.papers import PAPERS
from duelbench.spec.load import load
from tests.experiments import seal
from tests.measured import explored, recommended, write

CONFIGS = Path(__file__).parents[1] / "configs"

FIGURES = [figure for paper in PAPERS for figure in paper.figures if figure.name.startswith("fig-")]


def made_up(root, name):
    """Write results of every dataset and algorithm of the spec."""
    spec = load(CONFIGS / f"{name}.yaml")
    datasets = [entry.label for entry in spec.expanded_datasets()]
    recommend = spec.recommend or "none"
    numbers = explored(10) if recommend == "none" else recommended(10)
    cells = {(d, a.label): numbers for d in datasets for a in spec.expanded_algorithms()}
    write(root, name, cells, datasets, spec.horizons[-1], spec.regret, horizons=spec.horizons, recommend=recommend)
    names = {name for each in spec.figures for name in getattr(each, "bounds", ())}
    bounds = [f"{datasets[0]},{name},copeland,1" for name in names]
    (root / name / "bounds.csv").write_text("\n".join(["dataset,bound,regret,constant", *bounds]))
    seal(root / name)


def finds_what_it_asks_for(figure, root):
    for statement in figure.statements:
        measured, agrees = statement.measure(Library(root))
        assert measured
        assert agrees in (True, False, None)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_statements_fit_their_spec(tmp_path, figure):
    made_up(tmp_path, figure.name)
    finds_what_it_asks_for(figure, tmp_path)


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.citation.split(",")[0])
def test_statements_about_several_figures_fit_their_specs(tmp_path, paper):
    for figure in paper.figures:
        if figure in FIGURES:
            made_up(tmp_path, figure.name)
    for figure in paper.figures:
        if not figure.name:
            finds_what_it_asks_for(figure, tmp_path)
