"""The options of all commands that read files of votes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import click

from duelbench.cli.terminal import one_line

if TYPE_CHECKING:
    from duelbench.sources.votes.report import Votes

Command = Callable[..., Any]

COLUMNS = {
    "first": "The first arm.  [guessed]",
    "second": "The second arm.  [guessed]",
    "winner": "The outcome; with --loser, the name of the winner.  [guessed]",
    "loser": "The name of the loser.",
    "weight": "Number of votes of the row.  [1]",
    "judge": "The judge.  [guessed]",
    "group": "The ranking that the row is a part of.  [guessed]",
}


def column_options(*names: str) -> Callable[[Command], Command]:
    """Return a decorator that adds the options of these columns."""

    def decorate(command: Command) -> Command:
        for name in reversed(names):
            command = click.option(f"--{name}", metavar="COLUMN", help=COLUMNS[name])(command)
        return command

    return decorate


def _filter(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    pairs = [text.partition("=") for text in texts]
    for column, sign, _ in pairs:
        if not sign or not column:
            raise click.BadParameter("write COLUMN=VALUE, as in anony=true")
    return tuple((column, value.strip()) for column, _, value in pairs)


only_option = click.option(
    "--only", metavar="COLUMN=VALUE", multiple=True, callback=_filter, help="Use only these rows, repeatable."
)
strict_option = click.option("--strict", is_flag=True, help="Treat a row that cannot be used as an error.")


def ties_option(default: Literal["half", "drop"] = "half") -> Callable[[Command], Command]:
    """Return the decorator that adds --ties."""
    return click.option(
        "--ties",
        type=click.Choice(["half", "drop"]),
        default=default,
        show_default=True,
        help="Count a tie as half a win for both, or not at all.",
    )


def problems(votes: Votes) -> list[str]:
    """Return a line for each reason why rows are ignored, and for each warning."""
    ignored: Sequence[str] = [
        f"{each.rows:,} of {votes.rows:,} rows are ignored: {one_line(each.reason)} ({one_line(each.places[0])})"
        for each in votes.refused
    ]
    return [*ignored, *map(one_line, votes.warnings)]
