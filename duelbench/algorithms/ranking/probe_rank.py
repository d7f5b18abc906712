"""Probe-Rank and Probe-Rank-SE rank the arms from the top down, by duels of open pairs and by transitivity.

An arm is unbeaten if no unranked arm is known to beat it. A single unbeaten arm is the best of the unranked ones and
comes next in the order. As long as there are several, the open pairs are the undecided pairs with at least one unbeaten
arm. Pairs whose order follows by transitivity are not played, so the number of duels depends only on the gaps between
neighbours in the order.

Probe-Rank plays a batch of duels of each open pair that has had the fewest batches; each batch of a pair has at least
four times as many duels as the one before. In Probe-Rank-SE all duels of a pair count, and it may be decided whenever
their number doubles. The pseudo-code, step by step, is in ``tests/reference``; ``tests/test_catalogue.py`` checks that
the paths are equal. If an open pair is at exactly 1/2, they go on to the end of the run.

Blocks. A batch is one block, since its size is fixed in advance. A pass of Probe-Rank-SE duels every open pair once.
All passes up to the next one after which a pair may be decided play the same pairs. They are played together, one block
per pair, if all of them end by the next checkpoint: there, every pair has had as many duels as round by round, and its
wins have the same distribution.
"""

import math
from typing import Any

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Program
from duelbench.arrays import Ints, State, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle
from duelbench.kernels.duels import World, block_limit, duel


@kernel(inline=False)
def infer(state: State, i: int, j: int) -> None:
    """Record that i is better than j and what follows from it, unless their order is already known."""
    beats = state.beats
    if beats[i, j] or beats[j, i]:
        return
    for a in range(beats.shape[0]):
        if a == i or beats[a, i]:
            for b in range(beats.shape[0]):
                if b == j or beats[j, b]:
                    beats[a, b] = True


@kernel
def find_unbeaten(state: State) -> tuple[int, int]:
    """Find the unbeaten arms; return their number and the place of the last one."""
    order, ranked = state.order, state.best[0].ranked
    count, last = 0, -1
    for place in range(ranked, order.shape[0]):
        unbeaten = True
        for other in range(ranked, order.shape[0]):
            unbeaten = unbeaten and not state.beats[order[other], order[place]]
        state.unbeaten[order[place]] = unbeaten
        if unbeaten:
            count += 1
            last = place
    return count, last


@kernel(inline=False)
def open_pairs(state: State) -> int:
    """Rank the unbeaten arm as long as it is the only one; then list the open pairs and return their number."""
    order, best, arms = state.order, state.best[0], state.order.shape[0]
    pairs = 0
    while best.ranked < arms:
        count, place = find_unbeaten(state)
        if count > 1:
            break
        arm = order[place]
        for later in range(place, best.ranked, -1):
            order[later] = order[later - 1]
        order[best.ranked] = arm
        best.ranked += 1
    for a in range(best.ranked, arms):
        for b in range(a + 1, arms):
            i, j = order[a], order[b]
            if (state.unbeaten[i] or state.unbeaten[j]) and not (state.beats[i, j] or state.beats[j, i]):
                state.pairs[pairs] = i, j
                pairs += 1
    return pairs


@kernel
def probe(world: World, state: State, i: int, j: int, batch: int) -> None:
    """Play a batch of duels of a pair, and decide the pair if the share of wins is clear."""
    epsilon = 2.0**-batch
    delta = 6.0 * state.share_of_delta / (math.pi**2 * batch**2)
    duels = math.ceil(2.0 / epsilon**2 * math.log(1.0 / delta))
    lead = duel(world, i, j, duels) / duels - 0.5
    if lead > epsilon / 2.0:
        infer(state, i, j)
    elif -lead > epsilon / 2.0:
        infer(state, j, i)


@kernel
def explore_by_batches(world: World, state: State, rng: np.random.Generator) -> Ints:
    """Probe-Rank: probe the open pairs that have had the fewest batches, until none is open."""
    shuffle(state.order, world.arms, rng)
    count = open_pairs(state)
    while count > 0:
        i, j = state.pairs[0]
        fewest = state.probes[i, j]
        for k in range(1, count):
            i, j = state.pairs[k]
            fewest = min(fewest, state.probes[i, j])
        for k in range(count):
            i, j = state.pairs[k]
            if state.probes[i, j] == fewest:
                state.probes[i, j] += 1
                probe(world, state, i, j, fewest + 1)
        count = open_pairs(state)
    return state.order  # type: ignore[no-any-return]


@kernel
def passes_ahead(state: State, count: int, rounds: int) -> int:
    """Return how many passes to play together: only the last may decide a pair, and all fit into ``rounds``."""
    passes = max(1, rounds // count)
    for k in range(count):
        i, j = state.pairs[k]
        n, due = state.duels[i, j], 2
        while due <= n:
            due *= 2
        passes = min(passes, due - n)
    return passes


@kernel
def judge(state: State, count: int) -> bool:
    """Decide the open pairs with 2, 4, 8, … duels and a clear share of wins; return whether there are any."""
    decided = False
    for k in range(count):
        i, j = state.pairs[k]
        n = state.duels[i, j]
        if n < 2 or n & (n - 1):
            continue
        lead = state.wins[i, j] / n - 0.5
        if abs(lead) > math.sqrt(math.log(state.scale * math.log2(n) ** 2) / (2.0 * n)):
            decided = True
            if lead > 0:
                infer(state, i, j)
            else:
                infer(state, j, i)
    return decided


@kernel
def explore_by_passes(world: World, state: State, rng: np.random.Generator) -> Ints:
    """Probe-Rank-SE: duel the open pairs in turn, until none is open."""
    shuffle(state.order, world.arms, rng)
    count = open_pairs(state)
    while count > 0:
        passes = passes_ahead(state, count, block_limit(world))
        for k in range(count):
            i, j = state.pairs[k]
            state.wins[i, j] += duel(world, i, j, passes)
            state.duels[i, j] += passes
        if judge(state, count):
            count = open_pairs(state)
    return state.order  # type: ignore[no-any-return]


class TopDown(Program):
    """The base class of both algorithms that rank from the top down."""

    assumes = "total order, no ties"
    regret_order = "no bound"
    finds_order = True
    declares_tiers = True

    delta: float = Field(0.05, gt=0, lt=1, description="probability δ of declaring another order than that of the arms")

    def nothing_known(self, arms: int, **more: Any) -> Any:
        """Return the state before the first round.

        ``beats[i, j]``: whether i is known to be better than j; closed under transitivity. ``order``: first the
        ``best[0].ranked`` ranked arms, best first, then the others in the order in which they are visited; the first
        arm of a pair comes earlier in it. ``unbeaten``: whether no unranked arm is known to beat an unranked arm.
        ``pairs``: the open pairs, one per row.
        """
        return self.state(
            beats=np.zeros((arms, arms), np.bool_),
            order=np.arange(arms),
            unbeaten=np.ones(arms, np.bool_),
            pairs=np.zeros((arms * (arms - 1) // 2, 2), np.int64),
            best=record(ranked=0),
            **more,
        )

    def recommendation(self, state: Any) -> int | None:
        """Return the best arm once it is known."""
        return int(state.order[0]) if state.best[0].ranked else None


class ProbeRank(TopDown):
    """Find the order of all arms from the top down, by batches of duels and by transitivity."""

    name = "probe-rank"
    title = "Probe-Rank"
    citation = (
        "Lou, Jin, Wu, Xu, Gu, Farnoud. Active Ranking without Strong Stochastic Transitivity. NeurIPS 2022, Probe-Rank"
    )
    explore = explore_by_batches

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round; ``probes[i, j]`` is how many batches pair (i, j) has had."""
        share = 2 * self.delta / arms**2
        return self.nothing_known(arms, share_of_delta=share, probes=np.zeros((arms, arms), np.int64))


class ProbeRankSe(TopDown):
    """Find the order of all arms from the top down, by duels of open pairs in turn and by transitivity."""

    name = "probe-rank-se"
    ends_blocks_at_checkpoints = True
    title = "Probe-Rank-SE"
    citation = (
        "Lou, Jin, Wu, Xu, Gu, Farnoud. Active Ranking without Strong Stochastic Transitivity. NeurIPS 2022, "
        "Probe-Rank-SE"
    )
    supports_delay = False  # a pass is evaluated when all its outcomes are there
    explore = explore_by_passes

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round; ``scale`` is π²/(3δ') with δ' = 2δ/K²."""
        return self.nothing_known(
            arms,
            scale=math.pi**2 / (3 * (2 * self.delta / arms**2)),
            duels=np.zeros((arms, arms), np.int64),
            wins=np.zeros((arms, arms), np.int64),
        )
