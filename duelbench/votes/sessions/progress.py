"""The probability that each arm is best, vote by vote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Floats
from duelbench.preferences.counts import PairCounts
from duelbench.votes.posterior.posterior import Posterior
from duelbench.votes.posterior.worlds import Notion
from duelbench.votes.sessions.agreement import Judged

DRAWS = 400
MARKS = 24
LARGE = 60
"""With more arms fewer marks are computed: each needs the posterior."""


class Progress(NamedTuple):
    """After ``votes[m]`` votes the arms were best with probabilities ``chances[m]``: shapes (marks,), (marks, K)."""

    votes: Floats
    chances: Floats


def progress(
    counts: PairCounts,
    votes: Sequence[Judged],
    *,
    taking_part: Sequence[int] | None = None,
    notion: Notion = "copeland",
) -> Progress:
    """Return the chances of the arms that take part now to be best: before the first vote, after the last, and between.

    ``counts`` are all votes, and ``votes`` those of them whose order is known; the others, which come from elsewhere,
    count from the beginning. Votes on arms that are not in ``counts`` are passed over.
    """
    place = {name: number for number, name in enumerate(counts.names)}
    known = [vote for vote in votes if vote.first in place and vote.second in place]
    steps = MARKS if counts.arms <= LARGE else MARKS * LARGE // counts.arms
    marks = np.unique(np.linspace(0, len(known), steps + 2).round()).astype(np.int64)
    wins, ties = counts.wins.copy(), counts.ties.copy()
    part = list(range(counts.arms)) if taking_part is None else sorted(taking_part)
    after, taken, found = [], len(known), np.zeros((len(marks), counts.arms))
    for row, mark in zip(found[::-1], marks[::-1], strict=True):
        for vote in known[mark:taken]:
            _take_back(vote, place, wins, ties)
        taken = int(mark)
        then = PairCounts(counts.names, wins, ties)
        after.append(float(then.votes.sum() / 2))
        row[part] = Posterior(then, ties="model").sample(DRAWS, part=part).chances(notion)
    return Progress(np.array(after[::-1]), found)


def _take_back(vote: Judged, place: dict[str, int], wins: Floats, ties: Floats) -> None:
    first, second = place[vote.first], place[vote.second]
    if vote.answer == "tie":
        ties[first, second] -= 1
        ties[second, first] -= 1
    elif vote.answer == "first":
        wins[first, second] -= 1
    else:
        wins[second, first] -= 1
