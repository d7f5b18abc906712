"""Statistics of preference matrices drawn from a posterior: the best arm, scores, ranks, and the next pair.

*Within a margin ε of the best* means, for Borda scores, a score at most ε below the highest. For wins, an arm's pairs
with ``P[i, j] > 1/2 − ε`` count as wins of that arm: with these it has won against all others (``condorcet``), or
against at least as many as the arms that truly win most (``copeland``). With ε = 0 only the best arms are.

Likewise, an order is right within ε if each arm is within ε of the best of those that follow, and some arms are the top
k within ε if each of them is within ε of the best of the others. Orders are by Borda score or by the number of wins.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duelbench.arrays import Flags, Floats
from duelbench.preferences.scores import borda, wins

Notion = Literal["copeland", "condorcet", "borda"]
_ENDS = (0.025, 0.975)
_DECIDING = 5
"""How many deciding pairs are returned."""
_FEWEST_TOGETHER = 5
"""Excess draws that a pair must share with the arm: two rare events may coincide once or twice."""


def best_arms(P: Floats, notion: Notion) -> Flags:
    """Return which arms of (…, K, K) preference matrices are best, shape (…, K)."""
    return _best_by(P.sum(axis=-1) if notion == "borda" else wins(P), notion)


def _best_by(score: NDArray[Any], notion: Notion) -> Flags:
    """Return which arms are best by their (…, K) scores: row sums for ``borda``, else the number of arms they beat."""
    most = score.shape[-1] - 1 if notion == "condorcet" else score.max(axis=-1, keepdims=True)
    best: Flags = score == most
    return best


def near_best(P: Floats, notion: Notion, margin: float) -> Flags:
    """Return which arms of (…, K, K) preference matrices are within the margin of the best, shape (…, K)."""
    scores = borda(P) if notion == "borda" else wins(P)
    nearly = wins(P + margin) - 1 if margin else scores
    return _near_by(scores, nearly, notion, margin)


def _near_by(scores: NDArray[Any], nearly: NDArray[Any], notion: Notion, margin: float) -> Flags:
    """Return which arms are within the margin of the best by their scores, and their wins with pairs in the margin."""
    if notion == "condorcet":
        near: Flags = nearly == scores.shape[-1] - 1
    elif notion == "borda":
        near = scores >= scores.max(axis=-1, keepdims=True) - margin
    else:
        near = nearly >= scores.max(axis=-1, keepdims=True)
    return near


class Estimate(NamedTuple):
    """A number with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


class DecidingPair(NamedTuple):
    """A pair that decides whether an arm is best.

    ``first`` is the arm that is more probably preferred, with probability ``p`` that it is. ``if_so`` and ``if_not``
    are the probabilities, in either case, that the arm of the question is best.
    """

    first: int
    second: int
    p: float
    if_so: float
    if_not: float


@dataclass(frozen=True, eq=False)
class Samples:
    """Statistics of preference matrices drawn from a posterior, of n arms that take part.

    What methods return is in the order of ``arms``, and pairs are places in it.

    Attributes
    ----------
    arms : tuple of int
        The numbers of the arms that take part.
    wins : ndarray of float, shape (draws, n)
        How many of the others each arm beats.
    nearly : ndarray of float, shape (draws, n)
        The same with pairs within the ``margin`` of 1/2 as wins.
    borda : ndarray of float, shape (draws, n)
        The mean probability to be preferred to one of the others; half of the probability of a tie counts.
    strengths : ndarray of float, shape (draws, n)
        Log-strengths.
    above : ndarray of uint8, shape (draws, bytes)
        Whether the first arm of each pair i < j, row by row, beats the second, in packed bits.
    margin : float
        The ε of ``within_margin``.
    """

    arms: tuple[int, ...]
    wins: Floats
    nearly: Floats
    borda: Floats
    strengths: Floats
    above: NDArray[np.uint8]
    margin: float = 0.0

    @property
    def draws(self) -> int:
        """The number of matrices."""
        return len(self.wins)

    def scores(self, notion: Notion) -> Floats:
        """Return the scores by which arms are ranked, Borda's or else the number of arms beaten, (draws, n)."""
        return self.borda if notion == "borda" else self.wins

    def best(self, notion: Notion = "copeland") -> Flags:
        """Return which arms are best in each matrix, shape (draws, n)."""
        return _best_by(self.scores(notion), notion)

    def chances(self, notion: Notion = "copeland") -> Floats:
        """Return the probability of each arm to be best, shape (n,); see ``Posterior.chances``."""
        chances: Floats = self.best(notion).mean(axis=0)
        return chances

    def within_margin(self, notion: Notion = "copeland") -> Floats:
        """Return the probability of each arm to be within ``margin`` of the best, shape (n,)."""
        chances: Floats = _near_by(self.scores(notion), self.nearly, notion, self.margin).mean(axis=0)
        return chances

    def in_order(self, order: Sequence[int], notion: Notion = "copeland") -> float:
        """Return the probability that an order of all places, best first, is right within ``margin``."""
        raised, best_later = self._against_later(order, notion)
        return float((raised >= best_later).all(axis=1).mean())

    def tops(self, order: Sequence[int], notion: Notion = "copeland") -> Floats:
        """Return the probability that the first k places of an order are the top k within ``margin``, for all k < n."""
        raised, best_later = self._against_later(order, notion)
        chances: Floats = (np.minimum.accumulate(raised, axis=1) >= best_later).mean(axis=0)
        return chances

    def _against_later(self, order: Sequence[int], notion: Notion) -> tuple[Floats, Floats]:
        """Return the scores in an order, raised by the margin, without the last; and the highest of the later ones."""
        places = np.array(order)
        best_later: Floats = np.maximum.accumulate(self.scores(notion)[:, places[:0:-1]], axis=1)[:, ::-1]
        return self._raised(notion)[:, places[:-1]], best_later

    def _raised(self, notion: Notion) -> Floats:
        """Return the scores as they are where every pair, or every Borda score, is raised by ``margin``."""
        return self.borda + self.margin if notion == "borda" else self.nearly

    def estimates(self, notion: Notion = "copeland") -> list[Estimate]:
        """Return the mean score of each arm with its 95 % credible interval; see ``scores``."""
        return _over_draws(self.scores(notion))

    def preferred(self) -> Floats:
        """Return the probability of ``P[i, j] > 1/2``, that the arm of the row beats the arm of the column, (n, n)."""
        n = len(self.arms)
        pairs = np.triu_indices(n, 1)
        share = np.full((n, n), 0.5)
        share[pairs] = sum(np.unpackbits(row, count=len(pairs[0])).astype(np.int64) for row in self.above) / self.draws
        share.T[pairs] = 1.0 - share[pairs]
        return share

    def deciding(self, place: int, notion: Notion = "copeland") -> list[DecidingPair]:
        """Return the pairs that are most informative about whether an arm is best, the most informative first.

        The information of a pair is the share of the variance of "is best", over the draws, that is explained by which
        of the two is preferred: the squared correlation. Pairs are left out if their correlation could be due to chance
        among so many pairs, or is due to a few draws.
        """
        best, n = self.best(notion)[:, place], len(self.arms)
        draws, chance = len(best), float(best.mean())
        if not 0 < chance < 1:
            return []
        pairs = n * (n - 1) // 2
        above, above_best = np.zeros(pairs, np.int64), np.zeros(pairs, np.int64)
        for packed, was_best in zip(self.above, best, strict=True):
            bits = np.unpackbits(packed, count=pairs)
            above += bits
            if was_best:
                above_best += bits
        p = above / draws
        with np.errstate(invalid="ignore", divide="ignore"):
            said = np.nan_to_num((above_best / draws - p * chance) ** 2 / (p * (1 - p) * chance * (1 - chance)))
        found = []
        for pair in np.argsort(-said, kind="stable")[:_DECIDING]:
            if draws * said[pair] < 2 * math.log(len(said)) + 10:
                break
            if abs(above_best[pair] - p[pair] * chance * draws) < _FEWEST_TOGETHER:
                continue
            i, j = (int(each[pair]) for each in np.triu_indices(n, 1))
            so = above_best[pair] / above[pair]
            otherwise = (best.sum() - above_best[pair]) / (draws - above[pair])
            if p[pair] < 0.5:
                i, j, so, otherwise = j, i, otherwise, so
            found.append(DecidingPair(i, j, float(max(p[pair], 1 - p[pair])), float(so), float(otherwise)))
        return found

    def next_pair(self) -> tuple[int, int] | None:
        """Return the places of the arms whose next vote lowers the uncertainty of the order most; None for one arm."""
        first, second = np.triu_indices(len(self.arms), 1)
        if not len(first):
            return None
        pair = int(np.argmax(self.gap_variance()[first, second]))
        return int(first[pair]), int(second[pair])

    def gap_variance(self) -> Floats:
        """Return by how much one more vote on a pair would reduce the uncertainty of the order, shape (n, n).

        That is the expected reduction of the sum, over neighbours k and k + 1 in the order of the mean strengths, of
        ``doubt[k] Var(g[k] − g[k + 1]) / V[k]`` in the normal approximation. V[k] is the current variance, and the
        doubt is the share of draws with the opposite order, where half a draw more leaves no pair out of the question.
        """
        n, g = len(self.arms), self.strengths
        if n < 2:
            return np.zeros((n, n))
        mean, covariance = g.mean(axis=0), np.cov(g, rowvar=False)
        order = np.argsort(-mean, kind="stable")
        upper, lower = order[:-1], order[1:]
        gaps = covariance[:, upper] - covariance[:, lower]
        now = gaps[upper, range(n - 1)] - gaps[lower, range(n - 1)]
        share = (1.0 + np.sign(g[:, upper] - g[:, lower]).mean(axis=0)) / 2.0
        doubt = (np.minimum(share, 1.0 - share) * self.draws + 0.5) / (self.draws + 1)
        settled = gaps * (doubt / now) @ gaps.T
        p = 1.0 / (1.0 + np.exp(mean - mean[:, None]))
        information = p * (1.0 - p)
        lowered: Floats = information * _of_differences(settled)
        lowered /= 1.0 + information * _of_differences(covariance)
        return lowered


def _of_differences(table: Floats) -> Floats:
    """Return ``(e_i − e_j)ᵀ table (e_i − e_j)`` for all i and j."""
    own = table.diagonal()
    quadratic: Floats = own[:, None] + own - table - table.T
    return quadratic


def _over_draws(values: Floats) -> list[Estimate]:
    """Return the mean of each column with its interval; whole numbers of arms have whole numbers as ends."""
    columns = np.stack([values.mean(axis=0), *np.quantile(values, _ENDS, axis=0, method="inverted_cdf")], axis=1)
    return [Estimate(*each) for each in columns.tolist()]
