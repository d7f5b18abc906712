"""Conditions for being sure of a Copeland winner: the constraints (2) of Komiyama, Honda and Nakagawa (ICML 2016).

Arm i1, a Copeland winner of the tournament that the estimates form, is not one after all if it loses to l + 1 arms or
more while another arm i2 loses to l at most. That takes m = l + 1 − L_i1 of i1's wins and L_i2 − l of i2's losses to be
reversed, and their evidence n kl(p̂, 1/2) adds up to how unlikely that is: ``smallest_sum`` is the least total over l
(sorting finds the worst sets I and S). All sums run upwards from the smallest term.
"""

from __future__ import annotations

import math

import numpy as np

from duelbench.algorithms.divergence.tournament import Tournament, refresh
from duelbench.arrays import Floats, Ints
from duelbench.compiling.jit import kernel
from duelbench.kernels.arithmetic import first_round_beyond_log


@kernel(inline=False)
def proven_winner(tournament: Tournament, limit: float) -> int:
    """Return the first of the arms with least losses that is proven, −1 if none is."""
    for i in range(tournament.losses.shape[0]):
        if tournament.losses[i] == tournament.summary[0].least_losses and proven(tournament, i, limit):
            return i
    return -1


@kernel
def proven(tournament: Tournament, i1: int, limit: float) -> bool:
    """Return whether every sum of i1 is at least ``limit``."""
    arms = tournament.losses.shape[0]
    won = gains(tournament, i1)
    i2 = tournament.witness[i1]
    for _ in range(arms):
        if i2 != i1 and smallest_sum(tournament, i1, i2, won) < limit:
            tournament.witness[i1] = i2
            return False
        i2 = i2 + 1 if i2 + 1 < arms else 0
    return True


@kernel(inline=False)
def proof(tournament: Tournament, i1: int) -> float:
    """Return the smallest of all sums of i1: it is proven while that is at least log t."""
    won = gains(tournament, i1)
    smallest = np.inf
    for i2 in range(tournament.losses.shape[0]):
        if i2 != i1:
            smallest = min(smallest, smallest_sum(tournament, i1, i2, won))
    return smallest


@kernel
def smallest_sum(tournament: Tournament, i1: int, i2: int, won: int) -> float:
    """Return the least evidence that would have to be wrong for i2 to be the better arm; ``won = gains(i1)``."""
    smallest = np.inf
    losses = tournament.losses[i2]
    least = tournament.summary[0].least_losses
    evidence, superiors, inferiors = tournament.evidence, tournament.superiors, tournament.inferiors
    for l in range(max(0, least - 1), tournament.summary[0].second_least_losses + 1):  # noqa: E741 (the paper's name)
        m = l + 1 - least
        total = add_smallest(0.0, evidence, inferiors, i1, won, i2, m)
        total = add_smallest(total, evidence, superiors, i2, losses, i1, max(0, losses - l))
        smallest = min(smallest, total)
        if m >= 1 and tournament.sign[i1, i2] > 0:
            total = add_smallest(evidence[i1, i2], evidence, inferiors, i1, won, i2, m - 1)
            total = add_smallest(total, evidence, superiors, i2, losses, i1, max(0, losses - l - 1))
            smallest = min(smallest, total)
    return smallest


@kernel
def gains(tournament: Tournament, i: int) -> int:
    """Return how many arms i beats."""
    count = 0
    while count < tournament.losses.shape[0] and tournament.sign[i, tournament.inferiors[i, count]] > 0:
        count += 1
    return count


@kernel
def add_smallest(total: float, values: Floats, orders: Ints, i: int, length: int, skip: int, count: int) -> float:
    """Return ``total`` plus the ``count`` smallest of row i's first ``length`` values without arm ``skip``.

    Infinity if there are not so many.
    """
    k = 0
    while count > 0:
        if k == length:
            return np.inf
        j = orders[i, k]
        if j != skip:
            total += values[i, j]
            count -= 1
        k += 1
    return total


@kernel(inline=False)
def last_round_of(tournament: Tournament, i: int, t: int) -> int:
    """Return the last round in a row, from t on, that finds i the first proven winner or no longer so.

    With nothing but t changing, i is chosen again as long as it is found, and in the round that ends this.
    """
    refresh(tournament)
    if proven_winner(tournament, math.log(t)) != i:
        return t
    return max(t, first_round_beyond_log(proof(tournament, i)))
