"""Binomial random numbers: each loop has one copy of numba's long code."""

from __future__ import annotations

import numpy as np

from duelbench.compiling.jit import kernel


@kernel(inline=False)
def binomial(n: int, p: float, rng: np.random.Generator) -> int:
    """Return a random number of successes in ``n`` trials of probability ``p``."""
    return rng.binomial(n, p)
