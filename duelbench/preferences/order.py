"""The reference order of the arms of a matrix, and measures of how far another order is from it.

An order is a tuple of groups of arms, best first; the arms of a group are tied. The *reference order* sorts arms by the
number of arms that they beat, counting 1/2 for a tie, then by Borda score (``copeland``); or by Borda score alone
(``borda``). If P induces a strict order, ``copeland`` gives that order. With cycles no order agrees with all pairs.

References
----------
Maystre, Grossglauser, Just sort it!, ICML 2017 (displacement); Ren, Liu, Shroff, The sample complexity of best-k items
selection, ICML 2020 (sets that are right within ε).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duelbench.arrays import Floats, Tiers
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.scores import half_wins

By = Literal["copeland", "borda"]

_TIED = 1e-12
"""Scores closer than this are tied."""


def tiers_by(scores: Floats, close: float = _TIED) -> Tiers:
    """Return the arms in groups of equal scores, the largest first; the arms of a group are in ascending order."""
    ranked = np.argsort(-scores, kind="stable")
    begins = np.flatnonzero(np.r_[True, -np.diff(scores[ranked]) > close])
    return tuple(tuple(sorted(group.tolist())) for group in np.split(ranked, begins[1:]))


def order_of(matrix: PreferenceMatrix, by: By) -> Tiers:
    """Return the reference order of a matrix."""
    borda = matrix.borda_scores()
    if by == "borda":
        return tiers_by(borda)
    beaten = half_wins(matrix.P - 0.5)
    return tuple(tuple(group[k] for k in inner) for group in tiers_by(beaten) for inner in tiers_by(borda[list(group)]))


class Judgement(NamedTuple):
    """The measures of an order.

    ``tau``: the normalised Kendall tau distance to the reference order. Among pairs that are not tied in the reference,
    it is the share in the wrong order; a pair that only the order ties counts half. It is 0 if the reference ties all
    arms. ``overlap``: the share of arms in a correct tier; for the top k, the share of the k first arms. If the
    reference ties an arm across several tiers, each is correct. ``epsilon``: the smallest ε for which the order is
    right: no arm is placed above one that beats it with more than 1/2 + ε, or whose Borda score is larger by more than
    ε; the order within a tier does not count. ``exact``: whether tau is 0, or for tiers, every boundary is right.
    """

    tau: float
    overlap: float
    epsilon: float
    exact: bool


@dataclass(frozen=True)
class OrderJudge:
    """Compares orders of the arms with the reference order of a ``matrix``, which is ``by`` a score.

    ``sizes`` has the sizes of the tiers, best first; all are 1 if the whole order is the goal.
    """

    matrix: PreferenceMatrix
    by: By
    sizes: tuple[int, ...]

    @cached_property
    def reference(self) -> Tiers:
        """The reference order of the matrix."""
        return order_of(self.matrix, self.by)

    def __call__(self, order: Tiers, strict: Sequence[int]) -> Judgement:
        """Return the measures of an ``order``; ``strict`` is the same order without ties, which is cut into tiers."""
        reference = self.reference
        tau = kendall(order, reference)
        bounds = [*accumulate(self.sizes)][:-1]
        overlaps = [top_overlap(strict[:k], reference) for k in bounds]
        if len(self.sizes) == self.matrix.arms:
            overlap, exact = _in_place(strict, self.sizes, reference), tau == 0.0
        else:
            overlap = overlaps[0] if len(bounds) == 1 else _in_place(strict, self.sizes, reference)
            exact = all(each == 1.0 for each in overlaps)
        return Judgement(tau, overlap, self._epsilon(strict), exact)

    def finds(self, declared: Tiers) -> bool:
        """Return whether declared tiers decide every boundary of the goal correctly."""
        strict = [arm for tier in declared for arm in tier]
        decided = set(accumulate(map(len, declared)))
        bounds = [*accumulate(self.sizes)]
        return decided.issuperset(bounds) and all(top_overlap(strict[:k], self.reference) == 1.0 for k in bounds)

    def _epsilon(self, strict: Sequence[int]) -> float:
        tier = np.repeat(np.arange(len(self.sizes)), self.sizes)
        arms = np.asarray(strict)
        above = tier[:, None] < tier
        if self.by == "borda":
            scores = self.matrix.borda_scores()[arms]
            worse = scores[None, :] - scores[:, None]
        else:
            worse = 0.5 - self.matrix.P[np.ix_(arms, arms)]
        return float(max(0.0, worse[above].max(initial=0.0)))


def kendall(order: Tiers, reference: Tiers) -> float:
    """Return the normalised Kendall tau distance of two orders; see ``Judgement``."""
    mine, right = _places(order), _places(reference)
    first, second = np.triu_indices(len(right), 1)
    a, b = np.sign(mine[first] - mine[second]), np.sign(right[first] - right[second])
    decided = b != 0
    if not decided.any():
        return 0.0
    return float((np.abs(a - b)[decided] / 2.0).mean())


def _places(order: Tiers) -> NDArray[np.intp]:
    """Return the number of the group of each arm."""
    place = np.empty(sum(map(len, order)), np.intp)
    for number, group in enumerate(order):
        place[list(group)] = number
    return place


def top_overlap(chosen: Sequence[int], reference: Tiers) -> float:
    """Return the share of the top k among the k ``chosen`` arms; any of the arms tied at the boundary counts."""
    k, must = len(chosen), set[int]()
    for group in reference:
        if len(must) + len(group) > k:
            may = set(group)
            break
        must |= set(group)
    else:
        may = set()
    return (len(must & set(chosen)) + min(len(may & set(chosen)), k - len(must))) / k


def _in_place(strict: Sequence[int], sizes: Sequence[int], reference: Tiers) -> float:
    """Return the share of arms whose tier overlaps with their places in the reference."""
    tier = np.repeat(np.arange(len(sizes)), sizes)
    ends = list(accumulate(map(len, reference), initial=0))
    right = 0
    for group, (first, after) in zip(reference, pairwise(ends), strict=True):
        placed = tier[np.isin(strict, group)]
        right += int(np.count_nonzero((tier[first] <= placed) & (placed <= tier[after - 1])))
    return right / len(strict)
