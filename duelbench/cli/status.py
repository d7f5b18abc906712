"""``duelbench status``."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from duelbench.cli.inputs import complete_spec, places_of, refuse_files, spec_path
from duelbench.cli.terminal import example, one_line, say, warn

if TYPE_CHECKING:
    from duelbench.results.reader import Results
    from duelbench.results.run_files import State
    from duelbench.spec.model import Spec

_WHAT_HAPPENS: dict[State, str] = {
    "done": "reused",
    "missing": "played",
    "out of date": "played again",
    "damaged": "played again",
    "failed": "tried again",
}


_MANY = 10_000
"""The number of runs that take long to examine."""
_FIRST = 5
"""The number of differences that are named in a line about an experiment."""


@click.command(name="status", epilog=example("status quickstart", "status results/quickstart", "status results/"))
@click.argument(
    "names", metavar="SPEC|DIRECTORY...", nargs=-1, required=True, type=click.Path(path_type=Path),
    shell_complete=complete_spec,
)  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Directory of the results.  [results/NAME]")
@click.option("--smoke", is_flag=True, help="Show the small variant, in results/smoke/NAME.")
def command(names: tuple[Path, ...], output: Path | None, smoke: bool) -> None:
    """Show which runs are done and what a rerun would compute.

    Runs are done, missing, out of date (with what has changed), damaged or failed. For the DIRECTORY of an experiment,
    the spec is the file that it was run from, as it is now. A summary without run files is current, or out of date if
    the spec or the version of an algorithm, of a generator or of the engine has changed. Several directories, and all
    experiments below a folder such as results/, get one line each. Exit code 2: results cannot be read.
    """
    from duelbench.errors import UserError
    from duelbench.results.reader import Results

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
    """Return whether results are current, in a line. Raises UserError if they cannot be read."""
    from duelbench.errors import UserError
    from duelbench.experiment.plan import make_plan
    from duelbench.results.manifest import progress_of_shards
    from duelbench.results.status import status

    directory, _ = results.directory, results.spec
    try:
        plan = make_plan(_spec_of(results), results.how)
        found = status(plan.wanted, directory)
    except UserError as error:
        return f"not compared, {one_line(error.message)}"
    reasons = dict.fromkeys(reason for each in found for reason in each.reasons)
    counts = sum((Counter(each.counts) for each in found if not each.summarised), Counter[str]())
    wrong = [*reasons][:_FIRST]
    wrong += [f"{len(reasons) - _FIRST} further differences"] * (len(reasons) > _FIRST)
    wrong += [f"{counts[state]:,} runs {state}" for state in _WHAT_HAPPENS if state != "done" and counts[state]]
    if progress := progress_of_shards(directory):
        wrong.append(progress)
    return f"out of date ({'; '.join(map(one_line, wrong))})" if wrong else "current"


def _spec_of(results: Results, smoke: bool = False) -> Spec:
    """Return the spec of results; a line says if its file is missing."""
    spec = results.recorded_spec(smoke=smoke)
    refuse_files(spec.algorithms, f"`duelbench status SPEC -o {results.directory}`")
    if results.spec_file is None or not results.spec_file.is_file():
        warn(f"{results.directory}: the file of its spec is missing; compared with the spec that was run")
    return spec


def _show(what: Path, output: Path | None, smoke: bool) -> None:
    from duelbench.experiment.plan import make_plan
    from duelbench.results.manifest import progress_of_shards
    from duelbench.results.reader import Results
    from duelbench.results.run_files import series_directory
    from duelbench.results.scan import how_to_rename
    from duelbench.results.status import leftovers, status
    from duelbench.spec.load import load

    directory = what if what.is_dir() else output
    if what.is_dir():
        plan = make_plan(_spec_of(Results(what), smoke), Results(what).how)
    else:
        small = smoke or (output is not None and Results(output).small)
        plan = make_plan(load(spec_path(what), smoke=small), Results(output).how if output else "")
    if plan.spec.small and not smoke:
        say("This is the small variant (--smoke)\n")
    directory = directory or Path("results", *(["smoke"] if smoke else []), plan.spec.name)
    width = max(len(planned.label) for planned in plan.algorithms)
    total: Counter[State] = Counter()
    beyond = []
    results, summarised, old = Results(directory), 0, 0
    last = None
    if (runs := len(plan.wanted.series) * len(plan.wanted.numbers)) >= _MANY:
        say(f"examining {runs:,} runs…", err=True)
    for each in status(plan.wanted, directory):
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
            beyond.append((each.beyond, series_directory(directory, each.series.labels)))
    say()
    for state, happens in _WHAT_HAPPENS.items():
        if total[state]:
            say(f"{total[state]:>8,} {state:12} {happens} by `duelbench run`")
    if summarised:
        say(f"{summarised:>8,} done         only in the summary; `duelbench run` would play them again")
    if old:
        say(f"{old:>8,} of these are out of date")
    if progress := progress_of_shards(directory):
        say(progress)
    for count, path in beyond:
        say(f"{one_line(path)} has {count:,} runs more than the spec asks for; they are ignored")
    for line in how_to_rename(plan.wanted, directory):
        say(line)
    for path in leftovers(plan.wanted, directory):
        say(f"{one_line(path)} is not in the spec and is left alone")
