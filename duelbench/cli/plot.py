"""``duelbench plot``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from duelbench.cli.specs import complete_spec, spec_path
from duelbench.cli.terminal import one_line, say


@click.command(name="plot", short_help="Draw the figures of experiments.")
@click.argument(
    "what", metavar="SPEC|DIRECTORY...", nargs=-1, required=True, type=click.Path(path_type=Path),
    shell_complete=complete_spec,
)  # fmt: skip
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Where the figures go; with one SPEC, if there are results, they are those of the spec.  [beside the results]",
)
@click.option(
    "-f",
    "--format",
    "formats",
    multiple=True,
    metavar="png|pdf|svg|html",
    help="File formats, repeatable or with commas; html is one page of all figures, figures.html, for a browser that "
    "needs no network.  [png, pdf, svg]",
)
@click.option("--smoke", is_flag=True, help="Of the small variant of SPEC, in results/smoke/NAME.")
@click.option("--partial", is_flag=True, help="Draw what there is of an experiment that has not ended.")
@click.option("--x", type=click.Choice(["log", "linear"]), help="Override the x axis of the regret figures.")
@click.option("--y", type=click.Choice(["log", "linear"]), help="Override the y axis of the regret figures.")
@click.option(
    "--band",
    type=click.Choice(["sem", "std", "quantiles", "none"]),
    help="Override the band around the mean: standard error, standard deviation, 5 % to 95 %, or none.",
)
def command(
    what: tuple[Path, ...], output: Path | None, formats: tuple[str, ...], smoke: bool, partial: bool, **overrides: Any
) -> None:
    """Draw the figures of an experiment, given by its SPEC or by the DIRECTORY of its results, beside its CSV files.

    They are those of the spec's `figures:`; without any, regret on a logarithmic t axis, once with a linear and once
    with a logarithmic y axis. Figures and titles may have changed since it was run; if anything else has, figures of a
    DIRECTORY are those of then, and a SPEC is refused.

    Several results make figures of all of them, in the directory that -o says. They are only read.

    The page of -f html (pip install 'duelbench[html]') also has the numbers at every checkpoint, the spec, versions
    and machine, and the runs that failed.
    """
    from duelbench.errors import UserError
    from duelbench.plots.figures import FORMATS, check_formats, draw_results
    from duelbench.results.present import present
    from duelbench.results.together import together

    asked = list(dict.fromkeys(name.strip() for each in formats for name in each.split(",")))
    check_formats(asked)
    if len(what) > 1 and output is None:
        raise click.UsageError("say where figures of several results go: add -o DIRECTORY")
    found = []
    for each in what:
        if each.is_dir():
            directory, spec = each, None
        elif each.suffix or spec_path(each).is_file():
            spec = spec_path(each)
            directory = _results(spec, smoke, output if len(what) == 1 else None)
        else:
            raise UserError(f"there is no directory {each}: `duelbench run` a spec first to make its results")
        found.append(present(directory, spec=spec, partial=partial, announce=_announce))
    results = together(found) if len(found) > 1 else found[0]
    for path in draw_results(results, output or results.directory, formats=asked or FORMATS, **overrides):
        say(one_line(path))


def _results(spec: Path, smoke: bool, output: Path | None) -> Path:
    """Return the directory of the results of a spec."""
    from duelbench.results.reader import Results
    from duelbench.spec.load import load

    if output is not None and Results(output).has_manifest:
        return output
    return Path("results", *(["smoke"] if smoke else []), load(spec, smoke=smoke).name)


def _announce(line: str) -> None:
    say(one_line(line), err=True)
