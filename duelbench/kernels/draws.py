"""Random choices from the policy stream; ``pick`` draws nothing if there is only one candidate.

The references in ``tests/reference`` follow the same conventions, so their paths equal ours draw for draw.
"""

import numpy as np

from duelbench.arrays import Floats, Ints
from duelbench.compiling.jit import kernel


@kernel
def below(n: int, rng: np.random.Generator) -> int:
    """Return a uniform integer in 0 … n − 1, n ≤ 10⁶.

    Draws one double: eight times faster than ``rng.integers`` in a kernel, with a bias of less than n · 2⁻⁵³.
    """
    return int(rng.random() * n)


@kernel
def pick(candidates: Ints, count: int, rng: np.random.Generator) -> int:
    """Return one of the first ``count`` ≥ 1 entries of ``candidates``, uniformly."""
    if count == 1:
        return candidates[0]  # type: ignore[no-any-return]
    return candidates[below(count, rng)]  # type: ignore[no-any-return]


@kernel
def pick_weighted(weights: Floats, count: int, rng: np.random.Generator) -> int:
    """Return an index among the first ``count`` ≥ 1 with probability proportional to its weight."""
    left = 0.0
    for k in range(count):
        left += weights[k]
    left *= rng.random()
    k = 0
    while k < count - 1 and left >= weights[k]:
        left -= weights[k]
        k += 1
    return k


@kernel(inline=False)
def shuffle(order: Ints, count: int, rng: np.random.Generator) -> None:
    """Shuffle the first ``count`` entries of ``order`` uniformly (Fisher and Yates).

    For algorithms that take the arms "in order" or "arbitrarily", so that labels have no effect.
    """
    for k in range(count - 1, 0, -1):
        other = below(k + 1, rng)
        arm = order[k]
        order[k] = order[other]
        order[other] = arm


@kernel(inline=False)
def binomial(n: int, p: float, rng: np.random.Generator) -> int:
    """Return a random number of successes in ``n`` trials of probability ``p``.

    Not inlined, so that each loop has one copy of numba's long code.
    """
    return rng.binomial(n, p)


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
