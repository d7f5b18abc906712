"""What tests of figures share: results of a few made-up numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.experiments import resolved, write_results

DENSE = [int(t) for t in np.unique(np.geomspace(1, 1000, 61).round())]

Rows = dict[tuple[str, str], dict[int, dict[str, Any]]]


def row(mean: float, std: float = 1.0, runs: int = 4) -> dict[str, Any]:
    spread = {"std": std, "sem": std / runs**0.5} if runs > 1 else {"std": "", "sem": ""}
    quantiles = {f"q{level:02d}": mean * (0.5 + level / 100) for level in (5, 25, 50, 75, 95)}
    return {"runs": runs, "mean": mean, **spread, **quantiles}


def linear(slope: float, checkpoints: list[int] = DENSE, **numbers: Any) -> dict[int, dict[str, Any]]:
    return {t: row(slope * t, **numbers) for t in checkpoints}


def experiment(tmp_path: Path, rows: Rows, *figures: dict[str, Any], algorithms: tuple[str, ...] = ()) -> Path:
    """Write an experiment whose datasets and algorithms are those of the rows (dataset, algorithm) -> t -> numbers."""
    datasets = list(dict.fromkeys(dataset for dataset, _ in rows))
    labels = list(algorithms or dict.fromkeys(algorithm for _, algorithm in rows))
    cells = [((*place, "copeland", t), numbers) for place, series in rows.items() for t, numbers in series.items()]
    return write_results(tmp_path, resolved(datasets, labels, figures=figures), cells)
