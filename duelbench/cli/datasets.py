"""``duelbench datasets``."""

from __future__ import annotations

import sys

import click

from duelbench.cli import build
from duelbench.cli.named import complete_dataset, named_dataset
from duelbench.cli.terminal import say


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
def show(name: str, arms: int | None, seed: int) -> None:
    """Print the matrix NAME: a table, a generator, or a .csv, .npy or .npz file; its winners, scores and gaps."""
    import numpy as np

    found = named_dataset(name, arms)
    matrix = found.instance(np.random.default_rng(seed))
    say(found.title + (f" (one draw, seed {seed})" if found.varies else ""))
    if found.citation:
        say(found.citation)
    say()
    copeland, borda = matrix.copeland_scores(), matrix.borda_scores()
    shown = min(matrix.arms, 20)
    width = max(7, 2 + max(len(f"{p:.6g}") for p in matrix.P[:shown, :shown].flat))
    names = [str(arm) if matrix.names is None else f"{arm} {matrix.names[arm]}" for arm in range(matrix.arms)]
    longest = max(3, *map(len, names[:shown]))
    say(f"{'arm':{longest}} " + "".join(f"{j:>{width}}" for j in range(shown)) + "  Copeland   Borda")
    for i in range(shown):
        cells = "".join(f"{matrix.P[i, j]:>{width}.6g}" for j in range(shown))
        say(f"{names[i]:{'<' if matrix.names else '>'}{longest}} {cells}{copeland[i]:>10.4g}{borda[i]:>8.4g}")
    if shown < matrix.arms:
        say(f"… the first {shown} of {matrix.arms} arms; the file has all")
    winner = matrix.condorcet_winner()
    say()
    say(f"Condorcet winner  {'none' if winner is None else names[winner]}")
    say(f"Copeland winners  {', '.join(names[arm] for arm in matrix.copeland_winners())}")
    say(f"Borda winners     {', '.join(names[arm] for arm in np.flatnonzero(borda == borda.max()))}")
    say(f"smallest gap      {matrix.smallest_gap():.6g}")
    ties = np.argwhere(np.triu(matrix.P == 0.5, 1))
    if len(ties):
        say(f"exact ties        {', '.join(f'{i}–{j}' for i, j in ties[:20])}{' …' if len(ties) > 20 else ''}")


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
