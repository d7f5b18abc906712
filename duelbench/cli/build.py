"""``duelbench datasets build``: matrices from judgements of people."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from duelbench.cli.inputs import WholeRange, choice, table_options, ties_option, vote_options
from duelbench.cli.terminal import example, one_line, say

if TYPE_CHECKING:
    from duelbench.votes.reading.columns import VoteFileOptions
    from duelbench.votes.vote_table import Votes


@click.group(name="build", epilog=example("datasets build votes votes.csv -o models.csv"))
def command() -> None:
    """Build a matrix from raw data.

    Raw data are votes, ballots or ratings. A spec reads the matrix with `file:`.
    """


_REASONS = 5
"""The largest numbers of reasons for refusing rows and of warnings to print; the page has more."""

_files = click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))


def _common(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of all three verbs."""
    for option in (
        click.option(
            "--unseen",
            type=click.Choice(["bradley-terry", "half"]),
            help="Entries of pairs without votes.  [none: they are an error]",
        ),
        click.option("-n", "--arms", type=WholeRange(min=2), help="Keep the arms with the most votes.  [all]"),
        click.option(
            "-o",
            "--output",
            type=click.Path(path_type=Path),
            help="File to write: .csv, .npy or .npz.  [FILE-matrix.csv]",
        ),
    ):
        command = option(command)
    return command


@command.command(
    epilog=example("datasets build votes votes.csv", "datasets build votes arena.jsonl --only language=English -n 10")
)
@_files
@vote_options(no_effect=("group",))
@_common
def votes(
    files: tuple[Path, ...],
    reading: VoteFileOptions,
    output: Path | None,
    arms: int | None,
    unseen: Literal["bradley-terry", "half"] | None,
) -> None:
    """Build a matrix from votes on pairs of arms.

    FILEs are CSV, TSV, JSON Lines, Parquet, games in PGN or ballots of PrefLib. A row compares two arms and says which
    won, has the names of winner and loser, or the numbers of votes on a pair. Columns and outcomes have the names that
    datasets/README.md lists, and nothing is guessed: any other file is an error with the command that reads it. Columns
    that are not used are named, and rows that cannot be used are counted.

    In names of columns and outcomes case, blanks, hyphens and underscores do not matter. Names of arms that differ only
    in case or blanks count as one arm, and a note names them.

    An entry is the share of votes that one arm won against another. The votes of each pair are written beside the
    matrix (NAME-counts.csv, which this command can also read), with a page about the data (NAME.md).
    """
    from duelbench.votes.reading import read_votes

    target = _target(files, output)
    found = read_votes(files, reading)
    _write(found, target, files, arms, unseen)


@command.command(epilog=example("datasets build preflib 00001-00000001.soi"))
@_files
@choice(
    "--unlisted",
    ["apart", "below"],
    "Alternatives missing from a ballot were not compared, or rank below all others on it.",
)
@ties_option()
@_common
def preflib(
    files: tuple[Path, ...],
    unlisted: Literal["apart", "below"],
    ties: Literal["half", "drop"],
    output: Path | None,
    arms: int | None,
    unseen: Literal["bradley-terry", "half"] | None,
) -> None:
    """Build a matrix from ballots in PrefLib formats.

    An entry is the share of voters who rank one alternative above another. Formats are .soc, .soi, .toc, .toi, and
    the pairs of .pwg, also from before 2022. Writes the same files as `build votes`.
    """
    from duelbench.votes.reading.read import read_ballots

    target = _target(files, output)
    _write(read_ballots(files, unlisted, ties), target, files, arms, unseen)


@command.command(epilog=example("datasets build ratings ratings.csv -n 20"))
@_files
@click.option("--user", metavar="COLUMN", help="The user.  [user or user_id]")
@click.option("--item", metavar="COLUMN", help="The item, which is the arm.  [item, item_id or movie_id]")
@click.option("--value", metavar="COLUMN", help="The rating.  [value or rating]")
@choice("--best", ["largest", "smallest"], "Which rating is best.")
@click.option(
    "--least",
    type=WholeRange(min=1),
    default=1,
    show_default=True,
    help="Keep items that at least this many users rated.",
)
@ties_option()
@table_options[0]
@table_options[1]
@_common
def ratings(
    files: tuple[Path, ...],
    best: Literal["largest", "smallest"],
    least: int,
    ties: Literal["half", "drop"],
    output: Path | None,
    arms: int | None,
    unseen: Literal["bradley-terry", "half"] | None,
    alias: Path | None,
    delimiter: str | None,
    **columns: str | None,
) -> None:
    """Build a matrix from ratings of items by users.

    FILEs have a row for each rating: user, item, value. An entry is the share of users who rate one item above
    another, among those who rated both; equal ratings are ties. --arms keeps the items that most users rated. Writes
    the same files as `build votes`.
    """
    from duelbench.votes.reading.ratings import read_ratings

    target = _target(files, output)
    found = read_ratings(files, columns, ties, best, least, arms, alias, delimiter)
    _write(found, target, files, None, unseen)


def _target(files: tuple[Path, ...], output: Path | None) -> Path:
    """Return where to write the matrix. Raises UserError if that is impossible or would overwrite an input."""
    from duelbench.errors import UserError
    from duelbench.sources.matrix_files import check_output
    from duelbench.votes.vote_table import counts_path

    name = "stdin" if str(files[0]) == "-" else files[0].name
    stem = name.removesuffix(".gz").rpartition(".")[0].removesuffix("-counts") or name
    target = output or Path(f"{stem}-matrix.csv")
    check_output(target)
    read = {file.resolve() for file in files}
    for written in (target, counts_path(target), target.with_suffix(".md")):
        if written.resolve() in read:
            raise UserError("this input file would be overwritten: choose another name with -o", source=str(written))
    return target


def _write(
    votes: Votes,
    target: Path,
    files: tuple[Path, ...],
    arms: int | None,
    unseen: Literal["bradley-terry", "half"] | None,
) -> None:
    from duelbench.files import write_whole
    from duelbench.sources.matrix_files import save_matrix
    from duelbench.votes.page import (
        amount,
        arms_listed,
        certainty,
        chances_sentence,
        decided_sentence,
        find,
        page,
        shares,
        ties_sentence,
    )
    from duelbench.votes.vote_table import counts_path, save_counts

    _report(votes)
    counts = votes.counts if arms is None else votes.counts.chosen(votes.counts.most_voted(arms))
    taken = {None: "", "half": "1/2", "bradley-terry": "a Bradley–Terry model of the other pairs"}[unseen]
    matrix = shares(counts, unseen, one_line(files[0]))
    certain = certainty(counts)
    found = find(counts, matrix, certain.chances)
    total = f"{counts.arms} arms, {amount(counts.votes.sum() / 2)} votes"
    origin = ", ".join(one_line(file.name) for file in files)
    text = page(one_line(target.stem), votes, counts, matrix, found, certain, taken)
    beside = counts_path(target), target.with_suffix(".md")
    save_matrix(target, matrix, f"{total}: the share that row has won against column, from {origin}")
    save_counts(beside[0], counts, f"{total}, from {origin}")
    write_whole(beside[1], text)
    say(f"{one_line(target)}: {total}")
    say(f"{one_line(beside[0])}: votes on each pair; {one_line(beside[1])}: a page about them")
    if len(found.unseen):
        say(f"{len(found.unseen):,} of {found.pairs:,} pairs have no votes: filled in by {taken}")
    names = one_line(arms_listed(counts.names, found.copeland))
    kind = "Condorcet winner" if found.condorcet is not None else "no Condorcet winner; Copeland winner"
    say(f"{kind}: {names}. {one_line(decided_sentence(counts, found))}")
    for sentence in (chances_sentence(counts, certain), ties_sentence(certain)):
        if sentence:
            say(one_line(sentence))


def _report(votes: Votes) -> None:
    for source in votes.sources:
        say(f"{one_line(source.path)}: {_rows(source.rows)}, read as {one_line(source.understood)}")
    if votes.left_out:
        say(f"left out by --only: {_rows(votes.left_out)}")
    if votes.abstentions:
        say(one_line(votes.abstained()))
    for each in votes.refused[:_REASONS]:
        places = one_line(", ".join(each.places))
        say(f"{each.rows:,} of {votes.rows:,} rows refused: {one_line(each.reason)} ({places})")
    if len(votes.refused) > _REASONS:
        rest = sum(each.rows for each in votes.refused[_REASONS:])
        say(f"{rest:,} of {votes.rows:,} rows refused for other reasons, listed on the page")
    for warning in votes.warnings[:_REASONS]:
        say(f"note: {one_line(warning)}")


def _rows(number: int) -> str:
    return f"{number:,} row" + ("" if number == 1 else "s")
