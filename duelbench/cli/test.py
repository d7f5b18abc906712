"""``duelbench test``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duelbench.cli.inputs import (
    complete_algorithm,
    complete_dataset,
    given_parameters,
    named_dataset,
    parameter_option,
    tried_algorithm,
    with_colon,
)
from duelbench.cli.terminal import example, one_line, say
from duelbench.errors import UserError

if TYPE_CHECKING:
    from duelbench.conformance.verdicts import Subject

_MOST_ARMS = 30
"""With more arms the checks would take hours."""


@click.command(name="test", epilog=example("test rucb", "test mine.py:Mine -p best_of=7 --against slow.py:mine"))
@click.argument("name", metavar="NAME|FILE.py:Class", shell_complete=complete_algorithm)
@click.option(
    "--against",
    metavar="FILE.py:function",
    help="Reference implementation to compare it with: a plain function that plays it again.",
)
@click.option(
    "--instance",
    "instances",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_dataset,
    help="Dataset or matrix file to play on instead of the usual five, repeatable.",
)
@parameter_option
@click.option("--quick", is_flag=True, help="Play fewer and shorter runs, as duelbench.testing does.")
def command(
    name: str, against: str | None, instances: tuple[str, ...], parameters: tuple[str, ...], quick: bool
) -> None:
    """Check that an algorithm is correct.

    NAME is a shipped algorithm, FILE.py:Class one of your own. Checks take about a minute. Each line is the verdict
    on one property, what was compared, and how small a mistake would have been detected:

    \b
      ok    the property holds
      FAIL  it does not hold
      -     it does not apply to this algorithm
      ?     nothing could have failed, so a mistake would not be detected

    Seeds and sample sizes are fixed, so verdicts are the same on every machine. Checks run in a separate process.
    The exit code is 1 if a property fails.
    """
    from tqdm import tqdm

    from duelbench.conformance.verdicts import NAMES, verdicts

    subject = _subject(name, against, instances, given_parameters(parameters), quick)
    played = f"{name} ({', '.join(parameters)})" if parameters else name
    marks = list[str]()
    width = max(map(len, NAMES))
    with tqdm(total=len(NAMES), unit="check", disable=not sys.stderr.isatty(), leave=False) as bar:
        bar.set_description("compiling")
        say(f"{one_line(played)} on {', '.join(map(one_line, subject.instances))}\n")
        for number, verdict in enumerate(verdicts(subject), start=1):
            with tqdm.external_write_mode(sys.stdout):
                say(f"{verdict.mark:4} {verdict.name:{width}}  {one_line(verdict.why)}")
            marks.append(verdict.mark)
            bar.update()
            bar.set_description(NAMES[number] if number < len(NAMES) else "")
    failed, untested = marks.count("FAIL"), marks.count("?")
    result = f"{failed} of {len(NAMES)} checks failed" if failed else "no check failed"
    say(f"\n{result}{f', {untested} had nothing to check' if untested else ''}")
    if failed:
        sys.exit(1)


def _subject(
    name: str, against: str | None, instances: tuple[str, ...], parameters: Mapping[str, Any], quick: bool
) -> Subject:
    """Return the algorithm to check and its matrices, after a trial if it is in a user's file."""
    from duelbench.algorithms.catalogue import users_file
    from duelbench.conformance.case import FULL, SMALL, USUAL
    from duelbench.conformance.verdicts import Subject

    function = None if against is None else users_file(with_colon(against, "function"), Path())
    matrices = {each: _matrix(each) for each in instances} or {label: each.P for label, each in USUAL.items()}
    first = next(iter(instances), "six-rankers")
    kind = tried_algorithm(name, named_dataset(first, None), first, parameters)
    return Subject(kind, matrices, function, SMALL if quick else FULL, parameters)


def _matrix(name: str):  # type: ignore[no-untyped-def]
    import numpy as np

    found = named_dataset(name, None)
    if found.arms > _MOST_ARMS:
        raise UserError(
            f"{name} has {found.arms} arms: the checks allow {_MOST_ARMS} at most, as in --instance six-rankers"
        )
    return found.instance(np.random.default_rng(0)).P
