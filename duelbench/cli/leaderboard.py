"""``duelbench leaderboard``."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import click

from duelbench.cli.terminal import one_line, say

DEFAULT = ("leaderboard", "leaderboard-condorcet", "leaderboard-linear")


@click.command(name="leaderboard", short_help="Rank all algorithms on all tables, on a page.")
@click.argument("directories", metavar="DIRECTORY...", nargs=-1, type=click.Path(path_type=Path))
def command(directories: tuple[Path, ...]) -> None:
    """Write LEADERBOARD.md beside the first DIRECTORY of results, and a figure of it into that directory.

    Results are of specs such as leaderboard, leaderboard-condorcet and leaderboard-linear, the default: algorithms of
    duelbench on its tables, with one horizon. Algorithms are ranked where the matrix is what they assume; `make
    leaderboard` plays all of them first.
    """
    from duelbench.analysis.leaderboard.board import board
    from duelbench.analysis.leaderboard.page import page
    from duelbench.layout import LEADERBOARD
    from duelbench.plots.leaderboard import save_poster
    from duelbench.results.present import present
    from duelbench.writing import write_whole

    places = directories or tuple(Path("results", name) for name in DEFAULT)
    found = board([present(each, announce=lambda line: say(one_line(line), err=True)) for each in places])
    figures = save_poster(found, places[0])
    path = places[0].parent / LEADERBOARD
    write_whole(path, page(found, f"{quote(places[0].name)}/{figures[0].name}"))
    for each in (*figures, path):
        say(one_line(each))
