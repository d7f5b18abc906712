"""ECW-RMED's optimum, for constraints that are stronger than (2) and easier to compute.

Constraint (5) of Komiyama, Honda and Nakagawa (ICML 2016) asks it for every rival i2 by itself; ``least_cost`` is the
least regret for one i2 (Theorem 5), and their sum with that of the winner's own pairs is C^E*. All sums run upwards
from the smallest term.
"""

from __future__ import annotations

import numpy as np

from duelbench.algorithms.divergence.constraints import proven_winner
from duelbench.algorithms.divergence.tournament import Tournament, refresh, regret_per_duel, sort_row
from duelbench.compiling.jit import kernel


@kernel
def judge(tournament: Tournament, log_t: float) -> tuple[int, bool]:
    """Return the first proven winner and True, or else the cheapest winner and False."""
    refresh(tournament)
    winner = proven_winner(tournament, log_t)
    return (winner, True) if winner >= 0 else (cheapest_winner(tournament), False)


@kernel(inline=False)
def cheapest_winner(tournament: Tournament) -> int:
    """Return the arm with least losses whose ``optimal_cost`` is least; a single one is not priced."""
    place, cost = -1, np.inf
    for i in range(tournament.losses.shape[0]):
        if tournament.losses[i] == tournament.summary[0].least_losses:
            if tournament.summary[0].winners == 1:
                return i
            candidate = optimal_cost(tournament, i)
            if place < 0 or candidate < cost:
                place, cost = i, candidate
    return place


@kernel
def optimal_cost(tournament: Tournament, i1: int) -> float:
    """Return C^E* of i1: the least regret, in units of log t, after which ECW-RMED takes it for a winner."""
    arms = tournament.losses.shape[0]
    cost = 0.0
    for j in range(arms):
        if tournament.sign[i1, j] > 0:
            cost += regret_per_duel(tournament, i1, j) / tournament.kl[i1, j]
    for i2 in range(arms):
        if i2 != i1:
            cost += least_cost(tournament, i1, i2)
    return cost


@kernel
def least_cost(tournament: Tournament, i1: int, i2: int) -> float:
    """Return the least cost at which (5) holds for i1 against i2.

    ``depth[i1, i2]`` becomes Theorem 5's h: the first h of i2's ``cheapest`` superiors without i1 share evenly in it,
    each with q kl = 1 / (h − k).
    """
    if slack(tournament, i1, i2) < 0:
        return 0.0
    if not tournament.known[i1, i2]:
        solve_for(tournament, i1, i2)
    return tournament.least[i1, i2]  # type: ignore[no-any-return]


@kernel
def slack(tournament: Tournament, i1: int, i2: int) -> int:
    """Return Theorem 5's k: how many superiors of i2 a constraint (5) leaves out; there is none where k < 0."""
    others = tournament.losses[i2] - (1 if tournament.sign[i1, i2] > 0 else 0)
    return int(others - (tournament.losses[i2] - tournament.summary[0].least_losses + 1))


@kernel(inline=False)
def solve_for(tournament: Tournament, i1: int, i2: int) -> None:
    """Find ``least[i1, i2]`` and ``depth[i1, i2]``, where there is a constraint: try every h."""
    arms = tournament.losses.shape[0]
    losses = tournament.losses[i2]
    least, depth = 0.0, 0
    k = slack(tournament, i1, i2)
    if not tournament.priced[i2]:
        for j in range(arms):
            if tournament.sign[i2, j] < 0:
                tournament.cost[i2, j] = regret_per_duel(tournament, i2, j) / tournament.kl[i2, j]
        sort_row(tournament.cheapest, i2, tournament.sign, -1, tournament.cost)
        tournament.priced[i2] = True
    total, h = 0.0, 0
    for place in range(losses):
        j = tournament.cheapest[i2, place]
        if j == i1:
            continue
        total += tournament.cost[i2, j]
        h += 1
        if h > k and (depth == 0 or total / (h - k) < least):
            least, depth = total / (h - k), h
    tournament.least[i1, i2] = least
    tournament.depth[i1, i2] = depth
    tournament.known[i1, i2] = True
