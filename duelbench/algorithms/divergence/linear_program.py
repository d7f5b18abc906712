"""The linear program of Komiyama, Honda and Nakagawa (ICML 2016): the cheapest way to prove a Copeland winner i1.

``solve`` takes the estimates and an arm i1, and finds how many duels q log t of each pair prove it most cheaply.

Let x = q kl. For each rival i2 and each l, the constraints (2) take any m = l + 1 − L_i1 of i1's pairs with inferiors
and any s of i2's pairs with superiors other than i1, and require that their x sum to at least 1. There are
exponentially many. Two facts reduce the program.

*A rival's pairs in order of cost.* Every pair has one loser, so no two rivals share a pair, and (2) is symmetric in the
n pairs of a rival. So some optimum gives the cheaper of two pairs at least as much x, and for each s only the s dearest
of the n pairs matter. Let d_h ≥ 0 be the x of the h-th cheapest pair minus the x of the next one. Then the k-th
cheapest pair has x = d_k + … + d_n, the x of the s dearest pairs sum to Σ_h max(0, h − n + s) d_h, and a unit of d_h
costs as much as a unit of x for each of the h cheapest pairs.

*The winner's pairs when they are needed.* For a given x, sorting finds the worst m of them. So the program is solved
with the constraints known so far, and the worst violated ones are added until none is violated.

In these unknowns, the constraints depend only on which arms the winner beats and on all L_i; the values of the
estimates affect only the costs. Known constraints stay valid until an estimate crosses 1/2, and a solution stays
optimal as long as the reduced costs in its table prove it.

Ties. The optimum need not be unique: early on, many pairs cost the same. So L_i + L_j − 2 L_i1, which determines the
regret of a pair, is raised by 10⁻⁷ w, with a fixed random w in [0, 1) for each pair (``surcharges``). The optimum is
then unique, so it does not depend on how it is found, and its regret is minimal up to a factor of 1 + 10⁻⁷.

Covering programs minimize c·x subject to A x ≥ 1 and x ≥ 0, where c ≥ 0. They are solved by the dual simplex method in
a small table. Without constraints, x = 0 is optimal. A constraint is added when a point violates it. Pivots then repair
one violated constraint after the other and keep the reduced costs nonnegative, so a feasible point is optimal. A table
stays optimal for other costs as long as its reduced costs for them are nonnegative.

Why not a library: CW-RMED solves hundreds of programs with ten unknowns and checks after every duel whether the
solution is still optimal. Here a solution takes 4 µs and a check 0.1 µs; one call of HiGHS takes 1 ms.
"""

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.divergence.tournament import Tournament, regret_per_duel, sort_row
from duelbench.arrays import Flags, Floats, Ints, Record, record
from duelbench.compiling.jit import kernel

_FEASIBLE = 1e-10
"""How far below 0 a variable may fall."""
_PIVOT = 1e-9
"""The smallest entry to divide by. Exact entries are fractions with small denominators."""
_NOISE = 1e-12
"""How much rounding may change a reduced cost, as a share of the sum of the sizes of its terms."""


class Covering(NamedTuple):
    """A table in which every basic variable is ``level[r] − Σ table[r, j] × (nonbasic variable j)``.

    Variables 0 … n − 1 are x; variable n + k is the surplus of constraint k, ``A[k]·x − 1``. ``basic[r]`` and
    ``nonbasic[j]`` are the variables of a row and of a column. ``reduced``: the reduced costs of the columns;
    ``magnitude``: the sums of the sizes of their terms. ``coefficients``, (n,): the constraint to be added next.
    ``size[0]`` has ``rows``, the number of constraints, and ``columns``, n.
    """

    table: Floats
    level: Floats
    basic: Ints
    nonbasic: Ints
    reduced: Floats
    magnitude: Floats
    coefficients: Floats
    size: Record


def new_covering(constraints: int, unknowns: int) -> Covering:
    """Return buffers for programs with at most this many constraints and unknowns."""
    return Covering(
        table=np.zeros((constraints, unknowns)),
        level=np.zeros(constraints),
        basic=np.zeros(constraints, np.int64),
        nonbasic=np.zeros(unknowns, np.int64),
        reduced=np.zeros(unknowns),
        magnitude=np.zeros(unknowns),
        coefficients=np.zeros(unknowns),
        size=record(rows=0, columns=0),
    )


@kernel(inline=False)
def clear(program: Covering, unknowns: int) -> None:
    """Begin a program without constraints; the caller must call ``price`` next."""
    size = program.size[0]
    size.rows, size.columns = 0, unknowns
    for j in range(unknowns):
        program.nonbasic[j] = j


@kernel(inline=False)
def price(program: Covering, costs: Floats) -> bool:
    """Compute the reduced costs for ``costs``, (n,); return whether they leave the table optimal."""
    rows, columns = program.size[0].rows, program.size[0].columns
    for j in range(columns):
        variable = program.nonbasic[j]
        cost = costs[variable] if variable < columns else 0.0
        program.reduced[j] = cost
        program.magnitude[j] = cost
    for r in range(rows):
        if program.basic[r] < columns:
            cost = costs[program.basic[r]]
            for j in range(columns):
                term = cost * program.table[r, j]
                program.reduced[j] -= term
                program.magnitude[j] += abs(term)
    optimal = True
    for j in range(columns):
        if program.reduced[j] < -_NOISE * program.magnitude[j]:
            optimal = False
    return optimal


@kernel(inline=False)
def add_constraint(program: Covering) -> None:
    """Add the constraint ``coefficients · x ≥ 1``."""
    row, columns = program.size[0].rows, program.size[0].columns
    level = -1.0
    for j in range(columns):
        variable = program.nonbasic[j]
        program.table[row, j] = -program.coefficients[variable] if variable < columns else 0.0
    for r in range(row):
        if program.basic[r] < columns:
            coefficient = program.coefficients[program.basic[r]]
            if coefficient != 0.0:
                level += coefficient * program.level[r]
                for j in range(columns):
                    program.table[row, j] += coefficient * program.table[r, j]
    program.level[row] = level
    program.basic[row] = columns + row
    program.size[0].rows = row + 1


@kernel(inline=False)
def _pivot(program: Covering, row: int, column: int) -> None:
    """Exchange the basic variable of ``row`` for the nonbasic one of ``column``."""
    rows, columns = program.size[0].rows, program.size[0].columns
    table, level, reduced = program.table, program.level, program.reduced
    inverse = 1.0 / table[row, column]
    for j in range(columns):
        table[row, j] *= inverse
    table[row, column] = inverse
    level[row] *= inverse
    for r in range(rows):
        factor = table[r, column]
        if r != row and factor != 0.0:
            table[r, column] = 0.0
            for j in range(columns):
                table[r, j] -= factor * table[row, j]
            level[r] -= factor * level[row]
    factor = reduced[column]
    reduced[column] = 0.0
    for j in range(columns):
        reduced[j] -= factor * table[row, j]
    program.basic[row], program.nonbasic[column] = program.nonbasic[column], program.basic[row]


@kernel(inline=False)
def repair(program: Covering) -> int:
    """Pivot until all known constraints hold, the most violated first; return the number of pivots.

    Raise ArithmeticError if the constraints cannot all hold.
    """
    pivots = 0
    while True:
        rows, columns = program.size[0].rows, program.size[0].columns
        row, least = -1, -_FEASIBLE
        for r in range(rows):
            if program.level[r] < least:
                row, least = r, program.level[r]
        if row < 0:
            return pivots
        column, ratio = -1, np.inf
        for j in range(columns):
            entry = -program.table[row, j]
            if entry > _PIVOT and max(0.0, program.reduced[j]) < ratio * entry:
                column, ratio = j, max(0.0, program.reduced[j]) / entry
        if column < 0:
            raise ArithmeticError("a covering program has no solution")
        _pivot(program, row, column)
        pivots += 1


_VIOLATED = 1e-8
"""How far below 1 the sum of a constraint may fall."""


class WinnerProgram(NamedTuple):
    """The program of one arm, the winner.

    ``losses`` and ``sides`` are the L of all arms and the winner's signs against them when the program began.
    ``summary[0]`` has ``winner`` (−1: none); ``known``, the number of known constraints; and ``inferiors``, the number
    of arms that the winner beats. ``q[i, j]``: the optimum, symmetric. ``cost[i, j]``: the cost of x for a pair in
    which j, not the winner, beats i. ``order``: row i starts with these j, by cost, and ``pairs[i]`` is their number n.
    ``place[i]``: the first of rival i's unknowns d_1 … d_n. ``own[j]``: the unknown of the winner's pair with j, if the
    winner beats j. ``costs`` and ``x`` are indexed by unknown. ``stale`` marks arms whose estimates have changed since
    ``q`` was found. Known constraint k has the winner's pairs with ``chosen[k]`` and the ``dearest[k]`` dearest pairs
    of ``rival[k]``. ``ranked``: the winner's inferiors, sorted by x.
    """

    covering: Covering
    summary: Record
    losses: Ints
    sides: Ints
    q: Floats
    surcharge: Floats
    cost: Floats
    order: Ints
    pairs: Ints
    place: Ints
    own: Ints
    costs: Floats
    x: Floats
    stale: Flags
    chosen: Flags
    rival: Ints
    dearest: Ints
    ranked: Ints


def surcharges(arms: int) -> Floats:
    """Return the symmetric (K, K) additions to the regret of one duel that break ties between optima."""
    w = np.triu(np.random.default_rng(0).random((arms, arms)), 1)
    return 1e-7 * (w + w.T) / (2 * (arms - 1))


def new_program(arms: int) -> WinnerProgram:
    """Return buffers for the programs of tournaments between this many arms."""
    unknowns = arms * (arms - 1) // 2
    room = unknowns + 4 * arms  # more than can be tight at once
    return WinnerProgram(
        covering=new_covering(room, unknowns),
        summary=record(winner=-1, known=0, inferiors=0),
        losses=np.zeros(arms, np.int64),
        sides=np.zeros(arms, np.int64),
        q=np.zeros((arms, arms)),
        surcharge=surcharges(arms),
        cost=np.zeros((arms, arms)),
        order=np.broadcast_to(np.arange(arms), (arms, arms)).copy(),
        pairs=np.zeros(arms, np.int64),
        place=np.zeros(arms, np.int64),
        own=np.zeros(arms, np.int64),
        costs=np.zeros(unknowns),
        x=np.zeros(unknowns),
        stale=np.ones(arms, np.bool_),
        chosen=np.zeros((room, arms), np.bool_),
        rival=np.zeros(room, np.int64),
        dearest=np.zeros(room, np.int64),
        ranked=np.zeros(arms, np.int64),
    )


@kernel(inline=False)
def solve(program: WinnerProgram, tournament: Tournament, winner: int) -> None:
    """Set ``q`` to the optimum for ``winner``, an arm with the fewest losses, in an up-to-date tournament."""
    if not _describes(program, tournament, winner):
        _describe(program, tournament, winner)
    changed = False
    for i in range(tournament.losses.shape[0]):
        if i != winner and program.stale[i]:
            _value_rival(program, tournament, i)
            changed = True
    if changed:
        if program.summary[0].known == 0 or not price(program.covering, program.costs):
            optimize(program, tournament.summary[0].least_losses, tournament.summary[0].second_least_losses)
        _assign(program, tournament)


@kernel
def _describes(program: WinnerProgram, tournament: Tournament, winner: int) -> bool:
    """Return whether the program's constraints apply to ``winner`` in the present tournament."""
    if program.summary[0].winner != winner:
        return False
    for i in range(tournament.losses.shape[0]):
        if program.losses[i] != tournament.losses[i] or program.sides[i] != tournament.sign[winner, i]:
            return False
    return True


@kernel(inline=False)
def _describe(program: WinnerProgram, tournament: Tournament, winner: int) -> None:
    """Begin the program of ``winner``, without constraints."""
    summary = program.summary[0]
    summary.winner, summary.known, summary.inferiors = winner, 0, 0
    unknowns = 0
    for i in range(tournament.losses.shape[0]):
        program.losses[i], program.sides[i] = tournament.losses[i], tournament.sign[winner, i]
        program.stale[i] = True
        program.pairs[i] = 0
        if i == winner:
            continue
        program.pairs[i] = tournament.losses[i]
        if tournament.sign[winner, i] > 0:
            program.pairs[i] -= 1
            program.own[i] = unknowns
            unknowns += 1
            program.ranked[summary.inferiors] = i
            summary.inferiors += 1
        program.place[i] = unknowns
        unknowns += program.pairs[i]
    clear(program.covering, unknowns)


@kernel
def _value_rival(program: WinnerProgram, tournament: Tournament, i: int) -> None:
    """Compute the costs of rival i's pairs and unknowns."""
    winner = program.summary[0].winner
    for j in range(tournament.losses.shape[0]):
        if tournament.sign[i, j] < 0:
            program.cost[i, j] = (regret_per_duel(tournament, i, j) + program.surcharge[i, j]) / tournament.kl[i, j]
    if tournament.sign[winner, i] > 0:
        program.costs[program.own[i]] = program.cost[i, winner]
        program.cost[i, winner] = np.inf
    sort_row(program.order, i, tournament.sign, -1, program.cost)
    total = 0.0
    for k in range(program.pairs[i]):
        total += program.cost[i, program.order[i, k]]
        program.costs[program.place[i] + k] = total


@kernel(inline=False)
def optimize(program: WinnerProgram, least: int, second: int) -> None:
    """Find the optimal x, starting from the known constraints."""
    _start_again(program)
    while True:
        repair(program.covering)
        _read_solution(program)
        if program.summary[0].known == program.rival.shape[0]:
            _forget_slack(program)
            _start_again(program)
            repair(program.covering)
        before = program.summary[0].known
        _learn_constraints(program, least, second)
        if program.summary[0].known == before:
            return
        for k in range(before, program.summary[0].known):
            _tabulate(program, k)


@kernel(inline=False)
def _start_again(program: WinnerProgram) -> None:
    """Put all known constraints into an empty table."""
    clear(program.covering, program.covering.size[0].columns)
    price(program.covering, program.costs)
    for k in range(program.summary[0].known):
        _tabulate(program, k)


@kernel(inline=False)
def _tabulate(program: WinnerProgram, k: int) -> None:
    """Put the known constraint k into the table."""
    coefficients = program.covering.coefficients
    for j in range(coefficients.shape[0]):
        coefficients[j] = 0.0
    for j in range(program.own.shape[0]):
        if program.chosen[k, j]:
            coefficients[program.own[j]] = 1.0
    i, s = program.rival[k], program.dearest[k]
    n = program.pairs[i]
    for h in range(n - s + 1, n + 1):
        coefficients[program.place[i] + h - 1] = h - n + s
    add_constraint(program.covering)


@kernel(inline=False)
def _forget_slack(program: WinnerProgram) -> None:
    """Forget the known constraints that are not tight."""
    covering = program.covering
    rows, unknowns = covering.size[0].rows, covering.size[0].columns
    kept = 0
    for k in range(rows):
        for j in range(unknowns):
            if covering.nonbasic[j] == unknowns + k:
                for arm in range(program.own.shape[0]):
                    program.chosen[kept, arm] = program.chosen[k, arm]
                program.rival[kept], program.dearest[kept] = program.rival[k], program.dearest[k]
                kept += 1
    program.summary[0].known = kept


@kernel(inline=False)
def _read_solution(program: WinnerProgram) -> None:
    """Copy x from the table and rank the winner's pairs by it."""
    covering, x, ranked = program.covering, program.x, program.ranked
    rows, unknowns = covering.size[0].rows, covering.size[0].columns
    for j in range(unknowns):
        x[j] = 0.0
    for r in range(rows):
        if covering.basic[r] < unknowns:
            x[covering.basic[r]] = covering.level[r]
    for place in range(1, program.summary[0].inferiors):
        arm = ranked[place]
        k = place
        while k > 0 and x[program.own[ranked[k - 1]]] > x[program.own[arm]]:
            ranked[k] = ranked[k - 1]
            k -= 1
        ranked[k] = arm


@kernel(inline=False)
def _learn_constraints(program: WinnerProgram, least: int, second: int) -> None:
    """Add the worst constraint of every kind that x violates to the known ones."""
    for i2 in range(program.losses.shape[0]):
        if i2 == program.summary[0].winner:
            continue
        losses = program.losses[i2]
        for l in range(max(0, least - 1), second + 1):  # noqa: E741 (the paper's name)
            m = l + 1 - least
            _learn_constraint(program, i2, m, max(0, losses - l), False)
            if m >= 1 and program.sides[i2] > 0:
                _learn_constraint(program, i2, m, max(0, losses - l - 1), True)


@kernel(inline=False)
def _learn_constraint(program: WinnerProgram, i2: int, m: int, s: int, met: bool) -> None:
    """Add the most violated constraint with m pairs of the winner and s pairs of i2, if x violates any and it fits.

    ``met``: whether the winner's pair with i2 is one of the m. If there are too few pairs, there is no constraint.
    """
    known = program.summary[0].known
    n = program.pairs[i2]
    if s > n or known == program.rival.shape[0]:
        return
    for j in range(program.own.shape[0]):
        program.chosen[known, j] = False
    total = 0.0
    if met:
        total += program.x[program.own[i2]]
        program.chosen[known, i2] = True
        m -= 1
    k = 0
    while m > 0:
        if k == program.summary[0].inferiors:
            return
        j = program.ranked[k]
        if j != i2:
            total += program.x[program.own[j]]
            program.chosen[known, j] = True
            m -= 1
        k += 1
    for h in range(n - s + 1, n + 1):
        total += (h - n + s) * program.x[program.place[i2] + h - 1]
    if total < 1.0 - _VIOLATED:
        program.rival[known], program.dearest[known] = i2, s
        program.summary[0].known = known + 1


@kernel(inline=False)
def _assign(program: WinnerProgram, tournament: Tournament) -> None:
    """Compute q from x."""
    arms = tournament.losses.shape[0]
    winner, q = program.summary[0].winner, program.q
    for i in range(arms):
        program.stale[i] = False
        for j in range(arms):
            q[i, j] = 0.0
    for i in range(arms):
        if tournament.sign[winner, i] > 0:
            q[i, winner] = program.x[program.own[i]] / tournament.kl[i, winner]
            q[winner, i] = q[i, winner]
        total = 0.0
        for k in range(program.pairs[i] - 1, -1, -1):
            j = program.order[i, k]
            total += program.x[program.place[i] + k]
            q[i, j] = total / tournament.kl[i, j]
            q[j, i] = q[i, j]
