"""``duelbench compare``."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duelbench.cli.inputs import PATH
from duelbench.cli.terminal import counted, example, one_line, say, warn
from duelbench.proportions import percent

if TYPE_CHECKING:
    from duelbench.analysis.difference import MeanDifference

_MODULES = 6
"""Maximum number of modules to name if the code of an algorithm differs."""
_UNLIKE = "they depend on the platform, or on an input that is not in the key"


@click.command(name="compare", epilog=example("compare results/a results/b"))
@click.argument("a", type=PATH)
@click.argument("b", type=PATH)
def command(a: Path, b: Path) -> None:
    """Test whether two directories of results agree.

    Runs are compared byte by byte, and mean regret at the last common checkpoint by confidence intervals with a joint
    coverage of 95 %. The verdict is inconclusive if the means do not differ significantly, but the runs are too few
    to detect a difference of half of the mean with a probability of 90 %. Differences between the manifests follow:
    spec, versions, commit, machine. A line says if results are out of date for their spec.

    The exit code is 1 if a mean differs significantly, if a verdict is inconclusive, or if a series cannot be
    compared.
    """
    from duelbench.analysis.compare import compare
    from duelbench.experiment.current import out_of_date
    from duelbench.results.results import Results

    for directory in (a, b):
        if line := out_of_date(Results(directory)):
            warn(f"note: {line}")
    found = compare(a, b)
    for each in found.series:
        said = [f"{each.same:,} runs identical"]
        said += [f"{each.other:,} not"] if each.other else []
        said += [f"{count:,} only in {name}" for name, count in zip("AB", each.only, strict=True) if count]
        said += [f"{count:,} without a file in {name}" for name, count in zip("AB", each.lost, strict=True) if count]
        say(f"{one_line('/'.join(each.labels))}: {', '.join(said)}")
        if each.unlike:
            say(f"  {each.unlike:,} have the same key but different bytes: {_UNLIKE}")
        for difference in found.differences:
            if difference.labels == each.labels:
                mean, other = difference.means
                verdict = "agree" if difference.agrees else "DIFFER" if difference.differs else _too_few(difference)
                interval = f" ± {difference.half_width:.4g}" if math.isfinite(difference.half_width) else ""
                say(
                    f"  {one_line(difference.regret)} regret at t = {difference.t:,}: {mean:,.6g} − {other:,.6g} = "
                    f"{mean - other:,.4g}{interval}  {verdict}"
                )
    for labels, where in found.missing:
        say(f"{one_line('/'.join(labels))}: only in {where}")
    for labels, why in found.unknown:
        say(f"{one_line('/'.join(labels))}: nothing to compare, because {why}")
    if found.conditions or found.code:
        say("\nThe manifests differ in")
        for name, *values in found.conditions:
            say(f"  {one_line(name)}: {' | '.join(map(_shown, values))}")
    for label, names in found.code:
        more = f" and {len(names) - _MODULES} more" if len(names) > _MODULES else ""
        say(f"  code of {one_line(label)}: {one_line(', '.join(names[:_MODULES]))}{more}")
    if not found.series:
        say("\nThe directories have no series in common: nothing to compare")
    verdict = "do not agree"
    if found.identical:
        verdict = "are identical"
    elif found.agrees:
        verdict = "agree"
    elif found.inconclusive:
        verdict = "do not differ significantly, but have too few runs for a conclusion"
    say(f"\n{one_line(a)} and {one_line(b)} {verdict}")
    if not found.agrees:
        sys.exit(1)


def _too_few(difference: MeanDifference) -> str:
    """Say that there are too few runs, and which difference they would have detected."""
    said = f"inconclusive: {counted(difference.runs, 'run')}"
    if not math.isfinite(difference.min_detectable):
        return f"{said}, too few for an interval"
    mean = max(map(abs, difference.means))
    share = f", {percent(difference.min_detectable / mean)} of the mean" if mean > 0 else ""
    return f"{said} would have detected a difference of {difference.min_detectable:,.4g}{share}"


def _shown(value: Any) -> str:
    text = "none" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}…"
