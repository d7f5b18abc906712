"""Tests for differences between algorithms: Welch's t for means and Fisher's exact test for shares, Holm-corrected.

With several algorithms every pair is tested, so the best one may be chosen by the same runs: whichever it is, its
comparisons with the others are among the corrected ones. (Testing the others against the best as if it had been chosen
in advance finds differences too often where there are none.)

Welch's t test allows for unequal variances, and it compares means, as the tables do. A rank test would compare
medians, and with heavy tails the algorithm with the better median may have the worse mean. A rare, expensive run makes
the t test conservative, as it increases the standard error along with the mean. A few runs, however, may lie close
together by chance: with fewer than ``FEWEST`` runs nothing is significant, and a sample of fewer than ``FEW`` runs that
is smaller than the other one is assumed to have at least the other's standard deviation, with the degrees of freedom of
its own size.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Floats
from duelbench.spec.resolved import Labels

LEVEL = 0.05
"""The family-wise error rate: the probability that any of the tests finds a difference where there is none."""
FEWEST, FEW = 5, 30
_PRECISION = 1e-7
"""Means have eight significant digits, so two that differ by less than this share of them are equal."""
_POWER = 0.9
"""The probability with which a difference of ``MeanDifference.min_detectable`` is detected."""
_BLIND = 0.5
"""Runs are too few to show agreement if they cannot detect a difference of this share of the mean."""


class Sample(NamedTuple):
    """A mean over a number of ``runs`` and its standard error; a share needs no error."""

    mean: float
    error: float
    runs: int


def _welch(a: Sample, b: Sample) -> tuple[float, float]:
    """Return the standard error of the difference of two means, and its degrees of freedom.

    The error is infinite if there are too few runs, unless the runs of each sample are all equal.
    """
    few, many = sorted((a, b), key=lambda each: each.runs)
    if few.runs > 1 and a.error == b.error == 0:
        return 0.0, 1.0
    if few.runs < FEWEST or math.isnan(a.error + b.error):
        return math.inf, 1.0
    if few.runs < min(FEW, many.runs):
        error = max(few.error, many.error * math.sqrt(many.runs / few.runs))
        return math.hypot(error, many.error), few.runs - 1
    squares = [each.error**2 for each in (a, b)]
    return math.hypot(a.error, b.error), sum(squares) ** 2 / sum(
        square**2 / (each.runs - 1) for square, each in zip(squares, (a, b), strict=True)
    )


def compared_by_welch(samples: Sequence[Sample]) -> Floats:
    """Return the (samples, samples) p-values of Welch's tests for equal means, Holm-corrected for all pairs.

    Pairs with too few runs for a test have NaN.
    """
    from scipy.special import stdtr

    def p(a: Sample, b: Sample) -> float:
        error, degrees = _welch(a, b)
        if error == 0:
            return float(math.isclose(a.mean, b.mean, rel_tol=_PRECISION))
        if math.isinf(error):
            return math.nan
        return 2 * float(stdtr(degrees, -abs(a.mean - b.mean) / error))

    return _of_pairs(samples, p)


def compared_by_fisher(samples: Sequence[Sample]) -> Floats:
    """Return the (samples, samples) p-values of Fisher's tests for equal shares, Holm-corrected for all pairs."""
    from scipy.stats import fisher_exact

    def p(a: Sample, b: Sample) -> float:
        right = [round(each.mean * each.runs) for each in (a, b)]
        table = [[right[0], a.runs - right[0]], [right[1], b.runs - right[1]]]
        return float(fisher_exact(table).pvalue)

    return _of_pairs(samples, p)


def _of_pairs(samples: Sequence[Sample], p: Callable[[Sample, Sample], float]) -> Floats:
    values = holm([p(a, b) for a, b in combinations(samples, 2)])
    table = np.ones((len(samples), len(samples)))
    for (a, b), value in zip(combinations(range(len(samples)), 2), values, strict=True):
        table[a, b] = table[b, a] = value
    return table


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values corrected for multiple testing by Holm's step-down procedure; NaN counts as 1 and stays NaN."""
    order = np.argsort(values, kind="stable")  # NaN comes last
    steps = [(len(values) - step) * values[place] for step, place in enumerate(order)]
    corrected = np.empty(len(values))
    corrected[order] = np.maximum.accumulate(np.minimum(steps, 1.0)) if steps else []
    return corrected.tolist()


@dataclass(frozen=True)
class MeanDifference:
    """The mean regret in A minus that in B at their last common t, with the interval of Welch's test.

    ``runs``: the size of the smaller sample. ``min_detectable``: the difference, in units of regret, that is detected
    with a power of 90 %. ``alike``: whether all runs that both have are identical; a few such runs show agreement.
    """

    labels: Labels
    regret: str
    t: int
    means: tuple[float, float]
    runs: int
    half_width: float
    min_detectable: float
    alike: bool = False

    @property
    def differs(self) -> bool:
        """Whether the interval does not contain 0."""
        return abs(self.means[0] - self.means[1]) > self.half_width

    @property
    def agrees(self) -> bool:
        """Whether the interval contains 0, with enough runs to show agreement."""
        return not self.differs and not self.inconclusive

    @property
    def inconclusive(self) -> bool:
        """Whether the interval contains 0, but a difference of ``_BLIND`` times the mean would not be detected."""
        return not self.differs and not self.alike and not self.min_detectable <= _BLIND * max(map(abs, self.means))


def difference(
    labels: Labels, regret: str, t: int, a: Sample, b: Sample, family: int, alike: bool = False
) -> MeanDifference:
    """Return a difference of mean regret, one of ``family`` differences whose intervals hold simultaneously."""
    from scipy.special import stdtrit

    error, degrees = _welch(a, b)
    half_width = min_detectable = error
    if 0 < error < math.inf:
        half_width = float(stdtrit(degrees, 1 - LEVEL / (2 * family))) * error
        min_detectable = half_width + float(stdtrit(degrees, _POWER)) * error
    return MeanDifference(labels, regret, t, (a.mean, b.mean), min(a.runs, b.runs), half_width, min_detectable, alike)
