"""Results of duels and derived values: the sign and evidence of each pair, losses, and sorted rivals.

The conditions for being sure of a Copeland winner of this tournament are in ``constraints.py``; their cost is in
``closed_form.py`` for ECW-RMED and in ``program.py`` for CW-RMED. The same code serves estimates and true preferences.

Pairs whose estimate is exactly 1/2 are nobody's loss.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.arrays import Flags, Floats, Ints, Record, Signs, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.arithmetic import kl_from_half


class Tournament(NamedTuple):
    """Results between K arms and what follows from them; all but the first five is brought up to date by ``refresh``.

    ``wins[i, j]``: how often i beat j. ``sign[i, j]``: +1 if i wins more often, −1 if less, 0 if neither. ``kl[i, j]``,
    ``evidence[i, j]``: kl(p̂_ij, 1/2) and n times that, symmetric. ``losses[i]``: L_i. ``summary[0]`` has
    ``least_losses`` and ``second_least_losses``, the two least L; ``winners``, how many arms have the least; and
    ``losses_changed``, whether some L has changed since the last ``refresh``.

    ``superiors``, ``inferiors``: row i is a permutation of the arms that starts with those that beat it (are beaten by
    it) in the order of evidence. ``cheapest``: the same of superiors in the order of ``cost[i, j]`` = r_ij / kl_ij,
    where ``priced[i]``. ``least``, ``depth``: the result of ``least_cost``, where ``known``. ``changed`` marks
    arms whose rows are out of date. ``witness[i1]``: the arm i2 last seen to have a small sum, where to look first.
    """

    wins: Ints
    sign: Signs
    kl: Floats
    evidence: Floats
    losses: Ints
    summary: Record
    superiors: Ints
    inferiors: Ints
    cheapest: Ints
    cost: Floats
    priced: Flags
    least: Floats
    depth: Ints
    known: Flags
    changed: Flags
    witness: Ints


def new_results(arms: int) -> Tournament:
    """Return a tournament before the first duel."""
    shape = (arms, arms)
    anyone = np.broadcast_to(np.arange(arms), shape)
    return Tournament(
        wins=np.zeros(shape, np.int64),
        sign=np.zeros(shape, np.int8),
        kl=np.zeros(shape),
        evidence=np.zeros(shape),
        losses=np.zeros(arms, np.int64),
        summary=record(least_losses=0, second_least_losses=0, winners=arms, losses_changed=True),
        superiors=anyone.copy(),
        inferiors=anyone.copy(),
        cheapest=anyone.copy(),
        cost=np.zeros(shape),
        priced=np.zeros(arms, np.bool_),
        least=np.zeros(shape),
        depth=np.zeros(shape, np.int64),
        known=np.zeros(shape, np.bool_),
        changed=np.ones(arms, np.bool_),
        witness=np.zeros(arms, np.int64),
    )


@kernel
def settle(tournament: Tournament, i: int, j: int, p: float, evidence_per_kl: float) -> None:
    """Set the estimate p̂_ij to ``p``, for i < j, and the evidence to a multiple of its divergence."""
    side = 1 if p > 0.5 else (-1 if p < 0.5 else 0)
    before = tournament.sign[i, j]
    if side != before:
        if before != 0:
            tournament.losses[i if before < 0 else j] -= 1
        if side != 0:
            tournament.losses[i if side < 0 else j] += 1
        tournament.sign[i, j] = side
        tournament.sign[j, i] = -side
        tournament.summary[0].losses_changed = True
    # Rounding may lose the divergence of near equals after 10⁸ duels, and it is divided by.
    divergence = max(1e-300, kl_from_half(p)) if side != 0 else 0.0
    tournament.kl[i, j] = divergence
    tournament.kl[j, i] = divergence
    tournament.evidence[i, j] = evidence_per_kl * divergence
    tournament.evidence[j, i] = evidence_per_kl * divergence
    tournament.changed[i] = True
    tournament.changed[j] = True


@kernel
def count_results(tournament: Tournament, first: int, second: int, wins: int, count: int) -> None:
    """``first`` won ``wins`` of ``count`` duels against another arm."""
    i, j = min(first, second), max(first, second)
    tournament.wins[first, second] += wins
    tournament.wins[second, first] += count - wins
    n = tournament.wins[i, j] + tournament.wins[j, i]
    settle(tournament, i, j, tournament.wins[i, j] / n, n)


@kernel(inline=False)
def refresh(tournament: Tournament) -> None:
    """Bring everything that follows from the results up to date."""
    arms = tournament.losses.shape[0]
    for i in range(arms):
        if tournament.changed[i]:
            sort_row(tournament.superiors, i, tournament.sign, -1, tournament.evidence)
            sort_row(tournament.inferiors, i, tournament.sign, 1, tournament.evidence)
            tournament.changed[i] = False
            tournament.priced[i] = False
            for j in range(arms):
                tournament.known[j, i] = False
    summary = tournament.summary[0]
    if not summary.losses_changed:
        return
    summary.losses_changed = False
    least, second, winners = arms, arms, 0
    for i in range(arms):
        losses = tournament.losses[i]
        if losses < least:
            least, second, winners = losses, least, 1
        elif losses == least:
            second, winners = losses, winners + 1
        elif losses < second:
            second = losses
        tournament.priced[i] = False
        for j in range(arms):
            tournament.known[i, j] = False
    summary.least_losses, summary.second_least_losses, summary.winners = least, second, winners


@kernel
def sort_row(orders: Ints, i: int, sign: Signs, side: int, keys: Floats) -> None:
    """Reorder row i: arms j with ``sign[i, j] == side`` first, by key and index. Fast on a row nearly in order."""
    for place in range(1, orders.shape[1]):
        arm = orders[i, place]
        key = keys[i, arm] if sign[i, arm] == side else np.inf
        k = place
        while k > 0:
            other = orders[i, k - 1]
            other_key = keys[i, other] if sign[i, other] == side else np.inf
            if other_key < key or (other_key == key and other < arm):
                break
            orders[i, k] = other
            k -= 1
        orders[i, k] = arm


@kernel
def regret_per_duel(tournament: Tournament, i: int, j: int) -> float:
    """Return r_ij, as the estimates have it."""
    losses = tournament.losses
    return (losses[i] + losses[j] - 2 * tournament.summary[0].least_losses) / (2 * (losses.shape[0] - 1))  # type: ignore[no-any-return]
