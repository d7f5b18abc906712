"""The content of figures and tables: spec, summary and bounds of an experiment, or of several combined."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import ValidationError

from duelbench.arrays import Floats
from duelbench.errors import UserError, choose_among
from duelbench.files import regular
from duelbench.layout import (
    ALL_MANIFESTS,
    BOUNDS,
    INSTANCE_COLUMNS,
    INSTANCES,
    MANIFEST,
    SUMMARY,
    SUMMARY_COLUMNS,
    SUMMARY_NAMES,
    SUMMARY_RANKED,
    SUMMARY_RECOMMENDATIONS,
    header,
)
from duelbench.results.manifest import Manifest, Unmet, read_manifest, unreadable
from duelbench.results.runs import SeriesRuns
from duelbench.results.summary import AGAIN, Runs, no_summary, number_in, read_summary
from duelbench.spec.figures import FigureEntry, shown
from duelbench.spec.resolved import Labels, ResolvedSpec
from duelbench.spec.titles import round_number

if TYPE_CHECKING:
    import pandas as pd


_Bounds = dict[tuple[str, str], float]
"""Constants of bounds, by dataset and name."""
_Places = np.ndarray[Any, np.dtype[np.intp]]


class Tables:
    """The tables in a directory of results. Each file is read on first use, with a UserError if it cannot be read.

    ``checkpoints`` are all t of the ``summary``. For several results combined, ``origins`` says where a series comes
    from. With ``partial``, an unfinished experiment has a summary of its runs so far; the function receives a line with
    their number.
    """

    def __init__(self, directory: Path, *, partial: Callable[[str], None] | None = None) -> None:
        self.directory = directory
        self.origins: dict[tuple[str, str], tuple[Tables, Labels]] = {}
        self._partial = partial

    @cached_property
    def manifest(self) -> Manifest:
        """The content of ``manifest.json``."""
        if not self.directory.is_dir():
            raise UserError(f"there is no directory {self.directory}: `duelbench run` a spec first to make its results")
        try:
            return read_manifest(self.directory)
        except FileNotFoundError:
            inner = sorted(child.parent for child in self.directory.glob(ALL_MANIFESTS))
            advice = f"name one experiment, such as {inner[0]}" if inner else "`duelbench run` a spec first"
            raise UserError(f"{self.directory} is not the results of an experiment (no {MANIFEST}): {advice}") from None

    @cached_property
    def ran(self) -> ResolvedSpec:
        """The spec as it was run."""
        try:
            return ResolvedSpec.model_validate(self.manifest.spec)
        except ValidationError as error:
            place = ".".join(str(part) for part in ("spec", *error.errors()[0]["loc"]))
            raise unreadable(self.directory / MANIFEST, f"{place} is not what this version writes") from None

    @cached_property
    def spec(self) -> ResolvedSpec:
        """The spec whose titles and figures are shown, by default the one that was run."""
        return self.ran

    @cached_property
    def runs(self) -> dict[Labels, SeriesRuns]:
        """The runs of each series, by its labels."""
        return {each.labels: SeriesRuns(each, self.directory.joinpath(*each.labels)) for each in self.ran.series}

    @cached_property
    def unmet(self) -> Unmet:
        """The assumptions of algorithms that datasets do not meet."""
        found = self.manifest.unmet.items()
        return {Labels(dataset, algorithm): each for dataset, of in found for algorithm, each in of.items()}

    @cached_property
    def summary(self) -> pd.DataFrame:
        """``summary.csv``, numbers as floats."""
        path = self.directory / SUMMARY
        if not path.is_file():
            _ = self.manifest  # raises a better error if there is none
            if self._partial is not None:
                return read_summary(io.StringIO(self._so_far()), path)
            raise UserError(
                f"{self.directory} has no {SUMMARY} yet: {AGAIN} to finish it, or `plot` and `table` the runs so far "
                "with --partial"
            )
        try:
            with regular(path).open(encoding="utf-8", newline="") as file:
                return read_summary(file, path)
        except (OSError, UnicodeDecodeError):
            raise no_summary("it cannot be read", path) from None

    def _so_far(self) -> str:
        """Return the text that ``summary.csv`` would have for the runs so far, and say how many there are."""
        lines, played = "", 0
        assert self._partial is not None
        for runs in self.runs.values():
            summed = None
            for number, body in runs.done(self.ran.numbers):
                summed = summed or Runs(runs.series, body.partition("\n")[0].split(","), len(runs.numbers))
                summed.add(runs.path(number), body)
            found = summed.summary() if summed is not None else None
            lines += found.lines if found is not None else ""
            played += found.final.runs if found is not None else 0
        asked = len(self.runs) * self.ran.runs
        self._partial(f"{played:,} of {'at most ' if self.ran.until else ''}{asked:,} runs so far")
        if not lines:
            raise UserError(f"no run of {self.directory} has finished: `duelbench run` its spec, or wait")
        return f"{header(self._summary_columns)}\n{lines}"

    @property
    def _summary_columns(self) -> list[str]:
        recommends = SUMMARY_RECOMMENDATIONS if self.ran.recommend != "none" else ()
        return [*SUMMARY_COLUMNS, *recommends, *(SUMMARY_RANKED if self.ran.order_goal else ())]

    @cached_property
    def bounds(self) -> _Bounds:
        """The constants of bounds by dataset and name; empty if no figure shows bounds."""
        found = {}
        for line, row in self._rows_of(BOUNDS):
            constant = number_in(row.get("constant"))
            if constant is None or constant < 0 or not {"dataset", "bound"} <= row.keys():
                raise UserError(
                    f"is not a table of bounds: {AGAIN} to rewrite it",
                    source=str(self.directory / BOUNDS),
                    line=line,
                )
            found[row["dataset"], row["bound"]] = constant
        return found

    def constants_by_key(self) -> dict[str, str]:
        """Return the constants of bounds, as text, by the key of what determines them; invalid rows are left out."""
        rows = (row for _, row in self._rows_of(BOUNDS, strict=False))
        return {
            row["key"]: row["constant"] for row in rows if "key" in row and number_in(row.get("constant")) is not None
        }

    def instances(self) -> list[dict[str, str]]:
        """Return the rows of ``instances.csv`` up to the first that cannot be read."""
        return [row for _, row in self._rows_of(INSTANCES, strict=False) if set(INSTANCE_COLUMNS) <= row.keys()]

    def _rows_of(self, name: str, strict: bool = True) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield the rows of a small table with their line numbers; nothing if the file does not exist."""
        path, line = self.directory / name, None
        try:
            with regular(path).open(encoding="utf-8", newline="") as file:
                reader = csv.DictReader(file)
                for row in reader:
                    line = reader.line_num
                    if None in row or None in row.values():
                        raise ValueError("a cell too many, or too few")
                    yield line, row
        except FileNotFoundError:
            return
        except (OSError, ValueError, csv.Error):
            if strict:
                raise UserError(
                    f"is not a table of {path.stem}: {AGAIN} to rewrite it", source=str(path), line=line
                ) from None

    # The content of figures and tables

    @cached_property
    def _index(self) -> dict[tuple[str, str, str], _Places]:
        """The row numbers of the summary by series and kind of regret, in order of t."""
        index: dict[Any, Any] = self.summary.groupby(list(SUMMARY_NAMES), sort=False).indices
        t = self._columns_of_summary["t"]
        return {series: rows[t[rows].argsort(kind="stable")] for series, rows in index.items()}

    @cached_property
    def _columns_of_summary(self) -> dict[str, Floats]:
        return {str(name): self.summary[name].to_numpy() for name in self.summary if name not in SUMMARY_NAMES}

    @cached_property
    def checkpoints(self) -> list[int]:
        """All t of the summary. Raises UserError if no run has finished."""
        if self.summary.empty:
            raise UserError(f"has no finished run: {AGAIN}", source=str(self.directory / SUMMARY))
        return sorted(set(self._columns_of_summary["t"].astype(int).tolist()))

    def _rows(self, *series: str) -> _Places:
        return self._index.get((series[0], series[1], series[2]), np.array([], np.intp))

    @property
    def algorithms(self) -> list[str]:
        """Labels of the algorithms, in the order of the spec."""
        return [algorithm.label for algorithm in self.spec.algorithms]

    @property
    def titles(self) -> dict[str, str]:
        """The title of each algorithm by its label; all titles are different."""
        return self.spec.algorithm_titles()

    @property
    def panels(self) -> list[tuple[str, str]]:
        """(label, title) of each dataset; all titles are different."""
        return list(self.spec.dataset_titles().items())

    def shown_algorithms(self, figure: FigureEntry) -> list[str]:
        """Return the labels of the algorithms in a figure. Raises UserError if one of them is not in the results."""
        return self._shown(figure.algorithms, self.spec.algorithms, "algorithm")

    def shown_panels(self, figure: FigureEntry) -> list[tuple[str, str]]:
        """Return (label, title) of the datasets in a figure. Raises UserError if one of them is not in the results."""
        titles = dict(self.panels)
        return [(label, titles[label]) for label in self._shown(figure.datasets, self.spec.datasets, "dataset")]

    def _shown(self, named: Sequence[str] | None, entries: Sequence[Any], what: str) -> list[str]:
        try:
            return [each.label for each in shown(named, entries)]
        except KeyError as missing:
            (name,) = missing.args
            known = choose_among(name, (each.label for each in entries))
            raise UserError(
                f"a figure shows the {what} {name!r}, which the results do not have{known}, and correct its `{what}s`",
                source=str(self.directory),
            ) from None

    @property
    def counted(self) -> str:
        """The axis label of t: rounds or votes."""
        return "votes" if self.spec.count == "votes" else "round $t$"

    @property
    def grids(self) -> dict[str, str]:
        """The grid of each dataset by label; a dataset without one is its own grid."""
        return {each.label: each.grid or each.label for each in self.spec.datasets}

    def at(self, t: int) -> str:
        """Return the round, or the number of votes, as text."""
        return f"{round_number(t)} votes" if self.spec.count == "votes" else f"$t$ = {round_number(t)}"

    def series(self, dataset: str, algorithm: str, regret: str) -> pd.DataFrame:
        """Return the rows of the summary in order of t, one per checkpoint; none if no run has finished."""
        return self.summary.take(self._rows(dataset, algorithm, regret))

    def column(self, column: str, dataset: str, algorithm: str, regret: str) -> Floats:
        """Return a column of ``series`` as numbers in order of t. Raises KeyError if there is no such column."""
        values: Floats = self._columns_of_summary[column][self._rows(dataset, algorithm, regret)]
        return values

    def value(self, column: str, dataset: str, algorithm: str, regret: str, t: int) -> float | None:
        """Return one number of the summary (NaN for an empty cell), or None if there is no such row or column."""
        if column not in self._columns_of_summary:
            return None
        places = np.flatnonzero(self.column("t", dataset, algorithm, regret) == t)
        return float(self.column(column, dataset, algorithm, regret)[places[0]]) if len(places) else None

    def regret_of_runs(self, dataset: str, algorithm: str, regret: str, t: int) -> Floats:
        """Return the regret of each run at a round, from the files of the runs; empty if no run has finished.

        Raises UserError if the summary has more runs than there are files.
        """
        source, labels = self.origins.get((dataset, algorithm), (self, Labels(dataset, algorithm)))
        runs, found = source.runs[labels], []
        for _, body in runs.done(runs.asked):
            lines = body.splitlines()
            row = next((line for line in lines if line.startswith(f"{t},")), None)
            if row is not None:
                found.append(float(row.split(",")[lines[0].split(",").index(regret)]))
        if len(found) < (self.value("runs", dataset, algorithm, regret, t) or 0):
            raise UserError(
                f"the distribution of regret is in the files of the runs, which are missing: {AGAIN} to make them",
                source=str(source.directory.joinpath(*labels)),
            )
        return np.array(found)

    def series_runs(self, labels: Labels) -> list[float]:
        """Return the numbers of runs in the summary lines of a series."""
        return [float(runs) for kind in self.spec.regret for runs in self.column("runs", *labels, kind)]

    def regret_kind(self, asked: str | None) -> str:
        """Return the kind of regret to show: the one asked for, else the first in the spec."""
        kind = asked or self.spec.regret[0]
        _ = self.checkpoints  # raises a better error if there are no runs at all
        known = sorted({regret for _, _, regret in self._index})
        if kind not in known:
            raise UserError(
                f"a figure shows the regret {kind!r}, but the runs recorded {', '.join(known)}: "
                "add it to the spec's `regret` and run again",
                source=str(self.directory / SUMMARY),
            )
        return kind

    def bound(self, dataset: str, name: str) -> float:
        """Return the constant of a bound on a dataset, which is constant · log t; infinity if there is no bound."""
        constant = self.bounds.get((dataset, name))
        if constant is None:
            raise UserError(
                f"a figure shows the bound {name}, whose constant for {dataset} is missing: "
                "`duelbench run` the spec again to compute it",
                source=str(self.directory / BOUNDS),
            )
        return constant

    def check_recorded(self, column: str, what: str) -> None:
        """Raise UserError if the summary lacks a column, as when ``recommend`` was added to the spec after the run."""
        if column not in self.summary:
            raise UserError(
                f"a figure shows {what}, which these runs did not record: `duelbench run` the spec again, with a "
                "'budget', or 'recommend: own'",
                source=str(self.directory),
            )

    def round_shown(self, asked: int | None) -> int:
        """Return the round that a figure shows: the one in the spec, else the largest horizon."""
        at = asked or max(self.spec.horizons)
        if at not in self.checkpoints:
            nearest = min(self.checkpoints, key=lambda t: abs(t - at))
            raise UserError(
                f"a figure shows the regret at t = {at:,}, where nothing was recorded: "
                f"correct its `at` (the nearest checkpoint is {nearest:,})",
                source=str(self.directory),
            )
        return at
