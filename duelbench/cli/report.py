"""``duelbench report``."""

from __future__ import annotations

from pathlib import Path

import click

from duelbench.cli.terminal import example, one_line, say


@click.command(name="report", epilog=example("report results"))
@click.argument("directory", type=click.Path(path_type=Path), default=Path("results"))
def command(directory: Path) -> None:
    """Compare results with the numbers in the papers.

    Writes REPRODUCTION.md into DIRECTORY (default: results), with the stated and the measured value for each figure
    of the papers. Figures without results are listed as not run; `make figures` runs all of them.
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
