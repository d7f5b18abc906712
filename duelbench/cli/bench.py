"""``duelbench bench``."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from duelbench.benchmark.suite import Group

COLUMNS = (
    *("group", "algorithm", "instance", "arms", "T", "runs"),
    *("informative", "seconds", "worst", "ns_per_duel", "ratio", "excess"),
)


def _complete(context: click.Context, parameter: click.Parameter, word: str) -> list[str]:
    from duelbench.algorithms.catalogue import catalogue

    return [name for name in catalogue() if name.startswith(word)]


@click.command(name="bench", short_help="Measure what runs cost.")
@click.argument("algorithms", nargs=-1, metavar="[ALGORITHM]...", shell_complete=_complete)
@click.option(
    "-g", "--group", "groups", multiple=True, metavar="GROUP", help="Only this group of the suite, repeatable."
)
@click.option(
    "--instance", "instances", multiple=True, metavar="NAME", help="A dataset, or NAME:K for K arms of it, repeatable."
)
@click.option(
    "--horizon",
    "horizons",
    multiple=True,
    type=float,
    metavar="T",
    help="Rounds, as in 1e8, repeatable.  [1e6 1e8 with --instance]",
)
@click.option("--runs", type=click.IntRange(min=1), default=4, show_default=True, help="Runs of each case.")
@click.option(
    "--csv", "file", type=click.Path(path_type=Path, dir_okay=False), help="Also write the numbers to this file."
)
@click.option("--list", "lists", is_flag=True, help="Say what the groups measure, and stop.")
def command(
    algorithms: tuple[str, ...],
    groups: tuple[str, ...],
    instances: tuple[str, ...],
    horizons: tuple[float, ...],
    runs: int,
    file: Path | None,
    lists: bool,
) -> None:
    """Measure what runs of the ALGORITHMS cost, on one core, compiled and warm.

    Without options: the groups of `--list`, which have targets. With --instance: the algorithms (default: all) on
    these. Shown are the mean number of informative duels, those of different arms (where every duel teaches, ns/duel
    counts all of them), mean and worst seconds of a run, and the ratio to the seconds of the first T. Of several
    repetitions of a run the fastest counts, and the horizons take turns: other work on the machine disturbs little.
    """
    from duelbench.benchmark.suite import GROUPS

    if lists:
        for group in GROUPS.values():
            click.echo(
                f"{group.name}: {describe(group)}\n  {' '.join(group.algorithms)}\n  on {' '.join(group.instances)}"
            )
        return
    rows = []
    for group in chosen(algorithms, groups, instances, horizons):
        click.echo(f"{group.name}: {describe(group)}")
        click.echo(f"  {'':11} {'':21} {'T':>6} {'duels':>11} {'s/run':>9} {'worst':>9} {'ns/duel':>8} {'ratio':>6}")
        for row in measured(group, runs):
            rows.append(row)
            click.echo(line(row))
        click.echo()
    if file is not None:
        from duelbench.writing import write_whole

        text = io.StringIO()
        table = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
        write_whole(file, text.getvalue())


def describe(group: Group) -> str:
    """Return what the group measures, and its targets."""
    targets = [f"{group.seconds:g} s"] if group.seconds else []
    targets += [f"{group.ratio:g} × the time of T = {group.horizons[0]:.0e}"] if group.ratio else []
    targets += [f"{group.per_round:g} ns a duel at K = 5 and in proportion to K"] if group.per_round else []
    wanted = f"; at most {' and '.join(targets)}" if targets else ""
    return f"{group.title}, T = {', '.join(f'{horizon:.0e}' for horizon in group.horizons)}{wanted}"


def chosen(
    algorithms: tuple[str, ...], groups: tuple[str, ...], instances: tuple[str, ...], horizons: tuple[float, ...]
) -> Iterator[Group]:
    """Yield the groups of the suite that are asked for, or the one that the options describe."""
    from dataclasses import replace

    from duelbench.algorithms.catalogue import catalogue, find
    from duelbench.benchmark.suite import GROUPS, Group
    from duelbench.errors import UserError, did_you_mean

    for name in algorithms:
        find(name, Path())
    if any(not (horizon >= 1 and horizon.is_integer()) for horizon in horizons):
        raise UserError("a horizon is a whole number of rounds, 1 at least")
    rounds = tuple(sorted({int(horizon) for horizon in horizons}))
    if instances:
        if groups:
            raise UserError("a group has its own instances: give --group or --instance")
        yield Group("asked", "as asked", algorithms or tuple(catalogue()), instances, rounds or (10**6, 10**8))
        return
    for name in groups:
        if name not in GROUPS:
            raise UserError(f"unknown group {name!r}{did_you_mean(name, GROUPS)}: there is {', '.join(GROUPS)}")
    found = False
    for group in GROUPS.values():
        own = tuple(name for name in group.algorithms if not algorithms or name in algorithms)
        if own and (not groups or group.name in groups):
            found = True
            if rounds:
                group = replace(group, horizons=rounds, seconds=None, ratio=None)
            yield replace(group, algorithms=own)
    if not found:
        raise UserError("no group of the suite has this algorithm: give --instance")


def measured(group: Group, runs: int) -> Iterator[dict[str, Any]]:
    """Yield the numbers of each case of the group, one row for each horizon."""
    from duelbench.algorithms.catalogue import find
    from duelbench.benchmark.suite import instance
    from duelbench.benchmark.timing import time_runs
    from duelbench.engine.warm import load, warm
    from duelbench.errors import UserError

    algorithms = {name: find(name, Path())() for name in group.algorithms}
    warm(algorithms.values(), lambda text: click.echo(text, err=True))
    for algorithm in algorithms.values():
        load(algorithm)
    for name in group.instances:
        try:
            matrix = instance(name)
        except UserError as error:
            if group.name == "asked":
                raise
            click.echo(f"  {name} is left out: {error.message}")
            continue
        for label, algorithm in algorithms.items():
            timings = time_runs(algorithm, matrix, group.horizons, runs)
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
                    "excess": group.excess(timings, matrix.arms) if last else None,
                }


def line(row: dict[str, Any]) -> str:
    """Return a row of the table."""
    ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}"
    text = (
        f"  {row['algorithm']:11} {row['instance']:21} {row['T']:>6.0e} {row['informative']:>11,.0f} "
        f"{row['seconds']:>9.2g} {row['worst']:>9.2g} {row['ns_per_duel']:>8,.0f} {ratio:>6}"
    )
    if row["excess"] is None:
        return text
    return text + ("  met" if row["excess"] <= 1.0 else f"  missed, {row['excess']:.3g} ×")
