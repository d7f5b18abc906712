"""``duelbench check``."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from duelbench.cli.inputs import complete_spec, spec_path
from duelbench.cli.terminal import duration, emit_json, example, say, warn
from duelbench.processes import available_cores

if TYPE_CHECKING:
    from duelbench.experiment.plan import Plan


@click.command(name="check", epilog=example("check quickstart", "check my_spec.yaml --smoke"))
@click.argument("spec", type=click.Path(path_type=Path), required=False, shell_complete=complete_spec)
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
        from duelbench.algorithms.catalogue import catalogue
        from duelbench.sources.datasets import parameter_models
        from duelbench.sources.sequences import ChangeRules
        from duelbench.spec.schema import json_schema
        from duelbench.votes.entries import VoteEntry

        emit_json(json_schema(catalogue(), parameter_models(), VoteEntry, ChangeRules), indent=2)
        return
    if spec is None:
        raise click.UsageError("Missing argument 'SPEC'.")
    from duelbench.analysis.assumptions import unmet_in_plan
    from duelbench.conformance.trial import try_out
    from duelbench.experiment.plan import make_plan
    from duelbench.spec.load import load
    from duelbench.spec.titles import plain

    plan = make_plan(load(spec_path(spec), smoke=smoke))
    try_out(plan, warn)
    runs = plan.runs
    say(f"{plain(plan.spec.title)}\n")
    say(f"datasets    {', '.join(f'{each.label} (K = {each.source.arms})' for each in plan.datasets)}")
    say(f"algorithms  {', '.join(each.label for each in plan.algorithms)}")
    lengths = ", ".join(f"{horizon:,}" for horizon in plan.spec.horizons)
    say(f"budget      {lengths} votes" if plan.spec.count == "votes" else f"horizon     {lengths}")
    say(f"regret      {', '.join(plan.spec.regret)} at {len(plan.checkpoints)} checkpoints")
    for each in plan.algorithms:
        if each.horizons:
            say(f"            {each.label}: one run for each of {len(each.horizons)} horizons")
    series = len(plan.datasets) * len(plan.algorithms)
    if (until := plan.spec.until) is not None:
        of = f" of {' − '.join(until.difference)}" if until.difference else ""
        say(f"until       the standard error{of} is {until.until:.3g} of the mean, {until.least:,} runs at least")
    say(
        f"runs        {'at most ' if until else ''}{runs:,} of each algorithm on each dataset, {runs * series:,} in all"
    )
    say(f"{plan.spec.count:11} {plan.rounds:,}")
    if plan.spec.recommend != "none":
        say(f"recommends  {plan.spec.recommend}")
    several = 2 + any(getattr(figure, "bounds", ()) for figure in plan.spec.figures)
    several += any(each.source.recorded for each in plan.datasets)
    say(f"files       {runs * series:,} of runs, {series:,} of series, {several} of the experiment")
    if plan.unseen:
        say(
            f"unchecked   {', '.join(plan.unseen)}: too many matrices to check in advance; a run whose matrix does not "
            "define the regret fails"
        )
    for sentence in unmet_in_plan(plan):
        say(f"assumptions {sentence}")
    if measured := _measured(plan):
        say(f"time        {measured}")
    say(f"directory   {plan.directory}")


def _measured(plan: Plan) -> str:
    """Return how long all runs take according to the results of earlier ones; empty without such results."""
    from duelbench.errors import UserError
    from duelbench.experiment.execute import TimeLeft
    from duelbench.results.reader import Results

    try:
        manifest = Results(plan.directory).manifest
    except UserError:
        return ""
    if manifest.spec.get("horizons") != list(plan.spec.horizons):
        return ""
    cores = available_cores()
    left, taken = TimeLeft(manifest.seconds_per_run(), lambda: cores), manifest.spec.get("taken", {})
    for labels in (series.labels for series in plan.series):
        played = taken.get(labels.dataset, {}).get(labels.algorithm)
        left.ask(labels, played if plan.spec.until and played else plan.runs)
    seconds = left.seconds()
    each = f"{cores} cores" if cores > 1 else "one core"
    return "" if math.isnan(seconds) else f"about {duration(seconds)} on {each}, measured in earlier runs"
