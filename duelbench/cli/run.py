"""``duelbench run``."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from duelbench.arguments import JOBS
from duelbench.cli.inputs import FiniteRange, WholeRange, choice, complete_spec, spec_path
from duelbench.cli.terminal import example, one_line, say, table, warn
from duelbench.processes import available_cores, start_fork_server
from duelbench.proportions import percent, percent_with_interval, wilson

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from duelbench.experiment.backends import Backend
    from duelbench.experiment.plan import Plan
    from duelbench.results.summary import Final
    from duelbench.results.writer import Execution
    from duelbench.spec.resolved import ResolvedDataset

_MOST_SHARDS = 100_000


def _shard(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[int, int] | None:
    if value is None:
        return None
    number, slash, of = value.partition("/")
    if not (slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of) <= _MOST_SHARDS):
        raise click.BadParameter(f"{value!r} is not a shard: write 3/64 for the third of 64, {_MOST_SHARDS:,} at most")
    return int(number), int(of)


@click.command(name="run", epilog=example("run quickstart", "run my_spec.yaml --smoke -j 4"))
@click.argument("spec", type=click.Path(path_type=Path), shell_complete=complete_spec)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Directory of the results.  [results/NAME]")
@click.option(
    "--smoke", is_flag=True, help="Run the small variant that `smoke` in the spec defines, into results/smoke/NAME."
)
@click.option(
    "-j", "--jobs", type=WholeRange(0, JOBS), help="Worker processes; 0 plays in this process.  [one per core]"
)
@choice(
    "--executor",
    ["local", "dask"],
    "Where runs are played: local processes, or dask workers (here or at --scheduler).",
)
@click.option("--scheduler", metavar="ADDRESS", help="Address of a running dask scheduler, such as tcp://host:8786.")
@click.option(
    "--run-timeout",
    type=FiniteRange(min=0, max=1e7, min_open=True),
    help="Seconds after which a run counts as failed.  [the spec's run_timeout, else none]",
)
@click.option(
    "--shard",
    metavar="I/N",
    callback=_shard,
    help="Play the I-th of N shares of the runs, so that N jobs can share a directory. When all have ended, the "
    "command without --shard writes the summary.",
)
@click.option(
    "--interpreted",
    is_flag=True,
    help="Run as plain Python, slowly, into results/interpreted/NAME. With -j 0, breakpoints, pdb and prints in your "
    "algorithm work.",
)
@click.option(
    "--checked",
    is_flag=True,
    help="Run compiled code with array bounds checked, into results/checked/NAME; an index out of bounds is an error.",
)
def command(
    spec: Path,
    output: Path | None,
    smoke: bool,
    jobs: int | None,
    executor: str,
    scheduler: str | None,
    run_timeout: float | None,
    shard: tuple[int, int] | None,
    interpreted: bool,
    checked: bool,
) -> None:
    """Run the experiment of a spec.

    SPEC is a YAML file, or the name of a shipped spec (`duelbench list specs`). Its results go into a directory: one
    CSV file for each run, a summary, and a manifest.

    Finished runs are reused, and runs whose spec, code or seed has changed are played again: to continue an interrupted
    command, repeat it. Results do not depend on -j.

    An algorithm from your own file is tried first, as in `check`. A spec that names your file runs it: use only files
    that you trust.
    """
    if interpreted and checked:
        raise click.UsageError("--interpreted checks array bounds anyway: leave out --checked")
    how = "interpreted" if interpreted else "checked" if checked else ""
    if how and executor != "local":
        raise click.UsageError(f"--{how} runs on this machine only: leave out --executor")
    if how:  # before numba is imported, here and in the workers
        os.environ["NUMBA_DISABLE_JIT" if interpreted else "NUMBA_BOUNDSCHECK"] = "1"
    if executor == "local" and jobs != 0:
        start_fork_server()  # it imports what follows, too
    from duelbench.cli.terminal import announce
    from duelbench.conformance.trial import try_out
    from duelbench.experiment.backends import dask, local
    from duelbench.experiment.plan import make_plan
    from duelbench.spec.load import load

    if scheduler and executor != "dask":
        raise click.UsageError("--scheduler is for dask: add --executor dask")
    plan = make_plan(load(spec_path(spec), smoke=smoke), how)
    if not (interpreted and jobs == 0):
        try_out(plan, warn, compiled=not interpreted)
    directory = output or plan.directory
    workers = available_cores() if jobs is None else jobs
    backend = local(workers) if executor == "local" else dask(scheduler, workers, announce)
    execution = play(plan, directory, backend, run_timeout, shard)
    if shard is not None:
        say(
            f"runs of shard {shard[0]}/{shard[1]}: {execution.played} played, {execution.reused} reused; when all "
            "shards have ended, the same command without --shard writes the summary"
        )
    elif not execution.gone:
        _print_summary(plan, execution, directory)
    finish(execution)


def play(
    plan: Plan,
    directory: Path,
    backend: AbstractContextManager[Backend],
    run_timeout: float | None = None,
    shard: tuple[int, int] | None = None,
) -> Execution:
    """Play the missing runs of a plan, or of a shard of it, with progress; exit with code 130 on Ctrl-C."""
    from duelbench.cli.terminal import Progress, announce
    from duelbench.experiment.execute import Shard, execute, play_shard

    player = execute if shard is None else partial(play_shard, shard=Shard(*shard))
    try:
        with Progress(plan.rounds, plan.spec.count or "rounds") as bar:
            return player(plan, directory, backend, announce=announce, progress=bar.show, run_timeout=run_timeout)
    except KeyboardInterrupt:
        say("interrupted: repeat the command to continue; it reuses the finished runs", err=True)
        sys.exit(130)


def finish(execution: Execution) -> None:
    """Print failures, if any, and exit with code 1."""
    if execution.failures:
        failed = sorted(execution.failures)
        say(f"\n{len(failed)} run{'' if len(failed) == 1 else 's'} failed; tracebacks are in", err=True)
        for path in failed[:10]:
            error = path.read_text(encoding="utf-8").rstrip().rpartition("\n")[2]
            say(f"  {one_line(path)}: {one_line(error)}", err=True)
        if len(failed) > 10:
            say(f"  … and {len(failed) - 10} more", err=True)
    if execution.gone:
        say(
            f"error: no summary was written, because another program removed or changed {len(execution.gone)} files "
            f"of finished runs, such as {one_line(execution.gone[0])}: repeat the command",
            err=True,
        )
    if execution.failures or execution.gone:
        sys.exit(1)


def _print_summary(plan: Plan, execution: Execution, directory: Path) -> None:
    """Print the final regret of every algorithm, one block per dataset, on one screen if possible."""
    import numpy as np

    from duelbench.analysis.assumptions import unmet_in_plan
    from duelbench.results.identity import Labels
    from duelbench.results.scan import lacks_precision
    from duelbench.results.summary import heavy_tailed
    from duelbench.spec.titles import plain

    kind = plan.spec.regret[0]
    at = f"{plan.spec.horizons[-1]:,} votes" if plan.spec.count == "votes" else f"T = {plan.spec.horizons[-1]:,}"
    say(f"{plain(plan.spec.title)}: {kind} regret at {at}")
    headings = {label: plain(title) for label, title in plan.resolved.dataset_titles().items()}
    names = {label: plain(title) for label, title in plan.resolved.algorithm_titles().items()}
    recommends = plan.spec.recommend != "none"
    header = ["", "mean", "± s.e.", "std", "runs", "s/run", "best", "worst"]
    header += ["right", "tau" if plan.spec.order_goal else "simple regret", "most often named"] if recommends else []
    rows, tails, imprecise = [], [], []
    for dataset in plan.datasets:
        for algorithm in plan.algorithms:
            final = execution.final[Labels(dataset.label, algorithm.label)]
            seconds = execution.seconds[Labels(dataset.label, algorithm.label)]
            mean = f"{final.mean:,.1f}" if final.runs else "—"
            std = f"{final.std:,.1f}" if final.runs > 1 else "—"
            error = f"{final.std / np.sqrt(final.runs):,.1f}" if final.runs > 1 else "—"
            took = f"{seconds.total / seconds.runs:.3g}" if seconds.runs else "—"
            ends = [f"#{number}" if final.runs > 1 else "—" for number in (final.best, final.worst)]
            row = [names[algorithm.label], mean, error, std, str(final.runs), took, *ends]
            if recommends:
                row += _recommendations(dataset, final)
            rows.append(row)
            if heavy_tailed(final.runs, final.kurtosis):
                tails.append((f"{dataset.label}/{algorithm.label}", final))
            if lacks_precision(plan.spec.until, final):
                imprecise.append((f"{dataset.label}/{algorithm.label}", final))
    first, *lines = table(header, rows, drop=("s/run", "best", "std", "worst", "runs", "most often named"))
    for index, dataset in enumerate(plan.datasets):
        block = lines[index * len(plan.algorithms) : (index + 1) * len(plan.algorithms)]
        say("\n".join(["", headings[dataset.label], first, *block]))
    for place, final in imprecise:
        reached = final.std / np.sqrt(final.runs) / abs(final.mean) if final.mean else np.inf
        say(f"\n{place}: the standard error is {reached:.2g} of the mean after {final.runs:,} runs, the most allowed")
    for place, final in tails:
        say(
            f"\n{place}: run {final.furthest} alone makes up {percent(final.largest)} of the variance. Rare runs like "
            "it dominate the mean, so its standard error is unreliable; `duelbench trace` shows what happened in it"
        )
    for sentence in unmet_in_plan(plan):
        say(f"\n{sentence}")
    say(f"\nruns: {execution.played} played, {execution.reused} reused; results in {one_line(directory)}")


def _recommendations(dataset: ResolvedDataset, final: Final) -> list[str]:
    """Return the cells on recommended arms."""
    if final.right is None:
        return ["—", "—", "—"]
    low, high = wilson(final.right, final.runs)
    named = "—"
    if final.named is not None and not dataset.source.varies:
        arm, share = final.named
        arms = dataset.source.arm_names
        named = f"{arms[arm] if arms else f'arm {arm}'} ({percent(share)})"
    return [percent_with_interval(final.right, low, high), f"{final.away:.4f}", named]
