"""Votes one by one: who compared what in which order, and which votes belong together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from duelbench.arrays import Flags, Floats, Ints
from duelbench.preferences.counts import PairCounts


@dataclass(frozen=True, eq=False)
class VoteTable:
    """Votes on K named arms, each with its judge and its group.

    Parameters
    ----------
    names : tuple of str
        The names of the K arms.
    first, second : ndarray of int, shape (n,)
        The two arms of each vote, in the order in which they were shown.
    outcome : ndarray of int, shape (n,)
        1 where the first arm won, −1 where the second won, 0 for a tie.
    weight : ndarray of float, shape (n,)
        How many votes the row stands for.
    judge : ndarray of int, shape (n,)
        The index of the judge in ``judges``, −1 where unknown.
    group : ndarray of int, shape (n,)
        Votes with the same number come from one ranking and are not independent.
    judges : tuple of str
        The names of the judges.
    """

    names: tuple[str, ...]
    first: Ints
    second: Ints
    outcome: Ints
    weight: Floats
    judge: Ints
    group: Ints
    judges: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.first)

    def chosen(self, rows: Flags) -> VoteTable:
        """Return some of the votes."""
        columns = ("first", "second", "outcome", "weight", "judge", "group")
        return replace(self, **{column: getattr(self, column)[rows] for column in columns})

    def among(self, arms: Sequence[int]) -> VoteTable:
        """Return the votes among these arms, in this order."""
        place = np.full(len(self.names), -1)
        place[list(arms)] = np.arange(len(arms))
        kept = self.chosen((place[self.first] >= 0) & (place[self.second] >= 0))
        names = tuple(self.names[arm] for arm in arms)
        return replace(kept, names=names, first=place[kept.first], second=place[kept.second])

    def counts(self) -> PairCounts:
        """Return the votes, pair by pair."""
        K = len(self.names)
        wins, ties = np.zeros((K, K)), np.zeros((K, K))
        winner = np.where(self.outcome > 0, self.first, self.second)
        loser = np.where(self.outcome > 0, self.second, self.first)
        tied = self.outcome == 0
        np.add.at(wins, (winner[~tied], loser[~tied]), self.weight[~tied])
        np.add.at(ties, (self.first[tied], self.second[tied]), self.weight[tied])
        return PairCounts(self.names, wins, ties + ties.T)
