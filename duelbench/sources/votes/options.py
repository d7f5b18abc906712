"""The options of all commands and entries of specs that read votes."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, model_validator

from duelbench.errors import UserError
from duelbench.sources.votes.columns import Columns
from duelbench.sources.votes.tables import checked_delimiter
from duelbench.sources.votes.words import folded

Ties = Literal["half", "drop"]


class VoteFileOptions(Columns):
    """How to read files of votes.

    Raises:
        UserError: an option in the wrong form; ``key`` is its name.
    """

    only: str | None = Field(
        None, description="Use only these rows: language=English, or several conditions separated by ' & '."
    )
    ties: Ties = Field("half", description="A tie is half a win for both, or nothing.")
    tie_word: str | None = Field(None, description="Further words that mean a tie, separated by commas.")
    alias: str | None = Field(
        None, description="A file of other names of arms, with the columns name and arm; relative to the spec."
    )
    delimiter: str | None = Field(
        None, description="The character between the cells of a text file, or comma, semicolon, tab or bar."
    )
    strict: bool = Field(False, description="Treat a row that cannot be used as an error.")

    @property
    def conditions(self) -> tuple[tuple[str, str], ...]:
        """The columns of ``only``, each with the value that a row must have."""
        # A condition begins with a column and a sign: "A & B" may be a value.
        parts = re.split(r"\s&\s+(?=[^&=]+=)", self.only) if self.only else []
        pairs = [part.partition("=") for part in parts]
        if not all(column.strip() and sign for column, sign, _ in pairs):
            raise UserError(f"only is {self.only!r}: write COLUMN=VALUE, as in anony=true", key=("only",))
        return tuple((column.strip(), value.strip()) for column, _, value in pairs)

    @property
    def more_ties(self) -> frozenset[str]:
        """The words of ``tie_word``, folded."""
        if self.tie_word is None:
            return frozenset()
        words = frozenset(map(folded, self.tie_word.split(",")))
        if "" in words:
            raise UserError(
                f"a word for a tie has letters or digits, but one in {self.tie_word!r} has none", key=("tie_word",)
            )
        return words

    @model_validator(mode="after")
    def _valid(self) -> VoteFileOptions:
        _ = self.conditions, self.more_ties, None if self.delimiter is None else checked_delimiter(self.delimiter)
        return self
