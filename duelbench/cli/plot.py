"""``duelbench plot``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from duelbench.cli.specs import complete_spec, spec_path
from duelbench.cli.terminal import example, one_line, say, warn


@click.command(name="plot", epilog=example("plot quickstart", "plot results/a results/b -o figures -f pdf"))
@click.argument(
    "what", metavar="SPEC|DIRECTORY...", nargs=-1, required=True, type=click.Path(path_type=Path),
    shell_complete=complete_spec,
)  # fmt: skip
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Directory of the figures; with one SPEC, it may be that of the results.  [beside the results]",
)
@click.option(
    "-f",
    "--format",
    "formats",
    multiple=True,
    metavar="png|pdf|svg|html",
    help="File formats, repeatable or separated by commas; html writes one page with all figures, figures.html, which "
    "works offline.  [png, pdf, svg]",
)
@click.option("--smoke", is_flag=True, help="Draw the small variant of SPEC, in results/smoke/NAME.")
@click.option("--partial", is_flag=True, help="Draw an unfinished experiment from the runs so far.")
@click.option("--x", type=click.Choice(["log", "linear"]), help="Override the x axis of the regret figures.")
@click.option("--y", type=click.Choice(["log", "linear"]), help="Override the y axis of the regret figures.")
@click.option(
    "--band",
    type=click.Choice(["sem", "std", "quantiles", "none"]),
    help="Override the band around the mean: standard error, standard deviation, 5 % to 95 % quantiles, or none.",
)
def command(
    what: tuple[Path, ...], output: Path | None, formats: tuple[str, ...], smoke: bool, partial: bool, **overrides: Any
) -> None:
    """Draw the figures of experiments.

    Give a SPEC, or the DIRECTORY of its results; figures are written beside the results. They are those listed under
    `figures:` in the spec; by default, regret against log t, with a linear and with a logarithmic y axis.

    Figures and titles in the spec may have changed since the run. If anything else has changed, a SPEC is refused,
    and for a DIRECTORY the recorded figures are drawn.

    Several results are drawn together, into the directory given by -o.

    With -f html (pip install 'duelbench[html]'), the page also has the numbers at every checkpoint, the spec,
    versions and machine, and the failed runs.
    """
    from duelbench.errors import UserError
    from duelbench.plots.figures import FORMATS, check_formats, draw_results
    from duelbench.results.present import present
    from duelbench.results.together import together

    asked = list(dict.fromkeys(name.strip() for each in formats for name in each.split(",")))
    check_formats(asked)
    if len(what) > 1 and output is None:
        raise click.UsageError("several results need a directory for their figures: add -o DIRECTORY")
    found = []
    for each in what:
        if each.is_dir():
            directory, spec = each, None
        elif each.suffix or spec_path(each).is_file():
            spec = spec_path(each)
            directory = _results(spec, smoke, output if len(what) == 1 else None)
        else:
            raise UserError(f"there is no directory {each}: run its spec first, with `duelbench run`")
        found.append(present(directory, spec=spec, partial=partial, announce=warn))
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
