"""``duelbench report``."""

from __future__ import annotations

from pathlib import Path

import click

from duelbench.cli.terminal import one_line, say


@click.command(name="report", short_help="Compare results with what the papers state.")
@click.argument("directory", type=click.Path(path_type=Path), default=Path("results"))
def command(directory: Path) -> None:
    """Write REPRODUCTION.md into DIRECTORY (default: results), which holds the results of the papers' figures.

    For each figure it has what the paper states beside what was measured. Figures without results are said to be not
    run: `make figures` runs them all.
    """
    from duelbench.analysis.reproduction.report import report
    from duelbench.errors import UserError
    from duelbench.layout import REPORT
    from duelbench.writing import write_whole

    if not directory.is_dir():
        raise UserError(f"there is no directory {directory}: `make figures` makes results to report on")
    text, verdicts = report(directory)
    path = directory / REPORT
    write_whole(path, text)
    for verdict, count in verdicts.items():
        say(f"{count:>4}  {verdict.strip('*')}")
    say(one_line(path))
