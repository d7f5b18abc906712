"""Sequential elimination and Opt-Maximize: a champion meets one challenger after another, and a better one replaces it.

Opt-Maximize finds a good arm, the anchor, among a few by sequential elimination; prunes the arms that are not better;
and checks the rest against it. Logarithms are natural where the paper names no base. The anchor is not compared with
itself, and stays.

The pseudo-code, step by step, is ``tests/reference/maxing.py``; ``tests/test_catalogue.py`` checks that the paths are
equal, duel by duel. The duels of a pair come in blocks, and only the last duel of a block can decide the pair
(``kernels/pair_tests.py``).
"""

import math
from typing import Any

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Program
from duelbench.arrays import State, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle
from duelbench.kernels.duels import World
from duelbench.kernels.pair_tests import compare_2


@kernel(inline=False)
def eliminate(world: World, state: State, length: int, epsilon: float, delta: float, rng: np.random.Generator) -> int:
    """Run sequential elimination on the first ``length`` arms, in random order; return the last champion."""
    queue, best = state.queue, state.best[0]
    for place in range(length):
        queue[place] = state.arms[place]
    shuffle(queue, length, rng)
    best.arm = queue[0]
    for place in range(1, length):
        if compare_2(world, queue[place], best.arm, 0.0, epsilon, delta / length):
            best.arm = queue[place]
    return best.arm  # type: ignore[no-any-return]


@kernel
def explore_all(world: World, state: State, rng: np.random.Generator) -> int:
    """Sequential elimination of all arms."""
    return eliminate(world, state, world.arms, state.epsilon, state.delta, rng)


@kernel(inline=False)
def prune(world: World, state: State, anchor: int) -> int:
    """Keep the arms that are better than the anchor, in several passes; return how many are left."""
    arms, epsilon, left, passes = state.arms, state.epsilon, world.arms, 1
    while left > state.few and passes < state.passes:
        delta = state.delta / 4.0 / 2.0 ** (passes + 1)
        kept = 0
        for place in range(left):
            arm = arms[place]
            if arm == anchor or compare_2(world, arm, anchor, epsilon / 3.0, 2.0 * epsilon / 3.0, delta):
                arms[kept] = arm
                kept += 1
        left = kept
        passes += 1
    return left  # type: ignore[no-any-return]


@kernel
def explore_by_anchor(world: World, state: State, rng: np.random.Generator) -> int:
    """Opt-Maximize."""
    arms, epsilon, delta = state.arms, state.epsilon, state.delta
    if delta <= 1.0 / world.arms:
        return eliminate(world, state, world.arms, epsilon, delta, rng)
    shuffle(arms, world.arms, rng)
    anchor = eliminate(world, state, state.sampled, epsilon / 3.0, delta / 8.0, rng)
    left = prune(world, state, anchor)
    shuffle(arms, left, rng)
    for place in range(left):
        arm = arms[place]
        if arm != anchor and compare_2(world, arm, anchor, 2.0 * epsilon / 3.0, epsilon, delta / (4.0 * world.arms)):
            return eliminate(world, state, left, epsilon, delta / 4.0, rng)
    return anchor


class SequentialElimination(Program):
    """Find an arm that loses to none by more than ε: a champion meets every other arm in turn."""

    name = "sequential-elimination"
    version = 2
    title = "Sequential elimination"
    citation = (
        "Falahatgar, Hao, Orlitsky, Pichapati, Ravindrakumar. Maxing and Ranking with Few Assumptions. "
        "NeurIPS 2017, Algorithm 5"
    )
    assumes = "total order, SST"
    regret_order = "no bound"
    explore = explore_all

    epsilon: float = Field(
        0.05, gt=0, lt=0.5, description="ε: the declared arm beats every other with probability at least 1/2 − ε"
    )
    delta: float = Field(0.1, gt=0, lt=1, description="probability δ of declaring another")

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round; ``best[0].arm`` is the champion."""
        return self.state(arms=np.arange(arms), queue=np.arange(arms), best=record(arm=-1))

    def recommendation(self, state: Any) -> int | None:
        """Return the champion, once there is one."""
        return int(state.best[0].arm) if state.best[0].arm >= 0 else None


class OptMaximize(Program):
    """Find an arm that loses to none by more than ε by comparison with an anchor; for many arms and a large δ."""

    name = "opt-maximize"
    version = 2
    title = "Opt-Maximize"
    citation = (
        "Falahatgar, Hao, Orlitsky, Pichapati, Ravindrakumar. Maxing and Ranking with Few Assumptions. "
        "NeurIPS 2017, Opt-Maximize"
    )
    assumes = "total order, SST"
    regret_order = "no bound"
    explore = explore_by_anchor

    epsilon: float = Field(
        0.05, gt=0, lt=0.5, description="ε: the declared arm beats every other with probability at least 1/2 − ε"
    )
    delta: float = Field(
        0.1, gt=0, lt=1, description="probability δ of declaring another; up to 1/K it is sequential-elimination"
    )

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round.

        ``few``: 2 n', a number of arms that needs no pruning; ``passes``: (ln K)², the limit on pruning passes;
        ``sampled``: |Q|, the number of arms among which the anchor is found.
        """
        few = math.sqrt(6 * arms * math.log(arms))
        return self.state(
            few=2 * few,
            passes=math.log(arms) ** 2,
            sampled=min(math.ceil(arms / few * math.log(2 / (self.delta / 4))), arms),
            arms=np.arange(arms),
            queue=np.arange(arms),
            best=record(arm=-1),
        )

    def recommendation(self, state: Any) -> int | None:
        """Return the anchor or the current champion of a sequential elimination, once there is one."""
        return int(state.best[0].arm) if state.best[0].arm >= 0 else None
