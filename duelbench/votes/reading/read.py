"""Reading votes from files and Python objects into one table, with a report of all that is not a vote."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from duelbench.arrays import Floats, Ints
from duelbench.errors import UserError
from duelbench.files import rereadable
from duelbench.parameters import validated
from duelbench.sources.matrix_files import MAX_ARMS
from duelbench.votes.reading.arm_names import ArmNames, read_aliases
from duelbench.votes.reading.formats import open_table
from duelbench.votes.reading.layouts import Plan, Undecided, find, plan, suits
from duelbench.votes.reading.options import VoteFileOptions
from duelbench.votes.reading.preflib import Unlisted, ballots_table
from duelbench.votes.reading.refusals import rivals, undecided, unknown_columns, unused
from duelbench.votes.reading.rows import Rows
from duelbench.votes.reading.tables import Table, frame_table, records_table
from duelbench.votes.reading.texts import several, word
from duelbench.votes.vote_table import FEWEST_CLUSTERS, Report, Source, Votes, VoteTable


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
    one = isinstance(votes, (str, Path, Mapping)) or not isinstance(votes, Iterable)
    sources = [votes] if one else [*votes]
    if not all(isinstance(each, (str, Path)) for each in sources):
        reader.table(records_table(sources))
        return reader.votes()
    for path in map(Path, sources):
        with rereadable(path) as file:
            table = open_table(file, str(path), options.delimiter, lambda header: suits(header, options))
            reader.table(table, Source.of(file, str(path)))
    return reader.votes()


def read_ballots(paths: Sequence[Path], unlisted: Unlisted, ties: Literal["half", "drop"]) -> Votes:
    """Read files in PrefLib's formats; ``unlisted`` is the meaning of alternatives that are not on a ballot."""
    reader = _Reader(VoteFileOptions(ties=ties), ArmNames())
    for path in paths:
        with rereadable(path) as file:
            reader.table(ballots_table(file, str(path), unlisted), Source.of(file, str(path)))
    return reader.votes()


class _Reader:
    """All sources so far: the columns of the table of votes, and the report."""

    def __init__(self, options: VoteFileOptions, names: ArmNames) -> None:
        self._options, self._names, self._report = options, names, Report()
        self._sources: list[Source] = []
        self._spellings: dict[str, int] = {}
        self._judges: dict[str, int] = {}
        self._parts: list[tuple[NDArray[Any], ...]] = []
        self._ordered = True
        self._group = 0
        self._words: set[str] = set()

    def table(self, table: Table, source: Source | None = None) -> None:
        """Read a table, which comes from a file, the ``source``, or from Python."""
        before = self._report.sizes()
        try:
            chosen = plan(table, self._options)
            if chosen is None:
                raise unknown_columns(table, self._options)
            self._read(table, chosen)
        except Undecided as error:
            raise undecided(table, self._options, error) from None
        except UserError as error:
            error.source = error.source or table.source
            raise
        number = self._report.read_since(before, chosen.understood, table.source)
        self._sources.append((source or Source(table.source, "")).read(number, chosen.understood))

    def _read(self, table: Table, chosen: Plan) -> None:
        options, report = self._options, self._report
        only = {find(name, table.columns): value for name, value in options.only.items()}
        used = [*dict.fromkeys([*chosen.columns, *only])]
        asked = options.winner or chosen.session or chosen.kind != "outcome"
        others = [] if asked else rivals(table, chosen, used)
        rows = Rows(table, chosen, [*used, *others], report)
        if table.exact or chosen.session:
            self._names.add({text: text for name in chosen.used[:2] for text in rows.columns[name].texts})
        for name, value in only.items():
            rows.select(name, value)
        rows.number_groups()
        rows.name_arms(self._names)
        weight = rows.numbers(chosen.weight, "weight") if chosen.weight else np.ones(len(rows.line))
        if chosen.kind == "counts":
            votes = rows.counts(weight)
        else:
            outcome = rows.with_ties(rows.outcomes(options), options)
            for name in others:
                rows.check_rival(name, outcome, options)
            votes = rows.singles(outcome, weight)
        if options.strict and report.reasons:
            worst = report.refused[0]
            raise UserError(f"{worst.reason} ({worst.places[0]}): correct it, or leave out --strict")
        self._keep(rows, *votes)
        self._ordered &= (chosen.kind == "outcome" or chosen.flags) and not table.exact
        note = "" if chosen.session or table.tags else unused(table, chosen, used)
        self._words |= rows.words
        report.warnings += [f"{table.source}: {note}" for note in [*table.notes, note] if note]

    def _keep(self, rows: Rows, at: Ints, outcome: Ints, weight: Floats) -> None:
        """Add the votes of a table: the row, the outcome and the weight of each."""
        at, outcome = at[weight > 0], outcome[weight > 0]
        ends = [rows.columns[name] for name in rows.plan.used[:2]]
        for text, number in (item for column in ends for item in column.counted(rows.used).items()):
            self._names.count(text, number)
            self._spellings.setdefault(text, len(self._spellings))
        first, second = (column.map(lambda text: self._spellings.get(text, -1))[at] for column in ends)
        judge = np.full(len(at), -1, np.int32)
        if rows.plan.judge:
            column = rows.columns[rows.plan.judge]
            for text in filter(None, column.counted(rows.used)):
                self._judges.setdefault(text, len(self._judges))
            judge = column.map(lambda text: self._judges.get(text, -1))[at]
        group = self._groups(rows, at) + self._group
        self._group = group.max(initial=self._group - 1) + 1
        self._parts.append((first, second, outcome, weight[weight > 0], judge, group))

    def _groups(self, rows: Rows, at: Ints) -> Ints:
        """Return the number of the group of each vote; one in no group has its own."""
        alone, listed, name = np.arange(len(at)), rows.group[at], rows.plan.group
        known = listed >= 0
        number, votes = np.count_nonzero(np.bincount(listed[known])), int(known.sum())
        if not self._options.group and 0 < number < votes:
            arms = len(np.unique(np.concatenate([rows.first[rows.used], rows.second[rows.used]])))
            if number < FEWEST_CLUSTERS * arms:
                why = f"{number:,} different {name!r} are too few to be groups: votes are taken as independent"
                self._report.warnings.append(f"{rows.table.source}: {why}")
                return alone
            why = f"rows with the same {name!r} are a group of dependent votes"
            self._report.grouped.append(f"{rows.table.source}: {why}; --clusters none takes them as independent")
        return np.where(known, listed, len(rows.group) + alone)

    def votes(self) -> Votes:
        """Return the votes of all sources."""
        report, source = self._report, self._sources[0].path
        rows, refused, abstained = report.sizes()
        if rows == report.left_out + refused + abstained:
            why = ", none of them selected by --only" if report.left_out else ""
            why = f", {abstained:,} of them abstentions" if abstained else why
            raise UserError(f"there are no votes in {rows:,} rows{why}", source=source)
        kept = self._names.kept()
        names = sorted({*kept.values()})
        if not 2 <= len(names) <= MAX_ARMS:
            raise UserError(f"there are {len(names):,} arms: a matrix has from 2 to {MAX_ARMS:,}", source=source)
        arm = np.array([names.index(kept[name]) for name in self._spellings])
        first, second, outcome, weight, judge, group = map(np.concatenate, zip(*self._parts, strict=True))
        columns = arm[first], arm[second], outcome, weight, judge, group
        table = VoteTable(tuple(names), *columns, tuple(self._judges), self._ordered)
        for at, each in enumerate(self._sources):
            same = next((one for one in self._sources[:at] if one.sha256 and one.sha256 == each.sha256), None)
            report.warnings += [f"{each.path} is the same file as {same.path}: its votes count twice"] if same else []
        report.warnings += self._names.warnings(self._options.alias or "")
        if missing := [repr(text) for text in self._options.outcomes if word(text) not in self._words]:
            report.warnings.append(f"--outcome has no effect for {several(missing)}: no row has this outcome")
        dropped = 0.0
        if self._options.ties == "drop":
            table, dropped = table.chosen(outcome != 0), float(weight[outcome == 0].sum())
        return Votes(**vars(report), content=table, sources=tuple(self._sources), dropped_ties=dropped)
