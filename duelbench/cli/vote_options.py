"""The options of all commands that read files of votes."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from duelbench.cli.terminal import one_line

if TYPE_CHECKING:
    from duelbench.votes.reading.options import VoteFileOptions
    from duelbench.votes.reading.report import Votes

Command = Callable[..., Any]
Ties = Literal["half", "drop"]

COLUMNS = {
    "first": "The first arm.  [guessed]",
    "second": "The second arm.  [guessed]",
    "winner": "The outcome; with --loser, the name of the winner.  [guessed]",
    "loser": "The name of the loser.",
    "weight": "Number of votes of the row.  [1]",
    "judge": "The judge.  [guessed]",
    "group": "The ranking that the row is a part of.  [guessed]",
}
WORDS = {
    "first_word": "An outcome that means that the first arm has won; repeatable.",
    "second_word": "An outcome that means that the second arm has won; repeatable.",
    "tie_word": "A further word that means a tie, beside `tie`, `both equal`, `no preference` and the like; "
    "repeatable.",
}
NO_EFFECT = {
    "judge": "The judge. No effect: all judges are alike here.",
    "group": "The ranking that the row is a part of. No effect: votes are independent here.",
}


def vote_options(
    ties: Ties = "half", no_effect: tuple[str, ...] = (), without: tuple[str, ...] = (), keep: bool = False
) -> Callable[[Command], Command]:
    """Return a decorator that adds all options on how to read votes, and passes them as one argument ``reading``.

    Parameters
    ----------
    ties
        The default of --ties.
    no_effect
        Columns that the command ignores, as their help then says.
    without
        Columns for which the command has an option itself.
    keep
        Whether ties may also be kept as a third outcome; ``reading`` is then a ``VoteEntry``.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def called(*arguments: Any, only: tuple[str, ...], **others: Any) -> Any:
            from duelbench.parameters import validated
            from duelbench.votes.entry import VoteEntry
            from duelbench.votes.reading.options import VoteFileOptions

            names = [name for name in VoteFileOptions.model_fields if name in others and name not in without]
            given = {name: others.pop(name) for name in names}
            given["only"] = " & ".join(only) or None
            for name in WORDS:
                given[name] = ",".join(word.replace(",", " ") for word in given[name]) if given[name] else None
            given["alias"] = None if given["alias"] is None else str(given["alias"])
            return command(*arguments, reading=validated(VoteEntry if keep else VoteFileOptions, given), **others)

        columns = COLUMNS | {name: NO_EFFECT[name] for name in no_effect}
        options: list[Callable[[Command], Command]] = [
            *(
                click.option(f"--{name}", metavar="COLUMN", help=columns[name])
                for name in COLUMNS
                if name not in without
            ),
            click.option("--only", metavar="COLUMN=VALUE", multiple=True, help="Use only these rows; repeatable."),
            ties_option(ties, keep),
            *(
                click.option(f"--{name.replace('_', '-')}", metavar="WORD", multiple=True, help=text)
                for name, text in WORDS.items()
            ),
            *table_options,
            click.option("--strict", is_flag=True, help="Treat a row that cannot be used as an error."),
        ]
        for option in reversed(options):
            option(called)
        return called

    return decorate


table_options: tuple[Callable[[Command], Command], ...] = (
    click.option(
        "--alias",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Table of other names of arms, CSV or TSV, with the columns name and arm.",
    ),
    click.option(
        "--delimiter",
        metavar="CHARACTER",
        help="Character between cells, or comma, semicolon, tab or bar.  [tab in .tsv, else guessed]",
    ),
)
"""Options of all commands that read tables of arms."""


def ties_option(default: Ties = "half", keep: bool = False) -> Callable[[Command], Command]:
    """Return the decorator that adds --ties."""
    return click.option(
        "--ties",
        type=click.Choice(["half", "drop", *["keep"] * keep]),
        default=default,
        show_default=True,
        help=f"Count a tie as half a win for both, or not at all{', or keep it as a third outcome' if keep else ''}.",
    )


def given(reading: VoteFileOptions) -> dict[str, Any]:
    """Return the options that differ from their defaults."""
    return reading.model_dump(exclude_defaults=True)


def problems(votes: Votes) -> list[str]:
    """Return lines on abstentions, on each reason why rows are refused, and the warnings."""
    return [*map(one_line, votes.problems())]
