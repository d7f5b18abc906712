"""The options of all commands and entries of specs that read votes."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, model_validator

from duelbench.errors import UserError
from duelbench.votes.reading.columns import Columns
from duelbench.votes.reading.numbers import key
from duelbench.votes.reading.tables import checked_delimiter
from duelbench.votes.reading.words import Outcome

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
    first_word: str | None = Field(None, description="Outcomes that mean that the first arm has won, with commas.")
    second_word: str | None = Field(None, description="Outcomes that mean that the second arm has won, with commas.")
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
    def words(self) -> dict[str, Outcome]:
        """The outcomes that ``first_word``, ``second_word`` and ``tie_word`` mean, by ``key``."""
        found: dict[str, Outcome] = {}
        for name, outcome in (("first_word", 1), ("second_word", -1), ("tie_word", 0)):
            text = getattr(self, name)
            for word in [] if text is None else text.split(","):
                if not key(word):
                    raise UserError(
                        f"a word for an outcome has letters or digits, but one in {text!r} has none", key=(name,)
                    )
                if found.setdefault(key(word), outcome) != outcome:
                    raise UserError(f"{word.strip()!r} cannot mean two outcomes", key=(name,))
        return found

    @model_validator(mode="after")
    def _valid(self) -> VoteFileOptions:
        _ = self.conditions, self.words, None if self.delimiter is None else checked_delimiter(self.delimiter)
        return self
