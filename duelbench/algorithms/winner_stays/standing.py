"""Winner Stays, the part that WS-W and WS-S share: the next pair, and for how many duels it is certain.

``C[i]`` are the wins of arm i minus its losses. The first arm has the largest C, the second the largest of all others;
among ties the first arm of the last duel goes before its second, this before a random one.

Block. The pair (i, j) has ``C[i] ≥ C[j] ≥ m``, m the largest C of the other arms. Whatever happens in the next s duels,
``C[j] ≥ C[j]₀ − s`` and ``C[i] − C[j] ≥ C[i]₀ − C[j]₀ − 2s``. So as long as ``s ≤ C[j]₀ − m`` and ``2s ≤ C[i]₀ −
C[j]₀`` the two are still the largest, in this order, ties included, as both were in the last duel: the duel after these
s is (i, j) once more, and nothing is drawn for it. That is ``min(C[j] − m, (C[i] − C[j]) // 2) + 1`` duels at once. The
walk of a challenger up from m doubles its blocks until it is half way to the incumbent, and then restarts with the
roles exchanged: a request or two for each of log C duels.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.blocks import ask_for
from duelbench.kernels.draws import below

LOWEST = -(2**62)
"""Less than any arm's wins minus losses."""


class Standing(NamedTuple):
    """``net[i]`` is C[i]. ``duel[0]``: the arms ``first`` and ``second`` of the last duel, −1 before there is one;
    ``asked``, ``received``, ``late``: see ``kernels.blocks``.
    """

    net: Ints
    duel: Record


def new_standing(arms: int) -> Standing:
    """Return the standing before the first duel."""
    return Standing(np.zeros(arms, np.int64), record(first=-1, second=-1, asked=0, received=0, late=False))


@kernel
def largest_but(net: Ints, one: int, other: int) -> int:
    """Return the largest entry but those of two arms, ``LOWEST`` where there is none; −1 is no arm."""
    most = LOWEST
    for k in range(net.shape[0]):
        if k != one and k != other and net[k] > most:
            most = net[k]
    return most


@kernel
def leader(net: Ints) -> int:
    """Return the arm with the largest entry, the first of several."""
    best = 0
    for k in range(1, net.shape[0]):
        if net[k] > net[best]:
            best = k
    return best


@kernel
def largest(standing: Standing, excluded: int, rng: np.random.Generator) -> int:
    """Return the arm with the largest C but ``excluded``: the last duel's first arm, its second, else a random one."""
    net, duel = standing.net, standing.duel[0]
    most = largest_but(net, excluded, -1)
    if duel.first >= 0 and duel.first != excluded and net[duel.first] == most:
        return duel.first  # type: ignore[no-any-return]
    if duel.second >= 0 and duel.second != excluded and net[duel.second] == most:
        return duel.second  # type: ignore[no-any-return]
    tied = 0
    for k in range(net.shape[0]):
        tied += k != excluded and net[k] == most
    place = below(tied, rng) if tied > 1 else 0
    for k in range(net.shape[0]):
        if k != excluded and net[k] == most:
            if place == 0:
                return k
            place -= 1
    return -1  # never


@kernel
def next_duels(standing: Standing, most: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Return the next pair and the number of its duels that are certain, at most ``most``."""
    net, duel = standing.net, standing.duel[0]
    first = largest(standing, -1, rng)
    second = largest(standing, first, rng)
    duel.first, duel.second = first, second
    certain = min((net[first] - net[second]) // 2, net[second] - largest_but(net, first, second)) + 1
    return first, second, ask_for(standing.duel, min(certain, most))


@kernel
def learn(standing: Standing, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcomes."""
    standing.duel[0].received += count
    standing.net[first] += 2 * wins - count
    standing.net[second] -= 2 * wins - count
