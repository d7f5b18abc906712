"""Whether runs tell two numbers apart: Welch's t for means, Fisher's exact test for shares, corrected by Holm.

Of several algorithms every pair is tested, so that it does not matter that the best one is chosen by the same runs:
whichever it is, its comparisons with the others are among those that were corrected for. (To test the others against
the best as if it had been chosen before finds a difference too often where there is none.)

Welch's t allows for unequal variances, and it is a test of means, which are what is shown: a rank test is one of
medians, and where tails are heavy the algorithm with the better median may have the worse mean. A rare run that costs
much makes t cautious, as it enlarges the error with the mean. A few runs, though, may happen to lie close together:
fewer than ``FEWEST`` tell nothing, and fewer than ``FEW``, of a smaller sample than the other, count as spread as
widely as the other, with the degrees of freedom of their own number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Floats
from duelbench.results.identity import Labels

LEVEL = 0.05
"""The probability with which any difference is found where there is none, of all tests together."""
FEWEST, FEW = 5, 30
POWER = 0.9
"""The probability with which a difference that is called visible would have been seen."""
BLIND = 0.5
"""A difference of this share of the mean, and nothing less, is seen by runs that are too few to tell."""


class Sample(NamedTuple):
    """The mean over so many ``runs`` and its standard error; of a share no error is needed."""

    mean: float
    error: float
    runs: int


def welch(a: Sample, b: Sample) -> tuple[float, float]:
    """Return the standard error of the difference of two means, and its degrees of freedom.

    The error is infinite where there are too few runs, unless none of them differ.
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
    """Return (samples, samples) p-values of equal means, corrected by Holm for all pairs."""
    from scipy.special import stdtr

    def p(a: Sample, b: Sample) -> float:
        error, degrees = welch(a, b)
        if error == 0:
            return float(a.mean == b.mean)
        return 2 * float(stdtr(degrees, -abs(a.mean - b.mean) / error))

    return _of_pairs(samples, p)


def compared_by_fisher(samples: Sequence[Sample]) -> Floats:
    """Return the same of equal shares."""
    from scipy.stats import fisher_exact

    def p(a: Sample, b: Sample) -> float:
        right = [round(each.mean * each.runs) for each in (a, b)]
        table = [[right[0], a.runs - right[0]], [right[1], b.runs - right[1]]]
        return float(fisher_exact(table).pvalue)

    return _of_pairs(samples, p)


def _of_pairs(samples: Sequence[Sample], p: Callable[[Sample, Sample], float]) -> Floats:
    values = holm([p(a, b) for a, b in combinations(samples, 2)])
    found = np.ones((len(samples), len(samples)))
    for (a, b), value in zip(combinations(range(len(samples)), 2), values, strict=True):
        found[a, b] = found[b, a] = value
    return found


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values that are corrected for their number, by Holm's step-down procedure."""
    order = np.argsort(values, kind="stable")
    steps = [min(1.0, (len(values) - step) * values[place]) for step, place in enumerate(order)]
    corrected = np.empty(len(values))
    corrected[order] = np.maximum.accumulate(steps) if steps else []
    return corrected.tolist()


@dataclass(frozen=True)
class Difference:
    """The mean regret in A minus that in B at their last common t, with the interval of Welch's test.

    ``runs``: of the smaller sample. ``min_detectable``: how large a difference would have been seen with a
    probability of 90 %, in units of regret. ``alike``: whether the runs that both have are the same to the byte,
    which a few show as well as many.
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
        """Whether the interval does not have 0."""
        return abs(self.means[0] - self.means[1]) > self.half_width

    @property
    def agrees(self) -> bool:
        """Whether the interval has 0, and there are enough runs for that to mean something."""
        return not self.differs and not self.inconclusive

    @property
    def inconclusive(self) -> bool:
        """Whether nothing has been seen, nor would have been but a difference as large as ``BLIND`` of the mean."""
        return not self.differs and not self.alike and not self.min_detectable <= BLIND * max(map(abs, self.means))


def difference(
    labels: Labels, regret: str, t: int, a: Sample, b: Sample, family: int, alike: bool = False
) -> Difference:
    """Return the difference of a kind of regret, one of so many of a ``family``, whose intervals hold together."""
    from scipy.special import stdtrit

    error, degrees = welch(a, b)
    half_width = min_detectable = error
    if 0 < error < math.inf:
        half_width = float(stdtrit(degrees, 1 - LEVEL / (2 * family))) * error
        min_detectable = half_width + float(stdtrit(degrees, POWER)) * error
    return Difference(labels, regret, t, (a.mean, b.mean), min(a.runs, b.runs), half_width, min_detectable, alike)
