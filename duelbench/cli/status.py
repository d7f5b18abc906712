"""``duelbench status``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from duelbench.cli.specs import complete_spec, spec_path
from duelbench.cli.terminal import one_line, say

if TYPE_CHECKING:
    from duelbench.runs.files import State

WHAT_HAPPENS: dict[State, str] = {
    "done": "kept",
    "missing": "played",
    "stale": "played again",
    "damaged": "played again",
    "failed": "tried again",
}


@click.command(name="status", short_help="Say what is done and what a rerun would compute, and why.")
@click.argument("what", metavar="SPEC|DIRECTORY", type=click.Path(path_type=Path), shell_complete=complete_spec)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The experiment's directory.  [results/NAME]")
@click.option("--smoke", is_flag=True, help="Of the small variant, in results/smoke/NAME.")
def command(what: Path, output: Path | None, smoke: bool) -> None:
    """Say how every run of a spec stands: done, missing, stale (and what has changed), damaged, or failed.

    For the DIRECTORY of an experiment the spec is the file that it was run from, as it is now.
    """
    from duelbench.errors import UserError
    from duelbench.runs.files import series_directory
    from duelbench.runs.plan import make_plan
    from duelbench.runs.status import leftovers, recorded_spec, status
    from duelbench.spec.load import load

    directory = what if what.is_dir() else output
    spec = load(recorded_spec(what) if what.is_dir() else spec_path(what), smoke=smoke)
    if what.is_dir() and any(entry.runs_a_file for entry in spec.expanded_algorithms()):
        # Results may come from anybody: only a spec that the user names may name code to run.
        raise UserError(f"its spec runs code of a file: say that you mean it, `duelbench status SPEC -o {what}`")
    plan = make_plan(spec)
    directory = directory or Path("results", *(["smoke"] if smoke else []), plan.spec.name)
    width = max(len(planned.label) for planned in plan.algorithms)
    total: Counter[State] = Counter()
    beyond = []
    last = None
    for each in status(plan, directory):
        if each.series.dataset.label != last:
            last = each.series.dataset.label
            say(last)
        said = ", ".join(f"{each.counts[state]} {state}" for state in WHAT_HAPPENS if each.counts.get(state))
        why = f": {one_line('; '.join(each.reasons))}" if each.reasons else ""
        say(f"  {each.series.algorithm.label:{width}}  {said}{why}")
        total.update(each.counts)
        if each.beyond:
            beyond.append((each.beyond, series_directory(directory, each.series)))
    say()
    for state, happens in WHAT_HAPPENS.items():
        if total[state]:
            say(f"{total[state]:>8,} {state:8} {happens} by `duelbench run`")
    for count, path in beyond:
        say(f"{one_line(path)} has {count:,} runs beyond those of the spec; nothing counts or touches them")
    for path in leftovers(plan, directory):
        say(f"{one_line(path)} is not in the spec; nothing touches it")
