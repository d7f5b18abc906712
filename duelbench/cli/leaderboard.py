"""``duelbench leaderboard``."""

from __future__ import annotations

from pathlib import Path

import click

from duelbench.cli.terminal import emit, example, one_line, say, warn

FIGURES = "leaderboard"
"""The directory of the figure, in that of the page."""


@click.command(name="leaderboard", epilog=example("leaderboard", "leaderboard results/leaderboard -o results"))
@click.argument("directories", metavar="[DIRECTORY]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path),
    help="Directory to write: the page is LEADERBOARD.md, and the figures are in leaderboard/.  [standard output]",
)  # fmt: skip
def command(directories: tuple[Path, ...], output: Path | None) -> None:
    """Rank algorithms across datasets.

    Prints a page in Markdown; with -o, writes the page and its figures. Each DIRECTORY has results of shipped
    algorithms, on shipped tables with one horizon or on preferences that change; by default all directories
    results/leaderboard*. Algorithms are ranked on matrices that satisfy their assumptions, and separately on
    preferences that change. `make leaderboard` first runs the experiments.
    """
    from duelbench.analysis.leaderboard.board import board, changes
    from duelbench.analysis.leaderboard.page import page, section_of_changes
    from duelbench.layout import LEADERBOARD
    from duelbench.results.present import present

    places = directories or sorted(Path("results").glob("leaderboard*/")) or [Path("results", "leaderboard")]
    experiments = [present(each, announce=warn) for each in places]
    parts = []
    for changing, write, name in ((False, page, "leaderboard"), (True, section_of_changes, "changes")):
        if there := [each for each in experiments if changes(each) is changing]:
            parts.append((board(there), write, name))
    if output is None:
        emit("\n".join(write(found) for found, write, _ in parts).rstrip("\n"))
        return
    from duelbench.plots.leaderboard import save_poster
    from duelbench.writing import write_whole

    texts, written = [], []
    for found, write, name in parts:
        figures = save_poster(found, output / FIGURES, name)
        texts.append(write(found, f"{FIGURES}/{figures[0].name}"))
        written += figures
    write_whole(output / LEADERBOARD, "\n".join(texts))
    for each in (*written, output / LEADERBOARD):
        say(one_line(each))
