"""The votes of a session as tables that `duelbench datasets build votes` and anything else can read."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from duelbench.sessions.asks import Vote
from duelbench.sessions.session import Session

VOTES = ("first", "second", "winner", "judge", "asked", "answered", "ask", "coin", "used")
COUNTS = ("first", "second", "wins_first", "wins_second", "ties")


def votes_text(votes: list[Vote]) -> str:
    """Return a CSV table of votes, one a row: the arms as they were shown, and first, second or tie."""
    rows = [
        (
            each.first, each.second, each.answer, each.judge or "", each.asked, each.answered, each.id,
            each.coin or "", str(each.used).lower(),
        )
        for each in votes
    ]  # fmt: skip
    return _table(VOTES, rows)


def counts_text(session: Session) -> str:
    """Return a CSV table of the arms' votes pair by pair, with those from elsewhere."""
    counts = session.counts
    rows = [
        (counts.names[i], counts.names[j], *(int(each) for each in (counts.wins[i, j], counts.wins[j, i])),
         int(counts.ties[i, j]))
        for i in range(counts.arms)
        for j in range(i + 1, counts.arms)
        if counts.votes[i, j]
    ]  # fmt: skip
    return _table(COUNTS, rows)


def _table(header: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
