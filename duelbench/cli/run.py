"""``duelbench run``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from duelbench.arguments import JOBS
from duelbench.cli.inputs import PATH, FiniteRange, WholeRange, choice, complete_spec, spec_path
from duelbench.cli.terminal import Progress, announce, counted, example, one_line, say, table, warn
from duelbench.processes import available_cores, start_fork_server
from duelbench.proportions import percent, percent_with_interval, wilson

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from duelbench.experiment.backends import Backend
    from duelbench.results.results import Results
    from duelbench.results.summary import Final
    from duelbench.spec.resolved import ResolvedDataset, ResolvedSpec
    from duelbench.spec.values import Mode

_MOST_SHARDS = 100_000


def _shard(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[int, int] | None:
    if value is None:
        return None
    number, slash, of = value.partition("/")
    if not (slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of) <= _MOST_SHARDS):
        raise click.BadParameter(f"{value!r} is not a shard: write 3/64 for the third of 64, {_MOST_SHARDS:,} at most")
    return int(number), int(of)


@click.command(name="run", epilog=example("run quickstart", "run my_spec.yaml --smoke -j 4"))
@click.argument("spec", type=PATH, shell_complete=complete_spec)
@click.option("-o", "--output", type=PATH, help="Directory of the results.  [results/NAME]")
@click.option(
    "--smoke", is_flag=True, help="Run the small variant that `smoke` in the spec defines, into results/smoke/NAME."
)
@click.option(
    "-j", "--jobs", type=WholeRange(0, JOBS), help="Worker processes; 0 plays in this process.  [one per core]"
)
@choice(
    "--executor", ["local", "dask"], "Where runs are played: local processes, or dask workers (here or at --scheduler)."
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
    mode: Mode = "interpreted" if interpreted else "checked" if checked else "compiled"
    if mode != "compiled" and executor != "local":
        raise click.UsageError(f"--{mode} runs on this machine only: leave out --executor")
    if mode != "compiled":  # before numba is imported, here and in the workers
        os.environ["NUMBA_DISABLE_JIT" if interpreted else "NUMBA_BOUNDSCHECK"] = "1"
    if executor == "local" and jobs != 0:
        start_fork_server()  # it imports the modules below, too
    from duelbench.experiment.backends import dask, local
    from duelbench.experiment.current import check_place
    from duelbench.experiment.plan import directory_of, make_plan
    from duelbench.experiment.trial import try_out
    from duelbench.spec.model import load

    if scheduler and executor != "dask":
        raise click.UsageError("--scheduler is for dask: add --executor dask")
    plan = make_plan(load(spec_path(spec), smoke=smoke), mode)
    if not (interpreted and jobs == 0):
        try_out(plan, warn, compiled=not interpreted)
    directory = output or directory_of(plan)
    check_place(directory, plan, warn, named=output is not None)
    workers = available_cores() if jobs is None else jobs
    backend = local(workers) if executor == "local" else dask(scheduler, workers, announce)
    results = play(plan, directory, backend, run_timeout, shard)
    if shard is not None:
        say(
            f"runs of shard {shard[0]}/{shard[1]}: {results.played} played, {results.reused} reused; when all "
            "shards have ended, the same command without --shard writes the summary"
        )
    elif not results.gone:
        _print_summary(results)
    finish(results)


def play(
    plan: ResolvedSpec,
    directory: Path,
    backend: AbstractContextManager[Backend],
    run_timeout: float | None = None,
    shard: tuple[int, int] | None = None,
) -> Results:
    """Play the missing runs of a plan, or of a shard of it, with progress; exit with code 130 on Ctrl-C."""
    from duelbench.experiment.execute import execute

    try:
        with Progress(plan.rounds, plan.count) as bar:
            return execute(
                plan, directory, backend, announce=announce, progress=bar.show, run_timeout=run_timeout, shard=shard
            )
    except KeyboardInterrupt:
        say("interrupted: repeat the command to continue; it reuses the finished runs", err=True)
        sys.exit(130)


def finish(results: Results) -> None:
    """Print failures, if any, and exit with code 1."""
    if failed := sorted(results.failures):
        say(f"\n{counted(len(failed), 'run')} failed; tracebacks are in", err=True)
        for path in failed[:10]:
            error = path.read_text(encoding="utf-8").rstrip().rpartition("\n")[2]
            say(f"  {one_line(path)}: {one_line(error)}", err=True)
        if len(failed) > 10:
            say(f"  … and {len(failed) - 10} more", err=True)
    if results.gone:
        say(
            f"error: no summary was written, because another program removed or changed {len(results.gone)} files "
            f"of finished runs, such as {one_line(results.gone[0])}: repeat the command",
            err=True,
        )
    if failed or results.gone:
        sys.exit(1)


def _print_summary(results: Results) -> None:
    """Print the final regret of every algorithm, one block per dataset, on one screen if possible."""
    import numpy as np

    from duelbench.analysis.assumptions import sentences_of
    from duelbench.results.summary import heavy_tailed
    from duelbench.spec.titles import plain

    plan, last = results.spec, f"{results.spec.horizons[-1]:,}"
    at = f"{last} votes" if plan.count == "votes" else f"T = {last}"
    say(f"{plain(plan.title)}: {plan.regret[0]} regret at {at}")
    headings = {label: plain(title) for label, title in plan.dataset_titles().items()}
    names = {label: plain(title) for label, title in plan.algorithm_titles().items()}
    recommends = plan.recommend != "none"
    header = ["", "mean", "± s.e.", "std", "runs", "s/run", "best", "worst"]
    header += ["right", "tau" if plan.order_goal else "simple regret", "most often named"] if recommends else []
    rows, tails, imprecise = [], [], []
    for labels, runs in results.runs.items():
        assert runs.summary is not None
        final, seconds = runs.summary.final, runs.seconds
        mean = f"{final.mean:,.1f}" if final.runs else "—"
        std = f"{final.std:,.1f}" if final.runs > 1 else "—"
        error = f"{final.std / np.sqrt(final.runs):,.1f}" if final.runs > 1 else "—"
        took = f"{seconds.total / seconds.runs:.3g}" if seconds.runs else "—"
        ends = [f"#{number}" if final.runs > 1 else "—" for number in (final.best, final.worst)]
        row = [names[labels.algorithm], mean, error, std, str(final.runs), took, *ends]
        if recommends:
            row += _recommendations(runs.series.dataset, final)
        rows.append(row)
        if heavy_tailed(final.runs, final.kurtosis):
            tails.append(("/".join(labels), final))
        if runs.lacks_precision:
            imprecise.append(("/".join(labels), final))
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
    for sentence in sentences_of(results.unmet, plan):
        say(f"\n{sentence}")
    say(f"\nruns: {results.played} played, {results.reused} reused; results in {one_line(results.directory)}")


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
