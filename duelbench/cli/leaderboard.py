"""``duelbench leaderboard``."""

from __future__ import annotations

from pathlib import Path

import click

from duelbench.cli.terminal import emit, one_line, say

FIGURES = "leaderboard"
"""The directory of the figure, in that of the page."""
DEFAULT = ("leaderboard", "leaderboard-condorcet", "leaderboard-linear")


@click.command(name="leaderboard", short_help="Rank all algorithms on all tables, on a page.")
@click.argument("directories", metavar="DIRECTORY...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path),
    help="A directory: the page is its LEADERBOARD.md, and a figure is in its leaderboard/.  [page to standard output]",
)  # fmt: skip
def command(directories: tuple[Path, ...], output: Path | None) -> None:
    """Rank the algorithms of the results in each DIRECTORY, on a page in Markdown, and with -o in a figure.

    Results are of specs such as leaderboard, leaderboard-condorcet and leaderboard-linear, the default: algorithms of
    duelbench on its tables, with one horizon. Algorithms are ranked where the matrix is what they assume; `make
    leaderboard` plays all of them first.
    """
    from duelbench.analysis.leaderboard.board import board
    from duelbench.analysis.leaderboard.page import page
    from duelbench.layout import LEADERBOARD
    from duelbench.results.present import present

    places = directories or tuple(Path("results", name) for name in DEFAULT)
    found = board([present(each, announce=lambda line: say(one_line(line), err=True)) for each in places])
    if output is None:
        emit(page(found).rstrip("\n"))
        return
    from duelbench.plots.leaderboard import save_poster
    from duelbench.writing import write_whole

    figures = save_poster(found, output / FIGURES)
    write_whole(output / LEADERBOARD, page(found, f"{FIGURES}/{figures[0].name}"))
    for each in (*figures, output / LEADERBOARD):
        say(one_line(each))
