"""``duelbench session new``, and what its other verbs have in common."""

from __future__ import annotations

import re
import shlex
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duelbench.cli.numbers import WholeRange
from duelbench.cli.terminal import emit_json, example, one_line, say
from duelbench.cli.tried import tried_algorithm
from duelbench.errors import UserError

if TYPE_CHECKING:
    from duelbench.votes.sessions.session import Session

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
RESERVED = ("algorithm", "arms", "directory", "expires", "horizon", "seed")
"""What ``Session.create`` calls its own arguments."""


class Lasting(click.ParamType):  # type: ignore[type-arg]  # some releases of click have no such arguments
    """A time such as 90s, 30m, 1h, 2d or 1.5h; seconds without a unit."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return seconds; fails with a sentence if the value is not a time."""
        found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhdw]?)", str(value).strip(), re.ASCII)
        if not found or not 0 < (seconds := float(found[1]) * UNITS[found[2] or "s"]) <= 36_525 * UNITS["d"]:
            self.fail(f"{value!r} is not a time: write 90s, 30m, 1h or 2d", param, ctx)
        return seconds


directory_argument = click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
json_option = click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")
expires_option = click.option(
    "--expires",
    type=Lasting(),
    metavar="TIME",
    help="Time, such as 1h, after which a question may be given to another judge.",
)


@click.command(epilog=example("session new rankers --algorithm d-ts --arms arms.txt"))
@directory_argument
@click.option(
    "--algorithm",
    required=True,
    metavar="NAME|FILE.py:Class",
    help="An algorithm of `duelbench list algorithms`, or your own.",
)
@click.option(
    "--arms",
    required=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Text file with the name of an arm on each line.",
)
@click.option(
    "--seed", type=WholeRange(0), default=0, show_default=True, help="Seed of the algorithm's random choices."
)
@click.option("--horizon", type=WholeRange(1, 10**12), help="Number of rounds, for an algorithm that must know it.")
@expires_option
@click.option(
    "-p",
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="Parameter of the algorithm, repeatable.",
)
@json_option
def new(
    directory: Path,
    algorithm: str,
    arms: Path,
    seed: int,
    horizon: int | None,
    expires: float | None,
    parameters: tuple[str, ...],
    as_json: bool,
) -> None:
    """Create a session in DIR.

    With an algorithm that learns from any duel (`duelbench list algorithms NAME`), many questions can be open at
    once, votes from elsewhere can be added, and arms can join and leave. An algorithm from your own file is tried
    first, as in `duelbench check`, and then runs in the command's own process.
    """
    from duelbench.sources.datasets import dataset
    from duelbench.votes.sessions.log import Log
    from duelbench.votes.sessions.names import read_names
    from duelbench.votes.sessions.session import Session

    Log(directory).check_new()
    names = read_names(arms)
    chosen = _parameters(parameters)
    instance = dataset("btl-uniform", None, {"arms": len(names)}, None)
    kind = tried_algorithm(algorithm, instance, "btl-uniform", chosen, horizon or 10_000)
    if kind.uses_horizon and horizon is None:
        raise UserError(f"{algorithm!r} must know the number of rounds: give --horizon")
    _compile(Session(algorithm, names, horizon=horizon, **chosen))
    session = Session.create(directory, algorithm, names, seed=seed, horizon=horizon, expires=expires, **chosen)
    if as_json:
        emit_json({"directory": str(directory), "algorithm": session.algorithm, "arms": list(session.names)})
        return
    place = one_line(shlex.quote(str(directory)))
    say(f"created a session of {session.algorithm} with {len(names)} arms in {place}. Next:\n")
    say(f"  duelbench session ask {place}")
    say(f"  duelbench session tell {place} 1 first")


def _compile(session: Session) -> None:
    """Compile the algorithm into the cache, so that judges need not wait for it."""
    said = threading.Timer(1.0, say, ["compiling kernels (the first time only)…"], {"err": True})
    said.start()
    try:
        for ask in session.ask():
            session.tell(ask.id, "first")
    finally:
        said.cancel()


def _parameters(given: Sequence[str]) -> dict[str, Any]:
    """Return parameters that were given as name=value, values as in a spec."""
    from duelbench.spec.yaml_file import scalar

    found: dict[str, Any] = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals or not name:
            raise UserError(f"{each!r} is not a parameter: write -p alpha=0.6")
        if name in RESERVED:
            raise UserError(f"{name!r} is an option, not a parameter of the algorithm: give --{name}")
        if name in found:
            raise UserError(f"the parameter {name!r} is given twice")
        found[name] = scalar(value)
    return found
