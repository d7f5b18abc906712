"""Statistics of a matrix made from votes: the winners, their certainty, and pairs with few votes or none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from duelbench.arrays import Floats
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.proportions import NORMAL, wilson
from duelbench.votes.ranking.tournament import cycles, groups, smith_set, unbeaten_groups
from duelbench.votes.reading.shares import unseen_pairs

THIN = 10
"""A pair with fewer votes is thin: the interval of its probability has a length of at least 1/2."""
CYCLES = 5
"""The largest number of cycles to show."""


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
    """The statistics of a matrix made from votes.

    ``thin`` are the pairs (i, j) with few votes, fewest first, ``unseen`` those without votes, both (pairs, 2).
    ``apart`` are groups of arms that no votes connect, ``one_sided`` groups of which each has lost, or won, all votes
    against the rest; ideally there is one group of all arms. ``winner_pairs`` are the pairs of the first Copeland
    winner, the most probable one.
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


def find(counts: PairCounts, matrix: PreferenceMatrix, chances: Floats | None) -> Findings:
    """Return the statistics of ``counts`` and of the ``matrix`` made from them.

    Copeland winners are ordered by their ``chances`` (those of ``Certainty``).
    """
    borda = matrix.borda_scores()
    copeland = matrix.copeland_winners()
    if chances is not None:
        copeland = copeland[np.argsort(-chances[copeland], kind="stable")]
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
    """Return the number of pairs whose Wilson interval excludes 1/2.

    The interval consists of the values that a score test does not reject: it excludes 1/2 if the share is more than
    1.96 standard errors, under probability 1/2, away from 1/2.
    """
    votes = counts.votes
    away = np.abs(counts.halved() - votes / 2)  # in votes won, with standard error sqrt(votes) / 2
    return int(np.count_nonzero(np.triu(away > NORMAL * np.sqrt(votes) / 2, 1)))


def _pair(counts: PairCounts, first: int, second: int) -> Pair:
    won, lost, ties = counts.wins[first, second], counts.wins[second, first], counts.ties[first, second]
    votes = float(won + lost + ties)
    share = float(won + ties / 2) / votes
    return Pair(first, second, votes, share, *wilson(share, votes))
