"""``duelbench datasets``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from duelbench.cli import build
from duelbench.cli.inputs import WholeRange, complete_dataset, named_dataset
from duelbench.cli.terminal import example, one_line, say, width

if TYPE_CHECKING:
    from duelbench.preferences.changing import Preferences
    from duelbench.preferences.matrix import PreferenceMatrix
    from duelbench.sources.datasets import Drawn
    from duelbench.sources.sequences import AnyDataset

_MOST_SHOWN = 20
"""The largest number of arms, of values of a parameter, and of drawn parameters to print."""
_LONGEST_NAME = 24
"""The width of an arm's name in the table; the lines below have the full names."""


def _complete_fetch(context: click.Context, parameter: click.Parameter, word: str) -> list[str]:
    from duelbench.sources.published_matrices import fetchable

    return [name for name in fetchable() if name.startswith(word)]


@click.group(name="datasets", epilog=example("datasets show six-rankers", "datasets build votes votes.csv"))
def command() -> None:
    """Show, draw, download and build preference matrices.

    `duelbench list datasets` lists the shipped tables and generators.
    """


command.add_command(build.command)


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

    from duelbench.arguments import MAX_HORIZON
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
    names = [_cut(name) for name in matrix.names[:most]] if matrix.names else [""] * most
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


def _cut(name: str) -> str:
    return one_line(name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…")


def _show_votes(file: Path, matrix: PreferenceMatrix) -> None:
    """Print how certain the votes are, if their counts are in the directory of a matrix of the same arms."""
    from duelbench.votes.reading import read_votes
    from duelbench.votes.reading.exports import counts_path
    from duelbench.votes.reading.page import (
        amount,
        certainty,
        chances_sentence,
        cycles_sentence,
        decided_sentence,
        find,
        pairs_sentences,
        ties_sentence,
    )

    beside = counts_path(file)
    if matrix.names is None or not beside.is_file():
        return
    counts = read_votes([beside], arms=matrix.names).counts
    say()
    if set(counts.names) != set(matrix.names):
        say(f"{one_line(beside)} has votes on other arms and is ignored")
        return
    counts = counts.chosen([counts.names.index(name) for name in matrix.names])
    certain = certainty(counts)
    found = find(counts, matrix, certain.chances)
    say(f"{amount(counts.votes.sum() / 2)} votes ({one_line(beside)}). {one_line(decided_sentence(counts, found))}.")
    for sentence in (*pairs_sentences(counts, found, ""), chances_sentence(counts, certain), ties_sentence(certain)):
        if sentence:
            say(one_line(sentence))
    say(f"Cycles: {one_line(cycles_sentence(counts, found))}")


@command.command(epilog=example("datasets plot sushi16 -o sushi.pdf"))
@click.argument("name", shell_complete=complete_dataset)
@click.option("--arms", type=WholeRange(min=2), help="Number of arms of a generator.")
@click.option("--seed", type=WholeRange(min=0), default=0, show_default=True, help="Seed of a generator.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="File to write: .png, .pdf or .svg.  [NAME.png]")
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
    """Return the title, the citation and the matrix of a dataset of results, in one of their runs."""
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
