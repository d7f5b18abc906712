"""The results of duels and what follows from them: the sign and evidence of each pair, losses, and sorted rivals.

The module also decides whether a Copeland winner of this tournament is proven, and what a proof costs in ECW-RMED; for
the cost in CW-RMED see ``linear_program.py``. The same code works for estimates and for true preferences.

A tie (p̂ = 1/2) counts as a loss for neither arm.

A winner is proven by the constraints (2) of Komiyama, Honda and Nakagawa (ICML 2016). Let arm i1 be a Copeland winner
of the tournament that the estimates form. The truth is different if i1 loses to at least l + 1 arms while another arm
i2 loses to at most l. For that, m = l + 1 − L_i1 of i1's wins and L_i2 − l of i2's losses must be reversed, and the sum
of their evidence n kl(p̂, 1/2) measures how unlikely this is. ``smallest_sum`` is the smallest such sum over l (sorting
finds the worst sets I and S). All sums are added up from the smallest term.

ECW-RMED optimizes under stronger constraints, which are easier to handle: (5) constrains each rival i2 by itself.
``least_cost`` is the least regret for one i2 (Theorem 5). The sum over all i2, plus the cost of the winner's own pairs,
is C^E*.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Flags, Floats, Ints, Record, Signs, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.arithmetic import first_round_beyond_log, kl_from_half


class Tournament(NamedTuple):
    """Results between K arms and what follows from them; call ``refresh`` before reading fields after the first five.

    ``wins[i, j]``: how often i beat j. ``sign[i, j]``: +1 if i wins more often, −1 if less, 0 if neither. ``kl[i, j]``
    is kl(p̂_ij, 1/2) and ``evidence[i, j]`` n times that; both are symmetric. ``losses[i]``: L_i. ``summary[0]`` has
    ``least_losses`` and ``second_least_losses``, the two smallest L; ``winners``, how many arms have the smallest; and
    ``losses_changed``, whether some L has changed since the last ``refresh``.

    Row i of ``superiors`` is a permutation of the arms that starts with the arms that beat i, by evidence; row i of
    ``inferiors`` starts with the arms that i beats. ``cheapest`` has the superiors by ``cost[i, j]`` = r_ij / kl_ij;
    both are valid where ``priced[i]``. ``least`` and ``depth``: the result of ``least_cost``, where ``known``.
    ``changed`` marks arms whose rows are out of date. ``witness[i1]``: the arm i2 last seen to have a small sum, which
    is checked first.
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
    """Set the estimate p̂_ij, i < j, to ``p``, and the evidence to ``evidence_per_kl`` times its divergence."""
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
    # The divergence is a divisor, but rounding may make it 0 after 10⁸ duels of nearly equal arms.
    divergence = max(1e-300, kl_from_half(p)) if side != 0 else 0.0
    tournament.kl[i, j] = divergence
    tournament.kl[j, i] = divergence
    tournament.evidence[i, j] = evidence_per_kl * divergence
    tournament.evidence[j, i] = evidence_per_kl * divergence
    tournament.changed[i] = True
    tournament.changed[j] = True


@kernel
def count_results(tournament: Tournament, first: int, second: int, wins: int, count: int) -> None:
    """Count ``count`` duels against another arm, of which ``first`` won ``wins``."""
    i, j = min(first, second), max(first, second)
    tournament.wins[first, second] += wins
    tournament.wins[second, first] += count - wins
    n = tournament.wins[i, j] + tournament.wins[j, i]
    settle(tournament, i, j, tournament.wins[i, j] / n, n)


@kernel(inline=False)
def refresh(tournament: Tournament) -> None:
    """Update everything that follows from the results."""
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
    """Sort row i: arms j with ``sign[i, j] == side`` first, by key and index. Fast if the row is nearly sorted."""
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
    """Return r_ij, the regret of a duel of i and j according to the estimates."""
    losses = tournament.losses
    return (losses[i] + losses[j] - 2 * tournament.summary[0].least_losses) / (2 * (losses.shape[0] - 1))  # type: ignore[no-any-return]


@kernel(inline=False)
def _proven_winner(tournament: Tournament, limit: float) -> int:
    """Return the first proven arm among the arms with the fewest losses, or −1 if there is none."""
    for i in range(tournament.losses.shape[0]):
        if tournament.losses[i] == tournament.summary[0].least_losses and proven(tournament, i, limit):
            return i
    return -1


@kernel
def proven(tournament: Tournament, i1: int, limit: float) -> bool:
    """Return whether every sum of i1 is at least ``limit``."""
    arms = tournament.losses.shape[0]
    won = _gains(tournament, i1)
    i2 = tournament.witness[i1]
    for _ in range(arms):
        if i2 != i1 and smallest_sum(tournament, i1, i2, won) < limit:
            tournament.witness[i1] = i2
            return False
        i2 = i2 + 1 if i2 + 1 < arms else 0
    return True


@kernel(inline=False)
def proof(tournament: Tournament, i1: int) -> float:
    """Return the smallest of all sums of i1, which is proven while this is at least log t."""
    won = _gains(tournament, i1)
    smallest = np.inf
    for i2 in range(tournament.losses.shape[0]):
        if i2 != i1:
            smallest = min(smallest, smallest_sum(tournament, i1, i2, won))
    return smallest


@kernel
def smallest_sum(tournament: Tournament, i1: int, i2: int, won: int) -> float:
    """Return the least evidence that must be wrong for i2 to be the better arm; ``won`` is ``_gains`` of i1."""
    smallest = np.inf
    losses = tournament.losses[i2]
    least = tournament.summary[0].least_losses
    evidence, superiors, inferiors = tournament.evidence, tournament.superiors, tournament.inferiors
    for l in range(max(0, least - 1), tournament.summary[0].second_least_losses + 1):  # noqa: E741 (the paper's name)
        m = l + 1 - least
        total = _add_smallest(0.0, evidence, inferiors, i1, won, i2, m)
        total = _add_smallest(total, evidence, superiors, i2, losses, i1, max(0, losses - l))
        smallest = min(smallest, total)
        if m >= 1 and tournament.sign[i1, i2] > 0:
            total = _add_smallest(evidence[i1, i2], evidence, inferiors, i1, won, i2, m - 1)
            total = _add_smallest(total, evidence, superiors, i2, losses, i1, max(0, losses - l - 1))
            smallest = min(smallest, total)
    return smallest


@kernel
def _gains(tournament: Tournament, i: int) -> int:
    """Return how many arms i beats."""
    count = 0
    while count < tournament.losses.shape[0] and tournament.sign[i, tournament.inferiors[i, count]] > 0:
        count += 1
    return count


@kernel
def _add_smallest(total: float, values: Floats, orders: Ints, i: int, length: int, skip: int, count: int) -> float:
    """Return ``total`` plus the ``count`` smallest of row i's first ``length`` values, ignoring arm ``skip``.

    Return infinity if there are fewer values.
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
    """Return the first round from t on in which i is not the first proven winner, if only t changes.

    Arm i is chosen up to and including this round, since its list is from the round before.
    """
    refresh(tournament)
    if _proven_winner(tournament, math.log(t)) != i:
        return t
    return max(t, first_round_beyond_log(proof(tournament, i)))


@kernel
def judge(tournament: Tournament, log_t: float) -> tuple[int, bool]:
    """Return the first proven winner and True, or else the cheapest winner and False."""
    refresh(tournament)
    winner = _proven_winner(tournament, log_t)
    return (winner, True) if winner >= 0 else (_cheapest_winner(tournament), False)


@kernel(inline=False)
def _cheapest_winner(tournament: Tournament) -> int:
    """Return the arm with the fewest losses and the least ``optimal_cost``, which is computed only to break ties."""
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
    """Return C^E* of i1: the least regret, in units of log t, after which ECW-RMED accepts i1 as a winner."""
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

    ``depth[i1, i2]`` becomes h of Theorem 5: the h cheapest superiors of i2 other than i1 all have q kl = 1 / (h − k).
    """
    if slack(tournament, i1, i2) < 0:
        return 0.0
    if not tournament.known[i1, i2]:
        _solve_for(tournament, i1, i2)
    return tournament.least[i1, i2]  # type: ignore[no-any-return]


@kernel
def slack(tournament: Tournament, i1: int, i2: int) -> int:
    """Return Theorem 5's k: how many superiors of i2 a constraint (5) leaves out; if k < 0 there is no constraint."""
    others = tournament.losses[i2] - (1 if tournament.sign[i1, i2] > 0 else 0)
    return int(others - (tournament.losses[i2] - tournament.summary[0].least_losses + 1))


@kernel(inline=False)
def _solve_for(tournament: Tournament, i1: int, i2: int) -> None:
    """Find ``least[i1, i2]`` and ``depth[i1, i2]`` by trying every h; there must be a constraint."""
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
