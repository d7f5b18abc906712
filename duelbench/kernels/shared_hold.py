"""A hold shared by several arms: every round is a self-duel of a random one of them.

The numbers of their rounds are multinomial. The regret at the end of the hold does not depend on the order, so the
rounds are answered one arm after the other.
"""

from __future__ import annotations

import numpy as np

from duelbench.arrays import Floats, Ints
from duelbench.compiling.jit import kernel
from duelbench.kernels.binomial import binomial


@kernel(inline=False)
def allocate(
    pending: Ints, arms: Ints, length: int, p_informative: Floats, rounds: int, rng: np.random.Generator
) -> None:
    """Divide ``rounds`` among the first ``length`` of ``arms`` in ``pending``, by weights ``1 - p_informative[a]``."""
    weight = 0.0
    for k in range(length):
        weight += 1.0 - p_informative[arms[k]]
    for k in range(length - 1):
        a = arms[k]
        own = 1.0 - p_informative[a]
        pending[a] = binomial(rounds, min(1.0, own / weight), rng) if rounds > 0 else 0
        rounds -= pending[a]
        weight -= own
    pending[arms[length - 1]] = rounds


@kernel
def emit(pending: Ints, most: int) -> tuple[int, int, int]:
    """Return at most ``most`` pending self-duels of one arm, with count 0 if none is pending."""
    for a in range(pending.shape[0]):
        if pending[a] > 0:
            count = min(most, pending[a])
            pending[a] -= count
            return a, a, count
    return 0, 0, 0
