"""Wins and ties of each pair of arms of a session: whole votes, and the coins of ties."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from duelbench.arrays import Ints
from duelbench.errors import UserError, did_you_mean
from duelbench.preferences.counts import PairCounts
from duelbench.votes.sessions.events import Pair


class Tally:
    """The votes on all arms, withdrawn ones included. ``places``: by name, in the order in which they came."""

    def __init__(self, names: Sequence[str]) -> None:
        self.places = {name: place for place, name in enumerate(names)}
        self._wins, self._ties, self._coins = np.zeros((3, len(names), len(names)), np.int64)

    def add_arm(self, name: str) -> None:
        """Make room for another arm."""
        self.places[name] = len(self.places)
        self._wins, self._ties, self._coins = (np.pad(table, (0, 1)) for table in (self._wins, self._ties, self._coins))

    def place(self, name: str) -> int:
        """Return the place of an arm. Raises UserError for an unknown name."""
        if name not in self.places:
            raise UserError(f"there is no arm {name!r}{did_you_mean(name, self.places)}")
        return self.places[name]

    def win(self, winner: int, loser: int, times: int = 1) -> None:
        """Count votes."""
        self._wins[winner, loser] += times

    def tie(self, lucky: int, other: int, times: int = 1) -> None:
        """Count a tie, which the algorithm learns as a win of ``lucky``."""
        self._ties[lucky, other] += times
        self._ties[other, lucky] += times
        self._coins[lucky, other] += times

    def add(self, i: int, j: int, pair: Pair) -> None:
        """Count votes from elsewhere."""
        self._wins[i, j] += pair.wins
        self._wins[j, i] += pair.losses
        self._ties[i, j] += pair.ties
        self._ties[j, i] += pair.ties
        self._coins[i, j] += pair.coins
        self._coins[j, i] += pair.ties - pair.coins

    def won(self, arms: Sequence[int]) -> Ints:
        """Return how often each of some arms has beaten each other, with ties decided by coins."""
        block = np.ix_(arms, arms)
        told: Ints = self._wins[block] + self._coins[block]
        return told

    @property
    def voted(self) -> bool:
        """Whether there are any votes."""
        return bool(self._wins.any() or self._ties.any())

    def counts(self) -> PairCounts:
        """Return the votes."""
        return PairCounts(tuple(self.places), self._wins.astype(float), self._ties.astype(float))
