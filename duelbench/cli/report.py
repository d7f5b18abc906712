"""``duelbench report``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from duelbench.cli.terminal import example, one_line, say, warn

_FIRST = "make those of one by `duelbench run fig-dts-1a.yaml`, or in a checkout those of all by `make figures`"


@click.command(name="report", epilog=example("report results"))
@click.argument("directory", type=click.Path(path_type=Path), default=Path("results"))
def command(directory: Path) -> None:
    """Compare results with the numbers in the papers.

    Writes REPRODUCTION.md into DIRECTORY (default: results), with the stated and the measured value for each figure
    of the papers. Figures without results are listed as not run: `duelbench run fig-dts-1a.yaml` runs one, and
    in a checkout `make figures` runs all. Results that cannot be read are named, and the exit code is 2.
    """
    from duelbench.analysis.reproduction.report import NOT_RUN, report
    from duelbench.errors import UserError
    from duelbench.files import write_whole
    from duelbench.layout import REPORT

    if not directory.is_dir():
        raise UserError(f"there is no directory {directory}: {_FIRST}")
    faults: set[str] = set()
    text, verdicts = report(directory, faults=faults)
    if verdicts.keys() == {NOT_RUN}:
        raise UserError(f"there are no results of the papers' figures in {directory}: {_FIRST}")
    for fault in sorted(faults):
        warn(f"error: {fault}")
    path = directory / REPORT
    write_whole(path, text)
    for verdict, count in verdicts.items():
        say(f"{count:>4}  {verdict.strip('*')}")
    say(one_line(path))
    if faults:
        sys.exit(2)
