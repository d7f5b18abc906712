"""SEEBS: each stage finds a good arm, the pivot, by a tournament and drops arms that are worse by more than a margin.

The margin is halved from stage to stage, until one arm is left. The pseudo-code, step by step, is in
``tests/reference/quick_select.py``; ``tests/test_catalogue.py`` checks that the paths are equal, duel by duel. The
duels of a pair come in blocks, and only the last duel of a block can decide the pair (``kernels/pair_tests.py``).
Before it has declared an arm, it recommends the last pivot.
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
from duelbench.kernels.pair_tests import interval_test


@kernel
def find_pivot(world: World, state: State, left: int, epsilon: float, delta: float, rng: np.random.Generator) -> int:
    """Return the winner of a tournament of the remaining arms."""
    playing, rounds = state.playing, 0
    for place in range(left):
        playing[place] = state.remaining[place]
    while left > 1:
        rounds += 1
        shuffle(playing, left, rng)
        slack = epsilon / 4.0 * 0.8**rounds
        level = 6.0 * delta / (math.pi**2 * rounds**2)
        for k in range(left // 2):
            other, reference = playing[2 * k], playing[2 * k + 1]
            verdict = interval_test(world, other, reference, slack / 2.0, 0.0, 0.0, level / 2.0)
            playing[k] = other if verdict > 0 else reference
        if left % 2 == 1:  # the odd arm advances
            playing[left // 2] = playing[left - 1]
        left = (left + 1) // 2
    return playing[0]  # type: ignore[no-any-return]


@kernel
def explore(world: World, state: State, rng: np.random.Generator) -> int:
    """Compare the remaining arms with the pivot, stage by stage, until one is left."""
    remaining, left, stage = state.remaining, world.arms, 0
    while left > 1:
        stage += 1
        margin = 2.0**-stage / 3.0
        delta = 6.0 * state.delta / (math.pi**2 * stage**2)
        pivot = find_pivot(world, state, left, margin, 2.0 * delta / 3.0, rng)
        state.best[0].arm = pivot
        kept = 0
        for place in range(left):
            arm = remaining[place]
            if arm == pivot or interval_test(world, arm, pivot, margin, 0.0, margin, delta / 3.0) >= 0:
                remaining[kept] = arm
                kept += 1
        left = kept
    return remaining[0]  # type: ignore[no-any-return]


class Seebs(Program):
    """Find the best arm without knowing the gap: each stage drops the arms that are worse than a pivot."""

    name = "seebs"
    title = "SEEBS"
    citation = (
        "Ren, Liu, Shroff. The Sample Complexity of Best-k Items Selection from Pairwise Comparisons. ICML 2020, SEEBS"
    )
    in_order = True
    assumes = "total order, SST, STI, no ties"
    regret_order = "no bound"
    explore = explore

    delta: float = Field(0.05, gt=0, lt=1, description="probability δ of declaring another arm than the best")

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round; ``best[0].arm`` is the pivot."""
        return self.state(remaining=np.arange(arms), playing=np.arange(arms), best=record(arm=-1))

    def recommendation(self, state: Any) -> int | None:
        """Return the pivot of the last tournament, once there is one."""
        return int(state.best[0].arm) if state.best[0].arm >= 0 else None
