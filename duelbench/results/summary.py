"""``summary.csv``: statistics over runs for every dataset, algorithm, kind of regret and t; computed and read."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np

from duelbench.arguments import MAX_HORIZON
from duelbench.arrays import Floats
from duelbench.errors import UserError
from duelbench.layout import (
    DETECTED,
    LARGEST,
    QUANTILES,
    RANKED,
    SUMMARY_COUNTS,
    SUMMARY_DECLARATIONS,
    SUMMARY_NAMES,
    SUMMARY_RANKED,
    SUMMARY_RECOMMENDATIONS,
    SUMMARY_SHAPE,
    SUMMARY_STATISTICS,
    run_number,
)
from duelbench.proportions import wilson
from duelbench.spec.resolved import Series

if TYPE_CHECKING:
    import pandas as pd


BLOCK = 1 << 14
"""Maximum number of values processed at once."""

ROUNDING = 64 * float(np.finfo(np.float64).eps)
"""Numbers that differ by at most this share of the largest one are equal: each is a sum of rounded terms."""
_CLOSE = 1e-12
"""Tolerance for rounding: an order whose error is exactly the ε of its algorithm is right within ε."""


@dataclass(frozen=True)
class Final:
    """Statistics over runs of the first kind of regret at the last row; NaN if there are too few runs.

    ``right`` and ``away``: the share of runs whose recommended arm has no regret, and the mean simple regret; if the
    goal is an order, the share of exact orders and the mean Kendall tau distance. ``named``: the arm recommended most
    often, and its share of runs. All three are None if no arm is recommended. ``best`` and ``worst``: the numbers of
    the runs with the smallest and the largest regret, the first if tied. ``kurtosis``: as in the summary. ``furthest``:
    the number of the run furthest from the mean; ``largest``: its share of the sum of squared deviations.
    """

    runs: int
    mean: float
    std: float
    right: float | None = None
    away: float | None = None
    named: tuple[int, float] | None = None
    best: int | None = None
    worst: int | None = None
    kurtosis: float = 0.0
    largest: float = 0.0
    furthest: int | None = None


class SeriesSummary(NamedTuple):
    """The ``lines`` of a series in ``summary.csv``, its ``final`` statistics, and its line in ``detections.csv``."""

    lines: str
    final: Final
    detections: str = ""


def _deviation(values: Floats) -> Floats:
    """Return the standard deviations over the first axis; 0 where all numbers are equal up to rounding."""
    constant = np.ptp(values, axis=0) <= ROUNDING * np.abs(values).max(axis=0)
    return np.where(constant, 0.0, values.std(axis=0, ddof=1))


class Runs:
    """The numbers of at most ``at_most`` finished runs of a series, all in memory, for its summary."""

    def __init__(self, series: Series, columns: list[str], at_most: int) -> None:
        self._series, self._columns = series, columns
        self._values = np.empty((at_most, len(columns) - 1, len(series.rows)))
        self._numbers: list[int] = []

    def add(self, path: Path, body: str) -> None:
        """Add a run: ``body`` is the text after the first line of its file ``path``.

        Raises UserError if it is not a run of this series.
        """
        try:
            self._values[len(self._numbers)] = numbers(body)
        except ValueError:
            raise UserError(
                "these are not the numbers of a run: remove it and repeat the command", source=str(path)
            ) from None
        self._numbers.append(run_number(path.name) or 0)

    def summary(self) -> SeriesSummary:
        """Return the summary of the runs that were added.

        For algorithms that declare a winner, the lines also have the share of runs that had ``declared`` one by t,
        their mean ``duels_to_declaration``, and the share of these whose declaration is ``right``. If arms or orders
        are recommended, the lines have the mean number of ``votes`` so far, its standard error, the standard error of
        the duels to a declaration, the share of runs whose arm has no regret (or whose order is exact) with Wilson's
        interval, and the mean ``simple`` regret; for orders also the columns ``SUMMARY_RANKED``.
        """
        if not self._numbers:
            return SeriesSummary("", Final(0, math.nan, math.nan))
        kind = self._series.spec.regret[0]
        runs, last = len(self._numbers), self._column(kind)[:, -1]
        mean = last.mean(keepdims=True)
        std = _deviation(last[:, None]) if runs > 1 else None
        final = Final(
            runs,
            float(mean[0]),
            math.nan if std is None else float(std[0]),
            kurtosis=0.0 if std is None else _shape(last[:, None], mean, std)[0][1],
            best=self._numbers[int(last.argmin())],
            worst=self._numbers[int(last.argmax())],
            largest=0.0 if std is None or not std[0] else _largest_share((last - last.mean()) ** 2),
            furthest=self._numbers[int(((last - last.mean()) ** 2).argmax())],
        )
        if self._series.recommends:
            ordered = "tau" in self._columns
            away = self._column("tau" if ordered else f"simple_{kind}")[:, -1]
            right = self._column("exact")[:, -1] != 0 if ordered else away == 0
            arms, times = np.unique(self._column("recommended")[:, -1], return_counts=True)
            often = int(times.argmax())  # the first if tied
            named = int(arms[often]), int(times[often]) / runs
            final = replace(final, right=float(right.mean()), away=float(away.mean()), named=named)
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(self._lines())
        return SeriesSummary(text.getvalue(), final, self._detections())

    def _column(self, name: str) -> Floats:
        """Return the numbers of a column, shape (runs, rows)."""
        return self._values[: len(self._numbers), self._columns.index(name) - 1]

    def _detections(self) -> str:
        """Return the line of ``detections.csv``; empty for an algorithm that does not look for changes."""
        if DETECTED[-1] not in self._columns:
            return ""
        *counts, delay = (self._column(name)[:, -1] for name in DETECTED)
        delay = delay[~np.isnan(delay)]
        means = [_cell(each.mean()) for each in (*counts, *([delay] if len(delay) else []))]
        cells = [*means, *([] if len(delay) else [""]), _error(delay)]
        text = io.StringIO()
        line = [*self._series.labels, str(self._series.rows[-1]), str(len(self._numbers)), *cells]
        csv.writer(text, lineterminator="\n").writerow(line)
        return text.getvalue()

    def _lines(self) -> Iterator[list[str]]:
        series = self._series
        for kind in series.spec.regret:
            wanted = {"regret": kind, "votes": "votes", "simple": f"simple_{kind}", "duels": "declared_at"}
            wanted |= {"right": f"right_{kind}", **{name: name for name in RANKED}}
            there = {what: self._column(name) for what, name in wanted.items() if name in self._columns}
            yield from _statistics(series, kind, there)


def _largest_share(squares: Floats) -> float:
    total = float(squares.sum())
    return float(squares.max()) / total if total > 0 else 0.0


def _statistics(series: Series, kind: str, values: dict[str, Floats]) -> Iterator[list[str]]:
    """Yield the lines of a kind of regret from the values of all runs, each of shape (runs, rows).

    The values are ``regret``; ``duels`` and ``right`` if winners are declared; ``votes`` and ``simple`` if arms are
    recommended, and the measures of orders if these are the goal.
    """
    runs, epsilon = len(values["regret"]), float(series.algorithm.parameters.get("epsilon") or 0.0)
    width = max(1, BLOCK // runs)  # statistics make copies
    for start in range(0, len(series.rows), width):
        block = slice(start, start + width)
        regret = np.ascontiguousarray(values["regret"][:, block])
        mean = regret.mean(axis=0)
        std = _deviation(regret) if runs > 1 else None
        shape = None if std is None else _shape(regret, mean, std)
        quantiles = np.quantile(regret, QUANTILES, axis=0, overwrite_input=True)
        for column, t in enumerate(series.rows[block]):
            spread = ["", ""]
            if std is not None:
                spread = [_cell(std[column]), _cell(std[column] / math.sqrt(runs), 4)]
            cells = [_cell(mean[column], 8), *spread, *(_cell(each, 4) for each in quantiles[:, column])]
            here = {what: each[:, start + column] for what, each in values.items()}
            ending = _declarations(here["duels"], here["right"]) if "duels" in here else ["", "", ""]
            ending += ["", ""] if shape is None else [_cell(each, 4) for each in shape[column]]
            ending += _recommendations(here) if "votes" in here else []
            ending += _orders(here, epsilon) if "tau" in here else []
            yield [*series.labels, kind, str(t), str(runs), *cells, *ending]


_HEAVY = 0.25
"""Tails are heavy if the kurtosis exceeds this share of the number of runs.

Kurtosis divided by runs is at least the square of the largest share of a single run in the sum of squared deviations,
and at most that share. So a run with more than half of the variance is always detected, and a run with less than a
quarter never is.

Of 50 exponential numbers, whose tails are not heavy, this holds in 4 % of samples, and of 100 in 0.4 %; of Pareto
numbers with α = 1.2, whose variance is infinite, in 75 and 71 %."""
TOO_FEW = 50
"""The minimum number of runs for this test."""


def heavy_tailed(runs: float, kurtosis: float) -> bool:
    """Return whether one or a few runs contribute much of the variance.

    The share of the largest term in the sum of squares tends to 0 with more runs if and only if the variance is finite
    (O'Brien, A limit theorem for sample maxima and heavy branches in Galton–Watson trees, Journal of Applied
    Probability 17, 1980, 539–545; Embrechts, Klüppelberg & Mikosch, Modelling Extremal Events, 1997, section 6.2.6).
    """
    return runs >= TOO_FEW and kurtosis > _HEAVY * runs


def uncertain(mean: float, sem: float, runs: float, kurtosis: float) -> bool:
    """Return whether the standard error of a mean is unreliable: with heavy tails, or above a third of the mean."""
    return heavy_tailed(runs, kurtosis) or sem > abs(mean) / 3


def _shape(regret: Floats, mean: Floats, std: Floats) -> Floats:
    """Return the skewness and the kurtosis of each row of (runs, rows) numbers; 0 if all runs are equal.

    They equal scipy's ``skew`` and ``kurtosis(fisher=False)``, which divide by n, whereas ``std`` divides by n − 1.
    They give the standard error of a standard deviation and of its ratio to the mean, also with heavy tails.
    """
    scale = std * math.sqrt((len(regret) - 1) / len(regret))
    scaled = np.divide(regret - mean, scale, out=np.zeros_like(regret), where=std > 0)
    return np.stack([(scaled**3).mean(axis=0), (scaled**4).mean(axis=0)], axis=1)


def _declarations(duels: Floats, right: Floats) -> list[str]:
    """Return the cells on declarations, from the duels to a declaration (NaN without one) of every run."""
    made = ~np.isnan(duels)
    if not made.any():
        return ["0", "", ""]
    return [*map(_cell, (made.mean(), duels[made].mean(), right[made].mean()))]


def _recommendations(here: dict[str, Floats]) -> list[str]:
    """Return the cells on recommendations, from the values of every run; see ``_statistics``.

    A recommended arm is right if it has no simple regret, and an order if it is exact.
    """
    votes, duels, simple = here["votes"], here.get("duels"), here["simple"]
    runs, right = len(simple), float((here.get("exact", simple == 0) == 1).mean())
    errors = [_error(votes), "" if duels is None else _error(duels[~np.isnan(duels)])]
    interval = [_cell(each, 4) for each in wilson(right, runs)]
    return [_cell(votes.mean()), *errors, _cell(right), *interval, _cell(simple.mean())]


def _orders(here: dict[str, Floats], epsilon: float) -> list[str]:
    """Return the cells on orders: the means of their measures, and the share that is right within ``epsilon``."""
    means = [cell for name in ("tau", "overlap") for cell in (_cell(here[name].mean()), _error(here[name]))]
    return [*means, _cell(here["epsilon"].mean()), _cell((here["epsilon"] <= epsilon + _CLOSE).mean())]


def _error(numbers: Floats) -> str:
    """Return the standard error of the mean as text; empty if there are fewer than two numbers."""
    return _cell(float(_deviation(numbers)) / math.sqrt(len(numbers)), 4) if len(numbers) > 1 else ""


def _cell(value: float, digits: int = 6) -> str:
    """Return a number with ``digits`` significant digits.

    Mean regret has eight, since the standard error of linear regret can be a millionth of the mean. Standard errors,
    quantiles, bounds of intervals, skewness and kurtosis have four.
    """
    return f"{value:.{digits}g}"


_Truths = np.ndarray[Any, np.dtype[np.bool_]]


def numbers(body: str) -> Floats:
    """Return the numbers of a run without t, shape (columns, rows); NaN for empty cells."""
    rows = body.splitlines()[1:]
    return np.array([[float(cell or "nan") for cell in row.split(",")[1:]] for row in rows]).T


AGAIN = "`duelbench run` the spec again"


def number_in(cell: str | None) -> float | None:
    """Return the number in a cell of a table, None if there is none."""
    try:
        return None if cell is None else float(cell)
    except ValueError:
        return None


def no_summary(why: str, path: Path, line: int | None = None) -> UserError:
    """Return the error of a file that is not a summary."""
    return UserError(f"is not the summary of an experiment ({why}): {AGAIN} to rewrite it", source=str(path), line=line)


_NUMBERS = (*SUMMARY_COUNTS, *SUMMARY_STATISTICS, *SUMMARY_DECLARATIONS, *SUMMARY_SHAPE)
_KNOWN = (*_NUMBERS, *SUMMARY_RECOMMENDATIONS, *SUMMARY_RANKED)


def read_summary(file: IO[str], path: Path) -> pd.DataFrame:
    """Return a summary; error messages name ``path``. Edited files are accepted, damaged ones are not."""
    import pandas as pd

    columns = file.readline().rstrip("\r\n").split(",")
    if absent := [name for name in (*SUMMARY_NAMES, *_NUMBERS) if name not in columns]:
        raise no_summary(f"there is no column {absent[0]}", path, 1)
    for number, line in enumerate(file, 2):
        if line.count(",") != len(columns) - 1 and line.strip():
            cells = len(next(csv.reader([line])))
            if cells != len(columns):
                raise no_summary(f"the line has {cells} cells, not {len(columns)}", path, number)
    file.seek(0)
    try:
        # Only numbers may be missing: "NA" is a valid label of an algorithm.
        summary = pd.read_csv(
            file,
            dtype=dict.fromkeys(_KNOWN, float) | dict.fromkeys(SUMMARY_NAMES, str),
            usecols=[column for column in columns if column in (*SUMMARY_NAMES, *_KNOWN)],
            keep_default_na=False,
            na_values={column: ["", "nan"] for column in _KNOWN},
        )
    except (ValueError, csv.Error):
        file.seek(0)
        raise _first_fault(file, path) from None
    for column in summary:
        if column in _KNOWN and (wrong := _out_of_range(str(column), summary[column].to_numpy())).any():
            row = int(wrong.argmax())
            raise no_summary(f"no run has a {column} of {summary[column][row]:g}", path, row + 2)
    return summary


def _out_of_range(column: str, values: Floats) -> _Truths:
    """Return which numbers are impossible in a column of a summary; figures and tests rely on this check."""
    if column in SUMMARY_COUNTS:
        whole: _Truths = (values >= 1) & (values <= MAX_HORIZON) & (values == np.round(values))
        return ~whole
    wrong: _Truths = np.abs(values) > LARGEST
    if column == "mean":
        wrong |= np.isnan(values)
    elif column not in ("skewness", *SUMMARY_STATISTICS) or column in ("std", "sem"):
        wrong |= values < 0
    return wrong


def _first_fault(file: IO[str], path: Path) -> UserError:
    """Return the error for the first cell of a table that should be a number but is not."""
    reader = csv.DictReader(file)
    try:
        for row in reader:
            for column in _KNOWN:
                if row.get(column) and number_in(row[column]) is None:
                    return no_summary(f"{column} is not a number", path, reader.line_num)
    except (ValueError, csv.Error):
        pass
    return no_summary("it cannot be read", path, reader.line_num)
