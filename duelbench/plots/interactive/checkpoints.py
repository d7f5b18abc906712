"""The numbers of ``summary.csv`` for the page, which shows them as a table at the selected checkpoint."""

from __future__ import annotations

import numpy as np

from duelbench.plots.interactive.section import Json, numbers
from duelbench.plots.interactive.text import readable
from duelbench.results.reader import Results

COLUMNS = {
    "mean": "mean regret",
    "sem": "s.e.",
    "std": "std",
    "q05": "5 %",
    "q50": "median",
    "q95": "95 %",
    "runs": "runs",
    "declared": "declared",
    "duels_to_declaration": "duels to declaration",
    "right": "declared right",
    "votes": "votes",
    "recommended_right": "right",
    "right_low": "right: low",
    "right_high": "right: high",
    "simple": "simple regret",
    "tau": "tau",
    "overlap": "overlap",
    "epsilon": "ε needed",
    "within": "right within ε",
}
"""Columns of the summary in the table, and their headings; empty columns are left out."""


def checkpoints_payload(results: Results) -> Json:
    """Return every series with its numbers by column, and the titles of datasets and algorithms."""
    summary = results.summary
    columns = [name for name in COLUMNS if name in summary and np.isfinite(summary[name].to_numpy()).any()]
    series = []
    for dataset, _ in results.panels:
        for kind in results.spec.regret:
            for algorithm in results.algorithms:
                rows = results.series(dataset, algorithm, kind)
                if rows.empty:
                    continue
                values = {name: numbers(rows[name]) for name in columns}
                series.append(
                    {"dataset": dataset, "algorithm": algorithm, "regret": kind, "t": numbers(rows["t"]), **values}
                )
    return {
        "columns": [[name, COLUMNS[name]] for name in columns],
        "datasets": [[label, readable(title)] for label, title in results.panels],
        "algorithms": {label: readable(title) for label, title in results.titles.items()},
        "counted": "votes" if results.spec.count == "votes" else "t",
        "series": series,
    }
