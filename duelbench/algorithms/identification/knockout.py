"""Knockout: in each round the arms play in pairs, and the winners advance.

The pseudo-code, step by step, is ``tests/reference/maxing.py``; ``tests/test_catalogue.py`` checks that the paths are
equal, duel by duel. Before it has declared an arm, it recommends the Copeland winner of its duels, which is an arm that
has won the most pairs. The duels of a pair come in blocks, and only the last duel of a block can decide the pair
(``kernels/pair_tests.py``).
"""

from typing import Any

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Program
from duelbench.arrays import State
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle
from duelbench.kernels.duels import World
from duelbench.kernels.pair_tests import compare_1


@kernel
def explore(world: World, state: State, rng: np.random.Generator) -> int:
    """Let the remaining arms play in pairs, until one is left."""
    standing, left, rounds = state.standing, world.arms, 0
    while left > 1:
        rounds += 1
        shuffle(standing, left, rng)
        slack = (2.0 ** (1.0 / 3.0) - 1.0) * state.epsilon / (state.gamma * 2.0 ** (rounds / 3.0))
        for k in range(left // 2):
            a, b = standing[2 * k], standing[2 * k + 1]
            standing[k] = a if compare_1(world, a, b, slack, state.delta / 2.0**rounds) else b
        if left % 2 == 1:  # the odd arm advances
            standing[left // 2] = standing[left - 1]
        left = (left + 1) // 2
    return standing[0]  # type: ignore[no-any-return]


class Knockout(Program):
    """Find an arm that loses to none by more than ε, in rounds of pairs whose winners advance."""

    name = "knockout"
    title = "Knockout"
    citation = (
        "Falahatgar, Orlitsky, Pichapati, Suresh. Maximum Selection and Ranking under Noisy Comparisons. ICML 2017"
    )
    assumes = "total order, γ-SST, STI"
    regret_order = "no bound"
    explore = explore

    epsilon: float = Field(
        0.05, gt=0, lt=0.5, description="ε: the declared arm beats every other with probability at least 1/2 − ε"
    )
    delta: float = Field(0.1, gt=0, lt=1, description="probability δ of declaring another")
    gamma: float = Field(
        1.0, ge=1, description="γ of stochastic transitivity: no gap exceeds γ times that of better against worse arms"
    )

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round; ``standing`` begins with the remaining arms."""
        return self.state(standing=np.arange(arms))
