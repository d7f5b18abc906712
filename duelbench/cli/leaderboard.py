"""``duelbench leaderboard``."""

from __future__ import annotations

from pathlib import Path

import click

from duelbench.cli.terminal import emit, example, one_line, say, warn

FIGURES = "leaderboard"
"""The directory of the figure, in that of the page."""
DEFAULT = ("leaderboard", "leaderboard-condorcet", "leaderboard-linear")


@click.command(name="leaderboard", epilog=example("leaderboard", "leaderboard results/leaderboard -o results"))
@click.argument("directories", metavar="[DIRECTORY]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path),
    help="Directory to write: the page is LEADERBOARD.md, and the figure is in leaderboard/.  [standard output]",
)  # fmt: skip
def command(directories: tuple[Path, ...], output: Path | None) -> None:
    """Rank algorithms across datasets.

    Prints a page in Markdown; with -o, writes the page and a figure. Each DIRECTORY has results of shipped algorithms
    on shipped tables with one horizon, by default those of the specs leaderboard, leaderboard-condorcet and
    leaderboard-linear. Algorithms are ranked on matrices that satisfy their assumptions. `make leaderboard` first
    runs the experiments.
    """
    from duelbench.analysis.leaderboard.board import board
    from duelbench.analysis.leaderboard.page import page
    from duelbench.layout import LEADERBOARD
    from duelbench.results.present import present

    places = directories or tuple(Path("results", name) for name in DEFAULT)
    found = board([present(each, announce=warn) for each in places])
    if output is None:
        emit(page(found).rstrip("\n"))
        return
    from duelbench.plots.leaderboard import save_poster
    from duelbench.writing import write_whole

    figures = save_poster(found, output / FIGURES)
    write_whole(output / LEADERBOARD, page(found, f"{FIGURES}/{figures[0].name}"))
    for each in (*figures, output / LEADERBOARD):
        say(one_line(each))
