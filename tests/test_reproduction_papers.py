"""What the papers state fits the specs that are run."""

from pathlib import Path

import pytest

from duelbench.reproduction.measures import Library
from duelbench.reproduction.papers import PAPERS
from duelbench.spec.load import load
from tests.experiments import seal
from tests.measured import explored, write

CONFIGS = Path(__file__).parents[1] / "configs"

FIGURES = [figure for paper in PAPERS for figure in paper.figures if figure.name.startswith("fig-")]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_statements_fit_their_spec(tmp_path, figure):
    """With results of every dataset and algorithm of the spec each measure finds what it asks for."""
    spec = load(CONFIGS / f"{figure.name}.yaml")
    datasets = [entry.label for entry in spec.expanded_datasets()]
    cells = {(d, a.label): explored(10) for d in datasets for a in spec.expanded_algorithms()}
    write(tmp_path, figure.name, cells, datasets, spec.horizons[-1], spec.regret)
    names = {name for each in spec.figures for name in getattr(each, "bounds", ())}
    bounds = [f"{datasets[0]},{name},copeland,1" for name in names]
    (tmp_path / figure.name / "bounds.csv").write_text("\n".join(["dataset,bound,regret,constant", *bounds]))
    seal(tmp_path / figure.name)
    for statement in figure.statements:
        measured, agrees = statement.measure(Library(tmp_path))
        assert measured
        assert agrees in (True, False, None)
