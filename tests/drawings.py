"""Helpers for tests of figures: results with a few made-up numbers."""

import numpy as np
from matplotlib.figure import Figure

from duelbench.layout import BOUNDS, BOUNDS_COLUMNS, header
from duelbench.plots.kinds.regret import RegretFigure
from duelbench.results.results import Results
from tests.experiments import resolved, write_results

DENSE = [int(t) for t in np.unique(np.geomspace(1, 1000, 61).round())]


def row(mean, std=1.0, runs=4):
    spread = {"std": std, "sem": std / runs**0.5} if runs > 1 else {"std": "", "sem": ""}
    quantiles = {f"q{level:02d}": mean * (0.5 + level / 100) for level in (5, 25, 50, 75, 95)}
    return {"runs": runs, "mean": mean, "kurtosis": 3.0, **spread, **quantiles}


def linear(slope, checkpoints=DENSE, **numbers):
    return {t: row(slope * t, **numbers) for t in checkpoints}


def experiment(tmp_path, rows, *figures, algorithms=()):
    """Write results of an experiment; ``rows`` maps (dataset, algorithm) to the numbers at each t."""
    datasets = list(dict.fromkeys(dataset for dataset, _ in rows))
    labels = list(algorithms or dict.fromkeys(algorithm for _, algorithm in rows))
    cells = [((*place, "copeland", t), numbers) for place, series in rows.items() for t, numbers in series.items()]
    return write_results(tmp_path, resolved(datasets, labels, figures=figures), cells)


def drawn(tmp_path, rows, **keys):
    """Draw the regret figure of results with these rows."""
    return RegretFigure(kind="regret", **keys).draw(Results(experiment(tmp_path, rows)))


def legend_labels(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def write_bounds(directory, **constants):
    rows = [f"one,copeland,{name},3,{constant!r},key" for name, constant in constants.items()]
    (directory / BOUNDS).write_text("\n".join([header(BOUNDS_COLUMNS), *rows]) + "\n")
