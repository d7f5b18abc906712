"""Reading votes from files and Python objects into one table, with a report of all that is not a vote."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from duelbench.arrays import Floats, Ints
from duelbench.errors import UserError
from duelbench.files import rereadable
from duelbench.parameters import validated
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.matrix_files import MAX_ARMS
from duelbench.votes.clusters import design_effect, independent
from duelbench.votes.matrices import Voted, shares
from duelbench.votes.posterior import Posterior
from duelbench.votes.reading.arm_names import ArmNames, read_aliases
from duelbench.votes.reading.layouts import Undecided, as_options, find, fits, plan
from duelbench.votes.reading.options import VoteEntry, VoteFileOptions
from duelbench.votes.reading.outcomes import check_rival, counted_votes, outcomes, single_votes, with_ties
from duelbench.votes.reading.preflib import PREFLIB, read_preflib
from duelbench.votes.reading.refusals import undecided, unknown_columns
from duelbench.votes.reading.rows import Report, Rows
from duelbench.votes.reading.tables import Table, frame_table, open_table, records_table
from duelbench.votes.reading.unused import may_be_winner, unused
from duelbench.votes.vote_table import FEWEST_CLUSTERS, Source, Votes, VoteTable


def read_votes(
    votes: Any, options: VoteFileOptions | None = None, *, arms: Sequence[str] = (), **reading: Any
) -> Votes:
    """Read comparisons of two arms each.

    Columns, outcomes and formats are those of the tables in ``datasets/README.md``, and nothing is guessed: whatever
    else there is must be named.

    Parameters
    ----------
    votes : str, Path, DataFrame or sequence
        A file or several, whose votes are added; a data frame; a list of dictionaries; or a list of tuples (first,
        second, outcome).
    options : VoteFileOptions, optional
        How to read them.
    arms : sequence of str
        Known arms. Names that differ in case or blanks only are one arm, unless they are among these.
    **reading
        In place of ``options``, those of the command by name: the columns ``first``, ``second``, ``winner``, ``loser``,
        ``tie``, ``judge``, ``group`` and ``weight``; ``outcomes``, a dictionary from values to first, second, tie or
        none; ``only``, one from columns to the value that a row must have; ``ties``, ``alias`` and so on.

    Returns
    -------
    Votes
        The votes as a table (``to_frame``), the ``counts`` of pairs that follow from it, and ``warnings``.

    Raises
    ------
    UserError
        No such file, columns or outcomes that are not recognised, no votes, or more than half of the rows refused;
        ``source`` and ``line`` say where.

    Examples
    --------
    >>> from duelbench import read_votes
    >>> votes = read_votes([("x", "y", "first"), ("y", "x", "tie")])
    >>> votes.to_frame()[["first", "second", "outcome"]].values.tolist()
    [['x', 'y', 'first'], ['y', 'x', 'tie']]
    """
    options = options or validated(VoteFileOptions, reading)
    reader = _Reader(options, ArmNames(read_aliases(Path(options.alias)) if options.alias else {}, arms))
    if hasattr(votes, "iloc"):
        reader.table(frame_table(votes))
        return reader.votes()
    sources = [votes] if isinstance(votes, (str, Path)) else [*votes]
    if not all(isinstance(each, (str, Path)) for each in sources):
        reader.table(records_table(sources))
        return reader.votes()
    if any(Path(path).suffix.lower() in PREFLIB for path in sources):
        for name in options.model_dump(exclude_defaults=True, exclude={"ties"}):
            why = f"PrefLib's files have no columns and no words for outcomes: leave out {name.replace('_', '-')}"
            raise UserError(why, source=str(sources[0]))
        return read_preflib(sources, ties=options.ties)
    for path in map(Path, sources):
        with rereadable(path) as file:
            table = open_table(file, str(path), options.delimiter, reader.suits)
            reader.table(table, Source.of(file, str(path)))
    return reader.votes()


class _Reader:
    """All sources so far: the columns of the table of votes, and the report."""

    def __init__(self, options: VoteFileOptions, names: ArmNames) -> None:
        self._options = options
        self._names = names
        self._report = Report()
        self._sources: list[Source] = []
        self._spellings: dict[str, int] = {}
        self._judges: dict[str, int] = {}
        self._parts: list[tuple[Ints, Ints, Ints, Floats, Ints, Ints]] = []
        self._ordered = True

    def suits(self, header: Sequence[str]) -> bool:
        """Return whether a header has the columns of a layout."""
        try:
            return bool(fits(header, self._options))
        except UserError:
            return False

    def table(self, table: Table, source: Source | None = None) -> None:
        """Read a table, which comes from a file, the ``source``, or from Python."""
        try:
            self._read(table, source or Source(table.source, "", 0, ""))
        except Undecided as error:
            raise undecided(table, self._options, error) from None
        except UserError as error:
            error.source = error.source or table.source
            raise

    def _read(self, table: Table, source: Source) -> None:
        options, report = self._options, self._report
        found = fits(table.columns, options)
        if not found:
            raise unknown_columns(table, options)
        if len(found) > 1:
            kinds = "; ".join(", ".join(columns) for _, columns in found)
            raise Undecided(f"the columns can be read in several ways: {kinds}", [as_options(*each) for each in found])
        chosen = plan(table, options, found)
        only = [(find(name, table.columns), value) for name, value in options.only]
        used = [*dict.fromkeys([*chosen.columns, *(name for name, _ in only)])]
        rivals = may_be_winner(table, chosen, used) if chosen.kind == "outcome" and not options.winner else []
        before = report.rows, report.refused_rows, report.abstentions.total()
        report.first = None
        rows = Rows.read(table, chosen, [*used, *rivals], report)
        if table.exact or chosen.session:
            self._names.add({text: text for name in chosen.used[:2] for text in rows.columns[name].texts})
        rows.select(only)
        rows.name_arms(self._names)
        weight = rows.numbers(chosen.weight, "weight") if chosen.weight else np.ones(len(rows.line))
        if chosen.kind == "counts":
            votes = counted_votes(rows, weight)
        else:
            outcome = outcomes(rows, options) if chosen.kind == "outcome" else np.ones(len(rows.line), int)
            outcome = with_ties(rows, outcome, options)
            for name in rivals:
                check_rival(rows, name, outcome, options)
            votes = single_votes(rows, outcome, weight)
        number, refused, abstained = report.rows, report.refused_rows, report.abstentions.total()
        number, refused, abstained = number - before[0], refused - before[1], abstained - before[2]
        if options.strict and report.first:
            raise UserError(f"{report.first[1]}: correct it, or leave out --strict", line=report.first[0])
        if refused > (number - abstained) / 2:
            worst = report.refused[0]
            raise UserError(
                f"{refused:,} of {number:,} rows cannot be used, most of them because {worst.reason} (as in "
                f"{worst.places[0]}): they are read as {chosen.understood}"
            )
        self._keep(rows, *votes)
        self._ordered &= chosen.kind == "outcome" or chosen.flags
        self._sources.append(source.read(number, chosen.understood))
        sentence, repeated = ("", ()) if chosen.session or table.tags else unused(table, chosen, used)
        notes = [*table.notes, sentence]
        if options.outcomes and chosen.kind != "outcome":
            notes.append("--outcome has no effect, since no column has outcomes in words")
        report.notes += [f"{table.source}: {note}" for note in notes if note]
        report.repeated += repeated

    def _keep(self, rows: Rows, at: Ints, outcome: Ints, weight: Floats) -> None:
        """Add the votes of a table: the row, the outcome and the weight of each."""
        at, outcome, weight = (each[weight > 0] for each in (at, outcome, weight))
        ends = [rows.columns[name] for name in rows.plan.used[:2]]
        for column in ends:
            for text, number in column.counted(rows.used).items():
                self._names.count(text, number)
                self._spellings.setdefault(text, len(self._spellings))
        first, second = (column.map(lambda text: self._spellings.get(text, -1))[at] for column in ends)
        judge = np.full(len(at), -1)
        if rows.plan.judge:
            column = rows.columns[rows.plan.judge]
            for text, number in column.counted(rows.used).items():
                self._report.judges[text] += number
                if text:
                    self._judges.setdefault(text, len(self._judges))
            judge = column.map(lambda text: self._judges.get(text, -1))[at]
        group = self._groups(rows, at) + sum(len(part[0]) * 2 for part in self._parts)
        self._parts.append((first, second, outcome, weight, judge, group))

    def _groups(self, rows: Rows, at: Ints) -> Ints:
        """Return the group of each vote, a number below twice the number of votes; one in no group has its own."""
        alone = np.arange(len(at))
        name = rows.plan.group
        if not name or not len(at):
            return alone
        column = rows.columns[name]
        listed = np.where(column.map(bool), column.codes, -1)[at]
        listed = np.where(listed >= 0, np.unique(listed, return_inverse=True)[1], -1)
        number, votes = len(np.unique(listed[listed >= 0])), int((listed >= 0).sum())
        arms = len(np.unique(np.concatenate([rows.first[rows.used], rows.second[rows.used]])))
        if not self._options.group and number < FEWEST_CLUSTERS * arms:
            if 0 < number < votes:
                why = f"{number:,} different {name!r} are too few to be groups, so votes are taken as independent"
                self._report.notes.append(f"{rows.table.source}: {why}")
            return alone
        if number < votes and not self._options.group:
            self._report.grouped.append(
                f"{rows.table.source}: rows with the same {name!r} are a group of dependent votes; --clusters none takes "
                "them as independent"
            )
        return np.where(listed >= 0, listed, len(at) + alone)

    def votes(self) -> Votes:
        """Return the votes of all sources."""
        report, options = self._report, self._options
        source = self._sources[0].path
        if report.rows == report.left_out + report.refused_rows + report.abstentions.total():
            abstained = f", {report.abstentions.total():,} of them abstentions" if report.abstentions else ""
            why = ", none of them selected by --only" if report.left_out and not abstained else abstained
            raise UserError(f"there are no votes in {report.rows:,} rows{why}", source=source)
        kept = self._names.kept()
        names = sorted({*kept.values()})
        if not 2 <= len(names) <= MAX_ARMS:
            raise UserError(f"there are {len(names):,} arms: a matrix has from 2 to {MAX_ARMS:,}", source=source)
        place = {name: arm for arm, name in enumerate(names)}
        arm = np.array([place[kept[name]] for name in self._spellings])
        first, second, outcome, weight, judge, group = map(np.concatenate, zip(*self._parts, strict=True))
        table = VoteTable(
            tuple(names), arm[first], arm[second], outcome, weight, judge, group, tuple(self._judges), self._ordered
        )
        dropped = float(weight[outcome == 0].sum()) if options.ties == "drop" else 0.0
        for at, each in enumerate(self._sources):
            same = next((one for one in self._sources[:at] if one.sha256 and one.sha256 == each.sha256), None)
            if same:
                report.notes.append(f"{each.path} is the same file as {same.path}: its votes count twice")
        return Votes(
            table.chosen(outcome != 0) if options.ties == "drop" else table,
            tuple(self._sources),
            report.rows,
            report.left_out,
            report.refused,
            dropped,
            dict(report.judges.most_common()),
            (*report.notes, *self._names.warnings(options.alias or "")),
            dict(report.abstentions.most_common()),
            tuple(report.grouped),
            tuple(dict.fromkeys(report.repeated)),
        )


_MOST_CONTINUED = 100_000_000
"""The largest number of earlier votes: the slowest algorithms learn them one by one, in half a second."""


def voted(path: Path, entry: VoteEntry) -> PreferenceMatrix | Voted:
    """Read a vote file; return the matrix, or the source of posterior samples, which takes groups into account.

    Raises UserError for mistakes in the file, with ``source`` and ``line``, and for pairs without votes.
    """
    found = read(path, entry)
    counts = found.counts
    if entry.continue_ and (votes := counts.votes.sum() / 2) > _MOST_CONTINUED:
        raise UserError(
            f"algorithms continue from at most {_MOST_CONTINUED:,} votes, not {votes:,.0f}: give a random part of them",
            source=str(path),
        )
    if entry.draw is None:
        return shares(counts, entry.unseen, path.name, ties=entry.ties == "keep")
    strength = math.inf if entry.draw == "bradley-terry" else entry.strength
    ties: Literal["half", "model"] = "model" if entry.ties == "keep" else "half"
    effect = design_effect(found.table())
    return Voted(Posterior(independent(counts, effect), strength, ties), entry.condorcet, entry.continue_)


def read(path: Path, options: VoteFileOptions) -> Votes:
    """Read a vote file, including the rows refused; see ``voted``."""
    given = {name: getattr(options, name) for name in VoteFileOptions.model_fields}
    chosen = VoteFileOptions(**given | ({"ties": "half"} if given["ties"] == "keep" else {}))
    return _read(path, _version(path), chosen, _version(Path(options.alias)) if options.alias else None)


def _version(path: Path) -> tuple[str, int, int]:
    try:
        state = path.stat()
        return str(path.absolute()), state.st_mtime_ns, state.st_size
    except OSError:  # the reader reports it
        return str(path.absolute()), 0, 0


@lru_cache(maxsize=8)
def _read(path: Path, version: tuple[str, int, int], options: VoteFileOptions, aliases: object) -> Votes:
    """Read a file; cached until it or the file of aliases changes, since the points of a grid read the same file."""
    return read_votes(path, options)
