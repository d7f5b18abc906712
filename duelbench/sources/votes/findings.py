"""What can be said of a matrix that was made of votes: who wins and how surely, and what the votes leave open."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.tournament import cycles, groups, smith_set, unbeaten_groups
from duelbench.proportions import NORMAL, wilson
from duelbench.sources.votes.shares import unseen_pairs

THIN = 10
"""Votes below which a pair is thin: the interval of its probability is then half of [0, 1] or more."""
CYCLES = 5
"""How many cycles are shown."""


@dataclass(frozen=True)
class Pair:
    """The votes on a pair seen from its first arm: the share won, a tie as half a win, and its 95 % interval."""

    first: int
    second: int
    votes: float
    share: float
    low: float
    high: float

    @property
    def decided(self) -> bool:
        """Whether the interval is above 1/2 or below."""
        return self.low > 0.5 or self.high < 0.5


@dataclass(frozen=True, eq=False)
class Findings:
    """What the votes say and what they leave open.

    ``thin`` are the pairs (i, j) with few votes, fewest first, ``unseen`` those with none, both (pairs, 2). ``apart``
    are groups of arms that no votes connect, ``one_sided`` groups of which each has lost, or won, all votes against the
    rest; one group of all arms is how it should be. ``winner_pairs`` are the pairs of the first Copeland winner.
    """

    condorcet: int | None
    copeland: tuple[int, ...]
    borda: tuple[int, ...]
    smith: tuple[int, ...]
    three_cycles: int
    cycles: tuple[tuple[int, ...], ...]
    unseen: NDArray[np.intp]
    thin: NDArray[np.intp]
    apart: tuple[tuple[int, ...], ...]
    one_sided: tuple[tuple[int, ...], ...]
    winner_pairs: tuple[Pair, ...]
    pairs_decided: int
    pairs: int


def find(counts: PairCounts, matrix: PreferenceMatrix) -> Findings:
    """Return what ``counts`` say; ``matrix`` was made of them."""
    borda = matrix.borda_scores()
    copeland = matrix.copeland_winners()
    number, shown = cycles(matrix, CYCLES)
    votes = counts.votes
    few = np.argwhere(np.triu((votes > 0) & (votes < THIN), 1))
    winner = int(copeland[0])
    return Findings(
        matrix.condorcet_winner(),
        tuple(map(int, copeland)),
        tuple(map(int, np.flatnonzero(borda == borda.max()))),
        tuple(map(int, smith_set(matrix))),
        number,
        tuple(shown),
        unseen_pairs(counts),
        few[np.argsort(votes[few[:, 0], few[:, 1]], kind="stable")],
        tuple(map(tuple, groups(votes))),
        tuple(map(tuple, unbeaten_groups(counts.halved()))),
        tuple(_pair(counts, winner, other) for other in range(counts.arms) if votes[winner, other] > 0),
        pairs_decided(counts),
        counts.arms * (counts.arms - 1) // 2,
    )


def pairs_decided(counts: PairCounts) -> int:
    """Return on how many pairs Wilson's interval leaves 1/2 out.

    It holds what a score test does not reject: 1/2 is left out where the share is further from it than 1.96 standard
    errors of a coin.
    """
    votes = counts.votes
    away = np.abs(counts.halved() - votes / 2)  # of votes won, whose standard error is sqrt(votes) / 2
    return int(np.count_nonzero(np.triu(away > NORMAL * np.sqrt(votes) / 2, 1)))


def _pair(counts: PairCounts, first: int, second: int) -> Pair:
    won, lost, ties = counts.wins[first, second], counts.wins[second, first], counts.ties[first, second]
    votes = float(won + lost + ties)
    share = float(won + ties / 2) / votes
    return Pair(first, second, votes, share, *wilson(share, votes))
