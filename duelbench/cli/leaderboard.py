"""``duelbench leaderboard``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from duelbench.cli.inputs import one_by_one, places_of
from duelbench.cli.terminal import emit, example, one_line, say, warn

if TYPE_CHECKING:
    from duelbench.results.reader import Results

_FIGURES = "leaderboard"
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
    algorithms, on shipped tables with one horizon or on preferences that change. It may also be a folder (by default
    results): then its directories leaderboard* are used, or else all experiments below it. Algorithms are ranked on
    matrices that satisfy their assumptions, and separately on preferences that change. In a checkout,
    `make leaderboard` first runs the experiments.
    """
    from duelbench.analysis.board import board, changes
    from duelbench.analysis.board_page import page, section_of_changes
    from duelbench.layout import LEADERBOARD
    from duelbench.results.collection import is_experiment
    from duelbench.results.reader import current_results

    given = [
        place
        for each in directories or [Path("results")]
        for place in ([] if is_experiment(each) else sorted(each.glob("leaderboard*/"))) or [each]
    ]
    experiments: list[Results] = []

    def read(place: Path) -> None:
        results = current_results(place, announce=warn)
        _ = results.summary
        experiments.append(results)

    code = one_by_one(places := places_of(given), places, read)
    if not experiments:
        sys.exit(code)
    parts = []
    for changing, write, name in ((False, page, "leaderboard"), (True, section_of_changes, "changes")):
        if there := [each for each in experiments if changes(each) is changing]:
            parts.append((board(there), write, name))
    if output is None:
        emit("\n".join(write(found) for found, write, _ in parts).rstrip("\n"))
        sys.exit(code)
    from duelbench.files import write_whole
    from duelbench.plots.poster import save_poster

    texts, written = [], []
    for found, write, name in parts:
        figures = save_poster(found, output / _FIGURES, name)
        texts.append(write(found, f"{_FIGURES}/{figures[0].name}"))
        written += figures
    write_whole(output / LEADERBOARD, "\n".join(texts))
    for each in (*written, output / LEADERBOARD):
        say(one_line(each))
    sys.exit(code)
