"""``duelbench datasets``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from duelbench.arguments import MAX_HORIZON
from duelbench.cli.inputs import (
    PATH,
    WholeRange,
    choice,
    complete_dataset,
    files_read,
    named_dataset,
    refuse_overwriting,
    table_options,
    ties_option,
    vote_options,
)
from duelbench.cli.terminal import counted, example, one_line, say, shortened, width
from duelbench.files import write_whole

if TYPE_CHECKING:
    from duelbench.preferences.changing import Preferences
    from duelbench.preferences.matrix import PreferenceMatrix
    from duelbench.sources.datasets import Drawn
    from duelbench.sources.sequences import AnyDataset
    from duelbench.votes.reading.columns import VoteFileOptions
    from duelbench.votes.vote_table import Votes

_MOST_SHOWN = 20
"""Maximum number of arms, parameter values and drawn parameters to print."""
_LONGEST_NAME = 24
"""Width of arm names in the table; full names are in the lines below it."""


def _complete_fetch(context: click.Context, parameter: click.Parameter, word: str) -> list[str]:
    from duelbench.sources.published_matrices import fetchable

    return [name for name in fetchable() if name.startswith(word)]


@click.group(name="datasets", epilog=example("datasets show six-rankers", "datasets build votes votes.csv"))
def command() -> None:
    """Show, draw, download and build preference matrices.

    `duelbench list datasets` lists the shipped tables and generators.
    """


@command.command(epilog=example("datasets show six-rankers", "datasets show btl-uniform --arms 5"))
@click.argument("name", shell_complete=complete_dataset)
@click.option("--arms", type=WholeRange(min=2), help="Number of arms of a generator.")
@click.option("--seed", type=WholeRange(min=0), default=0, show_default=True, help="Seed of a generator.")
@click.option(
    "--run", type=WholeRange(min=0), default=0, show_default=True, help="Number of the run, for a dataset of results."
)
@click.option("--round", "t", type=WholeRange(min=1), default=1, help="Round of changing preferences.  [1]")
def show(name: str, arms: int | None, seed: int, run: int, t: int) -> None:
    """Show a preference matrix.

    NAME is a table, a generator, or a .csv, .npy or .npz file. Prints the matrix, its winners, scores and gaps. For a
    matrix made by `datasets build votes`, also says how certain the winners are and which pairs have few votes.

    NAME may also be a dataset of results, such as results/quickstart/six-rankers, to show the matrix of one --run and
    the arms or parameters drawn for it.

    For changing preferences, also lists the rounds of the changes, the winner of each segment, and how much
    preferences change (S_P, V, S_CW and V_CW, see datasets/README.md), with the matrix at one --round.
    """
    import numpy as np

    from duelbench.sources.matrix_files import MATRIX_FILES, is_sequence
    from duelbench.sources.published_matrices import TABLES
    from duelbench.sources.sequences import changing_dataset

    if Path(name).is_dir() and Path(name).suffix.lower() not in MATRIX_FILES:
        title, citation, drawn = _of_results(Path(name), run)
    else:
        found: AnyDataset
        if is_sequence(Path(name)):
            found = changing_dataset(None, name, {}, None, Path(), None, None, MAX_HORIZON)
        else:
            found = named_dataset(name, arms)
        title, citation = found.title + (f" (one draw, seed {seed})" if found.varies else ""), found.citation
        drawn = found.drawn(np.random.default_rng(seed))
    matrix = drawn.matrix.at(t)
    say(title)
    if citation:
        say(citation)
    _show_origin(drawn)
    say()
    copeland, borda = matrix.copeland_scores(), matrix.borda_scores()
    most = min(matrix.arms, _MOST_SHOWN)
    names = [shortened(one_line(name), _LONGEST_NAME) for name in matrix.names[:most]] if matrix.names else [""] * most
    label = max(map(len, names)) + 1 if matrix.names else 0
    cell = max(7, 2 + max(len(f"{p:.6g}") for p in matrix.P[:most, :most].flat))
    shown = min(most, max(1, (width() - label - 24) // cell))
    say(f"arm {'':{label}}" + "".join(f"{j:>{cell}}" for j in range(shown)) + "  Copeland   Borda")
    for i in range(most):
        cells = "".join(f"{matrix.P[i, j]:>{cell}.6g}" for j in range(shown))
        say(f"{i:>3} {names[i]:{label}}{cells}{copeland[i]:>10.4g}{borda[i]:>8.4g}")
    if shown < matrix.arms:
        say(f"… columns of the first {shown} of {matrix.arms} arms; the file has the rest")
    winner = matrix.condorcet_winner()
    say()
    say(f"Condorcet winner  {'none' if winner is None else _arms(matrix, [winner])}")
    say(f"Copeland winners  {_arms(matrix, matrix.copeland_winners().tolist())}")
    say(f"Borda winners     {_arms(matrix, np.flatnonzero(borda == borda.max()).tolist())}")
    say(f"smallest gap      {matrix.smallest_gap():.6g}")
    ties = np.argwhere(np.triu(matrix.P == 0.5, 1))
    if len(ties):
        say(f"exact ties        {', '.join(f'{i}–{j}' for i, j in ties[:20])}{' …' if len(ties) > 20 else ''}")
    _show_votes(TABLES[name].path if name in TABLES else Path(name), matrix)


def _arms(matrix: PreferenceMatrix, arms: list[int]) -> str:
    return ", ".join(f"{arm} ({one_line(matrix.names[arm])})" if matrix.names else str(arm) for arm in arms)


def _show_votes(file: Path, matrix: PreferenceMatrix) -> None:
    """Print how certain the winners are, if a file of vote counts for the same arms is beside the matrix."""
    from duelbench.votes.findings import Findings, amount
    from duelbench.votes.reading.read import read_votes
    from duelbench.votes.vote_table import counts_path

    beside = counts_path(file)
    if matrix.names is None or not beside.is_file():
        return
    counts = read_votes([beside], arms=matrix.names).counts
    say()
    if set(counts.names) != set(matrix.names):
        say(f"{one_line(beside)} has votes on other arms and is ignored")
        return
    counts = counts.chosen([counts.names.index(name) for name in matrix.names])
    found = Findings(counts, matrix)
    say(f"{amount(found.total)} votes ({one_line(beside)}). {one_line(found.decided_sentence())}.")
    for sentence in (*found.pair_sentences(), found.chances_sentence(), found.ties_sentence()):
        if sentence:
            say(one_line(sentence))


@command.command(epilog=example("datasets plot sushi16 -o sushi.pdf"))
@click.argument("name", shell_complete=complete_dataset)
@click.option("--arms", type=WholeRange(min=2), help="Number of arms of a generator.")
@click.option("--seed", type=WholeRange(min=0), default=0, show_default=True, help="Seed of a generator.")
@click.option("-o", "--output", type=PATH, help="File to write: .png, .pdf or .svg.  [NAME.png]")
def plot(name: str, arms: int | None, seed: int, output: Path | None) -> None:
    """Draw a preference matrix as a heat map.

    The best arms come first, by Copeland score, then by Borda score.
    """
    import numpy as np

    from duelbench.plots.drawing import draw_matrix

    found = named_dataset(name, arms)
    path = output or Path(f"{Path(name).stem}.png")
    say(one_line(draw_matrix(found.instance(np.random.default_rng(seed)), found.title, path)))


def _of_results(place: Path, run: int) -> tuple[str, str, Drawn[Preferences]]:
    """Return title, citation and matrix of a dataset in one run of an experiment."""
    from duelbench.experiment.matrix_tables import drawn_in
    from duelbench.results.results import Results

    directory = place.resolve().parent
    results = Results(directory)
    spec = results.recorded_spec()
    planned, drawn = drawn_in(directory, spec, place.resolve().name, run)
    return planned.title + (f" (run {run})" if planned.source.varies else ""), planned.source.citation, drawn


def _show_origin(drawn: Drawn[Preferences]) -> None:
    """Print which arms were chosen and what was drawn."""
    from duelbench.experiment.matrix_tables import parameters

    made_of = {name: value if isinstance(value, list) else [value] for name, value in parameters(drawn).items()}
    if drawn.arms is not None:
        made_of["chosen arms"] = list(drawn.arms)
    for name, values in list(made_of.items())[:_MOST_SHOWN]:
        said = ", ".join(f"{value:.6g}" for value in values[:_MOST_SHOWN])
        say(f"{one_line(name)}: {said}{f', … ({len(values)})' if len(values) > _MOST_SHOWN else ''}")


@command.command(epilog=example("datasets fetch mslr"))
@click.argument("name", shell_complete=_complete_fetch)
def fetch(name: str) -> None:
    """Download matrices that are not shipped.

    NAME is `mslr` for the three 136-arm matrices, or the name of one of them. They are stored in the directory of the
    environment variable DUELBENCH_DATA, by default ~/.cache/duelbench/datasets.
    """
    from duelbench.sources.published_matrices import to_fetch

    for each in to_fetch(name):
        downloaded = each.fetch(progress=sys.stderr.isatty())
        say(f"{each.name}  {'downloaded to' if downloaded else 'exists already:'} {each.path}")


@command.group(epilog=example("datasets build votes votes.csv -o models.csv"))
def build() -> None:
    """Build a matrix from raw data.

    Raw data are votes, ballots or ratings. A spec reads the matrix with `file:`.
    """


_files = click.argument("files", nargs=-1, required=True, metavar="FILE...", type=PATH)


def _common(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that the three ``build`` commands share."""
    for option in (
        click.option(
            "--unseen",
            type=click.Choice(["bradley-terry", "half"]),
            help="Entries of pairs without votes.  [none: they are an error]",
        ),
        click.option("-n", "--arms", type=WholeRange(min=2), help="Keep the arms with the most votes.  [all]"),
        click.option("-o", "--output", type=PATH, help="File to write: .csv, .npy or .npz.  [FILE-matrix.csv]"),
    ):
        command = option(command)
    return command


@build.command(
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
    matrix, in NAME-counts.csv, which this command can also read.
    """
    from duelbench.votes.reading.read import read_votes

    target = _target(files, output)
    found = read_votes(files, reading)
    _write(found, target, files, arms, unseen)


@build.command(epilog=example("datasets build preflib 00001-00000001.soi"))
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


@build.command(epilog=example("datasets build ratings ratings.csv -n 20"))
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
    """Return the path of the matrix. Raises UserError if it cannot be written or would overwrite an input."""
    from duelbench.sources.matrix_files import check_output
    from duelbench.votes.vote_table import counts_path

    name = "stdin" if str(files[0]) == "-" else files[0].name
    stem = name.removesuffix(".gz").rpartition(".")[0].removesuffix("-counts") or name
    target = output or Path(f"{stem}-matrix.csv")
    check_output(target)
    refuse_overwriting(files, (target, counts_path(target)))
    return target


def _write(
    votes: Votes,
    target: Path,
    files: tuple[Path, ...],
    arms: int | None,
    unseen: Literal["bradley-terry", "half"] | None,
) -> None:
    from duelbench.sources.matrix_files import save_matrix
    from duelbench.votes.findings import Findings, amount
    from duelbench.votes.matrices import shares
    from duelbench.votes.vote_table import counts_path, counts_text

    left_out = [f"left out by --only: {counted(votes.left_out, 'row')}"] if votes.left_out else []
    for line in (*files_read(votes), *left_out, *votes.problems()):
        say(one_line(line))
    counts = votes.counts if arms is None else votes.counts.chosen(votes.counts.most_voted(arms))
    taken = {None: "", "half": "1/2", "bradley-terry": "a Bradley–Terry model of the other pairs"}[unseen]
    matrix = shares(counts, unseen, one_line(files[0]))
    found = Findings(counts, matrix)
    total = f"{counts.arms} arms, {amount(found.total)} votes"
    origin = ", ".join(one_line(file.name) for file in files)
    beside = counts_path(target)
    save_matrix(target, matrix, f"{total}: the share that row has won against column, from {origin}")
    write_whole(beside, counts_text(counts, f"{total}, from {origin}"))
    say(f"{one_line(target)}: {total}")
    say(f"{one_line(beside)}: votes on each pair")
    names = one_line(found.named(found.copeland))
    kind = "no Condorcet winner; Copeland winner" if matrix.condorcet_winner() is None else "Condorcet winner"
    say(f"{kind}: {names}. {one_line(found.decided_sentence())}")
    for sentence in (*found.pair_sentences(taken), found.chances_sentence(), found.ties_sentence()):
        if sentence:
            say(one_line(sentence))
