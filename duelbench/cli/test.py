"""``duelbench test``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from duelbench.cli.named import complete_dataset, named_dataset
from duelbench.cli.terminal import one_line, say
from duelbench.cli.tried import tried_algorithm, with_colon
from duelbench.errors import UserError

if TYPE_CHECKING:
    from duelbench.conformance.proof import Subject

MOST_ARMS = 30
"""Runs of more arms would be too few to show anything in a minute."""


def _complete(context: click.Context, parameter: click.Parameter, word: str) -> list[CompletionItem]:
    from duelbench.algorithms.catalogue import catalogue

    names = [CompletionItem(name) for name in catalogue() if name.startswith(word)]
    return [*names, CompletionItem(word, type="file")]


@click.command(name="test", short_help="Prove an algorithm: ours or yours.")
@click.argument("name", metavar="NAME|FILE.py:Class", shell_complete=_complete)
@click.option(
    "--against",
    metavar="FILE.py:function",
    help="What yours must be equal to: a plain transcription, called as those in duelbench/literal.",
)
@click.option(
    "--instance",
    "instances",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_dataset,
    help="A dataset or matrix file to play on instead of the usual five, repeatable.",
)
def command(name: str, against: str | None, instances: tuple[str, ...]) -> None:
    """Prove an algorithm of the catalogue or of a file of yours, property by property; half a minute to a minute.

    Each line says what was compared, and how small a mistake would have been seen: its answers, seeds, horizons,
    recommendations, relabelled arms, plain Python beside compiled kernels, holds beside single rounds, and the literal
    transcription, ours or the one of --against. Where both draw alike these are compared duel by duel, else in
    distribution with fixed seeds. A property that says nothing about an algorithm has a "-".

    Your code runs in processes of its own, as `check` does it. Exit code 1 if a property fails.
    """
    from tqdm import tqdm

    from duelbench.conformance.proof import NAMES, findings

    subject = _subject(name, against, instances)
    failed = 0
    width = max(map(len, NAMES))
    with tqdm(total=len(NAMES), unit="property", disable=not sys.stderr.isatty(), leave=False) as bar:
        bar.set_description("compiling")
        say(f"{one_line(name)} on {', '.join(map(one_line, subject.instances))}\n")
        for number, found in enumerate(findings(subject), start=1):
            with tqdm.external_write_mode(sys.stdout):
                say(f"{found.verdict:4} {found.name:{width}}  {one_line(found.said)}")
            failed += found.verdict == "FAIL"
            bar.update()
            bar.set_description(NAMES[number] if number < len(NAMES) else "")
    say(f"\n{failed} of {len(NAMES)} properties failed" if failed else "\nnothing failed")
    if failed:
        sys.exit(1)


def _subject(name: str, against: str | None, instances: tuple[str, ...]) -> Subject:
    """Return what is to be proved; of a user's algorithm the first rounds have then been tried."""
    from duelbench.algorithms.catalogue import users_file
    from duelbench.conformance.instances import USUAL
    from duelbench.conformance.proof import SECONDS, Subject

    if against is not None and ":" not in name:
        raise UserError(f"{name} is compared with its transcription in duelbench/literal: leave out --against")
    function = None if against is None else users_file(with_colon(against, "function"), Path())
    matrices = {each: _matrix(each) for each in instances} or {label: each.P for label, each in USUAL.items()}
    first = next(iter(instances), "six-rankers")
    kind = tried_algorithm(name, named_dataset(first, None), first)
    return Subject(kind, matrices, function, SECONDS)


def _matrix(name: str):  # type: ignore[no-untyped-def]
    import numpy as np

    found = named_dataset(name, None)
    if found.arms > MOST_ARMS:
        raise UserError(
            f"{name} has {found.arms} arms: a proof is for {MOST_ARMS} at most, --instance six-rankers, say"
        )
    return found.instance(np.random.default_rng(0)).P
