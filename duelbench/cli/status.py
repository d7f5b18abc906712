"""``duelbench status``."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from duelbench.cli.inputs import PATH, complete_spec, places_of, refuse_files, spec_path
from duelbench.cli.terminal import example, one_line, say, warn
from duelbench.errors import UserError

if TYPE_CHECKING:
    from duelbench.results.results import Results
    from duelbench.results.runs import State
    from duelbench.spec.model import Spec

_WHAT_HAPPENS: dict[State, str] = {
    "done": "reused",
    "missing": "played",
    "out of date": "played again",
    "damaged": "played again",
    "failed": "tried again",
}


_MANY = 10_000
"""From this number of runs on, a line says that examining them takes time."""
_FIRST = 5
"""Maximum number of differences named for an experiment."""


@click.command(name="status", epilog=example("status quickstart", "status results/quickstart", "status results/"))
@click.argument(
    "names", metavar="SPEC|DIRECTORY...", nargs=-1, required=True, type=PATH,
    shell_complete=complete_spec,
)  # fmt: skip
@click.option("-o", "--output", type=PATH, help="Directory of the results.  [results/NAME]")
@click.option("--smoke", is_flag=True, help="Show the small variant, in results/smoke/NAME.")
def command(names: tuple[Path, ...], output: Path | None, smoke: bool) -> None:
    """Show which runs are done and what a rerun would compute.

    Runs are done, missing, out of date (with what has changed), damaged or failed. For the DIRECTORY of an experiment,
    the spec is the file that it was run from, as it is now. A summary without run files is current, or out of date if
    the spec or the version of an algorithm, of a generator or of the engine has changed. Several directories, and all
    experiments below a folder such as results/, get one line each. Exit code 2: results cannot be read.
    """
    from duelbench.results.results import Results

    places = places_of(names) if len(names) > 1 or names[0].is_dir() else [*names]
    if places == [*names] and len(names) == 1:
        _show(names[0], output, smoke)
        return
    if output or smoke:
        raise click.UsageError("-o and --smoke are for one spec or directory: leave them out")
    unread = 0
    for place in places:
        try:
            said = _in_short(Results(place))
        except UserError as error:
            said = f"not compared, {one_line(error.message)}"
            unread += 1
        say(f"{one_line(place)}: {said}")
    if unread:
        sys.exit(2)


def _in_short(results: Results) -> str:
    """Say in one line whether results are current. Raises UserError if they cannot be read."""
    from duelbench.experiment.plan import make_plan
    from duelbench.results.results import Results

    mode = results.ran.mode
    try:
        found = Results(results.directory, make_plan(_spec_of(results), mode)).status()
    except UserError as error:
        return f"not compared, {one_line(error.message)}"
    reasons = dict.fromkeys(reason for each in found for reason in each.reasons)
    counts = sum((Counter(each.counts) for each in found if not each.summarised), Counter[str]())
    wrong = [*reasons][:_FIRST]
    wrong += [f"{len(reasons) - _FIRST} further differences"] * (len(reasons) > _FIRST)
    wrong += [f"{counts[state]:,} runs {state}" for state in _WHAT_HAPPENS if state != "done" and counts[state]]
    return f"out of date ({'; '.join(map(one_line, wrong))})" if wrong else "current"


def _spec_of(results: Results, smoke: bool = False) -> Spec:
    """Return the spec of results; a line says if its file is missing."""
    spec = results.recorded_spec(smoke=smoke)
    refuse_files(spec.algorithms, f"`duelbench status SPEC -o {results.directory}`")
    if results.spec_file is None or not results.spec_file.is_file():
        warn(f"{results.directory}: the file of its spec is missing; compared with the spec that was run")
    return spec


def _show(what: Path, output: Path | None, smoke: bool) -> None:
    from duelbench.experiment.plan import directory_of, make_plan
    from duelbench.results.results import Results
    from duelbench.spec.model import load

    directory = what if what.is_dir() else output
    there = Results(directory) if directory is not None else None
    known = there if there is not None and (what.is_dir() or there.has_manifest) else None
    if what.is_dir():
        assert known is not None
        spec = _spec_of(known, smoke)
    else:
        spec = load(spec_path(what), smoke=smoke or (known is not None and known.manifest.small))
    plan = make_plan(spec, known.ran.mode if known is not None else "compiled")
    if spec.small and not smoke:
        say("This is the small variant (--smoke)\n")
    directory = directory or directory_of(plan)
    width = max(len(planned.label) for planned in plan.algorithms)
    total: Counter[State] = Counter()
    beyond = []
    results, summarised, old = Results(directory, plan), 0, 0
    last = None
    if (runs := len(plan.series) * len(plan.numbers)) >= _MANY:
        say(f"examining {runs:,} runs…", err=True)
    for each in results.status():
        if each.series.labels.dataset != last:
            last = each.series.labels.dataset
            say(last)
        if each.summarised:
            by = f" by duelbench {one_line(results.version)}" if results.version else ""
            state = f"out of date: {one_line('; '.join(each.reasons))}" if each.reasons else "current"
            said = f"{state}; summary of {each.summarised:,} runs{by}, run files not kept"
            say(f"  {each.series.labels.algorithm:{width}}  {said}")
            old += each.summarised if each.reasons else 0
            summarised += each.summarised
            continue
        said = ", ".join(f"{each.counts[state]} {state}" for state in _WHAT_HAPPENS if each.counts.get(state))
        why = f": {one_line('; '.join(each.reasons))}" if each.reasons else ""
        say(f"  {each.series.labels.algorithm:{width}}  {said}{why}")
        total.update(each.counts)
        if each.beyond:
            beyond.append((each.beyond, directory.joinpath(*each.series.labels)))
    say()
    for state, happens in _WHAT_HAPPENS.items():
        if total[state]:
            say(f"{total[state]:>8,} {state:12} {happens} by `duelbench run`")
    if summarised:
        say(f"{summarised:>8,} done         only in the summary; `duelbench run` would play them again")
    if old:
        say(f"{old:>8,} of these are out of date")
    for count, path in beyond:
        say(f"{one_line(path)} has {count:,} runs more than the spec asks for; they are ignored")
    for line in results.how_to_rename():
        say(line)
    for path in results.leftovers():
        say(f"{one_line(path)} is not in the spec and is left alone")
