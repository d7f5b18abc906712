"""A random order of the arms, for algorithms that take them "in order" or "arbitrarily", so that labels have no
effect."""

from __future__ import annotations

import numpy as np

from duelbench.arrays import Ints
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import below


@kernel(inline=False)
def shuffle(order: Ints, count: int, rng: np.random.Generator) -> None:
    """Shuffle the first ``count`` entries of ``order`` uniformly (Fisher and Yates)."""
    for k in range(count - 1, 0, -1):
        other = below(k + 1, rng)
        arm = order[k]
        order[k] = order[other]
        order[other] = arm
