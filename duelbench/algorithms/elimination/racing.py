"""PBR, RankEl, uniform exploration: sample open pairs in turn until the Copeland winner is known, then play it.

Both go round a list of pairs, in lexicographic order, and look at the results after each full round: a pair whose
interval ``p̂ ± radius(n)`` leaves 1/2 out is decided and never sampled again. ``lower[i]`` opponents are known to lose
to i, ``upper[i]`` may. When one arm's lower count exceeds every other upper count, or no pair is left, the arm with the
highest lower count wins, ties at random.

PBR lists ordered pairs, so that each pair is duelled twice a round, once in either order, and the two share their
data; it also drops pairs of two settled arms. The paper settles an arm when it is selected or discarded. Looking for a
single winner, a selected arm discards all others, which ends the search: only the discarded need to be remembered.

RankEl's paper elicits a ranking and stops when that ranking is good enough. To stop when the winner is certain is an
adaptation to regret. It samples every undecided pair until then, whether or not its arms may still win.

Uniform exploration, the baseline that SAVAGE was compared with, samples decided pairs too; its radius is SAVAGE's.

Hold. Every answer is a single duel until the winner is declared; the rest of the run is its self-duel, in one block,
and nothing is drawn any more. The path is the very one of stepping.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.elimination.declaration import declaration_of, declare, nothing_declared
from duelbench.arrays import Flags, Ints
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import pick
from duelbench.kernels.extremes import most_place

# Places in RacingState.cursor.
NEXT, LENGTH = range(2)


class RacingState(NamedTuple):
    """The results, the Copeland counts, and the list of open pairs.

    A radius is ``sqrt((log_scale + log_growth · log n) / (2n))``. ``drops_discarded``: pairs of two arms that cannot
    win are not sampled; ``drops_decided``: nor are decided ones. ``pairs`` holds the codes i K + j of the
    ``cursor[LENGTH]`` open pairs; ``cursor[NEXT]`` is the place of the next.
    """

    log_scale: float
    log_growth: float
    drops_discarded: bool
    drops_decided: bool
    wins: Ints
    decided: Flags
    lower: Ints
    upper: Ints
    pairs: Ints
    cursor: Ints
    found: Ints
    declared: Ints


@kernel
def decide_pairs(state: RacingState) -> bool:
    """Decide the open pairs whose interval leaves 1/2 out; return whether there was one."""
    arms = state.lower.shape[0]
    changed = False
    for k in range(state.cursor[LENGTH]):
        i, j = state.pairs[k] // arms, state.pairs[k] % arms
        if state.decided[i, j]:
            continue  # seen a moment ago in the other order
        difference = state.wins[i, j] - state.wins[j, i]
        n = state.wins[i, j] + state.wins[j, i]
        if n == 0 or difference * difference <= 2.0 * n * (state.log_scale + state.log_growth * math.log(n)):
            continue
        winner, loser = (i, j) if difference > 0 else (j, i)
        state.lower[winner] += 1
        state.upper[loser] -= 1
        state.decided[i, j] = True
        state.decided[j, i] = True
        changed = True
    return changed


@kernel
def finish_round(state: RacingState) -> None:
    """Drop from the list what need not be sampled any more: all of it when the winner is certain."""
    state.cursor[NEXT] = 0
    if not decide_pairs(state):
        return
    arms = state.lower.shape[0]
    best = most_place(state.lower)
    rivals = 0
    for i in range(arms):
        if i != best and state.upper[i] >= state.lower[best]:
            rivals += 1
    kept, undecided = 0, 0
    if rivals > 0:
        for k in range(state.cursor[LENGTH]):
            i, j = state.pairs[k] // arms, state.pairs[k] % arms
            hopeless = state.upper[i] < state.lower[best] and state.upper[j] < state.lower[best]
            undecided += int(not state.decided[i, j])
            if not (state.drops_decided and state.decided[i, j]) and not (state.drops_discarded and hopeless):
                state.pairs[kept] = state.pairs[k]
                kept += 1
    state.cursor[LENGTH] = kept if undecided > 0 else 0


@kernel
def elect(state: RacingState, rng: np.random.Generator) -> int:
    """Return the arm with the highest lower count, ties at random."""
    most = state.lower[most_place(state.lower)]
    count = 0
    for i in range(state.lower.shape[0]):
        if state.lower[i] == most:
            state.found[count] = i
            count += 1
    return pick(state.found, count, rng)


@kernel
def select(state: RacingState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the next pair of the list, or commit to the winner."""
    cursor, declared = state.cursor, state.declared
    if declared[0] < 0 and cursor[NEXT] == cursor[LENGTH]:
        finish_round(state)
        if cursor[LENGTH] == 0:
            declare(declared, elect(state, rng), t)
    if declared[0] >= 0:
        return declared[0], declared[0], last - t + 1
    pair = state.pairs[cursor[NEXT]]
    cursor[NEXT] += 1
    arms = state.lower.shape[0]
    return pair // arms, pair % arms, 1


@kernel
def update(state: RacingState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome."""
    if first != second:
        state.wins[first, second] += wins
        state.wins[second, first] += count - wins


def start(
    arms: int, log_scale: float, log_growth: float, ordered: bool, drops_discarded: bool, drops_decided: bool = True
) -> RacingState:
    """Return the state before the first round, with all ordered or unordered pairs open."""
    square = (arms, arms)
    pairs = [i * arms + j for i in range(arms) for j in range(arms) if i < j or (ordered and i > j)]
    return RacingState(
        log_scale=log_scale,
        log_growth=log_growth,
        drops_discarded=drops_discarded,
        drops_decided=drops_decided,
        wins=np.zeros(square, np.int64),
        decided=np.zeros(square, np.bool_),
        lower=np.zeros(arms, np.int64),
        upper=np.full(arms, arms - 1, np.int64),
        pairs=np.array(pairs, np.int64),
        cursor=np.array([0, len(pairs)], np.int64),
        found=np.zeros(arms, np.int64),
        declared=nothing_declared(),
    )


class Pbr(Algorithm):
    """Race of preferences: sample the pairs whose arms may still be the Copeland winner."""

    name = "pbr"
    citation = (
        "Busa-Fekete, Szörényi, Weng, Cheng, Hüllermeier. Top-k Selection based on Adaptive Sampling of Noisy "
        "Preferences. ICML 2013, Copeland ranking, k = 1"
    )
    assumes = "no ties"
    regret_order = "K² log T"
    uses_horizon = True
    State = RacingState
    select = staticmethod(select)
    update = staticmethod(update)

    def start(self, arms: int, horizon: int) -> RacingState:
        """Return the state before the first round, for δ = 1/T and n_max = T: log(2 K² n_max / δ) = log(2 K² T²)."""
        return start(arms, math.log(2 * arms**2 * horizon**2), 0.0, ordered=True, drops_discarded=True)

    def declaration(self, state: RacingState) -> tuple[int, int] | None:
        """Return the arm with most certain wins once no pair is left to sample."""
        return declaration_of(state.declared)


class RankEl(Algorithm):
    """Elicit the Copeland ranking until its first place is certain (the stop rule is ours)."""

    name = "rankel"
    citation = (
        "Busa-Fekete, Szörényi, Hüllermeier. PAC Rank Elicitation through Adaptive Sampling of Stochastic Pairwise "
        "Preferences. AAAI 2014, Copeland ranking"
    )
    assumes = "no ties"
    regret_order = "K² log T"
    uses_horizon = True
    State = RacingState
    select = staticmethod(select)
    update = staticmethod(update)

    def start(self, arms: int, horizon: int) -> RacingState:
        """Return the state before the first round, for δ = 1/T: log(5 K² n⁴ / (4δ)) = log(5 K² T / 4) + 4 log n."""
        return start(arms, math.log(1.25 * arms**2 * horizon), 4.0, ordered=False, drops_discarded=False)

    def declaration(self, state: RacingState) -> tuple[int, int] | None:
        """Return the arm with most certain wins once it is known to win, or no pair is left."""
        return declaration_of(state.declared)


class UniformExploration(Algorithm):
    """Sample all pairs alike until the Copeland winner is known."""

    name = "uniform-exploration"
    citation = "Urvoy, Clerot, Féraud, Naamane. Generic Exploration and K-armed Voting Bandits. ICML 2013, baseline"
    assumes = "no ties"
    regret_order = "K² log T"
    uses_horizon = True
    State = RacingState
    select = staticmethod(select)
    update = staticmethod(update)

    def start(self, arms: int, horizon: int) -> RacingState:
        """Return the state before the first round, for δ = 1/T and N pairs: log(2NT/δ) = log(K (K − 1) T²)."""
        log_scale = math.log(arms * (arms - 1) * horizon**2)
        return start(arms, log_scale, 0.0, ordered=False, drops_discarded=False, drops_decided=False)

    def declaration(self, state: RacingState) -> tuple[int, int] | None:
        """Return the arm with most certain wins once it is known to win, or every pair is decided."""
        return declaration_of(state.declared)
