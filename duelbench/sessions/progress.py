"""How the chances of the arms to be best have moved, vote by vote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Floats, Ints
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.posterior import Notion
from duelbench.sessions.agreement import Answer
from duelbench.sessions.standings import chances

DRAWS = 400
MARKS = 24
LARGE = 60
"""With more arms than this there are fewer marks: each takes as long as the posterior takes to be found."""


class Told(NamedTuple):
    """One vote on two different arms."""

    first: int
    second: int
    answer: Answer


class Progress(NamedTuple):
    """After ``votes[m]`` votes the arms were best with probabilities ``chances[m]``: shapes (marks,), (marks, K)."""

    votes: Ints
    chances: Floats


def progress(
    names: Sequence[str],
    votes: Sequence[Told],
    *,
    before: PairCounts | None = None,
    taking_part: Sequence[int] | None = None,
    notion: Notion = "copeland",
) -> Progress:
    """Return the chances of the arms that take part now to be best: before the first vote, after the last, and between.

    ``before`` are votes from elsewhere that were known from the beginning.
    """
    arms = len(names)
    wins, ties = (
        (np.zeros((arms, arms)), np.zeros((arms, arms))) if before is None else (before.wins.copy(), before.ties.copy())
    )
    marks = np.unique(
        np.linspace(0, len(votes), 2 + (MARKS if arms <= LARGE else MARKS * LARGE // arms)).round()
    ).astype(np.int64)
    found, told = [], 0
    for mark in marks:
        for vote in votes[told:mark]:
            tell(vote, wins, ties)
        told = int(mark)
        counts = PairCounts(tuple(names), wins, ties)
        found.append(chances(counts, taking_part=taking_part, notion=notion, draws=DRAWS))
    return Progress(marks, np.array(found))


def tell(vote: Told, wins: Floats, ties: Floats) -> None:
    """Count a vote, in place."""
    if vote.answer == "tie":
        ties[vote.first, vote.second] += 1
        ties[vote.second, vote.first] += 1
    elif vote.answer == "first":
        wins[vote.first, vote.second] += 1
    else:
        wins[vote.second, vote.first] += 1
