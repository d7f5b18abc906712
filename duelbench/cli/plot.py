"""``duelbench plot``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from duelbench.cli.terminal import one_line, say


@click.command(name="plot", short_help="Draw the figures of an experiment.")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option(
    "-f",
    "--format",
    "formats",
    type=click.Choice(["png", "pdf", "svg"]),
    multiple=True,
    help="File formats, repeatable.  [all three]",
)
@click.option("--x", type=click.Choice(["log", "linear"]), help="Override the x axis of the regret figures.")
@click.option("--y", type=click.Choice(["log", "linear"]), help="Override the y axis of the regret figures.")
@click.option(
    "--band",
    type=click.Choice(["sem", "std", "quantiles", "none"]),
    help="Override the band around the mean: standard error, standard deviation, 5 % to 95 %, or none.",
)
def command(directory: Path, formats: tuple[str, ...], **overrides: Any) -> None:
    """Draw the figures of the experiment in DIRECTORY, beside its CSV files.

    They are those of the spec's `figures:`; without any, regret on a logarithmic t axis, once with a linear and once
    with a logarithmic y axis.
    """
    from duelbench.plots import FORMATS, draw

    for path in draw(directory, formats=formats or FORMATS, **overrides):
        say(one_line(path))
