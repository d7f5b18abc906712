"""Comparing the speed of runs with an earlier measurement, a file written by ``duelbench bench --csv``."""

from __future__ import annotations

import csv
import importlib.metadata
import math
import os
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from duelbench import __version__
from duelbench.algorithms.catalogue import find, users_file
from duelbench.benchmark.suite import GROUPS, Group
from duelbench.errors import UserError, did_you_mean
from duelbench.files import MOST_BYTES, regular

THRESHOLD = 1.2
"""A case is slower if it takes longer by more than this factor in every measurement."""
_AGAIN = 2
"""Number of repeated measurements of a case that seems slower: a busy machine makes runs slower, never faster."""
_LONGEST = 1e9
"""The largest number of seconds that is accepted for a run."""
"""Maximum size of the file."""


class Case(NamedTuple):
    """A measured case: runs of an algorithm on an instance, with T rounds each, in a group of the suite."""

    group: str
    algorithm: str
    instance: str
    T: int


@dataclass(frozen=True)
class Earlier:
    """A line of the file: the mean ``seconds`` of ``runs`` runs and their mean ``informative`` duels."""

    line: int
    runs: int
    informative: float
    seconds: float


@dataclass(frozen=True)
class Comparison:
    """A case in the earlier measurement and now, with the same runs on the same random streams."""

    case: Case
    before: Earlier
    seconds: float
    informative: float

    @property
    def ratio(self) -> float:
        """The seconds now, divided by the seconds in the earlier measurement."""
        return self.seconds / self.before.seconds

    @property
    def same_duels(self) -> bool:
        """Whether the runs had as many informative duels as before; if not, they did other work."""
        return math.isclose(self.informative, self.before.informative, rel_tol=1e-9)


@dataclass(frozen=True)
class Overall:
    """The geometric mean of the ratios (``ratio``) and their geometric standard deviation (``spread``)."""

    cases: int
    ratio: float
    spread: float


@dataclass(frozen=True)
class Measurement:
    """An earlier measurement: its lines by case, and its machine and versions, empty if the file lacks them."""

    cases: dict[Case, Earlier]
    machine: str
    version: str

    def groups(self, algorithms: Sequence[str], groups: Sequence[str]) -> Iterator[tuple[Group, int]]:
        """Yield the groups to measure again, one algorithm and one instance each, and their numbers of runs.

        If ``algorithms`` or ``groups`` are given, only those are included. Raises UserError if nothing is left.
        """
        there = {case.algorithm for case in self.cases}, {case.group for case in self.cases}
        for names, known, what in zip((algorithms, groups), there, ("algorithm", "group"), strict=True):
            for name in names:
                if name not in known:
                    raise UserError(f"the file has no {what} {name!r}{did_you_mean(name, known)}")
        together: dict[tuple[str, str, str, int], list[int]] = {}
        for case, earlier in self.cases.items():
            if (not algorithms or case.algorithm in algorithms) and (not groups or case.group in groups):
                key = case.group, case.algorithm, case.instance, earlier.runs
                together.setdefault(key, []).append(case.T)
        if not together:
            raise UserError("the file has no case of these algorithms in these groups")
        for (name, algorithm, instance, runs), horizons in together.items():
            group = Group(name, "", (algorithm,), (instance,), tuple(sorted(horizons)))
            if same := GROUPS.get(name):
                group = replace(group, per_round=same.per_round, how=same.how)
            yield group, runs


def machine() -> str:
    """Return a description of this machine."""
    return f"{platform.node()}, {platform.machine()}, {os.cpu_count()} cores"


def version() -> str:
    """Return the versions of the software that determines the speed of runs."""
    libraries = [f"{name} {importlib.metadata.version(name)}" for name in ("numba", "llvmlite", "numpy")]
    return ", ".join([f"duelbench {__version__}", *libraries, f"Python {platform.python_version()}"])


def read_measurement(path: Path) -> Measurement:
    """Read a file of ``duelbench bench --csv``.

    Raises UserError with the line and the column of the first invalid cell, or if columns or all lines are missing.
    """
    source, advice = str(path), "give a file that `duelbench bench --csv` has written"
    try:
        with regular(path, MOST_BYTES).open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            rows = [(reader.line_num, row) for row in reader]
            columns = reader.fieldnames or ()
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"cannot be read ({why}): {advice}", source=source) from None
    for name in (*Case._fields, "runs", "informative", "seconds"):
        if name not in columns:
            raise UserError(f"has no column {name!r}: {advice}", source=source)
    cases: dict[Case, Earlier] = {}
    for line, row in rows:
        cell = _Cells(row, source, line)
        name = cell.text("algorithm")
        try:
            users_file(name, Path()) if ":" in name else find(name, Path())  # does not execute a user's file
        except UserError as error:
            raise UserError(f"algorithm: {error.message}", source=source, line=line) from None
        case = Case(cell.text("group"), name, cell.text("instance"), cell.whole("T", 10**12))
        if case in cases:
            first = cases[case].line
            raise UserError(f"T: this case is already in line {first}: remove one", source=source, line=line)
        runs, informative = cell.whole("runs", 10**6), cell.number("informative", 0.0, 1e12)
        cases[case] = Earlier(line, runs, informative, cell.number("seconds", 1e-9, _LONGEST))
    if not cases:
        raise UserError("has no line below its header: there is nothing to compare with", source=source)
    return Measurement(cases, rows[0][1].get("machine") or "", rows[0][1].get("version") or "")


class _Cells:
    """The cells of a line, converted to their types."""

    def __init__(self, row: Mapping[str | None, Any], source: str, line: int) -> None:
        self._row, self._source, self._line = row, source, line

    def text(self, column: str) -> str:
        found = self._row[column]
        if not found:
            raise self._wrong(column, "must not be empty")
        return str(found)

    def whole(self, column: str, largest: int) -> int:
        found = self.number(column, 1, largest)
        if not found.is_integer():
            raise self._wrong(column, "must be a whole number")
        return int(found)

    def number(self, column: str, least: float, largest: float) -> float:
        try:
            found = float(self._row[column])
        except (TypeError, ValueError):
            raise self._wrong(column, "must be a number") from None
        if not least <= found <= largest:
            raise self._wrong(column, f"must be between {least:g} and {largest:g}")
        return found

    def _wrong(self, column: str, what: str) -> UserError:
        shown = self._row[column]
        return UserError(f"{column} {what}, not {shown!r}", source=self._source, line=self._line)


def compared(
    earlier: Measurement,
    asked: Iterable[tuple[Group, int]],
    measure: Callable[[Group, int], Iterable[dict[str, Any]]],
    threshold: float,
    show: Callable[[Comparison], None],
) -> tuple[list[Comparison], list[dict[str, Any]]]:
    """Measure the groups that are ``asked`` for; return comparisons with the earlier measurement, and new rows.

    A case that seems slower by more than the ``threshold`` is measured again, and its fastest measurement counts.
    ``show`` receives every comparison as soon as it is final.
    """
    comparisons: list[Comparison] = []
    rows: list[dict[str, Any]] = []
    for group, runs in asked:
        best: dict[Case, dict[str, Any]] = {}
        found: list[Comparison] = []
        for _ in range(1 + _AGAIN):
            for row in measure(group, runs):
                case = Case(*(row[name] for name in Case._fields))
                if case not in best or row["seconds"] < best[case]["seconds"]:
                    best[case] = row
            found = [
                Comparison(case, earlier.cases[case], row["seconds"], row["informative"]) for case, row in best.items()
            ]
            if all(each.ratio <= threshold for each in found):
                break
        for each in found:
            show(each)
        shortest = min((row["seconds"] for case, row in best.items() if group.horizons[0] == case.T), default=None)
        for row in best.values():  # ratio and excess must be computed from the best of several measurements
            rows.append(row | {"ratio": row["seconds"] / shortest if row["ratio"] else None, "excess": None})
        comparisons += found
    return comparisons, rows


def overall(comparisons: Sequence[Comparison]) -> Overall:
    """Return the geometric mean of the ratios and their geometric standard deviation, 1 for a single case."""
    logs = np.log([each.ratio for each in comparisons])
    spread = float(np.exp(logs.std(ddof=1))) if len(logs) > 1 else 1.0
    return Overall(len(logs), float(np.exp(logs.mean())), spread)
