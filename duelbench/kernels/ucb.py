"""UCB bandits with rewards in {0, 1}, for the reductions of dueling bandits to multi-armed bandits.

The index of arm k is ``mean + sqrt(a log n / n_k)``, with n the number of plays of the bandit and n_k that of the arm;
an arm that was never played has an infinite index. ``sqrt(a log n)`` is the same for all arms, and ``1 / sqrt(n_k)``
changes only when k is played, so a choice needs one logarithm and one square root for any number of arms.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Floats, Ints
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import pick


class Bandits(NamedTuple):
    """Several UCB bandits over the same K arms.

    ``won[b, k]`` and ``plays[b, k]``: rewards and plays of arm k in bandit b. ``mean`` is their quotient and ``width``
    is ``1 / sqrt(plays)``; before the first play they are infinite and 0. ``total[b]``: plays of bandit b. ``found`` is
    a buffer for a list of arms.
    """

    alpha: float
    won: Ints
    plays: Ints
    mean: Floats
    width: Floats
    total: Ints
    found: Ints


def unplayed(bandits: int, arms: int, alpha: float) -> Bandits:
    """Return ``bandits`` new bandits with the factor ``alpha`` in their indices."""
    shape = (bandits, arms)
    return Bandits(
        alpha=alpha,
        won=np.zeros(shape, np.int64),
        plays=np.zeros(shape, np.int64),
        mean=np.full(shape, np.inf),
        width=np.zeros(shape),
        total=np.zeros(bandits, np.int64),
        found=np.zeros(arms, np.int64),
    )


@kernel
def forget(bandits: Bandits, b: int) -> None:
    """Reset bandit b."""
    for k in range(bandits.found.shape[0]):
        bandits.won[b, k] = 0
        bandits.plays[b, k] = 0
        bandits.mean[b, k] = np.inf
        bandits.width[b, k] = 0.0
    bandits.total[b] = 0


@kernel
def factor_of(bandits: Bandits, b: int) -> float:
    """Return ``sqrt(a log n)`` of bandit b, which is the same for all its arms."""
    return math.sqrt(bandits.alpha * math.log(max(1, bandits.total[b])))


@kernel
def choose_arm(bandits: Bandits, b: int, factor: float, rng: np.random.Generator) -> int:
    """Return the arm of bandit b with the largest index, ties at random; ``factor`` is ``factor_of`` b.

    There is no branch before the two largest indices are known, since the leading arm is hard to predict.
    """
    best, second = -1.0, -1.0
    place = 0
    for k in range(bandits.found.shape[0]):
        index = bandits.mean[b, k] + factor * bandits.width[b, k]
        place = k if index > best else place
        second = max(second, min(best, index))
        best = max(best, index)
    if second < best:
        return place
    count = 0
    for k in range(bandits.found.shape[0]):
        if bandits.mean[b, k] + factor * bandits.width[b, k] == best:
            bandits.found[count] = k
            count += 1
    return pick(bandits.found, count, rng)


@kernel
def reward(bandits: Bandits, b: int, arm: int, won: int, count: int) -> None:
    """Report ``count`` plays of ``arm`` to bandit b, of which ``won`` had reward 1."""
    bandits.won[b, arm] += won
    bandits.plays[b, arm] += count
    bandits.total[b] += count
    plays = bandits.plays[b, arm]
    bandits.mean[b, arm] = bandits.won[b, arm] / plays
    bandits.width[b, arm] = 1.0 / math.sqrt(plays)
