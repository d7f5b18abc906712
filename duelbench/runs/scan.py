"""What of a plan is on disk already. Every file is looked at, and read once; nothing is changed."""

from __future__ import annotations

import os
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from duelbench.layout import run_file
from duelbench.runs.files import examine, series_directory
from duelbench.runs.plan import Plan
from duelbench.runs.series import Series
from duelbench.runs.summary import Runs, SeriesSummary


@dataclass(frozen=True)
class Scanned:
    """How a series stands: the numbers of the runs that are ``missing``, and where none is, its ``summary``.

    ``place`` is its directory. A run is missing that has no sound file under its key: those that have another key, are
    damaged or failed are played again.
    """

    series: Series
    place: Path
    missing: Sequence[int]
    summary: SeriesSummary | None


def scan(plan: Plan, directory: Path) -> list[Scanned]:
    """Return how every series of a plan stands in a directory.

    The numbers of one series are in memory at a time. Raises UserError when a link leads out of the directory, or a
    file with the right key and checksum does not hold the numbers of a run.
    """
    places = [series_directory(directory, series) for series in plan.series]
    return [_scan(plan, series, place) for series, place in zip(plan.series, places, strict=True)]


def summarize(plan: Plan, series: Series, place: Path) -> SeriesSummary:
    """Return the summary of the runs of a series that are done."""
    found = Runs(series, plan.runs)
    for number in range(plan.runs):
        path = place / run_file(number)
        state, body = examine(path, plan.run(series, number).key)
        if state == "done":
            found.add(path, body)
    return found.summary()


def _scan(plan: Plan, series: Series, place: Path) -> Scanned:
    there = _names(place)
    missing = array("I")  # there may be a million
    done: Runs | None = None
    for number in range(plan.runs):
        name = run_file(number)
        if name not in there:  # sooner known than by looking for each file
            missing.append(number)
            continue
        path = place / name
        state, body = examine(path, plan.run(series, number).key)
        if state != "done":
            missing.append(number)
        elif not missing:  # a file is parsed once: now, or when the series is complete
            done = done or Runs(series, plan.runs)
            done.add(path, body)
    return Scanned(series, place, missing, done.summary() if done and not missing else None)


def _names(place: Path) -> set[str]:
    try:
        with os.scandir(place) as entries:
            return {entry.name for entry in entries}
    except OSError:  # there is nothing, or nothing that can be read; whether it can be written will show
        return set()
