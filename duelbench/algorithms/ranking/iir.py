"""Iterative-Insertion-Ranking: binary insertion by a noisy walk on a tree whose leaves are the places for an arm.

A walk that finds no place is repeated with half the slack. The pseudo-code, step by step, is
``tests/reference/probe_rank.py``; ``tests/test_catalogue.py`` checks that the paths are equal. If a pair is at exactly
1/2, it goes on to the end of the run. The duels of a pair come in blocks; only the last duel of a block can decide it
(``kernels/pair_tests.py``).

The places at both ends have an imaginary neighbour, which loses to every arm or beats every arm, without duels.
``as_published`` is the program of the authors. It plays these comparisons as duels with certain outcomes, here as
self-duels of the arm, and a misplaced bracket makes its threshold for ending a walk early unreachable.
"""

import math
from typing import Any

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Program
from duelbench.arrays import Ints, State
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle
from duelbench.kernels.duels import World, duel
from duelbench.kernels.pair_tests import boundary, first_passage

Q = 15 / 16
"""A step of a walk goes in the right direction with at least this probability if the slack is small enough."""


@kernel(inline=False)
def beats(
    world: World, state: State, i: int, place: int, epsilon: float, delta: float, rng: np.random.Generator
) -> bool:
    """ATC: return whether arm i seems better than the arm, or the imaginary end, at a place of the line."""
    other = state.line[place]
    scale = math.log(math.pi**2 / (3.0 * delta))
    most = math.ceil(math.log(2.0 / delta) / (2.0 * epsilon**2))
    if other >= 0:
        verdict = first_passage(world, i, other, scale, most, 0.0, 0.0, 0.0, 0.0)
        return verdict > 0 or (verdict == 0 and rng.random() < 0.5)
    if state.as_published:
        duels = 1
        while duels < most and 0.5 * duels <= boundary(scale, duels):
            duels += 1
        duel(world, i, i, duels)
    return place == 0


@kernel
def early_threshold(state: State, step: int, delta: float) -> float:
    """Return what a counter must exceed for its leaf to be taken at this step."""
    if state.as_published:
        spread = math.log(math.pi**2 * step**2) / (3.0 * delta)
    else:
        spread = math.log(math.pi**2 * step**2 / (3.0 * delta))
    return 1.0 + step / 2.0 + math.sqrt(step / 2.0 * spread)


@kernel(inline=False)
def find_place(
    world: World, state: State, i: int, inserted: int, epsilon: float, delta: float, rng: np.random.Generator
) -> int:
    """ATI: walk with arm i from the root; return the place after which to insert it, −1 if the walk finds none.

    The walk is at the node from place ``lows[depth]`` to ``highs[depth]``; smaller indices are its ancestors.
    """
    lows, highs, counters = state.lows, state.highs, state.counters
    height = 1 + math.ceil(math.log2(1 + inserted))
    steps = math.ceil(max(4.0 * height, 512.0 / 25.0 * math.log(2.0 / delta)))
    counters[:] = 0
    lows[0], highs[0], depth = 0, inserted + 1, 0
    for step in range(1, steps + 1):
        low, high = lows[depth], highs[depth]
        is_leaf = high - low == 1
        error = 1.0 - Q if depth == 0 else 1.0 - Q**0.5 if is_leaf else 1.0 - Q ** (1.0 / 3.0)
        inside = depth == 0 or (
            beats(world, state, i, low, epsilon, error, rng) and not beats(world, state, i, high, epsilon, error, rng)
        )
        if is_leaf and inside:
            counters[low] += 1
            if counters[low] > early_threshold(state, step, delta):
                return low  # type: ignore[no-any-return]
        elif inside:
            middle = (low + high) // 2
            upper = beats(world, state, i, middle, epsilon, error, rng)
            depth += 1
            lows[depth], highs[depth] = (middle, high) if upper else (low, middle)
        elif is_leaf and counters[low] > 0:
            counters[low] -= 1
        else:
            depth -= 1
    for leaf in range(inserted + 1):
        if counters[leaf] >= 1.0 + 5.0 * steps / 16.0:
            return leaf
    return -1


@kernel
def explore(world: World, state: State, rng: np.random.Generator) -> Ints:
    """Insert the arms in random order, each by walks with smaller and smaller slack."""
    order, line, arms = state.order, state.line, world.arms
    shuffle(order, arms, rng)
    line[1] = order[0]
    for inserted in range(1, arms):
        place, attempt = -1, 0
        while place < 0:
            attempt += 1
            epsilon = 2.0 ** -(attempt + 1)
            delta = 6.0 * state.delta / arms / (math.pi**2 * attempt**2)
            place = find_place(world, state, order[inserted], inserted, epsilon, delta, rng)
        for later in range(inserted + 1, place + 1, -1):
            line[later] = line[later - 1]
        line[place + 1] = order[inserted]
    for k in range(arms):
        order[k] = line[arms - k]
    return order  # type: ignore[no-any-return]


class Iir(Program):
    """Find the order of all arms: insert one after the other, by noisy binary search."""

    name = "iir"
    title = "IIR"
    citation = (
        "Ren, Liu, Shroff. On Sample Complexity Upper and Lower Bounds for Exact Ranking from Noisy Comparisons. "
        "NeurIPS 2019"
    )
    assumes = "total order, no ties"
    regret_order = "no bound"
    finds_order = True
    declares_tiers = True
    explore = explore

    delta: float = Field(0.05, gt=0, lt=1, description="probability δ of declaring another order than that of the arms")
    as_published: bool = Field(
        False, description="as the authors' program, which ends no walk early and plays comparisons with imagined arms"
    )

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round.

        ``order``: the arms in random order, at the end the declared order. ``line``: the inserted arms, worst first,
        from place 1 on; the places before and after them are −1. ``lows``, ``highs``: the nodes from the root to the
        current one; ``counters[k]``: the counter of the leaf between places k and k + 1.
        """
        deepest = math.ceil(math.log2(arms)) + 2
        return self.state(
            order=np.arange(arms),
            line=np.full(arms + 1, -1),
            lows=np.zeros(deepest, np.int64),
            highs=np.zeros(deepest, np.int64),
            counters=np.zeros(arms, np.int64),
        )
