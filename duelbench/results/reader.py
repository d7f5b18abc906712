"""Reading an experiment back: what was asked (``manifest.json``) and what came out (``summary.csv``)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import ValidationError

from duelbench.errors import UserError, did_you_mean
from duelbench.layout import (
    ALL_MANIFESTS,
    BOUNDS,
    LARGEST,
    MANIFEST,
    MOST_BYTES_OF_A_MANIFEST,
    MOST_BYTES_OF_A_RECORD,
    MOST_BYTES_OF_A_SUMMARY,
    SUMMARY,
    SUMMARY_COUNTS,
    SUMMARY_DECLARATIONS,
    SUMMARY_NAMES,
    SUMMARY_RECOMMENDATIONS,
    SUMMARY_SHAPE,
    SUMMARY_STATISTICS,
)
from duelbench.reading import read_json, regular
from duelbench.sealed import check_seal
from duelbench.spec.figures import Entry, Figure, shown
from duelbench.spec.resolved import ResolvedSpec
from duelbench.spec.values import MAX_HORIZON

Bounds = dict[tuple[str, str], float]
"""Constants of bounds, by dataset and name."""
SoFar = Callable[[Path, ResolvedSpec], tuple[str, list[str]]]
"""What gives the text of a summary of the runs that there are in a directory, and lines on what is missing."""
_NO_ROWS = np.array([], np.intp)
LONGEST_HEADER = 4096
"""Characters of the first line of a table: what is longer is none of ours, and takes long to read."""


class Results:
    """An experiment's directory, read: ``spec``, ``summary``, by series in ``series``; ``checkpoints`` are all its t.

    ``sources`` are the results that it is made of: itself, or several.

    Raises UserError when the directory is missing, unfinished or not an experiment's.
    """

    def __init__(self, directory: Path) -> None:
        if not directory.is_dir():
            raise UserError(f"there is no directory {directory}: `duelbench run` a spec first to make its results")
        self.directory = directory
        self.manifest, self.spec = _read_manifest(directory / MANIFEST)
        summary = _read_summary(directory / SUMMARY)
        check_seal(directory / SUMMARY, self.manifest)
        self._take(summary)

    @classmethod
    def partial(cls, directory: Path, so_far: SoFar, announce: Callable[[str], None]) -> Results:
        """Read an experiment that has not ended; ``announce`` is told what is missing.

        Raises UserError when there is none, or no run has finished.
        """
        made = cls.__new__(cls)
        made.directory = directory
        made.manifest, made.spec = _read_manifest(directory / MANIFEST)
        text, missing = so_far(directory, made.spec)
        for line in missing:
            announce(line)
        made._take(_parsed(io.StringIO(text), directory / SUMMARY))
        return made

    @classmethod
    def of(cls, sources: Sequence[Results], spec: ResolvedSpec, summary: pd.DataFrame, bounds: Bounds) -> Results:
        """Return what is made of other results."""
        made = cls.__new__(cls)
        made.directory, made.manifest, made.spec = sources[0].directory, {}, spec
        made._take(summary)
        made.sources, made.bounds = sources, bounds
        return made

    def _take(self, summary: pd.DataFrame) -> None:
        self.sources: Sequence[Results] = (self,)
        self.summary = summary
        found: dict[tuple[str, str, str], list[int]] = {}
        names = (summary[name].tolist() for name in SUMMARY_NAMES)
        for row, (dataset, algorithm, regret) in enumerate(zip(*names, strict=True)):
            found.setdefault((dataset, algorithm, regret), []).append(row)
        t = summary["t"].to_numpy()
        self._rows = {series: np.array(rows)[t[rows].argsort(kind="stable")] for series, rows in found.items()}
        self._columns = {column: summary[column].to_numpy() for column in summary if column not in SUMMARY_NAMES}
        self.checkpoints = sorted(set(t.astype(int).tolist()))

    @property
    def algorithms(self) -> list[str]:
        """Labels of the algorithms, in the order of the spec."""
        return [algorithm.label for algorithm in self.spec.algorithms]

    @property
    def titles(self) -> dict[str, str]:
        """The title of each algorithm by its label; no two read alike."""
        return self.spec.algorithm_titles()

    @property
    def panels(self) -> list[tuple[str, str]]:
        """(label, title) of each dataset; no two titles read alike."""
        return list(self.spec.dataset_titles().items())

    def shown_algorithms(self, figure: Figure) -> list[str]:
        """Labels of the algorithms of a figure. Raises UserError when it names one that is not there."""
        return self._shown(figure.algorithms, self.spec.algorithms, "algorithm")

    def shown_panels(self, figure: Figure) -> list[tuple[str, str]]:
        """(label, title) of the datasets of a figure. Raises UserError when it names one that is not there."""
        titles = dict(self.panels)
        return [(label, titles[label]) for label in self._shown(figure.datasets, self.spec.datasets, "dataset")]

    def _shown(self, named: Sequence[str] | None, entries: Sequence[Entry], what: str) -> list[str]:
        try:
            return [each.label for each in shown(named, entries)]
        except KeyError as missing:
            (name,) = missing.args
            near = did_you_mean(name, [each.label for each in entries])
            raise UserError(
                f"a figure shows the {what} {name!r}, which is not there{near}: correct its `{what}s`",
                source=str(self.directory),
            ) from None

    @property
    def counted(self) -> str:
        """What t counts, as an axis says it."""
        return "votes" if self.spec.count == "votes" else "$t$"

    def series(self, dataset: str, algorithm: str, regret: str) -> pd.DataFrame:
        """Rows of the summary in order of t, one per checkpoint; none where no run has finished."""
        return self.summary.take(self._rows.get((dataset, algorithm, regret), _NO_ROWS))

    def column(self, column: str, dataset: str, algorithm: str, regret: str) -> NDArray[np.float64]:
        """A column of ``series``: its numbers, in order of t. Raises KeyError when there is no such column."""
        found: NDArray[np.float64] = self._columns[column][self._rows.get((dataset, algorithm, regret), _NO_ROWS)]
        return found

    def value(self, column: str, dataset: str, algorithm: str, regret: str, t: int) -> float | None:
        """One number of the summary (NaN where it is empty), or None where there is no such row or column."""
        if column not in self._columns:
            return None
        places = np.flatnonzero(self.column("t", dataset, algorithm, regret) == t)
        return float(self.column(column, dataset, algorithm, regret)[places[0]]) if len(places) else None

    def regret_kind(self, asked: str | None) -> str:
        """Return the regret to draw: the one asked for, else the first of the spec."""
        kind = asked or self.spec.regret[0]
        known = sorted({regret for _, _, regret in self._rows})
        if kind not in known:
            raise UserError(
                f"a figure shows the regret {kind!r}, but the runs recorded {', '.join(known)}: "
                "add it to the spec's `regret` and run again",
                source=str(self.directory / SUMMARY),
            )
        return kind

    def bound(self, dataset: str, name: str) -> float:
        """Return the constant of a bound on a dataset: the bound is that times log t. Infinity where there is none."""
        constant = self.bounds.get((dataset, name))
        if constant is None:
            raise UserError(
                f"a figure shows the bound {name}, whose constant for {dataset} is not there: "
                "`duelbench run` the spec again to compute it",
                source=str(self.directory / BOUNDS),
            )
        return constant

    @cached_property
    def bounds(self) -> Bounds:
        """The constants of bounds by dataset and name; none where no figure shows bounds."""
        path = self.directory / BOUNDS
        try:
            with regular(path, MOST_BYTES_OF_A_RECORD).open(encoding="utf-8", newline="") as file:
                found = {(row["dataset"], row["bound"]): float(row["constant"]) for row in csv.DictReader(file)}
            if any((constant > LARGEST and not np.isinf(constant)) or constant < 0 for constant in found.values()):
                raise ValueError("a number that is no bound")
            check_seal(path, self.manifest)
            return found
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError, TypeError, csv.Error):
            raise UserError(
                "is not a table of bounds: `duelbench run` the spec again to rewrite it", source=str(path)
            ) from None

    def round_shown(self, asked: int | None) -> int:
        """Return the round of a figure that shows one: the one asked for, else the largest horizon."""
        at = asked or max(self.spec.horizons)
        if at not in self.checkpoints:
            nearest = min(self.checkpoints, key=lambda t: abs(t - at))
            raise UserError(
                f"a figure shows the regret at t = {at:,}, where nothing was recorded: "
                f"correct its `at` (the nearest checkpoint is {nearest:,})",
                source=str(self.directory),
            )
        return at


def _read_manifest(path: Path) -> tuple[dict[str, Any], ResolvedSpec]:
    """Return the manifest, and the spec in it."""
    if not path.is_file():
        inner = sorted(child.parent for child in path.parent.glob(ALL_MANIFESTS))
        advice = f"plot one experiment, such as {inner[0]}" if inner else "`duelbench run` a spec first to make results"
        raise UserError(f"{path.parent} is not the results of an experiment (no {MANIFEST}): {advice}")
    try:
        manifest = read_json(path, MOST_BYTES_OF_A_MANIFEST)
        return manifest, ResolvedSpec.model_validate(manifest["spec"])
    except ValidationError as error:
        place = ".".join(str(part) for part in ("spec", *error.errors()[0]["loc"]))
        problem = f"{place} is not what this version writes"
    except (OSError, ValueError, KeyError, TypeError):
        problem = "it is not a manifest"
    raise UserError(f"cannot be read ({problem}): `duelbench run` the spec again to rewrite it", source=str(path))


def _read_summary(path: Path) -> pd.DataFrame:
    if not path.is_file():
        raise UserError(f"{path.parent} has no {SUMMARY} yet: `duelbench run` the spec again to finish it")
    try:
        with regular(path, MOST_BYTES_OF_A_SUMMARY).open(encoding="utf-8", newline="") as file:
            return _parsed(file, path)
    except (OSError, ValueError):
        raise _no_summary(path) from None


def _parsed(file: IO[str], path: Path) -> pd.DataFrame:
    """Return a summary; ``path`` is where errors say that it is."""
    numbers = (*SUMMARY_COUNTS, *SUMMARY_STATISTICS, *SUMMARY_DECLARATIONS)
    known = (*SUMMARY_NAMES, *numbers, *SUMMARY_SHAPE, *SUMMARY_RECOMMENDATIONS)
    try:
        columns = _columns(file)
        if {*SUMMARY_NAMES, *numbers}.difference(columns):
            raise ValueError("a column is missing")
        file.seek(0)
        # Only numbers may be missing: an algorithm may well be labelled "NA".
        summary = pd.read_csv(
            file,
            dtype=dict.fromkeys(known, float) | dict.fromkeys(SUMMARY_NAMES, str),
            usecols=[column for column in columns if column in known],
            keep_default_na=False,
            na_values={column: ["", "nan"] for column in known if column not in SUMMARY_NAMES},
        )
        summary = summary.reindex(columns=[*summary, *(name for name in SUMMARY_SHAPE if name not in summary)])
        if len(summary) and not _sensible(summary):
            raise ValueError("numbers that no run has")
    except (OSError, ValueError):
        raise _no_summary(path) from None
    if summary.empty:
        raise UserError("holds no finished run: `duelbench run` the spec again", source=str(path))
    return summary


def _no_summary(path: Path) -> UserError:
    return UserError(
        "is not the summary of an experiment: `duelbench run` the spec again to rewrite it", source=str(path)
    )


def _columns(file: IO[str]) -> list[str]:
    """Return the words of a table's first line. Raises ValueError when it is longer than any of ours."""
    line = file.readline(LONGEST_HEADER)
    if len(line) == LONGEST_HEADER:
        raise ValueError("the first line is no list of columns")
    return line.rstrip("\r\n").split(",")


def _sensible(summary: pd.DataFrame) -> bool:
    """Return whether these can be the numbers of a summary.

    Those of t and of runs are whole, shares are shares, no spread is negative, and nothing is beyond ``LARGEST``.
    """
    counts = summary[list(SUMMARY_COUNTS)].to_numpy()
    named = [column for column in SUMMARY_RECOMMENDATIONS if column in summary]
    others = summary[[*SUMMARY_STATISTICS, *SUMMARY_DECLARATIONS, *SUMMARY_SHAPE, *named]].to_numpy()
    positive = summary[["std", "sem", *SUMMARY_DECLARATIONS, "kurtosis", *named]].to_numpy()
    shares = summary[["declared", "right", *(column for column in named if "right" in column)]].to_numpy()
    whole = np.isfinite(counts).all() and (counts >= 1).all() and (counts == np.round(counts)).all()
    in_range = (counts <= MAX_HORIZON).all() and (np.isnan(others) | (np.abs(others) <= LARGEST)).all()
    no_less = not (positive < 0).any() and not (shares > 1).any()
    return bool(whole and in_range and no_less and summary["mean"].notna().all())
