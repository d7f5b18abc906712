"""The distance of the wins of a pair from the boundary at which a confidence interval excludes 1/2.

After n duels the interval around the share of wins has the radius ``c(n) = sqrt((ln a + 2 ln n) / (2n))``; in units
of wins its boundary ``b(n) = n c(n)`` increases.
"""

from __future__ import annotations

import math

from duelbench.compiling.jit import kernel


@kernel
def boundary(scale: float, n: int) -> float:
    """Return b(n) = n c(n), in wins, for n ≥ 1."""
    return math.sqrt(0.5 * n * (scale + 2.0 * math.log(n)))


@kernel
def room(scale: float, n: int, lead: float, step: float) -> int:
    """Return a number of duels after the n-th in which a lead, growing by at most ``step``, stays in the boundary."""
    s = int((boundary(scale, n + 1) - lead) / step)
    for _ in range(3):  # the boundary is farther away at the end of a block, so the block may be longer
        if s < 2:
            break
        s = int((boundary(scale, n + s) - lead) / step)
    return max(0, s)
