"""``duelbench check``."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from duelbench.cli.inputs import PATH, complete_spec, spec_path
from duelbench.cli.terminal import duration, emit_json, example, say, warn
from duelbench.errors import UserError
from duelbench.processes import available_cores

if TYPE_CHECKING:
    from duelbench.spec.resolved import ResolvedSpec


@click.command(name="check", epilog=example("check quickstart", "check my_spec.yaml --smoke"))
@click.argument("spec", type=PATH, required=False, shell_complete=complete_spec)
@click.option("--smoke", is_flag=True, help="Check the small variant that `smoke` in the spec defines.")
@click.option("--schema", is_flag=True, help="Print the JSON schema of specs, for editors, and exit.")
def command(spec: Path | None, smoke: bool, schema: bool) -> None:
    """Validate a spec without running it.

    Prints the plan of the experiment: datasets, algorithms, and numbers of runs, rounds and files; algorithms
    whose assumptions the matrix of the first run does not meet; and an estimate of the time, if there are results of
    earlier runs. The first rounds of your own algorithms are played in a separate process, as plain Python and compiled
    with array bounds checked; both must make the same choices.

    If something is wrong, one line says what to correct, and the exit code is 2.
    """
    if schema:
        from duelbench.spec.model import json_schema

        emit_json(json_schema(), indent=2)
        return
    if spec is None:
        raise click.UsageError("Missing argument 'SPEC'.")
    from duelbench.analysis.assumptions import sentences_of
    from duelbench.experiment.matrix_tables import unmet_in
    from duelbench.experiment.plan import directory_of, make_plan
    from duelbench.experiment.trial import try_out
    from duelbench.spec.model import load
    from duelbench.spec.titles import plain

    plan = make_plan(load(spec_path(spec), smoke=smoke))
    try_out(plan, warn)
    runs, until = plan.runs, plan.until
    say(f"{plain(plan.title)}\n")
    say(f"datasets    {', '.join(f'{each.label} (K = {each.source.arms})' for each in plan.datasets)}")
    say(f"algorithms  {', '.join(each.label for each in plan.algorithms)}")
    lengths = ", ".join(f"{horizon:,}" for horizon in plan.horizons)
    say(f"budget      {lengths} votes" if plan.count == "votes" else f"horizon     {lengths}")
    say(f"regret      {', '.join(plan.regret)} at {len(plan.checkpoints)} checkpoints")
    for each in plan.algorithms:
        if each.horizons:
            say(f"            {each.label}: one run for each of {len(each.horizons)} horizons")
    series = len(plan.datasets) * len(plan.algorithms)
    if until is not None:
        say(f"until       the standard error is {until.until:.3g} of the mean, {until.least:,} runs at least")
    say(
        f"runs        {'at most ' if until else ''}{runs:,} of each algorithm on each dataset, {runs * series:,} in all"
    )
    say(f"{plan.count:11} {plan.rounds:,}")
    if plan.recommend != "none":
        say(f"recommends  {plan.recommend}")
    several = 2 + any(getattr(figure, "bounds", ()) for figure in plan.figures)
    several += any(each.source.recorded for each in plan.datasets)
    say(f"files       {runs * series:,} of runs, {series:,} of series, {several} of the experiment")
    for sentence in sentences_of(unmet_in(plan), plan):
        say(f"assumptions {sentence}")
    if measured := _measured(plan):
        say(f"time        {measured}")
    say(f"directory   {directory_of(plan)}")


def _measured(plan: ResolvedSpec) -> str:
    """Estimate the time of all runs from earlier results; empty if there are none."""
    from duelbench.experiment.plan import directory_of
    from duelbench.results.results import Results

    before = Results(directory_of(plan))
    try:
        if before.ran.horizons != plan.horizons:
            return ""
    except UserError:
        return ""
    cores, seconds, each_run = available_cores(), 0.0, before.manifest.seconds_per_run()
    for labels in (series.labels for series in plan.series):
        runs = len(before.runs[labels].asked) if plan.until and labels in before.runs else plan.runs
        seconds += runs * each_run.get(labels, math.nan) / cores
    each = f"{cores} cores" if cores > 1 else "one core"
    return "" if math.isnan(seconds) else f"about {duration(seconds)} on {each}, measured in earlier runs"
