"""``duelbench run``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from duelbench.cli.numbers import JOBS, FiniteRange
from duelbench.cli.specs import complete_spec, spec_path
from duelbench.cli.terminal import one_line, say
from duelbench.cores import available_cores

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from duelbench.runs.backends import Backend
    from duelbench.runs.keeper import Execution
    from duelbench.runs.plan import Plan


@click.command(name="run", short_help="Compute what a spec asks for.")
@click.argument("spec", type=click.Path(path_type=Path), shell_complete=complete_spec)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The experiment's directory.  [results/NAME]")
@click.option("--smoke", is_flag=True, help="Run what the spec's `smoke` makes of it, into results/smoke/NAME.")
@click.option("-j", "--jobs", type=click.IntRange(0, JOBS), help="Worker processes; 0: in this one.  [one per core]")
@click.option(
    "--executor",
    type=click.Choice(["local", "dask", "mpi"]),
    default="local",
    show_default=True,
    help="Where to play: processes of this machine; workers of dask, here or at --scheduler; ranks of MPI.",
)
@click.option("--scheduler", metavar="ADDRESS", help="A running dask scheduler, such as tcp://host:8786.")
@click.option(
    "--run-timeout",
    type=FiniteRange(min=0, max=1e7, min_open=True),
    help="Seconds after which a run has failed.  [the spec's run_timeout, else none]",
)
@click.option(
    "--interpreted",
    is_flag=True,
    help="Play as plain Python, slowly, into results/interpreted/NAME. With -j 0 in the command's own process, and "
    "untried: breakpoints, pdb and prints of your algorithm work.",
)
@click.option(
    "--checked",
    is_flag=True,
    help="Play compiled with bounds of arrays checked, into results/checked/NAME: a run that leaves one fails.",
)
def command(
    spec: Path,
    output: Path | None,
    smoke: bool,
    jobs: int | None,
    executor: str,
    scheduler: str | None,
    run_timeout: float | None,
    interpreted: bool,
    checked: bool,
) -> None:
    """Compute what SPEC asks for: a YAML file, or one that comes with duelbench (`duelbench list specs`).

    Runs that are already there are kept, and those whose spec, code or seed has changed are played again, so an
    interrupted command is simply repeated. The numbers do not depend on -j.

    The first rounds of an algorithm of your own are played before all others, in processes of their own, as `check`
    does; then the workers play it. Its code runs in this process only with -j 0.
    """
    if interpreted and checked:
        raise click.UsageError("what is interpreted has its bounds checked: leave out --checked")
    how = "interpreted" if interpreted else "checked" if checked else ""
    if how and executor != "local":
        raise click.UsageError(f"--{how} plays on this machine: leave out --executor")
    if how:  # before numba is imported, here and in the workers
        os.environ["NUMBA_DISABLE_JIT" if interpreted else "NUMBA_BOUNDSCHECK"] = "1"
    from duelbench.runs.backends import dask, local, mpi
    from duelbench.runs.plan import make_plan
    from duelbench.runs.trial.trying import try_out
    from duelbench.spec.load import load

    if scheduler and executor != "dask":
        raise click.UsageError("--scheduler is that of dask: add --executor dask")
    if executor == "mpi" and jobs is not None:
        raise click.UsageError("under MPI the number of workers is that of its ranks: leave out -j")
    plan = make_plan(load(spec_path(spec), smoke=smoke), how)
    if not (interpreted and jobs == 0):
        try_out(plan, lambda line: say(line, err=True), compiled=not interpreted)
    directory = output or Path("results", *filter(None, [how, "smoke" if smoke else ""]), plan.spec.name)
    workers = available_cores() if jobs is None else jobs
    backends = {
        "local": lambda: local(workers),
        "dask": lambda: dask(scheduler, workers, announce),
        "mpi": mpi,
    }
    execution = play(plan, directory, backends[executor](), run_timeout)
    if not execution.gone:
        print_summary(plan, execution, directory)
    finish(execution)


def announce(line: str) -> None:
    """Print a line for the user beside the bar of progress."""
    from tqdm import tqdm

    tqdm.write(one_line(line), sys.stderr)


def play(
    plan: Plan, directory: Path, backend: AbstractContextManager[Backend], run_timeout: float | None = None
) -> Execution:
    """Play what is missing of a plan, with a bar of progress; exit with code 130 when the user interrupts."""
    from tqdm import tqdm

    from duelbench.runs.execute import execute

    bar = tqdm(total=plan.rounds, unit="round", unit_scale=True, disable=not sys.stderr.isatty(), smoothing=0.05)

    def progress(done: int, total: int) -> None:
        if done and not bar.n:
            bar.initial = done  # what was there before does not count into the rate
        bar.update(done - bar.n)

    try:
        with bar:
            return execute(plan, directory, backend, announce=announce, progress=progress, run_timeout=run_timeout)
    except KeyboardInterrupt:
        say("interrupted: finished runs are kept, the same command goes on with the rest", err=True)
        sys.exit(130)


def finish(execution: Execution) -> None:
    """Say what has failed, if anything has, and exit with code 1."""
    if execution.failures:
        say(f"\n{len(execution.failures)} runs failed, their tracebacks are in", err=True)
        for path in execution.failures[:10]:
            say(f"  {one_line(path)}", err=True)
        if len(execution.failures) > 10:
            say(f"  … and {len(execution.failures) - 10} more", err=True)
    if execution.gone:
        say(
            f"error: {len(execution.gone)} files of finished runs have been removed or changed by something else, such "
            f"as {one_line(execution.gone[0])}, so there is no summary: see to it and repeat the command",
            err=True,
        )
    if execution.failures or execution.gone:
        sys.exit(1)


def print_summary(plan: Plan, execution: Execution, directory: Path) -> None:
    """Print the final regret of every algorithm, one block per dataset, on one screen where that is possible."""
    import numpy as np

    from duelbench.proportions import wilson
    from duelbench.runs.series import Labels
    from duelbench.spec.titles import plain

    kind = plan.spec.regret[0]
    at = f"{plan.spec.horizons[-1]:,} votes" if plan.spec.count == "votes" else f"T = {plan.spec.horizons[-1]:,}"
    say(f"{plain(plan.spec.title)}: {kind} regret at {at}")
    headings = {label: plain(title) for label, title in plan.dataset_titles.items()}
    names = {label: plain(title) for label, title in plan.algorithm_titles.items()}
    recommends = plan.spec.recommend != "none"
    ending = f"  {'right':>14}  {'simple regret':>13}  most often named" if recommends else ""
    width = max(map(len, names.values()))
    for dataset in plan.datasets:
        say(f"\n{headings[dataset.label]}")
        say(f"  {'':{width}}  {'mean':>12}  {'± s.e.':>10}  {'std':>10}  {'runs':>6}  {'s/run':>8}{ending}")
        for algorithm in plan.algorithms:
            final = execution.final[Labels(dataset.label, algorithm.label)]
            seconds = [each for each in execution.timings[dataset.label][algorithm.label] if each is not None]
            mean = f"{final.mean:,.1f}" if final.runs else "—"
            std = f"{final.std:,.1f}" if final.runs > 1 else "—"
            error = f"{final.std / np.sqrt(final.runs):,.1f}" if final.runs > 1 else "—"
            took = f"{np.mean(seconds):.3g}" if seconds else "—"
            line = f"  {names[algorithm.label]:{width}}  {mean:>12}  {error:>10}  {std:>10}  {final.runs:>6}  {took:>8}"
            if recommends and final.right is not None:
                low, high = wilson(final.right, final.runs)
                line += f"  {f'{final.right:.0%} ({low:.0%}–{high:.0%})':>14}  {final.simple:>13.4f}"
                if final.named is not None and not dataset.dataset.varies:
                    arm, share = final.named
                    arms = dataset.dataset.arm_names
                    line += f"  {arms[arm] if arms else f'arm {arm}'} ({share:.0%})"
            say(line)
    played = f"{execution.played} runs played" if execution.played else "nothing to play"
    say(f"\n{played}, {execution.kept} kept; results in {one_line(directory)}")
