"""The votes of a session as tables: CSV that `duelbench datasets build votes` reads, and votes one by one."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import numpy as np

from duelbench.preferences.counts import PairCounts
from duelbench.votes.reading.exports import VOTES
from duelbench.votes.sessions.asks import Vote
from duelbench.votes.table import VoteTable


def votes_text(votes: list[Vote]) -> str:
    """Return a CSV table of votes, one a row: the arms as they were shown, and first, second or tie."""
    rows = [
        (
            each.first, each.second, each.answer, each.judge or "", each.asked, each.answered, each.id,
            each.coin or "", str(each.used).lower(),
        )
        for each in votes
    ]  # fmt: skip
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(VOTES)
    writer.writerows(rows)
    return text.getvalue()


def vote_table(counts: PairCounts, votes: Sequence[Vote]) -> VoteTable:
    """Return the votes in ``counts`` one by one: ``votes`` of judges, and all others without a judge.

    Votes on arms that are not in ``counts`` are left out.
    """
    place = {name: number for number, name in enumerate(counts.names)}
    known = [vote for vote in votes if vote.first in place and vote.second in place]
    judges = sorted({vote.judge for vote in known if vote.judge is not None})
    number = {judge: k for k, judge in enumerate(judges)}
    outcome = {"first": 1, "tie": 0, "second": -1}
    rows = [
        (place[vote.first], place[vote.second], outcome[vote.answer], 1.0, number.get(vote.judge or "", -1))
        for vote in known
    ]
    mine = _as_table(counts.names, rows, judges).counts()
    wins, ties = counts.wins - mine.wins, np.triu(counts.ties - mine.ties)
    for each, told in ((1, wins), (0, ties)):
        rows += [(int(i), int(j), each, float(told[i, j]), -1) for i, j in np.argwhere(told > 0)]
    return _as_table(counts.names, rows, judges)


def _as_table(
    names: tuple[str, ...], rows: Sequence[tuple[int, int, int, float, int]], judges: Sequence[str]
) -> VoteTable:
    columns = np.array(rows, dtype=np.float64).reshape(-1, 5).T
    first, second, outcome, _, judge = columns.astype(np.int64)
    return VoteTable(names, first, second, outcome, columns[3], judge, np.arange(len(rows)), tuple(judges))
