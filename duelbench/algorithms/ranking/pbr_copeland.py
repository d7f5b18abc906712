"""PBR for the k highest Copeland scores: passes over all open pairs, until the best k arms are known.

A pair is decided, and never sampled again, when its interval excludes 1/2. An arm is selected when at most k − 1 others
can still beat as many arms as it does already, and discarded when k others surely beat more arms than it can. Pairs of
two such arms are not sampled either. The conditions as printed in the paper hold later, or never (k = 1). Unlike
``pbr``, it does not know the horizon: the radius is valid for all numbers of duels.

The pseudo-code, step by step, is ``tests/reference/pbr.py``; ``tests/test_catalogue.py`` checks that the paths are
equal. If a pair at exactly 1/2 matters, it goes on to the end of the run. A tie is half a win for both.
"""

import math
from typing import Any

import numpy as np

from duelbench.algorithms.ranking.top_k import TopK
from duelbench.arrays import Ints, State
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle
from duelbench.kernels.duels import World, duel_with_ties

SELECTED, OPEN, DISCARDED = 2, 1, 0


@kernel
def list_pairs(state: State) -> int:
    """List all pairs of the arms, in their random order, and return their number."""
    arms, count = state.arms.shape[0], 0
    for a in range(arms):
        for b in range(a + 1, arms):
            state.pairs[count] = state.arms[a], state.arms[b]
            count += 1
    return count


@kernel
def decide_pairs(state: State, count: int, passes: int) -> int:
    """Drop the pairs whose interval excludes 1/2 after ``passes`` duels each; return how many are kept."""
    kept, least = 0, 2.0 * passes * (state.log_scale + 2.0 * math.log(passes))
    for k in range(count):
        i, j = state.pairs[k]
        lead = state.lead[i, j]
        if lead * lead > least:
            state.won[i if lead > 0 else j] += 1
            state.lost[j if lead > 0 else i] += 1
        else:
            state.pairs[kept] = i, j
            kept += 1
    return kept


@kernel(inline=False)
def settle_arms(state: State) -> bool:
    """Select and discard arms; return whether the best are known."""
    arms, selected, discarded = state.arms.shape[0], 0, 0
    for i in range(arms):
        worse, better = 0, 0
        for j in range(arms):
            worse += j != i and arms - 1 - state.lost[j] < state.won[i]
            better += j != i and arms - 1 - state.lost[i] < state.won[j]
        if worse >= arms - state.top:
            state.status[i] = SELECTED
            selected += 1
        elif better >= state.top:
            state.status[i] = DISCARDED
            discarded += 1
    return selected == state.top or discarded == arms - state.top  # type: ignore[no-any-return]


@kernel
def drop_settled(state: State, count: int) -> int:
    """Drop the pairs of two arms that are selected or discarded; return how many are kept."""
    kept = 0
    for k in range(count):
        i, j = state.pairs[k]
        if state.status[i] == OPEN or state.status[j] == OPEN:
            state.pairs[kept] = i, j
            kept += 1
    return kept


@kernel
def in_order(state: State) -> Ints:
    """Return the arms sorted by status, then by wins; equal arms stay in random order."""
    place = 0
    for status in (SELECTED, OPEN, DISCARDED):
        for won in range(state.arms.shape[0] - 1, -1, -1):
            for arm in state.arms:
                if state.status[arm] == status and state.won[arm] == won:
                    state.order[place] = arm
                    place += 1
    return state.order  # type: ignore[no-any-return]


@kernel
def explore(world: World, state: State, rng: np.random.Generator) -> Ints:
    """Duel every open pair once, pass by pass, until the best arms are known."""
    shuffle(state.arms, world.arms, rng)
    count, passes, known = list_pairs(state), 0, False
    while count > 0 and not known:
        passes += 1
        for k in range(count):
            i, j = state.pairs[k]
            wins, ties = duel_with_ties(world, i, j, 1)
            state.lead[i, j] += 2 * wins + ties - 1
        kept = decide_pairs(state, count, passes)
        if kept < count:
            known = settle_arms(state)
            count = drop_settled(state, kept)
    return in_order(state)


class PbrCopeland(TopK):
    """Find the k arms with the highest Copeland scores by duels, in turn, of the pairs that may still matter."""

    name = "pbr-copeland"
    title = "PBR-Copeland"
    citation = (
        "Busa-Fekete, Szörényi, Weng, Cheng, Hüllermeier. Top-k Selection based on Adaptive Sampling of Noisy "
        "Preferences. ICML 2013, Copeland ranking"
    )
    assumes = "no pair at 1/2"
    takes_ties = True
    explore = explore

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round.

        ``arms``: in random order. ``pairs``: the open pairs, all with the same number of duels. ``lead[i, j]``: wins
        minus losses of the first arm. ``won[i]``, ``lost[i]``: the numbers of decided pairs in which arm i is the
        better or the worse one. ``status[i]``: SELECTED, OPEN or DISCARDED. ``order``: the declared order.
        """
        self.sizes(arms)
        return self.state(
            log_scale=math.log(math.pi**2 * arms**2 / self.delta),
            arms=np.arange(arms),
            pairs=np.zeros((arms * (arms - 1) // 2, 2), np.int64),
            lead=np.zeros((arms, arms), np.int64),
            won=np.zeros(arms, np.int64),
            lost=np.zeros(arms, np.int64),
            status=np.full(arms, OPEN),
            order=np.arange(arms),
        )
