"""``duelbench plot``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duelbench.cli.inputs import PATH, complete_spec, one_by_one, places_of, spec_path
from duelbench.cli.terminal import counted, example, one_line, say, warn
from duelbench.errors import UserError

if TYPE_CHECKING:
    from duelbench.results.results import Results
    from duelbench.spec.resolved import ResolvedSpec


@click.command(
    name="plot",
    epilog=example(
        "plot quickstart",
        "plot results/",
        "plot results/a results/b -o figures -f pdf",
        "plot results/a results/b --panels -o figure1.pdf",
    ),
)
@click.argument(
    "what", metavar="SPEC|DIRECTORY...", nargs=-1, required=True, type=PATH,
    shell_complete=complete_spec,
)  # fmt: skip
@click.option(
    "-o",
    "--output",
    type=PATH,
    help="Directory of the figures; with one SPEC, it may be that of the results.  [beside the results]",
)
@click.option(
    "-f",
    "--format",
    "formats",
    multiple=True,
    metavar="png|pdf|svg",
    help="File formats, repeatable or separated by commas.  [png, pdf, svg]",
)
@click.option(
    "--panels", is_flag=True, help="Draw the first figure of each experiment as panels of one figure, the file -o."
)
@click.option("--smoke", is_flag=True, help="Draw the small variant of SPEC, in results/smoke/NAME.")
@click.option("--partial", is_flag=True, help="Draw an unfinished experiment from the runs so far.")
@click.option("--force", is_flag=True, help="Draw also figures that are newer than their results.")
@click.option("--x", type=click.Choice(["log", "linear"]), help="Override the x axis of the regret figures.")
@click.option("--y", type=click.Choice(["log", "linear"]), help="Override the y axis of the regret figures.")
@click.option(
    "--band",
    type=click.Choice(["sem", "std", "quantiles", "none"]),
    help="Override the band around the mean: standard error, standard deviation, 5 % to 95 % quantiles, or none.",
)
def command(
    what: tuple[Path, ...],
    output: Path | None,
    formats: tuple[str, ...],
    panels: bool,
    smoke: bool,
    partial: bool,
    force: bool,
    **overrides: Any,
) -> None:
    """Draw the figures of experiments.

    Give a SPEC, the DIRECTORY of its results, or a folder such as results/ for every experiment below it; figures are
    written beside the results. They are those listed under `figures:` in the spec; by default, regret against log t,
    with a linear and with a logarithmic y axis.

    In a folder, experiments whose figures are newer than their results are skipped. Those that cannot be drawn are
    named, and the exit code is 2.

    For a SPEC, figures and titles are those that it has now; for a DIRECTORY, those of the run. A line says if the
    results are out of date for the spec, or for the file of an algorithm.

    With -o, several SPECs and DIRECTORIES are drawn combined, and those of a folder each into a directory below. With
    --panels -o FILE, the first figure of each is a panel of one figure (.png, .pdf or .svg) with one legend.
    """
    from duelbench.plots.drawing import FORMATS, check_formats, draw_panels, draw_results, outdated
    from duelbench.results.collection import combined

    asked = list(dict.fromkeys(name.strip() for each in formats for name in each.split(","))) or [*FORMATS]
    check_formats(asked)
    specs: dict[Path, ResolvedSpec | None] = {}
    for each in what:
        if each.is_dir():
            specs |= {place: specs.get(place) for place in places_of([each])}
        else:
            place, plan = _planned(each, smoke, output if len(what) == 1 and not panels else None)
            specs[place] = plan
    if panels:
        if output is None or output.suffix[1:] not in FORMATS or formats:
            raise UserError(
                "--panels writes one file: name it with -o, such as -o figure1.pdf (or .png, .svg), without -f"
            )
        each_one = [_shown(place, spec, partial) for place, spec in specs.items()]
        say(one_line(draw_panels(each_one, output, **overrides)))
        return
    named = [place for place, spec in specs.items() if spec or place in what]
    if output is not None and len(named) == len(specs) > 1:
        both = [_shown(place, spec, partial) for place, spec in specs.items()]
        for path in draw_results(combined(both), output, formats=asked, **overrides):
            say(one_line(path))
        return
    drawn = skipped = 0

    def draw(place: Path) -> None:
        nonlocal drawn, skipped
        results = _shown(place, specs[place], partial)
        into = _into(place, what, output)
        wanted = asked
        if place not in named and not force and results.finished and not any(overrides.values()):
            wanted = [suffix for suffix in asked if outdated(results, into, suffix)]
        for path in draw_results(results, into, formats=wanted, **overrides):
            say(one_line(path))
        drawn += bool(wanted)
        skipped += not wanted

    code = one_by_one([*specs], named, draw, partial=partial)
    if len(named) < len(specs):
        new = f", {skipped} skipped, as their figures are newer than their results (--force draws them)" * bool(skipped)
        warn(f"{counted(drawn, 'experiment')} drawn{new}")
    if code:
        sys.exit(code)


def _into(place: Path, what: tuple[Path, ...], output: Path | None) -> Path:
    """Return the directory for figures: beside the results, or the same relative path below ``output``."""
    if output is None:
        return place
    folder = next((each for each in what if each in place.parents), None)
    inner = place.relative_to(folder) if folder is not None else Path()
    return output / ((folder or place).name if len(what) > 1 else "") / inner


def _planned(named: Path, smoke: bool, output: Path | None) -> tuple[Path, ResolvedSpec]:
    """Return the results directory of a spec, and its plan."""
    from duelbench.experiment.plan import directory_of, make_plan
    from duelbench.results.results import Results
    from duelbench.spec.model import load

    if not named.suffix and not spec_path(named).is_file():
        raise UserError(f"there is no directory {named}: run its spec first, with `duelbench run`")
    plan = make_plan(load(spec_path(named), smoke=smoke))
    return output if output is not None and Results(output).has_manifest else directory_of(plan), plan


def _shown(place: Path, plan: ResolvedSpec | None, partial: bool) -> Results:
    """Return results, with titles and figures of ``plan`` if given. Prints a line if they are out of date."""
    from duelbench.experiment.current import out_of_date
    from duelbench.results.results import Results

    results = Results(place, partial=warn if partial else None)
    if line := out_of_date(results, plan):
        warn(f"note: {line}")
    if plan is not None:
        results.spec = plan
    return results
