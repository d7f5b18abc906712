"""``duelbench bench``."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duelbench.cli.inputs import FiniteRange, WholeRange, complete_algorithm
from duelbench.cli.terminal import example, say, warn
from duelbench.errors import UserError

if TYPE_CHECKING:
    from duelbench.benchmark.earlier import Comparison, Measurement
    from duelbench.benchmark.suite import Group

_COLUMNS = (
    *("group", "algorithm", "instance", "arms", "T", "runs"),
    *("informative", "seconds", "worst", "ns_per_duel", "ratio", "excess"),
    *("machine", "version"),
)


_RUNS, MOST_RUNS = 4, 10_000


@click.command(name="bench", epilog=example("bench --list", "bench rucb --instance sushi16 --horizon 1e6"))
@click.argument("algorithms", nargs=-1, metavar="[ALGORITHM]...", shell_complete=complete_algorithm)
@click.option("-g", "--group", "groups", multiple=True, metavar="GROUP", help="Measure only this group, repeatable.")
@click.option(
    "--instance", "instances", multiple=True, metavar="NAME", help="Dataset, or NAME:K for K of its arms, repeatable."
)
@click.option(
    "--horizon",
    "horizons",
    multiple=True,
    type=WholeRange(1, 10**12),
    metavar="T",
    help="Rounds, such as 1e8, repeatable.  [1e6 1e8 with --instance]",
)
@click.option("--runs", type=WholeRange(1, MOST_RUNS), help="Number of runs of each case.  [4]")
@click.option(
    "--csv", "file", type=click.Path(path_type=Path, dir_okay=False), help="Also write the measurements to this file."
)
@click.option(
    "--against",
    "old",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="OLD.CSV",
    help="Measure the cases of a file written by --csv, and report which have become slower.",
)
@click.option(
    "--slower",
    "threshold",
    type=FiniteRange(min=1.0),
    metavar="FACTOR",
    help="Factor above which a case counts as slower, with --against.  [1.2]",
)
@click.option("--list", "lists", is_flag=True, help="List the groups and their targets, and exit.")
def command(
    algorithms: tuple[str, ...],
    groups: tuple[str, ...],
    instances: tuple[str, ...],
    horizons: tuple[int, ...],
    runs: int | None,
    file: Path | None,
    old: Path | None,
    threshold: float | None,
    lists: bool,
) -> None:
    """Measure the speed of algorithms.

    Runs of ALGORITHMS are timed on one core, compiled and warm. By default these are the groups of --list, with
    targets in multiples of a step (a uniform double, a binomial draw and a pass over 64 numbers) timed at the start.
    With --instance, they are the algorithms (default: all) on these instances.

    Columns are the mean number of informative duels (of two different arms), the mean and worst seconds of a run, the
    nanoseconds per informative duel (per round, if every round informs), and the ratio to the time of the first T.
    Each run is repeated and its fastest time counts; horizons alternate, so that other load on the machine matters
    little.

    With --against, the cases of the file are measured again, and ALGORITHMS and --group choose among them. Columns
    are the seconds of a run then and now, and their ratio. A ratio above --slower is measured up to twice more, and
    the case is slower if it stays above. The exit code is 1 if a case is slower and the file is from this machine;
    times from another machine are shown, but are no fair comparison.
    """
    from duelbench.benchmark.earlier import THRESHOLD, read_measurement
    from duelbench.benchmark.suite import STEP, seconds_per_step, suite

    if lists:
        say(f"targets are multiples of a step: {STEP}\n")
        for group in suite():
            say(f"{group.name}: {_describe(group)}\n  {' '.join(group.algorithms)}\n  on {' '.join(group.instances)}")
        return
    if old is not None:
        if instances or horizons or runs is not None:
            raise UserError("--against measures the cases of its file: leave out --instance, --horizon and --runs")
        rows, slower = _compare(read_measurement(old), algorithms, groups, threshold or THRESHOLD)
        _write(rows, file)
        if slower:
            sys.exit(1)
        return
    if threshold is not None:
        raise UserError("--slower belongs to --against: give both")
    step = None
    if not instances:
        step = seconds_per_step()
        say(f"a step ({STEP}) takes {step * 1e9:.0f} ns here\n")
    rows = []
    for group in _chosen(algorithms, groups, instances, horizons):
        say(f"{group.name}: {_describe(group)}")
        say(f"  {'':11} {'':21} {'T':>6} {'duels':>11} {'s/run':>9} {'worst':>9} {'ns/duel':>8} {'ratio':>6}")
        for row in _measured(group, runs or _RUNS, step):
            rows.append(row)
            say(_line(row))
        say()
    _write(rows, file)


def _write(rows: list[dict[str, Any]], file: Path | None) -> None:
    """Write the rows, with machine and version, to the file if one is given."""
    if file is None:
        return
    from duelbench.benchmark.earlier import machine, version
    from duelbench.files import write_whole

    about = {"machine": machine(), "version": version()}
    text = io.StringIO()
    table = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
    table.writeheader()
    table.writerows(row | about for row in rows)
    write_whole(file, text.getvalue())


def _compare(
    earlier: Measurement, algorithms: tuple[str, ...], groups: tuple[str, ...], threshold: float
) -> tuple[list[dict[str, Any]], bool]:
    """Measure the cases of an earlier measurement; return the rows of this one, and whether something is slower."""
    from functools import partial

    from duelbench.benchmark.earlier import compared, machine, overall, version

    fair = earlier.machine == machine()
    if not earlier.machine:
        say("the file does not name its machine: the comparison may not be fair")
    elif not fair:
        say(f"the comparison is not fair: the file was made on {earlier.machine}; this is {machine()}")
    if earlier.version and earlier.version != version():
        say(f"then: {earlier.version}\nnow:  {version()}")
    say(f"  {'':11} {'':21} {'T':>6} {'then':>9} {'s/run':>9} {'ratio':>6}")
    asked = list(earlier.groups(algorithms, groups))
    found, rows = compared(
        earlier,
        asked,
        partial(_measured, complete=True),
        threshold,
        lambda each: say(_compared_line(each, threshold)),
    )
    if not found:
        raise UserError("no instance of the file is available: `duelbench datasets fetch` it, or choose other cases")
    total = overall(found)
    slower = [each for each in found if each.ratio > threshold]
    say(
        f"\n{total.cases} cases take {total.ratio:.3f} × the time they took, a typical one within a factor of "
        f"{total.spread:.3f} of that; slower than {threshold:g} ×: {len(slower)}"
    )
    return rows, fair and bool(slower)


def _compared_line(comparison: Comparison, threshold: float) -> str:
    """Return a row of the table of ``--against``."""
    case = comparison.case
    text = (
        f"  {case.algorithm:11} {case.instance:21} {case.T:>6.0e} {comparison.before.seconds:>9.2g} "
        f"{comparison.seconds:>9.2g} {comparison.ratio:>6.2f}"
    )
    text += "  slower" if comparison.ratio > threshold else ""
    return text if comparison.same_duels else f"{text}  (other duels than before)"


def _describe(group: Group) -> str:
    """Return what the group measures, and its targets."""
    targets = [f"{group.per_run:,g} steps a run"] if group.per_run else []
    targets += [f"{group.ratio:g} × the time of T = {group.horizons[0]:.0e}"] if group.ratio else []
    targets += [f"{group.per_round:g} steps a round at K = 5 and in proportion to K"] if group.per_round else []
    targets += [f"{group.per_duel:,g} steps an informative duel"] if group.per_duel else []
    wanted = f"; at most {' and '.join(targets)}" if targets else ""
    return f"{group.title}, T = {', '.join(f'{horizon:.0e}' for horizon in group.horizons)}{wanted}"


def _chosen(
    algorithms: tuple[str, ...], groups: tuple[str, ...], instances: tuple[str, ...], horizons: tuple[int, ...]
) -> Iterator[Group]:
    """Yield the selected groups of the suite, or the group that the options describe."""
    from dataclasses import replace

    from duelbench.algorithms.catalogue import catalogue
    from duelbench.benchmark.suite import GROUPS, Group, suite
    from duelbench.errors import did_you_mean
    from duelbench.experiment import class_checks

    for name in algorithms:
        class_checks.built(class_checks.found(name, Path()), {})
    rounds = tuple(sorted(set(horizons)))
    if instances:
        if groups:
            raise UserError("a group has its own instances: give --group or --instance")
        yield Group("asked", "as asked", algorithms or tuple(catalogue()), instances, rounds or (10**6, 10**8))
        return
    for name in groups:
        if name not in GROUPS:
            raise UserError(f"unknown group {name!r}{did_you_mean(name, GROUPS)}: the groups are {', '.join(GROUPS)}")
    found = False
    for group in suite():
        own = tuple(name for name in group.algorithms if not algorithms or name in algorithms)
        if own and (not groups or group.name in groups):
            found = True
            if rounds:
                group = replace(group, horizons=rounds, per_run=None, ratio=None, per_duel=None)
            yield replace(group, algorithms=own)
    if not found:
        raise UserError("no group of the suite has this algorithm: give --instance")


def _measured(group: Group, runs: int, step: float | None = None, complete: bool = False) -> Iterator[dict[str, Any]]:
    """Return the numbers of each case of the group, one row for each horizon; ``complete``: of all runs.

    ``step``: the seconds of a step, to compare with the targets if it is given.
    """
    from duelbench.algorithms.catalogue import find
    from duelbench.benchmark.suite import instance, time_runs
    from duelbench.engine.warm import load, warm

    algorithms = {name: find(name, Path())() for name in group.algorithms}
    warm([(algorithm, 2) for algorithm in algorithms.values()], warn)
    for algorithm in algorithms.values():
        load(algorithm)
    for name in group.instances:
        try:
            matrix = instance(name)
        except UserError as error:
            if group.name == "asked":
                raise
            say(f"  {name} is left out: {error.message}")
            continue
        for label, algorithm in algorithms.items():
            timings = time_runs(algorithm, matrix, group.horizons, runs, complete, group.how)
            for timing in timings:
                last = timing is timings[-1]
                duels = timing.horizon if group.per_round else max(1.0, timing.informative)
                yield {
                    "group": group.name,
                    "algorithm": label,
                    "instance": name,
                    "arms": matrix.arms,
                    "T": timing.horizon,
                    "runs": timing.runs,
                    "informative": timing.informative,
                    "seconds": timing.seconds,
                    "worst": timing.worst,
                    "ns_per_duel": timing.seconds / duels * 1e9,
                    "ratio": timing.seconds / timings[0].seconds if last and len(timings) > 1 else None,
                    "excess": group.excess(timings, matrix.arms, step) if last and step else None,
                }


def _line(row: dict[str, Any]) -> str:
    """Return a row of the table."""
    ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}"
    text = (
        f"  {row['algorithm']:11} {row['instance']:21} {row['T']:>6.0e} {row['informative']:>11,.0f} "
        f"{row['seconds']:>9.2g} {row['worst']:>9.2g} {row['ns_per_duel']:>8,.0f} {ratio:>6}"
    )
    if row["excess"] is None:
        return text
    return text + ("  met" if row["excess"] <= 1.0 else f"  missed, {row['excess']:.3g} ×")
