"""The difference of two mean regrets: whether it is more than chance, and how large a one would have been seen."""

from __future__ import annotations

import math
from dataclasses import dataclass

FAMILY_LEVEL = 0.95
"""The probability that all intervals together cover, where both directories have the same expectations."""

POWER = 0.9
"""The probability with which a difference that is called visible would have been seen."""
BLIND = 0.5
"""A difference of this share of the mean, and nothing less, is seen by runs that are too few to tell."""

Place = tuple[str, str]

Rows = dict[int, tuple[int, float, float]]
"""By t: runs, mean, standard deviation."""


@dataclass(frozen=True)
class Difference:
    """The mean regret in A minus that in B at their last common t, with its interval.

    That is Welch's, with two precautions where runs are few: it has the degrees of freedom of the smaller sample, whose
    standard deviation counts as at least that of the larger one.
    ``visible``: how large a difference would have been seen with a probability of 90 %, in units of regret.
    ``alike``: whether the runs that both have are the same to the byte, which a few show as well as many.
    """

    place: Place
    regret: str
    t: int
    means: tuple[float, float]
    half_width: float
    visible: float
    alike: bool = False

    @property
    def differs(self) -> bool:
        """Whether the interval does not have 0."""
        return abs(self.means[0] - self.means[1]) > self.half_width

    @property
    def agrees(self) -> bool:
        """Whether the interval has 0, and there are enough runs for that to mean something."""
        return not self.differs and not self.too_few

    @property
    def too_few(self) -> bool:
        """Whether nothing has been seen, nor would have been but a difference as large as ``BLIND`` of the mean."""
        return not self.differs and not self.alike and not self.visible <= BLIND * max(map(abs, self.means))


def difference(key: tuple[Place, str], a: Rows, b: Rows, family: int, alike: bool = False) -> Difference:
    """Return the difference of a kind of regret on a place, which is one of so many of a ``family``."""
    from scipy.stats import t as student

    place, regret = key
    last = max(a.keys() & b.keys())
    (runs_a, mean_a, std_a), (runs_b, mean_b, std_b) = a[last], b[last]
    half_width = visible = math.inf
    if min(runs_a, runs_b) > 1 and std_a == std_b == 0.0:
        half_width = visible = 0.0
    elif min(runs_a, runs_b) > 1:
        (few, spread), (many, other) = sorted([(runs_a, std_a), (runs_b, std_b)])
        if few < many:  # a few runs may happen to lie close together
            spread = max(spread, other)
        error, degrees = math.sqrt(spread**2 / few + other**2 / many), few - 1
        half_width = float(student.ppf(1 - (1 - FAMILY_LEVEL) / (2 * family), degrees)) * error
        visible = half_width + float(student.ppf(POWER, degrees)) * error
    return Difference(place, regret, last, (mean_a, mean_b), half_width, visible, alike)
