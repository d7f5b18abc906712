"""How unlikely the losses of an arm are if it is the Condorcet winner: I_i, by which RMED1 and RMED2 choose arms.

I_i adds up n kl(p̂_ij, 1/2) over O_i, the arms that i does not beat in their estimates. i*, the arm with the least I, is
the empirical winner. RMED1's opponent m(l), to which RMED2 falls back, follows from the same estimates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.arrays import Floats, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.arithmetic import kl_from_half, least_place


class Divergences(NamedTuple):
    """Counts of duels between K arms, and the divergences that follow from them.

    ``wins[i, j]``: duels of i against j that i won. ``rate[i, j]`` is p̂_ij, 1/2 for a pair never duelled, 1 for i = j.
    ``divergence[i, j] = n kl(p̂_ij, 1/2)`` where j ∈ O_i, else 0; ``indices[i]`` is I_i, its sum over j.
    ``news``: ``best``, the first arm with the least index, −1 where it must be looked for; how many ``outcomes`` have
    been counted since somebody set that to 0, and the pair ``first``, ``second`` of the latest.
    """

    wins: Ints
    rate: Floats
    divergence: Floats
    indices: Floats
    news: Record


def new_divergences(arms: int) -> Divergences:
    """Return the state before the first duel."""
    rate = np.full((arms, arms), 0.5)
    np.fill_diagonal(rate, 1.0)
    return Divergences(
        wins=np.zeros((arms, arms), np.int64),
        rate=rate,
        divergence=np.zeros((arms, arms)),
        indices=np.zeros(arms),
        news=record(best=-1, outcomes=0, first=0, second=0),
    )


@kernel
def count_duels(state: Divergences, first: int, second: int, wins: int, count: int) -> None:
    """Count duels, ``wins`` of which ``first`` won, and renew the indices of both arms; self-duels teach nothing."""
    news = state.news[0]
    news.outcomes += 1
    news.first, news.second = first, second
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
        renew_index(state, i, total)


@kernel
def renew_index(state: Divergences, i: int, index: float) -> None:
    """Set I_i. To look through all arms for the least takes long where there are many, and is seldom needed."""
    news, indices = state.news[0], state.indices
    if i == news.best:
        if index > indices[i]:
            news.best = -1
    elif news.best >= 0 and (index < indices[news.best] or (index == indices[news.best] and i < news.best)):
        news.best = i
    indices[i] = index


@kernel
def champion(state: Divergences) -> int:
    """Return i*, the first arm with the least index."""
    news = state.news[0]
    if news.best < 0:
        news.best = least_place(state.indices)
    return int(news.best)


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
