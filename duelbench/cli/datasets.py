"""``duelbench datasets``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from duelbench.cli import build
from duelbench.cli.named import complete_dataset, named_dataset
from duelbench.cli.terminal import one_line, say, width

if TYPE_CHECKING:
    from duelbench.sources.datasets import Drawn

MOST_SHOWN = 20
"""Arms, or parameters of each, that are printed."""


def _complete_fetch(context: click.Context, parameter: click.Parameter, word: str) -> list[str]:
    from duelbench.sources.downloads import fetchable

    return [name for name in fetchable() if name.startswith(word)]


@click.group(name="datasets", short_help="Look at preference matrices, and get more of them.")
def command() -> None:
    """Look at preference matrices, and get more of them."""


command.add_command(build.command)


@command.command()
@click.argument("name", shell_complete=complete_dataset)
@click.option("--arms", type=click.IntRange(min=2), help="Number of arms, for a generator.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed, for a generator.")
@click.option("--run", type=click.IntRange(min=0), default=0, show_default=True, help="Which run, of results.")
def show(name: str, arms: int | None, seed: int, run: int) -> None:
    """Print the matrix NAME: a table, a generator, or a .csv, .npy or .npz file; its winners, scores and gaps.

    NAME may also be a dataset of results, as results/quickstart/six-rankers: then it is the matrix of a --run there,
    with the arms that were chosen for it, or what it was drawn from.
    """
    import numpy as np

    if Path(name).is_dir():
        title, citation, drawn = _of_results(Path(name), run)
    else:
        found = named_dataset(name, arms)
        title, citation = found.title + (f" (one draw, seed {seed})" if found.varies else ""), found.citation
        drawn = found.drawn(np.random.default_rng(seed))
    matrix = drawn.matrix
    say(title)
    if citation:
        say(citation)
    _show_origin(drawn)
    say()
    copeland, borda = matrix.copeland_scores(), matrix.borda_scores()
    cells = max(7, 2 + max(len(f"{p:.6g}") for p in matrix.P[:MOST_SHOWN, :MOST_SHOWN].flat))
    shown = min(matrix.arms, MOST_SHOWN, max(1, (width() - 24) // cells))
    say("arm " + "".join(f"{j:>{cells}}" for j in range(shown)) + "  Copeland   Borda")
    for i in range(min(matrix.arms, MOST_SHOWN)):
        row = "".join(f"{matrix.P[i, j]:>{cells}.6g}" for j in range(shown))
        say(f"{i:>3} {row}{copeland[i]:>10.4g}{borda[i]:>8.4g}")
    if shown < matrix.arms:
        say(f"… columns of the first {shown} of {matrix.arms} arms; the file has all")
    winner = matrix.condorcet_winner()
    say()
    say(f"Condorcet winner  {'none' if winner is None else winner}")
    say(f"Copeland winners  {', '.join(map(str, matrix.copeland_winners()))}")
    say(f"Borda winners     {', '.join(map(str, np.flatnonzero(borda == borda.max())))}")
    say(f"smallest gap      {matrix.smallest_gap():.6g}")
    ties = np.argwhere(np.triu(matrix.P == 0.5, 1))
    if len(ties):
        say(f"exact ties        {', '.join(f'{i}–{j}' for i, j in ties[:20])}{' …' if len(ties) > 20 else ''}")


def _of_results(place: Path, run: int) -> tuple[str, str, Drawn]:
    """Return the title, the citation and the matrix of a dataset of results, in one of their runs."""
    from duelbench.runs.instances import drawn_in
    from duelbench.runs.status import of_smoke, recorded_spec
    from duelbench.spec.load import load

    directory = place.resolve().parent
    spec = load(recorded_spec(directory), smoke=of_smoke(directory))
    planned, drawn = drawn_in(directory, spec, place.resolve().name, run)
    return planned.title + (f" (run {run})" if planned.dataset.varies else ""), planned.dataset.citation, drawn


def _show_origin(drawn: Drawn) -> None:
    """Print which arms were chosen and what was drawn."""
    from duelbench.runs.instances import parameters

    made_of = {name: value if isinstance(value, list) else [value] for name, value in parameters(drawn).items()}
    if drawn.arms is not None:
        made_of["chosen arms"] = list(drawn.arms)
    for name, values in made_of.items():
        said = ", ".join(f"{value:.6g}" for value in values[:MOST_SHOWN])
        say(f"{one_line(name)}: {said}{f', … ({len(values)})' if len(values) > MOST_SHOWN else ''}")


@command.command()
@click.argument("name", shell_complete=_complete_fetch)
def fetch(name: str) -> None:
    """Download NAME: `mslr` for the three 136-arm matrices, or one of them.

    They go to the directory in the environment variable DUELBENCH_DATA or, without it, to ~/.cache/duelbench/datasets.
    """
    from duelbench.sources.downloads import to_fetch

    for each in to_fetch(name):
        downloaded = each.fetch(progress=sys.stderr.isatty())
        say(f"{each.name}  {'downloaded to' if downloaded else 'is there already:'} {each.path}")
