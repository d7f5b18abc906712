"""The linear program of Komiyama, Honda and Nakagawa (ICML 2016): the cheapest way to be sure of one Copeland winner.

Its unknowns are x = q kl in [0, 1] of the pairs that can matter, its constraints (2) say that certain sets of pairs
have x adding up to 1, and there are exponentially many of them. So constraints are generated: solve with those known,
find the worst ones of every kind by sorting (as ``copeland.smallest_sum`` does), add them, until none is violated.

In x the constraints depend on who beats whom alone; the estimates' values enter the costs r / kl only. Known
constraints therefore stay good until some estimate changes sides, and an optimal vertex stays optimal while the dual
solution of its basis is feasible for the new costs, which is two products of small matrices to tell.
"""

from __future__ import annotations

import numpy as np

from duelbench.arrays import Flags, Floats, Ints
from duelbench.kernels.copeland import (
    LEAST,
    SECOND_LEAST,
    Tournament,
    add_smallest,
    gains,
    no_results,
    set_evidence,
    settle,
)
from duelbench.kernels.jit import rare_kernel

TOLERANCE = 1e-7
"""How far below 1 a sum may fall; HiGHS itself works to this accuracy."""
KNOWN_AT_MOST = 2000
"""Known constraints that are slack are forgotten when there are more."""


@rare_kernel
def mark_smallest(
    chosen: Flags, row: int, column: Ints, orders: Ints, i: int, length: int, skip: int, count: int
) -> None:
    """Put the ``count`` smallest of row i's first ``length`` pairs without arm ``skip`` into a constraint."""
    k = 0
    while count > 0 and k < length:
        j = orders[i, k]
        if j != skip:
            chosen[row, column[i, j]] = True
            count -= 1
        k += 1


@rare_kernel
def violated(tournament: Tournament, i1: int, column: Ints, limit: float, chosen: Flags) -> int:
    """Write the worst constraint of every kind that sums to less than ``limit`` into ``chosen``; return their number.

    ``tournament.evidence`` is the point x. ``chosen``: (4 K², unknowns), all False; ``column[i, j]``: the unknown of a
    pair.
    """
    arms = tournament.losses.shape[0]
    won = gains(tournament, i1)
    least = tournament.summary[LEAST]
    x, superiors, inferiors = tournament.evidence, tournament.superiors, tournament.inferiors
    rows = 0
    for i2 in range(arms):
        if i2 == i1:
            continue
        losses = tournament.losses[i2]
        for l in range(max(0, least - 1), tournament.summary[SECOND_LEAST] + 1):  # noqa: E741 (the paper's name)
            m = l + 1 - least
            for reversed_too in range(2):
                if reversed_too == 1 and (m < 1 or tournament.sign[i1, i2] < 1):
                    continue
                mine, theirs = m - reversed_too, max(0, losses - l - reversed_too)
                total = x[i1, i2] if reversed_too == 1 else 0.0
                total = add_smallest(total, x, inferiors, i1, won, i2, mine)
                total = add_smallest(total, x, superiors, i2, losses, i1, theirs)
                if total >= limit:
                    continue
                if reversed_too == 1:
                    chosen[rows, column[i1, i2]] = True
                mark_smallest(chosen, rows, column, inferiors, i1, won, i2, mine)
                mark_smallest(chosen, rows, column, superiors, i2, losses, i1, theirs)
                rows += 1
    return rows


class WinnerProgram:
    """The program for one winner of one tournament, as far as that is a matter of who beats whom.

    ``solve`` may be called again and again while only the estimates' values change.
    """

    def __init__(self, tournament: Tournament, winner: int) -> None:
        arms = len(tournament.losses)
        self.winner = winner
        # The loser of a pair that matters is not the winner: (2) reverses its wins and the losses of others.
        self.losers, self.superiors = np.nonzero((tournament.sign < 0) & (np.arange(arms) != winner)[:, None])
        self._column = np.full((arms, arms), -1)
        unknowns = np.arange(len(self.losers))
        self._column[self.losers, self.superiors] = unknowns
        self._column[self.superiors, self.losers] = unknowns
        self._point = no_results(arms)
        for i in range(arms):
            for j in range(i + 1, arms):
                settle(self._point, i, j, 0.5 + 0.25 * tournament.sign[i, j], 0.0)
        self._known = np.zeros((0, len(unknowns)))
        self._x = np.zeros(len(unknowns))
        self._evidence: tuple[Floats, Floats, Floats] | None = None
        self._basis: tuple[Floats, Flags, Floats] | None = None
        self._duels = 0
        self._asked = self._first = self._second = np.zeros(0, np.int64)

    def solve(self, tournament: Tournament) -> Floats:
        """Return the optimal x, by unknown: pairs ``losers[k]``, ``superiors[k]``."""
        duels = int(tournament.wins.sum())
        if 0 < duels == self._duels:
            return self._x
        self._duels = duels
        costs = self.costs(tournament)
        # HiGHS compares reduced costs with an absolute tolerance; a few pairs near 1/2 may cost 10⁶ times the others.
        scale = float(np.median(costs[costs > 0.0])) if (costs > 0.0).any() else 1.0
        costs = costs / scale
        if not self._still_optimal(costs):
            self._generate(costs)
        return self._x

    def optimum(self, tournament: Tournament) -> tuple[Ints, Ints, Floats]:
        """Return the pairs i < j that the optimum asks for, in lexicographic order, as i, j and q = x / kl."""
        self.solve(tournament)
        return self._first, self._second, self._x[self._asked] / tournament.kl[self._first, self._second]

    def costs(self, tournament: Tournament) -> Floats:
        """Return the regret r / kl per unit of x."""
        losses = tournament.losses
        regret = losses[self.losers] + losses[self.superiors] - 2 * losses.min()
        return regret / (2 * (len(losses) - 1)) / tournament.kl[self.losers, self.superiors]  # type: ignore[no-any-return]

    def _generate(self, costs: Floats) -> None:
        """Solve, and add what the solution violates, until it violates nothing."""
        from scipy.optimize import linprog  # takes a while to import, and few algorithms need it

        while True:
            if len(self._known) > 0:
                # No box: where costs are positive the optimum has x ≤ 1, and where they are zero x is free.
                result = linprog(costs, -self._known, -np.ones(len(self._known)), method="highs")
                if not result.success:
                    raise ArithmeticError(f"the linear program of CW-RMED has no solution: {result.message}")
                self._x = result.x
            found = self._violated(self._x)
            if len(found) == 0:
                break
            self._known = np.concatenate([self._known, found])
        i, j = np.minimum(self.losers, self.superiors), np.maximum(self.losers, self.superiors)
        self._asked = np.lexsort((j, i))
        self._duels = 0
        self._asked = self._asked[self._x[self._asked] > 1e-9]
        self._first, self._second = i[self._asked], j[self._asked]
        self._basis = None
        if len(self._known) > 0:
            self._evidence = self._known, costs, -result.ineqlin.marginals
            if len(self._known) > KNOWN_AT_MOST:
                self._known = self._known[self._known @ self._x < 1.0 + 1e-6]

    def _violated(self, x: Floats) -> Floats:
        evidence = np.zeros(self._column.shape)
        evidence[self.losers, self.superiors] = x
        evidence[self.superiors, self.losers] = x
        set_evidence(self._point, evidence)
        kinds = self._point.summary[SECOND_LEAST] - max(0, self._point.summary[LEAST] - 1) + 1
        chosen = np.zeros((2 * len(evidence) * kinds, len(x)), np.bool_)
        rows = violated(self._point, self.winner, self._column, 1.0 - TOLERANCE, chosen)
        return np.unique(chosen[:rows], axis=0).astype(float)

    @staticmethod
    def _find_basis(known: Floats, costs: Floats, duals: Floats) -> tuple[Floats, Flags, Floats] | None:
        """Return the constraints and unknowns of the optimal basis, and its inverse; None where it is degenerate."""
        rows = known[duals > 1e-9]
        basic = costs - rows.T @ duals[duals > 1e-9] < 1e-9
        square = rows[:, basic].T
        if square.shape[0] != square.shape[1]:
            return None
        try:
            inverse: Floats = np.linalg.inv(square).astype(np.float64)
        except np.linalg.LinAlgError:
            return None
        return (rows, basic, inverse) if np.allclose(inverse @ square, np.eye(len(rows)), atol=1e-6) else None

    def _still_optimal(self, costs: Floats) -> bool:
        """Tell whether the basis of the last solution proves it optimal for these costs too."""
        if self._evidence is not None:
            self._basis, self._evidence = self._find_basis(*self._evidence), None
        if self._basis is None:
            return False
        rows, basic, inverse = self._basis
        duals = inverse @ costs[basic]
        return bool((duals >= -1e-9).all() and (costs - rows.T @ duals >= -1e-9).all())
