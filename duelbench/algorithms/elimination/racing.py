"""Copeland races: PBR, RankEl and uniform exploration sample open pairs in turn until the Copeland winner is known.

They go round a list of pairs, in lexicographic order, and evaluate the results after each full round: a pair is decided
when its interval ``p̂ ± radius(n)`` excludes 1/2. ``lower[i]`` opponents are known to lose to i; at most ``upper[i]``
may. When one arm's lower count exceeds every other upper count, or no pair is left, the arm with the highest lower
count wins, ties at random. If several arms may win (``several``), exploration ends as soon as an arm's lower count is
at least every other upper count. The pseudo-code, step by step, is in ``tests/reference``: ``pbr.py`` and, for uniform
exploration, ``savage.py``; ``tests/test_catalogue.py`` checks that the paths are equal.

*PBR*, preference-based racing. Each pair is listed in both orders, so it is duelled twice per round, and the two
entries share their data. Decided pairs are never sampled again, nor are pairs of two settled arms. The paper settles an
arm when it is selected or discarded. With a single winner, a selected arm discards all others and ends the search, so
only the discarded arms need to be remembered. A tie is half a win for both.

*RankEl*, rank elicitation, samples every undecided pair until a Copeland winner is certain, whether or not its arms may
still win. The paper elicits a ranking and stops when it is good enough. Stopping at a winner adapts it to regret; Zoghi
et al. (2015) play a "Copeland variant" and say no more about it. *Winner* stops when no other arm can exceed some arm,
which is then a Copeland winner, perhaps one of several; low regret needs no more. *Sole winner* stops when an arm
exceeds all others, or when all pairs are decided, as for the ranking itself. If there are several winners, only the
latter can happen. Then the closest pair costs most, even if its arms can no longer win: on the rankers of Zoghi's
Fig. 1 it costs 5.9e6 in the figure's unit. The figure's axis ends at 1.2e6 and, according to the paper, cuts only
RUCB's curve. *Winner* costs 0.4e6 there.

*Uniform exploration* is the baseline that SAVAGE was compared with. It samples all pairs equally often, including
decided ones, until the Copeland winner is known; the radius is SAVAGE's.
"""

import math
from typing import Any, Literal

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Program
from duelbench.arrays import State
from duelbench.compiling.jit import kernel
from duelbench.kernels.arithmetic import most_place
from duelbench.kernels.draws import pick
from duelbench.kernels.duels import World, duel_with_ties


@kernel
def decide_pairs(state: State, left: int) -> bool:
    """Decide the open pairs whose interval excludes 1/2; return whether there was one."""
    arms = state.lower.shape[0]
    changed = False
    for k in range(left):
        i, j = state.pairs[k] // arms, state.pairs[k] % arms
        if state.decided[i, j]:
            continue  # already handled in the other order
        difference = state.wins[i, j] - state.wins[j, i]
        n = state.wins[i, j] + state.wins[j, i] + state.ties[i, j]
        if difference * difference <= 2.0 * n * (state.log_scale + state.log_growth * math.log(n)):
            continue
        winner, loser = (i, j) if difference > 0 else (j, i)
        state.lower[winner] += 1
        state.upper[loser] -= 1
        state.decided[i, j] = True
        state.decided[j, i] = True
        changed = True
    return changed


@kernel
def rivals(state: State, i: int) -> int:
    """Count the arms that may exceed arm i or, unless ``several``, may draw level with it."""
    count = 0
    for j in range(state.lower.shape[0]):
        if j != i and state.upper[j] + int(not state.several) > state.lower[i]:
            count += 1
    return count


@kernel
def front(state: State) -> int:
    """Return the arm with the highest lower, then upper count: if some arm is certain to win, this one is."""
    best = most_place(state.lower)
    for i in range(state.lower.shape[0]):
        if state.lower[i] == state.lower[best] and state.upper[i] > state.upper[best]:
            best = i
    return best


@kernel
def keep_open(state: State, left: int) -> int:
    """Drop the pairs that need no more samples; return how many are left, 0 if a winner is certain."""
    arms = state.lower.shape[0]
    best = front(state)
    if rivals(state, best) == 0:
        return 0
    kept, undecided = 0, 0
    for k in range(left):
        i, j = state.pairs[k] // arms, state.pairs[k] % arms
        hopeless = state.upper[i] < state.lower[best] and state.upper[j] < state.lower[best]
        undecided += int(not state.decided[i, j])
        if not (state.drops_decided and state.decided[i, j]) and not (state.drops_discarded and hopeless):
            state.pairs[kept] = state.pairs[k]
            kept += 1
    return kept if undecided > 0 else 0


@kernel
def elect(state: State, rng: np.random.Generator) -> int:
    """Return the arm with the highest lower count, ties at random; if ``several``, only arms without rivals count."""
    most = state.lower[most_place(state.lower)]
    count = 0
    for i in range(state.lower.shape[0]):
        if state.lower[i] == most and not (state.several and rivals(state, i)):
            state.found[count] = i
            count += 1
    return pick(state.found, count, rng)


@kernel
def explore(world: World, state: State, rng: np.random.Generator) -> int:
    """Duel the pairs of the list in turn, until none is left."""
    left = state.pairs.shape[0]
    while left > 0:
        for k in range(left):
            i, j = state.pairs[k] // world.arms, state.pairs[k] % world.arms
            wins, ties = duel_with_ties(world, i, j, 1)
            state.wins[i, j] += wins
            state.wins[j, i] += 1 - wins - ties
            state.ties[i, j] += ties
            state.ties[j, i] += ties
        if decide_pairs(state, left):
            left = keep_open(state, left)
    return elect(state, rng)


class Race(Program):
    """The base class of the races, which differ in their radius and in which pairs stay open."""

    assumes = "no ties"
    regret_order = "K² log T"
    uses_horizon = True
    in_order = True
    explore = explore

    def race(
        self,
        arms: int,
        log_scale: float,
        log_growth: float = 0.0,
        ordered: bool = False,
        drops_discarded: bool = False,
        drops_decided: bool = True,
        several: bool = False,
    ) -> Any:
        """Return the state before the first round, with all ordered or unordered pairs open.

        ``ties`` are counted in both orders, each half a win for both arms. A radius is
        ``sqrt((log_scale + log_growth · log n) / (2n))``. ``drops_discarded``: pairs of two arms that cannot win are
        not sampled; ``drops_decided``: nor are decided pairs; ``several``: several arms may win. ``pairs`` begins with
        the codes i K + j of the open pairs. ``found`` is a buffer for a list of arms.
        """
        square = (arms, arms)
        pairs = [i * arms + j for i in range(arms) for j in range(arms) if i < j or (ordered and i > j)]
        return self.state(
            log_scale=log_scale,
            log_growth=log_growth,
            drops_discarded=drops_discarded,
            drops_decided=drops_decided,
            several=several,
            wins=np.zeros(square, np.int64),
            ties=np.zeros(square, np.int64),
            decided=np.zeros(square, np.bool_),
            lower=np.zeros(arms, np.int64),
            upper=np.full(arms, arms - 1, np.int64),
            pairs=np.array(pairs, np.int64),
            found=np.zeros(arms, np.int64),
        )


class Pbr(Race):
    """Sample the undecided pairs in which an arm may still be the Copeland winner."""

    name = "pbr"
    title = "PBR"
    citation = (
        "Busa-Fekete, Szörényi, Weng, Cheng, Hüllermeier. Top-k Selection based on Adaptive Sampling of Noisy "
        "Preferences. ICML 2013, Copeland ranking, k = 1"
    )
    takes_ties = True

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round, for δ = 1/T and n_max = T: log(2 K² n_max / δ) = log(2 K² T²)."""
        return self.race(arms, math.log(2 * arms**2 * horizon**2), ordered=True, drops_discarded=True)


class RankEl(Race):
    """Elicit the Copeland ranking until its first place is certain (the stopping rule is ours)."""

    name = "rankel"
    title = "RankEl"
    citation = (
        "Busa-Fekete, Szörényi, Hüllermeier. PAC Rank Elicitation through Adaptive Sampling of Stochastic Pairwise "
        "Preferences. AAAI 2014, Copeland ranking"
    )

    until: Literal["winner", "sole-winner"] = Field(
        "winner", description="what ends it: an arm that none can exceed, or one that exceeds all (or nothing is open)"
    )

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round, for δ = 1/T: log(5 K² n⁴ / (4δ)) = log(5 K² T / 4) + 4 log n."""
        return self.race(arms, math.log(1.25 * arms**2 * horizon), log_growth=4.0, several=self.until == "winner")


class UniformExploration(Race):
    """Sample all pairs equally often until the Copeland winner is known."""

    name = "uniform-exploration"
    title = "Uniform exploration"
    citation = "Urvoy, Clerot, Féraud, Naamane. Generic Exploration and K-armed Voting Bandits. ICML 2013, baseline"

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round, for δ = 1/T and N pairs: log(2NT/δ) = log(K (K − 1) T²)."""
        return self.race(arms, math.log(arms * (arms - 1) * horizon**2), drops_decided=False)
