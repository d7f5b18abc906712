"""The options of all commands, functions and entries of specs that read votes: columns, outcomes, rows and names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainSerializer, ValidationInfo, WithJsonSchema, model_validator

from duelbench.errors import UserError
from duelbench.parameters import Parameters
from duelbench.votes.reading.texts import word

_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
NONE, HALF, UNKNOWN = 2, 3, 4
"""Outcomes beside 1 (the first), −1 (the second) and 0 (a tie): no vote, half a win for each, and no known word."""
MEANINGS = {"first": 1, "second": -1, "tie": 0, "none": NONE, "arm": UNKNOWN}
"""What ``outcomes`` may say that a value means; with ``arm`` it is only the name of an arm."""


def _pairs(value: Any, info: ValidationInfo) -> Any:
    """Return a mapping, which may be written as texts NAME=VALUE, or as one text of these with " & " between them."""
    if isinstance(value, Mapping):
        return {str(name): str(each) for name, each in value.items()}
    # a condition begins with a name and a sign: "A & B" may be a value
    texts = re.split(r"\s&\s+(?=[^&=]+=)", value) if isinstance(value, str) else value
    parts = [each.rpartition("=") if info.field_name == "outcomes" else each.partition("=") for each in texts]
    for name, sign, _ in parts:
        if not sign or not (name.strip() or info.field_name == "outcomes"):
            why = f"{info.field_name} is {value!r:.80}: write COLUMN=VALUE, as in anony=true, or VALUE=first"
            raise UserError(why, key=(str(info.field_name),))
    found = {name.strip(): each.strip() for name, _, each in parts}
    if len(found) < len(parts):
        raise UserError(f"{info.field_name} has a name twice: {value!r:.80}", key=(str(info.field_name),))
    return found


def _names(value: Any) -> Any:
    return value.split(" & ") if isinstance(value, str) else [*value]


_TEXT = WithJsonSchema({"type": "string", "minLength": 1})
_Pairs = Annotated[
    dict[str, str],
    BeforeValidator(_pairs),
    PlainSerializer(lambda pairs: " & ".join(map("=".join, pairs.items())), when_used="json"),
    _TEXT,
]
_Names = Annotated[list[str], BeforeValidator(_names), PlainSerializer(" & ".join, when_used="json"), _TEXT]


def checked_delimiter(text: str) -> str:
    """Return the character that an option names: a comma or any other, ``tab``, ``semicolon`` and so on.

    Raises:
        UserError: it is none that can separate cells.
    """
    character = {**_DELIMITERS, "\\t": "\t"}.get(text.strip(" ").casefold(), text)
    if len(character) != 1 or character.isalnum() or character in '"\r\n\0\ufeff':
        raise UserError(
            f"the delimiter is {text!r:.40}: write one character, or {', '.join(_DELIMITERS)}", key=("delimiter",)
        )
    return character


class VoteFileOptions(Parameters):
    """How to read votes. Columns that are not named have the names that ``layouts`` lists.

    Raises:
        UserError: an option in the wrong form; ``key`` is its name.
    """

    first: str | None = Field(None, description="The column of the first arm.")
    second: str | None = Field(None, description="The column of the second arm.")
    winner: str | None = Field(None, description="The column of the outcome; with loser, of the arm that has won.")
    loser: str | None = Field(None, description="The column of the arm that has lost, in place of first and second.")
    wins_first: str | None = Field(None, description="The column of the number of votes for the first arm.")
    wins_second: str | None = Field(None, description="The column of the number of votes for the second arm.")
    tie: _Names = Field([], description="The column that says whether a row is a tie, or has their number.")
    outcomes: _Pairs = Field(
        {},
        description="What values of the outcome mean, first, second, tie, none or arm: left=first & right=second. With "
        "arm, a value that is also a known word is the name of an arm.",
    )
    weight: str | None = Field(None, description="The column of what a row counts for. Default: weight or count.")
    judge: str | None = Field(None, description="The column of the judge. Matrices do not depend on judges.")
    group: str | None = Field(
        None,
        description="The column of the ranking or the question that a row is a part of. With draw, votes of a group "
        "count as fewer independent ones.",
    )
    only: _Pairs = Field({}, description="Use only these rows: language=English & anony=true.")
    ties: Literal["half", "drop"] = Field("half", description="A tie is half a win for both, or nothing.")
    alias: str | None = Field(
        None, description="A file of other names of arms, with the columns name and arm; relative to the spec."
    )
    delimiter: str | None = Field(
        None, description="The character between the cells of a text file, or comma, semicolon, tab or bar."
    )
    strict: bool = Field(False, description="Treat a row that cannot be used as an error.")

    def given(self) -> dict[str, Any]:
        """Return the options that differ from their defaults."""
        fields = VoteFileOptions.model_fields
        return {name: value for name in fields if (value := getattr(self, name)) != fields[name].default}

    @model_validator(mode="after")
    def _valid(self) -> VoteFileOptions:
        if self.delimiter is not None:
            checked_delimiter(self.delimiter)
        meant: dict[str, str] = {}
        for value, meaning in self.outcomes.items():
            if meaning not in MEANINGS:
                raise UserError(
                    f"the outcome {value!r:.80} is to mean {meaning!r:.60}: choose one of {', '.join(MEANINGS)}",
                    key=("outcomes",),
                )
            if meant.setdefault(word(value), meaning) != meaning:
                raise UserError(f"{value!r:.80} cannot mean two outcomes", key=("outcomes",))
        return self
