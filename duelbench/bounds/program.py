"""C* of Komiyama, Honda and Nakagawa (ICML 2016) as one small linear program.

The paper's program asks for evidence x = q kl of every pair such that exponentially many sums are at least 1: for a
winner i1, every rival i2 and every l, the m = l + 1 − L_i1 smallest x of pairs that i1 wins plus the L_i2 − l smallest
of pairs that i2 loses (constraints (2); written out in ``duelbench/reference/ecw_rmed.py``). Sums of the smallest of
some numbers are concave and have a short description, so O(K²) unknowns and a few rows for each rival do as well:

* The losses of i2 occur only in the sums of i2, and symmetrically, so by exchange the cheapest may have the largest x.
  With x in descending order, x_k = g_k + g_{k+1} + … with g ≥ 0, the sum of the s smallest of n is
  Σ_h max(0, h − n + s) g_h: a linear function.
* The wins y of i1 occur in the sums of every rival. The sum of the m smallest is the largest value of
  m θ − Σ_j u_j with u_j ≥ 0, u_j ≥ θ − y_j. Where the rival's own pair with i1 is reversed too, its sum is
  y_i2 plus the m − 1 smallest of the others, the largest value of y_i2 + (m − 1) θ − Σ_{j ≠ i2} u_j. The mth smallest y
  is a best θ for all of them at once: θ and u depend on m alone.
* No constraint excludes i2 from the m smallest: if it is among them, the sum with its pair reversed is smaller.

The code uses the names above for the unknowns; the program is sparse.
"""

from __future__ import annotations

import numpy as np

from duelbench.arrays import Floats
from duelbench.bounds.evidence import Evidence


class Program:
    """The linear program of one winner. ``solve`` returns its optimum."""

    def __init__(self, given: Evidence, winner: int) -> None:
        self._costs: list[float] = []
        self._rows: list[tuple[list[int], list[float], float]] = []
        self.wins = np.flatnonzero(given.beats[winner])
        self.y = self._unknowns(given.cost[winner, self.wins])
        self.prices = {int(rival): given.prices(int(rival), winner) for rival in given.rivals(winner)}
        self.g = {rival: self._unknowns(np.cumsum(prices)) for rival, prices in self.prices.items()}
        own = int(given.deficits[winner])
        second = int(given.least[given.rivals(winner)].min())
        for losses in range(max(0, own - 1), second + 1):
            self._reversals(given, losses, losses + 1 - own)

    def _unknowns(self, costs: Floats) -> list[int]:
        first = len(self._costs)
        self._costs.extend(costs.tolist())
        return list(range(first, len(self._costs)))

    def _reversals(self, given: Evidence, losses: int, m: int) -> None:
        """Add the rows for the case that the winner loses m of its wins, and a rival has at most ``losses`` losses."""
        if m > len(self.y):
            return
        theta, u = -1, list[int]()
        if m > 0:
            (theta,), u = self._unknowns(np.zeros(1)), self._unknowns(np.zeros(len(self.y)))
            for yj, uj in zip(self.y, u, strict=True):
                self._rows.append(([yj, uj, theta], [1.0, 1.0, -1.0], 0.0))
        for rival, g in self.g.items():
            excess = int(given.least[rival]) - losses
            if excess <= len(g):
                sum_of_wins = ([theta, *u], [float(m), *[-1.0] * len(u)]) if m > 0 else ([], [])
                self._at_least_1(sum_of_wins, g, excess)
            if m > 0 and rival in self.wins:
                place = int(np.searchsorted(self.wins, rival))
                others = u[:place] + u[place + 1 :]
                sum_of_wins = [self.y[place], theta, *others], [1.0, m - 1.0, *[-1.0] * len(others)]
                self._at_least_1(sum_of_wins, g, max(0, excess - 1))

    def _at_least_1(self, wins: tuple[list[int], list[float]], g: list[int], smallest: int) -> None:
        counted = g[len(g) - smallest :] if smallest else []
        self._rows.append((wins[0] + counted, [*wins[1], *np.arange(1.0, smallest + 1)], 1.0))

    def solve(self) -> tuple[float, Floats, dict[int, Floats]]:
        """Return the optimal cost, y by ``wins``, and by rival its x in the order of ``prices``.

        Raises:
            ArithmeticError: the solver did not find the optimum.
        """
        if not self._rows:
            return 0.0, np.zeros(len(self.y)), {rival: np.zeros(len(g)) for rival, g in self.g.items()}
        from scipy.optimize import linprog
        from scipy.sparse import csr_array

        lengths = [len(columns) for columns, _, _ in self._rows]
        matrix = csr_array(
            (
                np.concatenate([values for _, values, _ in self._rows]),
                np.concatenate([columns for columns, _, _ in self._rows]).astype(np.int64),
                np.concatenate([[0], np.cumsum(lengths)]),
            ),
            shape=(len(self._rows), len(self._costs)),
        )
        costs = np.array(self._costs)
        # HiGHS's tolerances are absolute, and pairs near 1/2 may cost 10⁶ times what others cost.
        scale = float(np.median(costs[costs > 0])) if (costs > 0).any() else 1.0
        result = linprog(costs / scale, -matrix, [-bound for _, _, bound in self._rows], method="highs")
        if not result.success:
            raise ArithmeticError(f"the linear program of the lower bound was not solved: {result.message}")
        x = {rival: np.cumsum(result.x[g][::-1])[::-1] for rival, g in self.g.items()}
        y: Floats = result.x[self.y]
        cost = y @ costs[self.y] + sum(float(self.prices[rival] @ x[rival]) for rival in x)
        return float(cost), y, x
