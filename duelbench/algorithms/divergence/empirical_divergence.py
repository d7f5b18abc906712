"""How unlikely the losses of an arm are if it is the Condorcet winner: I_i, by which RMED1 and RMED2 choose arms.

I_i adds up n kl(p̂_ij, 1/2) over O_i, the arms that i does not beat in their estimates. i*, the arm with the least I, is
the empirical winner. RMED1's opponent m(l), to which RMED2 falls back, follows from the same estimates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.arrays import Floats, Ints
from duelbench.compiling.jit import kernel
from duelbench.kernels.divergence import kl_from_half


class Divergences(NamedTuple):
    """Counts of duels between K arms, and the divergences that follow from them.

    ``wins[i, j]``: duels of i against j that i won. ``rate[i, j]`` is p̂_ij, 1/2 for a pair never duelled, 1 for i = j.
    ``divergence[i, j] = n kl(p̂_ij, 1/2)`` where j ∈ O_i, else 0; ``indices[i]`` is I_i, its sum over j.
    """

    wins: Ints
    rate: Floats
    divergence: Floats
    indices: Floats


def no_divergences(arms: int) -> Divergences:
    """Return the state before the first duel."""
    rate = np.full((arms, arms), 0.5)
    np.fill_diagonal(rate, 1.0)
    return Divergences(np.zeros((arms, arms), np.int64), rate, np.zeros((arms, arms)), np.zeros(arms))


@kernel
def count_duels(state: Divergences, first: int, second: int, wins: int, count: int) -> None:
    """Count duels, ``wins`` of which ``first`` won, and renew the indices of both arms; self-duels teach nothing."""
    if first == second:
        return
    state.wins[first, second] += wins
    state.wins[second, first] += count - wins
    n = state.wins[first, second] + state.wins[second, first]
    for i, j in ((first, second), (second, first)):
        rate = state.wins[i, j] / n
        state.rate[i, j] = rate
        divergence = n * kl_from_half(rate) if rate <= 0.5 else 0.0
        if divergence == state.divergence[i, j]:
            continue
        state.divergence[i, j] = divergence
        total = 0.0
        for k in range(state.indices.shape[0]):
            total += state.divergence[i, k]
        state.indices[i] = total


@kernel
def opponent(state: Divergences, arm: int, best: int) -> int:
    """Return m(l): i* where it is not beaten by ``arm`` or nobody else is unbeaten, else the hardest opponent."""
    rate = state.rate
    if rate[arm, best] <= 0.5:
        return best
    hardest = 0
    for j in range(1, rate.shape[0]):
        if rate[arm, j] < rate[arm, hardest]:
            hardest = j
    return hardest if rate[arm, hardest] <= 0.5 else best
