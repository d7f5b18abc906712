"""Reading vote files in one pass; the memory grows with the number of distinct rows, not of all rows."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from duelbench.errors import UserError
from duelbench.files import rereadable
from duelbench.parameters import validated
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.matrix_files import MAX_ARMS
from duelbench.spreadsheets import unescaped
from duelbench.votes.clusters import design_effect, independent
from duelbench.votes.matrices import Voted, shares
from duelbench.votes.posterior import Posterior
from duelbench.votes.reading.arm_names import ArmNames, read_aliases
from duelbench.votes.reading.exports import SessionVotes, is_export
from duelbench.votes.reading.layouts import Cells, Layout, Ranks, Reading, WinnerLoser, Winners
from duelbench.votes.reading.options import VoteEntry, VoteFileOptions, require
from duelbench.votes.reading.preflib import MAJORITIES, PREFLIB, read_preflib
from duelbench.votes.reading.tables import Table, columns_of, open_table
from duelbench.votes.reading.tally import Abstention, Refusal, Refusals, Tally, UnknownOutcome, quantity
from duelbench.votes.reading.text import Row
from duelbench.votes.vote_table import FEWEST_CLUSTERS, Duel, FileRows, SingleVotes, Source, Votes

if TYPE_CHECKING:
    from duelbench.votes.vote_table import Votes

MANY = 100_000
"""The number of distinct rows after which to check that they can be votes."""


def read_votes(
    paths: Path | str | Sequence[Path | str],
    options: VoteFileOptions | None = None,
    *,
    arms: Sequence[str] = (),
    single: bool = True,
    **reading: Any,
) -> Votes:
    """Read comparisons of two arms each from files.

    Parameters
    ----------
    paths : str, Path or sequence of these
        CSV, TSV, JSON Lines, Parquet, games in PGN, counts of pairs, or PrefLib's ballots. The votes of several files
        are added. They may have different formats, but ballots are read by themselves.
    options : VoteFileOptions, optional
        How to read them, by default as guessed from usual headers.
    arms : sequence of str
        Known arms. Names that differ in case or blanks only are one arm, unless they are among these.
    single : bool
        Whether to keep the votes one by one, too (``Votes.to_frame``), which takes some bytes for each row.
    **reading
        In place of ``options``, those of the command by name: the columns ``first``, ``second``, ``winner``, ``judge``
        and ``group``, ``ties``, ``only``, ``tie_word`` and so on.

    Returns
    -------
    Votes
        The votes, with ``counts`` of pairs, and ``warnings``.

    Raises
    ------
    UserError
        No such file, columns that are not there or cannot be guessed, no votes, or more than half of the rows refused;
        ``source`` and ``line`` say where.

    Examples
    --------
    >>> from pathlib import Path
    >>> from duelbench import read_votes
    >>> _ = Path("votes.csv").write_text("model_a,model_b,winner\\nx,y,x\\ny,x,tie\\n")
    >>> read_votes("votes.csv").to_frame()[["first", "second", "winner"]].values.tolist()
    [['x', 'y', 'first'], ['y', 'x', 'tie']]
    """
    paths = [paths] if isinstance(paths, (str, Path)) else paths
    options = options or validated(VoteFileOptions, reading)
    if any(Path(path).suffix.lower() in (*PREFLIB, *MAJORITIES) for path in paths):
        return _ballots(paths, options, single)
    aliases = read_aliases(Path(options.alias)) if options.alias else {}
    reader = _Reader(options, ArmNames(aliases, arms), single)
    sources = tuple(reader.file(Path(path)) for path in paths)
    return reader.votes(sources)


def _ballots(paths: Sequence[Path | str], options: VoteFileOptions, single: bool) -> Votes:
    """Read PrefLib's files, which have neither columns nor words for outcomes."""
    for path in map(Path, paths):
        if path.suffix.lower() not in (*PREFLIB, *MAJORITIES):
            raise UserError("this is no file of ballots, as others are: read it by itself", source=str(path))
    for name in options.model_dump(exclude_defaults=True, exclude={"ties"}):
        raise UserError(
            f"PrefLib's files have no columns and no words for outcomes: leave out {name.replace('_', '-')}",
            source=str(paths[0]),
        )
    return read_preflib(paths, ties=options.ties, single=single)


@dataclass
class _Seen:
    """The rows with the same cells: their index, their number, the sum of their weights, and the first line."""

    place: int
    rows: int
    weight: float
    line: int


@dataclass
class _Reader:
    """The state of reading vote files."""

    options: VoteFileOptions
    names: ArmNames
    keep_rows: bool
    tally: Tally = field(default_factory=Tally)
    refusals: Refusals = field(default_factory=Refusals)
    abstentions: Counter[str] = field(default_factory=Counter)
    judges: Counter[str] = field(default_factory=Counter)
    judge_places: dict[str, int] = field(default_factory=lambda: {"": -1})
    single: list[FileRows] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    grouped: list[str] = field(default_factory=list)
    read: int = 0
    left_out: int = 0
    unknown: bool = False

    def file(self, path: Path) -> Source:
        """Read a file and return its description."""
        with rereadable(path) as file:
            return self._file(file, str(path))

    def _file(self, path: Path, source: str) -> Source:
        self.refusals.forget_first()
        before = self.read, self.refusals.rows, self.abstentions.total()
        try:
            table = open_table(path, self.options.delimiter, source)
            exported = is_export(table)
            with columns_of(table):
                layout = SessionVotes.of(table, self.options) or self.options.layout(table.columns)
                for name, _ in self.options.conditions:
                    require(name, table.columns)
            single = FileRows(isinstance(layout, Ranks), not isinstance(layout, (Ranks, WinnerLoser)))
            seen = self._collect(table, layout, source, single)
            if exported:
                self.names.add({name: name for cells in seen for name in cells[:2]})
            times = {cells: each.rows for cells, each in seen.items()}
            meaning = layout.read(times, self.names.arm, self.options.words)
        except UserError as error:
            error.source = error.source or source
            raise
        notes = [
            *[meaning.warning] * bool(meaning.warning),
            *self.options.unused(table.columns, layout, meaning.counts),
        ]
        self.warnings += [f"{source}: {note}" for note in notes]
        if self.options.words and not isinstance(layout, Winners):
            self.warnings.append(f"{source}: words for outcomes have no effect, since no column has outcomes in words")
        single.ordered &= not meaning.counts
        self._count(seen, meaning.reading, source, single)
        self.single.append(single)
        if self.options.strict and self.refusals.first:
            line, reason = self.refusals.first
            raise UserError(f"{reason}: correct it, or leave out --strict", source=source, line=line)
        rows, refused, abstained = self.read, self.refusals.rows, self.abstentions.total()
        rows, refused, abstained = rows - before[0], refused - before[1], abstained - before[2]
        self.refusals.check(refused, rows - abstained, meaning.description, source)
        return Source.of(path, rows, meaning.description, source)

    def _count(self, seen: dict[Cells, _Seen], reading: Reading, source: str, single: FileRows) -> None:
        """Count the votes, abstentions and refused rows of a file."""
        for cells, each in seen.items():
            duels: Sequence[Duel] = ()
            try:
                duels = reading(cells)
            except Abstention as abstention:
                self.abstentions[str(abstention)] += each.rows
            except Refusal as refusal:
                self.unknown |= isinstance(refusal, UnknownOutcome)
                self.refusals.add(str(refusal), source, each.line, each.rows)
            single.meanings.append(duels)
            for duel in duels:
                self.names.count(duel[:2], each.rows)
                self.tally.add(duel, each.weight, self.options.ties == "half")

    def _collect(self, table: Table, layout: Layout, source: str, single: FileRows) -> dict[Cells, _Seen]:
        """Count the rows with the same relevant cells; refuse those that are invalid by themselves."""
        seen: dict[Cells, _Seen] = {}
        width = len(layout.columns)
        judge, group = self.options.judge_in(table.columns), self.options.group_in(table.columns)
        weight = self.options.weight
        question = None if single.together else self.options.question_in(table.columns)
        group = group or question
        group = None if group in layout.columns else group
        single.question = (question and group) or ""
        only = self.options.conditions
        extra = [*(name for name, _ in only), *(each for each in (judge, group, weight) if each)]
        wanted = [value.casefold() for _, value in only]
        judge_at = width + len(wanted)
        group_at = judge_at + bool(judge)
        groups = {"": -1}
        ask = MANY
        # A list is no name of an arm, but may be a judge, and is an unknown outcome.
        outcome = layout.outcome if isinstance(layout, Winners) else None
        texts = {judge, group, outcome} - {name for name, _ in only}
        for line, row in self._rows(table, [*layout.columns, *extra], texts, source):
            cells = row[:width] if extra else row
            if wanted and [each.strip().casefold() for each in row[width : width + len(wanted)]] != wanted:
                self.left_out += 1
                continue
            if judge:
                self.judges[row[judge_at]] += 1
            votes = 1.0
            if weight:
                try:
                    votes = quantity(row[-1], "weight")
                except Refusal as refusal:
                    self.refusals.add(str(refusal), source, line)
                    continue
            known = seen.get(cells)
            if known is None:
                known = seen[cells] = _Seen(len(seen), 1, votes, line)
                if len(seen) > ask:
                    _check_few(layout, seen)
                    ask *= 2
            else:
                known.rows += 1
                known.weight += votes
            if self.keep_rows:
                single.cells.append(known.place)
                single.weight.append(votes)
                if judge:
                    number = self.judge_places.setdefault(row[judge_at], len(self.judge_places) - 1)
                    single.judge.append(number)
                if group:
                    single.group.append(groups.setdefault(row[group_at], len(groups) - 1))
        return seen

    def _rows(self, table: Table, names: Sequence[str], texts: Container[str | None], source: str) -> Iterator[Row]:
        refused = 0

        def refuse(line: int, reason: str) -> None:
            nonlocal refused
            refused += 1
            self.refusals.add(reason, source, line)

        try:
            ours = is_export(table)
            for line, cells in table.rows(names, refuse, texts):
                self.read += 1
                yield line, tuple(map(unescaped, cells)) if ours else cells
        finally:
            self.read += refused

    def votes(self, sources: tuple[Source, ...]) -> Votes:
        """Return the votes read so far."""
        try:
            if self.read == self.left_out + self.refusals.rows + self.abstentions.total():
                abstained = f", {self.abstentions.total():,} of them abstentions" if self.abstentions else ""
                why = ", none of them selected by --only" if self.left_out and not abstained else abstained
                raise UserError(f"there are no votes in {self.read:,} rows{why}")
            renamed = self.names.renamed()
            counts = self.tally.counts(renamed)
        except UserError as error:
            error.source = error.source or sources[0].path
            raise
        for place, source in enumerate(sources):
            same = next((each for each in sources[:place] if each.sha256 == source.sha256), None)
            if same:
                self.warnings.append(f"{source.path} is the same file as {same.path}: its votes count twice")
        self.warnings += self.names.warnings(self.options.alias or "")
        if self.unknown:
            self.warnings.append("if an unknown outcome means that both are equal, name it by --tie-word")
        kept = None
        if self.keep_rows:
            for file, source in zip(self.single, sources, strict=True):
                file.rename(renamed)
                self._group(file, source.path, counts.arms)
            kept = SingleVotes(tuple(self.single), tuple(self.judge_places)[1:], self.options.ties == "half")
        return Votes(
            counts,
            sources,
            self.read,
            self.left_out,
            self.refusals.reasons(),
            self.tally.dropped_ties,
            dict(self.judges.most_common()),
            tuple(self.warnings),
            kept,
            dict(self.abstentions.most_common()),
            tuple(self.grouped),
        )

    def _group(self, file: FileRows, source: str, arms: int) -> None:
        """Forget the questions of a file that are too few to be groups, and note those that rows repeat."""
        if file.question:
            number = len(set(file.group) - {-1})
            if number < FEWEST_CLUSTERS * arms:
                file.group = array("l")
            elif number < sum(group >= 0 for group in file.group):
                self.grouped.append(
                    f"{source}: rows with the same {file.question!r} are a group of dependent votes; --clusters none "
                    "takes them as independent"
                )


def _check_few(layout: Layout, seen: dict[Cells, _Seen]) -> None:
    """Raise UserError if there are so many distinct rows that a column cannot contain arms or outcomes."""
    for place, column in enumerate(layout.columns):
        different = len({cells[place] for cells in seen})
        if different > 2 * MAX_ARMS:
            raise UserError(
                f"column {column!r} has more than {different:,} different values, which are neither arms nor outcomes: "
                "name the right columns by options"
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
    table = found.table()
    effect = 1.0 if table is None else design_effect(table)
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
