"""``duelbench compare``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from duelbench.cli.terminal import one_line, say


@click.command(name="compare", short_help="Say whether two directories of results agree.")
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
def command(a: Path, b: Path) -> None:
    """Say whether the results in A and B agree: to the byte, or else in the mean regret at their last common t.

    The intervals of the differences hold together with 95 %. Then it shows what differs in the manifests: spec,
    versions, commit, machine. Exit code 1 if a mean differs beyond chance, a series is in one of the two alone,
    or there is nothing to compare of one.
    """
    from duelbench.runs.compare import compare

    found = compare(a, b)
    for each in found.series:
        said = [f"{each.same:,} runs identical"]
        said += [f"{each.other:,} not"] if each.other else []
        said += [f"{count:,} only in {name}" for name, count in zip("AB", each.only, strict=True) if count]
        said += [f"{count:,} without a file in {name}" for name, count in zip("AB", each.lost, strict=True) if count]
        say(f"{one_line('/'.join(each.place))}: {', '.join(said)}")
        for difference in found.differences:
            if difference.place == each.place:
                mean, other = difference.means
                verdict = "agree" if difference.agrees else "DIFFER"
                say(
                    f"  {one_line(difference.regret)} regret at t = {difference.t:,}: {mean:,.6g} − {other:,.6g} = "
                    f"{mean - other:,.4g} ± {difference.half_width:.4g}  {verdict}"
                )
    for place, where in found.missing:
        say(f"{one_line('/'.join(place))}: only in {where}")
    for place, why in found.unknown:
        say(f"{one_line('/'.join(place))}: nothing to compare, as {why}")
    if found.conditions:
        say("\nThe manifests differ in")
        for name, *values in found.conditions:
            say(f"  {one_line(name)}: {' | '.join(map(_shown, values))}")
    if not found.series:
        say("\nNo series is in both: there is nothing to compare")
    verdict = "are identical" if found.identical else "agree" if found.agrees else "do not agree"
    say(f"\n{one_line(a)} and {one_line(b)} {verdict}")
    if not found.agrees:
        sys.exit(1)


def _shown(value: Any) -> str:
    text = "none" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}…"
