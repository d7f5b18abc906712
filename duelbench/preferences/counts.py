"""Counts of votes: wins and ties of each pair of arms."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class PairCounts:
    """The votes on K named arms, pair by pair.

    ``names`` are K different names. ``wins[i, j]``, shape (K, K), is the number of votes for arm i over arm j;
    ``ties[i, j]`` is the number of votes for neither and symmetric. Both are float64, since votes may have weights;
    finite, non-negative, 0 on the diagonal, and read-only.

    Raises ValueError otherwise; readers of files have already reported users' mistakes.
    """

    names: tuple[str, ...]
    wins: NDArray[np.float64]
    ties: NDArray[np.float64]

    def __post_init__(self) -> None:
        shape = (len(self.names), len(self.names))
        if len(set(self.names)) < len(self.names) or len(self.names) < 2:
            raise ValueError("two or more different names are needed")
        for what in ("wins", "ties"):
            try:
                table = np.array(getattr(self, what), dtype=np.float64)
            except (TypeError, OverflowError):
                raise ValueError(f"{what} must be numbers within the range of floats") from None
            if table.shape != shape or not np.isfinite(table).all() or (table < 0).any() or table.diagonal().any():
                raise ValueError(f"{what} must be a {shape} table of finite counts with 0 on the diagonal")
            table.flags.writeable = False
            object.__setattr__(self, what, table)
        if not np.array_equal(self.ties, self.ties.T):
            raise ValueError("ties must be symmetric")

    @property
    def arms(self) -> int:
        """The number of arms, K."""
        return len(self.names)

    @property
    def votes(self) -> NDArray[np.float64]:
        """The number of votes on each pair, including ties, shape (K, K), symmetric."""
        return self.wins + self.wins.T + self.ties

    def halved(self) -> NDArray[np.float64]:
        """Return the wins, with each tie as half a win for both arms, shape (K, K)."""
        return self.wins + self.ties / 2

    def chosen(self, arms: Sequence[int]) -> PairCounts:
        """Return the votes among these arms, in this order."""
        block = np.ix_(list(arms), list(arms))
        return PairCounts(tuple(self.names[arm] for arm in arms), self.wins[block], self.ties[block])

    def most_voted(self, arms: int) -> list[int]:
        """Return the ``arms`` arms with the most votes, or all if there are fewer, in increasing order."""
        by_votes = np.argsort(-self.votes.sum(axis=1), kind="stable")
        return sorted(by_votes[:arms].tolist())

    def digest(self) -> str:
        """Return the SHA-256, in hex, of the counts. Names do not affect any number and are left out."""
        content = np.stack([self.wins, self.ties]).astype("<f8").tobytes()
        return hashlib.sha256(f"{self.arms}".encode() + content).hexdigest()
