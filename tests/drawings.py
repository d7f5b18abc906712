"""Helpers for tests of figures: results with a few made-up numbers."""

import numpy as np

from tests.experiments import resolved, write_results

DENSE = [int(t) for t in np.unique(np.geomspace(1, 1000, 61).round())]


def row(mean, std=1.0, runs=4):
    spread = {"std": std, "sem": std / runs**0.5} if runs > 1 else {"std": "", "sem": ""}
    quantiles = {f"q{level:02d}": mean * (0.5 + level / 100) for level in (5, 25, 50, 75, 95)}
    return {"runs": runs, "mean": mean, **spread, **quantiles}


def linear(slope, checkpoints=DENSE, **numbers):
    return {t: row(slope * t, **numbers) for t in checkpoints}


def experiment(tmp_path, rows, *figures, algorithms=()):
    """Write an experiment whose datasets and algorithms are those of the rows (dataset, algorithm) -> t -> numbers."""
    datasets = list(dict.fromkeys(dataset for dataset, _ in rows))
    labels = list(algorithms or dict.fromkeys(algorithm for _, algorithm in rows))
    cells = [((*place, "copeland", t), numbers) for place, series in rows.items() for t, numbers in series.items()]
    return write_results(tmp_path, resolved(datasets, labels, figures=figures), cells)
