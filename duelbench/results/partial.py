"""The summary of an experiment that has not ended: of the runs that have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

from duelbench.errors import UserError
from duelbench.layout import SUMMARY_COLUMNS, SUMMARY_RECOMMENDATIONS, header, run_columns, run_file
from duelbench.results.files import examine, numbers_there
from duelbench.results.identity import Labels, SeriesIdentity
from duelbench.results.record import recorded_identity
from duelbench.results.summary import Runs
from duelbench.spec.resolved import ResolvedSpec


def summary_so_far(directory: Path, spec: ResolvedSpec) -> tuple[str, list[str]]:
    """Return the text that ``summary.csv`` would have if there were no more runs than there are, and what is missing.

    Runs count that are of the spec of the manifest, and whole. Raises UserError when there is none.
    """
    recommends = spec.recommend != "none"
    lines, missing = [], []
    for dataset in spec.datasets:
        for algorithm in spec.algorithms:
            labels = Labels(dataset.label, algorithm.label)
            runs: Runs | None = None
            count = 0
            identity = recorded_identity(directory.joinpath(*labels), spec, labels)
            if identity is not None:
                for path, body in _finished(directory, identity, spec.runs):
                    runs = runs or Runs(replace(identity, columns=_columns(body, spec, recommends, path)), spec.runs)
                    runs.add(path, body)
                    count += 1
            if count < spec.runs:
                missing.append(f"{'/'.join(labels)}: {count:,} of {spec.runs:,} runs")
            if runs is not None:
                lines.append(runs.summary().lines)
    if not lines:
        raise UserError(f"no run of {directory} has finished: `duelbench run` its spec, or wait")
    more = SUMMARY_RECOMMENDATIONS if recommends else ()
    return f"{header([*SUMMARY_COLUMNS, *more])}\n{''.join(lines)}", missing


def _finished(directory: Path, series: SeriesIdentity, at_most: int) -> Iterator[tuple[Path, str]]:
    """Yield the path of each finished run, and what follows the first line of its file."""
    place = directory.joinpath(*series.labels)
    for number in numbers_there(place):
        if number < at_most:
            state, body = examine(place / run_file(number), series.key(number))
            if state == "done":
                yield place / run_file(number), body


def _columns(body: str, spec: ResolvedSpec, recommends: bool, path: Path) -> list[str]:
    found = body.partition("\n")[0].split(",")
    if found not in [run_columns(spec.regret, *each) for each in product((False, True), (recommends,), (False, True))]:
        raise UserError("these are not the numbers of a run: remove it and repeat the command", source=str(path))
    return found
