"""Drawing an arm from a probability vector. References in ``duelbench/reference`` follow the same convention."""

from __future__ import annotations

import numpy as np

from duelbench.arrays import Floats
from duelbench.compiling.jit import kernel


@kernel
def draw_arm(p: Floats, rng: np.random.Generator) -> int:
    """Return arm i with probability ``p[i]``; the sum is 1, and a remainder from rounding goes to the last arm.

    Draws one double.
    """
    left = rng.random()
    arm = 0
    while arm < p.shape[0] - 1 and left >= p[arm]:
        left -= p[arm]
        arm += 1
    return arm
