"""The leading constants of regret bounds, per unit of log T, for a (K, K) preference matrix ``P``.

All are in this package's units of regret: the Copeland regret of a duel is ``ζ* − (ζ_i + ζ_j) / 2``, as in Komiyama,
Honda and Nakagawa (ICML 2016), and its Condorcet regret is ``(Δ_i + Δ_j) / 2``.

The papers exclude exact ties, which are handled here. A tie is not a win for either arm, as in the regret, so it counts
against both. But an arbitrarily small change of P turns it into a win, which no number of duels can rule out. So an arm
that must be ruled out as a winner gets all its ties as wins for free, except ties between two winners: duels of two
winners cost no regret. A constant is infinite if the winner depends on which way a tie is resolved.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from duelbench.arrays import Flags, Floats, Ints
from duelbench.processes import Heartbeat, Processes


@dataclass(frozen=True, eq=False)
class Evidence:
    """Which arms beat which, and the regret that certainty about it costs.

    ``beats[i, j]``: P[i, j] > 1/2. ``cost[i, j]``: r_ij / kl(P_ij, 1/2), the Copeland regret per nat of evidence about
    a pair, infinite for a tie. ``deficits[i]``: the number of arms that i does not beat. ``least[i]``: the same if the
    free ties of i count as wins. ``winners``: the arms with the smallest deficit.
    """

    beats: Flags
    cost: Floats
    deficits: Ints
    least: Ints
    winners: Ints

    @property
    def arms(self) -> int:
        """The number of arms, K."""
        return len(self.deficits)

    def rivals(self, winner: int) -> Ints:
        """Return all arms except the winner."""
        return np.flatnonzero(np.arange(self.arms) != winner)

    def certain(self, winner: int) -> bool:
        """Return whether enough duels can show that this arm is a Copeland winner, whichever way ties are resolved."""
        return bool((self.least[self.rivals(winner)] >= self.deficits[winner]).all())

    def prices(self, loser: int, winner: int) -> Floats:
        """Return the costs of the pairs that ``loser`` loses, except against ``winner``, in ascending order."""
        superior = self.beats[:, loser].copy()
        superior[winner] = False
        return np.sort(self.cost[loser, superior])


def evidence(P: ArrayLike) -> Evidence:
    """Return the evidence of a (K, K) preference matrix."""
    matrix = np.asarray(P, np.float64)
    arms = len(matrix)
    beats = matrix > 0.5
    deficits = arms - 1 - beats.sum(axis=1)
    best = deficits == deficits.min()
    regret = (deficits[:, None] + deficits[None, :] - 2 * deficits.min()) / (2 * (arms - 1))
    tied = (matrix == 0.5) & ~np.eye(arms, dtype=bool)
    free = tied & ~(best[:, None] & best[None, :])
    with np.errstate(divide="ignore", invalid="ignore"):
        cost = regret / divergence(matrix)
    cost[matrix == 0.5] = np.inf
    return Evidence(beats, cost, deficits, deficits - free.sum(axis=1), np.flatnonzero(best))


def divergence(p: Floats) -> Floats:
    """Return ``kl(p, 1/2)`` in nats."""
    # Near 1/2 the two logarithms all but cancel; this form keeps every digit.
    d = 2 * p - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        kl: Floats = np.where(np.abs(d) < 1, (np.log1p(-d * d) + 2 * d * np.arctanh(d)) / 2, np.log(2))
    return kl


class LinearProgram:
    """The linear program of one winner for C* of Komiyama et al. (2016). ``solve`` returns its optimum.

    The paper's program asks for evidence x = q kl of every pair such that exponentially many sums are at least 1: for a
    winner i1, every rival i2 and every l, the m = l + 1 − L_i1 smallest x of pairs that i1 wins plus the L_i2 − l
    smallest of pairs that i2 loses (constraints (2); written out in ``tests/reference/ecw_rmed.py``). The sum of the s
    smallest of n numbers is concave and has a short description, so O(K²) unknowns and a few rows for each rival
    suffice:

    * The losses of i2 occur only in the sums of i2, and they are interchangeable there, so the cheapest may have the
      largest x. With x in descending order, x_k = g_k + g_{k+1} + … with g ≥ 0, the sum of the s smallest of n is Σ_h
      max(0, h − n + s) g_h: a linear function.
    * The wins y of i1 occur in the sums of every rival. The sum of the m smallest is the largest value of m θ − Σ_j u_j
      subject to u_j ≥ 0 and u_j ≥ θ − y_j. If the rival's own pair with i1 is reversed, too, its sum is y_i2 plus the m
      − 1 smallest of the others, which is the largest value of y_i2 + (m − 1) θ − Σ_{j ≠ i2} u_j. The mth smallest y is
      an optimal θ for all these sums at once, so θ and u depend only on m.
    * No constraint excludes i2 from the m smallest: if it is among them, the sum with its pair reversed is smaller.

    The code uses the names above for the unknowns; the program is sparse.
    """

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
        """Add the rows for the case that the winner loses m of its wins and a rival has at most ``losses`` losses."""
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

        Raises ArithmeticError if the solver did not find the optimum.
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


def lower_bound_constant(P: ArrayLike) -> float:
    """Return C* of Komiyama et al. (2016), Theorem 2: no consistent algorithm's Copeland regret is below C* log T.

    CW-RMED attains it (Theorem 3). Solves a linear program for each Copeland winner: about 5 ms for K = 16, 30 ms for
    K = 64.
    """
    given = evidence(P)
    return min(LinearProgram(given, i).solve()[0] if given.certain(i) else np.inf for i in given.winners.tolist())


def ecw_bound_constant(P: ArrayLike) -> float:
    """Return C^E* of Komiyama et al. (2016), Theorem 4: ECW-RMED's Copeland regret is C^E* log T to first order.

    At least ``lower_bound_constant``, and equal to it with two Copeland winners or more (Theorem 6, without ties).
    """
    given = evidence(P)
    return min(_ecw_cost(given, i) if given.certain(i) else np.inf for i in given.winners.tolist())


def _ecw_cost(given: Evidence, winner: int) -> float:
    """Return the cost of constraints (4), the winner's wins, and (5), which Theorem 5 solves for each rival."""
    total = float(given.cost[winner, given.beats[winner]].sum())
    for rival in given.rivals(winner).tolist():
        prices = given.prices(rival, winner)
        spare = len(prices) - int(given.least[rival] - given.deficits[winner] + 1)
        if spare >= 0 and len(prices):
            total += float((np.cumsum(prices)[spare:] / np.arange(1, len(prices) - spare + 1)).min())
    return total


def ccb_bound_constant(P: ArrayLike) -> float:
    """Return K (C + L + 1) / Δ² of Zoghi et al. (2015), Theorem 3: CCB's Copeland regret is at most this times log T.

    C is the number of Copeland winners and L the number of losses of each. This is half the constant of the theorem,
    whose regret is twice ours. Δ is the smallest gap between any two arms; the theorem's own is a little larger
    (Komiyama et al. 2016, section 4.4).
    """
    matrix = np.asarray(P, np.float64)
    given = evidence(matrix)
    gap = np.abs(matrix - 0.5)[~np.eye(given.arms, dtype=bool)].min()
    return float(given.arms * (len(given.winners) + given.deficits.min() + 1) / gap**2) if gap > 0 else np.inf


def rmed_bound_constant(P: ArrayLike) -> float:
    """Return the constant of Komiyama et al. (COLT 2015), Theorem 1, for Condorcet regret; NaN without a winner.

    No consistent algorithm's regret is below this constant times log T; RMED2 and RMED2FH attain it (Theorem 4). It is
    the sum, over all arms i except the winner c, of the minimum of ``(Δ_ci + Δ_cj) / (2 kl(P_ij, 1/2))`` over the arms
    j that beat i.
    """
    matrix = np.asarray(P, np.float64)
    given = evidence(matrix)
    if given.deficits.min() > 0:
        return np.nan
    (winner,) = given.winners
    loss = matrix[winner] - 0.5
    total = 0.0
    for i in given.rivals(winner):
        superior = given.beats[:, i]
        total += float(((loss[i] + loss[superior]) / (2 * divergence(matrix[i, superior]))).min())
    return total


@dataclass(frozen=True)
class Bound:
    """A bound ``constant(P) * log T`` on a kind of ``regret``; ``says`` describes it in words."""

    regret: str
    says: str
    constant: Callable[[ArrayLike], float]


BOUNDS = {
    "LB": Bound("copeland", "no consistent algorithm has less; CW-RMED attains it", lower_bound_constant),
    "ECWB": Bound("copeland", "ECW-RMED to first order", ecw_bound_constant),
    "CCB": Bound("copeland", "CCB has no more (K (C + L + 1) / Δ²)", ccb_bound_constant),
    "RMED": Bound("condorcet", "no consistent algorithm has less; RMED2 attains it", rmed_bound_constant),
}


_LARGEST_PART = 50
"""Maximum number of matrices in one task."""
_FEWEST_FOR_A_PROCESS = 100
"""Starting a process takes about as long as the constants of this many matrices."""


def constants_of(
    draw: Callable[[int], Floats],
    count: int,
    names: Sequence[str],
    jobs: int,
    progress: Callable[[int], object] = lambda done: None,
) -> Floats:
    """Return the (count, names) constants of the matrices ``draw(0)``, …, ``draw(count - 1)``.

    ``draw`` must be picklable, and its result must depend only on its argument; its exceptions are passed on.
    ``progress`` receives the number of matrices done since its last call.
    """
    parts = [range(start, min(start + _LARGEST_PART, count)) for start in range(0, count, _LARGEST_PART)]
    found = np.empty((count, len(names)))
    processes = min(jobs, count // _FEWEST_FOR_A_PROCESS)
    if processes < 2:
        for part in parts:
            found[part] = _constants(draw, part, names)
            progress(len(part))
        return found
    with Processes(processes) as pool:
        futures = {pool.submit(_constants, draw, part, names): part for part in parts}
        for future in as_completed(futures):
            found[futures[future]] = future.result()
            progress(len(futures[future]))
    return found


def _constants(
    draw: Callable[[int], Floats], numbers: range, names: Sequence[str], heartbeat: Heartbeat | None = None
) -> Floats:
    matrices = [draw(number) for number in numbers]
    return np.array([[BOUNDS[name].constant(P) for name in names] for P in matrices])
