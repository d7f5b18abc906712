"""``duelbench plot``."""

import sys
from pathlib import Path
from typing import Any

import click

from duelbench.cli.inputs import complete_spec, one_by_one, places_of, spec_path
from duelbench.cli.terminal import example, one_line, say, warn
from duelbench.errors import UserError


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

    Figures and titles in the spec may have changed since the run. If anything else has changed, a SPEC is refused,
    and for a DIRECTORY the recorded figures are drawn.

    With -o, several SPECs and DIRECTORIES are drawn combined, and those of a folder each into a directory below. With
    --panels -o FILE, the first figure of each is a panel of one figure (.png, .pdf or .svg) with one legend.
    """
    from duelbench.plots.drawing import FORMATS, check_formats, draw_panels, draw_results, outdated
    from duelbench.results.collection import combined
    from duelbench.results.reader import current_results

    asked = list(dict.fromkeys(name.strip() for each in formats for name in each.split(","))) or [*FORMATS]
    check_formats(asked)
    specs: dict[Path, Path | None] = {}
    for each in what:
        if each.is_dir():
            specs |= {place: specs.get(place) for place in places_of([each])}
        else:
            spec = _spec(each)
            specs[_results(spec, smoke, output if len(what) == 1 and not panels else None)] = spec
    if panels:
        if output is None or output.suffix[1:] not in FORMATS or formats:
            raise UserError(
                "--panels writes one file: name it with -o, such as -o figure1.pdf (or .png, .svg), without -f"
            )
        each_one = [current_results(place, spec=spec, partial=partial, announce=warn) for place, spec in specs.items()]
        say(one_line(draw_panels(each_one, output, **overrides)))
        return
    named = [place for place, spec in specs.items() if spec or place in what]
    if output is not None and len(named) == len(specs) > 1:
        both = [current_results(place, spec=spec, partial=partial, announce=warn) for place, spec in specs.items()]
        for path in draw_results(combined(both), output, formats=asked, **overrides):
            say(one_line(path))
        return
    drawn = skipped = 0

    def draw(place: Path) -> None:
        nonlocal drawn, skipped
        results = current_results(place, spec=specs[place], partial=partial, announce=warn)
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
        warn(f"{drawn} experiment{'' if drawn == 1 else 's'} drawn{new}")
    if code:
        sys.exit(code)


def _into(place: Path, what: tuple[Path, ...], output: Path | None) -> Path:
    """Return where to draw an experiment: beside its results, or in the output as in its folder."""
    if output is None:
        return place
    folder = next((each for each in what if each in place.parents), None)
    inner = place.relative_to(folder) if folder is not None else Path()
    return output / ((folder or place).name if len(what) > 1 else "") / inner


def _spec(named: Path) -> Path:
    """Return the spec of this name."""
    if not named.suffix and not spec_path(named).is_file():
        raise UserError(f"there is no directory {named}: run its spec first, with `duelbench run`")
    return spec_path(named)


def _results(spec: Path, smoke: bool, output: Path | None) -> Path:
    """Return the directory of the results of a spec."""
    from duelbench.results.reader import Results
    from duelbench.spec.load import load

    if output is not None and Results(output).has_manifest:
        return output
    return Path("results", *(["smoke"] if smoke else []), load(spec, smoke=smoke).name)
