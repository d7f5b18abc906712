"""MallowsMPI finds the best arm and MallowsMPR the order of all, by duels of a pair until one arm is clearly better.

MPI lets a champion meet every other arm in turn; MPR is merge sort. The pseudo-code, step by step, is in
``tests/reference``; ``tests/test_catalogue.py`` checks that the paths are equal. If they compare a pair at exactly 1/2,
they go on to the end of the run. The duels of a pair come in blocks; only the last duel of a block can decide it
(``kernels/pair_tests.py``).
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Program
from duelbench.arrays import Ints, State, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle
from duelbench.kernels.duels import World
from duelbench.kernels.pair_tests import first_passage


@kernel
def is_better(world: World, state: State, i: int, j: int) -> bool:
    """Let two arms duel until it is clear whether the first is better."""
    return first_passage(world, i, j, state.scale, np.inf, 0.0, 0.0, 0.0, 0.0) > 0


@kernel
def find_best(world: World, state: State, rng: np.random.Generator) -> int:
    """MallowsMPI: a champion meets the other arms in random order; an arm that beats it replaces it."""
    order, best = state.order, state.best[0]
    shuffle(order, world.arms, rng)
    best.arm = order[0]
    for place in range(1, world.arms):
        if not is_better(world, state, best.arm, order[place]):
            best.arm = order[place]
    return best.arm  # type: ignore[no-any-return]


@kernel
def find_order(world: World, state: State, rng: np.random.Generator) -> Ints:
    """MallowsMPR: merge sort of the arms from a random order."""
    order, merged = state.order, state.merged
    shuffle(order, world.arms, rng)
    for low, middle, high in state.merges:
        left, right = low, middle
        for place in range(low, high):
            if right == high or (left < middle and is_better(world, state, order[left], order[right])):
                merged[place] = order[left]
                left += 1
            else:
                merged[place] = order[right]
                right += 1
        for place in range(low, high):
            order[place] = merged[place]
    return order  # type: ignore[no-any-return]


def merges(low: int, high: int) -> Iterator[tuple[int, int, int]]:
    """Yield the merges that sort the places ``low`` … ``high`` − 1, in turn: (low, middle, high)."""
    if high - low > 1:
        middle = low + (high - low + 1) // 2
        yield from merges(low, middle)
        yield from merges(middle, high)
        yield low, middle, high


class MallowsMpi(Program):
    """Find the best arm: a champion meets every other arm in turn, and the better one stays."""

    name = "mallows-mpi"
    version = 2
    title = "MallowsMPI"
    citation = (
        "Busa-Fekete, Hüllermeier, Szörényi. Preference-Based Rank Elicitation using Statistical Models: "
        "The Case of Mallows. ICML 2014, MallowsMPI"
    )
    assumes = "total order, no ties"
    regret_order = "no bound"
    explore = find_best

    delta: float = Field(0.05, gt=0, lt=1, description="probability δ of declaring another arm than the best")

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round; ``best[0].arm`` is the champion."""
        return self.state(scale=math.log(4 * arms / self.delta), order=np.arange(arms), best=record(arm=-1))

    def recommendation(self, state: Any) -> int | None:
        """Return the champion, once there is one."""
        champion = int(state.best[0].arm)
        return champion if champion >= 0 else None


class MallowsMpr(Program):
    """Find the order of all arms by merge sort; each comparison lasts until one arm is clearly better."""

    name = "mallows-mpr"
    title = "MallowsMPR"
    citation = (
        "Busa-Fekete, Hüllermeier, Szörényi. Preference-Based Rank Elicitation using Statistical Models: "
        "The Case of Mallows. ICML 2014, MallowsMPR"
    )
    assumes = "total order, no ties"
    regret_order = "no bound"
    finds_order = True
    declares_tiers = True
    explore = find_order

    delta: float = Field(0.05, gt=0, lt=1, description="probability δ of declaring another order than that of the arms")

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round; ``merged`` is a buffer, ``merges`` the merges in turn."""
        comparisons = math.ceil(arms * math.log2(arms) - 0.91392 * arms + 1)
        return self.state(
            scale=math.log(4 * comparisons / self.delta),
            order=np.arange(arms),
            merged=np.arange(arms),
            merges=np.array(list(merges(0, arms))),
        )
