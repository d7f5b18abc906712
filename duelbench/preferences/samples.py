"""Statistics of preference matrices drawn from a posterior: the best arm, scores, ranks, and the next pair.

For ``borda``, an arm is *within a margin ε of the best* if its score is at most ε below the highest. For the other
notions, pairs with ``P[i, j] > 1/2 − ε`` count as wins of i; with these, i must beat all others (``condorcet``), or at
least as many as the Copeland winners beat without the margin (``copeland``). With ε = 0, only the best arms qualify.

Likewise, an order is right within ε if each arm is within ε of the best of the later arms, and a set is the top k
within ε if each of its arms is within ε of the best of the others. Orders are by Borda score or by the number of wins.
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
"""The fewest joint draws, beyond chance, of a pair and the arm: two rare events may coincide once or twice."""


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
    """Return which arms are within the margin; ``nearly`` are the wins if pairs within the margin count as wins."""
    if notion == "condorcet":
        near: Flags = nearly == scores.shape[-1] - 1
    elif notion == "borda":
        near = scores >= scores.max(axis=-1, keepdims=True) - margin
    else:
        near = nearly >= scores.max(axis=-1, keepdims=True)
    return near


class Estimate(NamedTuple):
    """An estimate with its 95 % interval."""

    value: float
    low: float
    high: float


class DecidingPair(NamedTuple):
    """A pair that decides whether an arm is best.

    ``first`` is preferred to ``second`` with probability ``p``, at least 1/2. The arm in question is best with
    probability ``if_so`` if ``first`` is preferred, and with probability ``if_not`` otherwise.
    """

    first: int
    second: int
    p: float
    if_so: float
    if_not: float


@dataclass(frozen=True, eq=False)
class Samples:
    """Statistics of preference matrices drawn from a posterior, for n arms.

    Results of methods are in the order of ``arms``; pairs are positions in it.

    Attributes
    ----------
    arms : tuple of int
        The numbers of the n arms.
    wins : ndarray of float, shape (draws, n)
        How many of the others each arm beats.
    nearly : ndarray of float, shape (draws, n)
        The same, counting pairs within ``margin`` of 1/2 as wins.
    borda : ndarray of float, shape (draws, n)
        The mean probability of being preferred to another arm, including half of the probability of a tie.
    strengths : ndarray of float, shape (draws, n)
        Log-strengths.
    above : ndarray of uint8, shape (draws, bytes)
        Whether i beats j, for each pair i < j, row by row, as packed bits.
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
        """Return the scores that rank the arms, shape (draws, n): Borda scores, or the number of arms beaten."""
        return self.borda if notion == "borda" else self.wins

    def best(self, notion: Notion = "copeland") -> Flags:
        """Return which arms are best in each matrix, shape (draws, n)."""
        return _best_by(self.scores(notion), notion)

    def chances(self, notion: Notion = "copeland") -> Floats:
        """Return the probability that each arm is best, shape (n,); see ``Posterior.chances``."""
        chances: Floats = self.best(notion).mean(axis=0)
        return chances

    def within_margin(self, notion: Notion = "copeland") -> Floats:
        """Return the probability that each arm is within ``margin`` of the best, shape (n,)."""
        chances: Floats = _near_by(self.scores(notion), self.nearly, notion, self.margin).mean(axis=0)
        return chances

    def in_order(self, order: Sequence[int], notion: Notion = "copeland") -> float:
        """Return the probability that an order of all positions, best first, is right within ``margin``."""
        raised, best_later = self._against_later(order, notion)
        return float((raised >= best_later).all(axis=1).mean())

    def tops(self, order: Sequence[int], notion: Notion = "copeland") -> Floats:
        """Return the probability that the first k of an order are the top k within ``margin``, for all k < n."""
        raised, best_later = self._against_later(order, notion)
        chances: Floats = (np.minimum.accumulate(raised, axis=1) >= best_later).mean(axis=0)
        return chances

    def _against_later(self, order: Sequence[int], notion: Notion) -> tuple[Floats, Floats]:
        """Return the raised scores of all but the last in an order, and the highest score among those after each."""
        places = np.array(order)
        best_later: Floats = np.maximum.accumulate(self.scores(notion)[:, places[:0:-1]], axis=1)[:, ::-1]
        return self._raised(notion)[:, places[:-1]], best_later

    def _raised(self, notion: Notion) -> Floats:
        """Return the Borda scores plus ``margin``, or the wins if every pair is raised by ``margin``."""
        return self.borda + self.margin if notion == "borda" else self.nearly

    def estimates(self, notion: Notion = "copeland") -> list[Estimate]:
        """Return the mean score of each arm with its 95 % credible interval; see ``scores``."""
        return _over_draws(self.scores(notion))

    def preferred(self) -> Floats:
        """Return the (n, n) probabilities that ``P[i, j] > 1/2``: the arm of the row beats the arm of the column."""
        n = len(self.arms)
        pairs = np.triu_indices(n, 1)
        share = np.full((n, n), 0.5)
        share[pairs] = sum(np.unpackbits(row, count=len(pairs[0])).astype(np.int64) for row in self.above) / self.draws
        share.T[pairs] = 1.0 - share[pairs]
        return share

    def deciding(self, place: int, notion: Notion = "copeland") -> list[DecidingPair]:
        """Return the pairs that are most informative about whether an arm is best, the most informative first.

        The information of a pair is the squared correlation, over the draws, of "the arm is best" and "the first arm of
        the pair is preferred". Pairs are left out if the correlation may be due to chance among so many pairs, or is
        due to a few draws.
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
        """Return the positions of the pair whose next vote is expected to settle the order most; None for one arm."""
        first, second = np.triu_indices(len(self.arms), 1)
        if not len(first):
            return None
        pair = int(np.argmax(self.gap_variance()[first, second]))
        return int(first[pair]), int(second[pair])

    def gap_variance(self) -> Floats:
        """Return how much one more vote on each pair would reduce the uncertainty of the order, shape (n, n).

        The uncertainty is the sum of ``doubt[k] Var(g[k] − g[k + 1]) / V[k]`` over neighbours k and k + 1 in the order
        of the mean strengths; its reduction uses the normal approximation. V[k] is the current variance. The doubt is
        the share of draws with the opposite order, plus half a draw so that it is never 0.
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
    """Return the mean and the 95 % interval of each column; intervals of integers end at integers."""
    columns = np.stack([values.mean(axis=0), *np.quantile(values, _ENDS, axis=0, method="inverted_cdf")], axis=1)
    return [Estimate(*each) for each in columns.tolist()]
