"""Files that duelbench writes and reads back as they were: each name is an arm of its own.

Files of others may spell an arm in several ways, and write outcomes in many; see ``names`` and ``outcomes``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from duelbench.votes.reading.columns import Columns
from duelbench.votes.reading.layouts import Arm, Cells, Meaning
from duelbench.votes.reading.outcomes import Words
from duelbench.votes.reading.rows import Table
from duelbench.votes.reading.single import Duel
from duelbench.votes.reading.tally import Refusal, pair_of, shown

MARK = "# duelbench: names are exact"
"""The comment by which files of counts are recognised; their header alone may be anybody's."""
VOTES = ("first", "second", "winner", "judge", "asked", "answered", "ask", "coin", "used")
"""The header of the votes of a session, by which they are recognised."""
OUTCOMES = {"first": (1.0, 0.0, 0.0), "second": (0.0, 1.0, 0.0), "tie": (0.0, 0.0, 1.0)}


def is_export(table: Table) -> bool:
    """Return whether a file was written by duelbench."""
    return MARK in table.comments or table.columns == VOTES


@dataclass(frozen=True)
class SessionVotes:
    """The votes of a session: the winner is a side, whatever the arms are called."""

    columns: Cells = VOTES[:3]

    @classmethod
    def of(cls, table: Table, named: Columns) -> SessionVotes | None:
        """Return this layout if a table has it and no columns of arms and outcomes are named."""
        return None if table.columns != VOTES or named.first or named.winner else cls()

    def read(self, rows: Mapping[Cells, int], arm: Arm = str, own: Words | None = None) -> Meaning:
        """Return how to read any file of this kind; see ``Layout``."""

        def reading(cells: Cells) -> Sequence[Duel]:
            if cells[2] not in OUTCOMES:
                raise Refusal(f"the outcome {shown(cells[2])} is unknown")
            return [Duel(*pair_of(cells[0], cells[1]), *OUTCOMES[cells[2]])]

        return Meaning(reading, "the votes of a session")
