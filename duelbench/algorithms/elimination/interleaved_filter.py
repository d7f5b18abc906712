"""IF: interleaved filter, explore then exploit, with the pruning of its second version (IF2).

The incumbent duels the arms of W in turn. After each full round robin, the arms that it beats with confidence leave W.
If an arm beats the incumbent with confidence, it takes its place, and the arms that the former incumbent has beaten
more often than not leave W, too. The pseudo-code, step by step, is ``interleaved_filter`` in
``tests/reference/beat_the_mean.py``; ``tests/test_catalogue.py`` checks that the paths are equal.
"""

import math
from typing import Any

import numpy as np

from duelbench.algorithms.algorithm import Program
from duelbench.arrays import State, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import below
from duelbench.kernels.duels import World, duel


@kernel
def explore(world: World, state: State, rng: np.random.Generator) -> int:
    """Let an incumbent duel all others, until one of them replaces it or none is left in W."""
    W, won = state.opponents, state.won
    incumbent, duels, left = below(world.arms, rng), 0, world.arms - 1
    W[incumbent] = False
    while left > 0:
        duels += 1
        for b in range(world.arms):
            if W[b]:
                won[b] += duel(world, incumbent, b, 1)
                state.ahead[0].arm = incumbent
        successor = -1
        for b in range(world.arms):
            lead = 2 * won[b] - duels
            if W[b] and lead * lead > 16.0 * duels * state.log_inverse_delta:
                if lead > 0:
                    W[b] = False
                elif successor < 0:
                    successor = b
        if successor >= 0:
            for b in range(world.arms):
                W[b] = W[b] and b != successor and 2 * won[b] <= duels
                won[b] = 0
            incumbent, duels = successor, 0
        left = 0
        for b in range(world.arms):
            left += W[b]
    return incumbent


class InterleavedFilter(Program):
    """Duel an incumbent against all others, until one of them replaces it or none is left."""

    name = "if"
    title = "Interleaved Filter"
    citation = (
        "Yue, Broder, Kleinberg, Joachims. The K-armed Dueling Bandits Problem. "
        "Journal of Computer and System Sciences 2012, IF2"
    )
    assumes = "total order, SST, STI"
    regret_order = "K log T"
    uses_horizon = True
    explore = explore

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round, for confidence δ = 1/(TK²).

        ``opponents`` is the set W, ``won[b]`` counts the incumbent's wins against b, and ``ahead`` holds the incumbent.
        """
        return self.state(
            log_inverse_delta=math.log(horizon * arms**2),
            opponents=np.ones(arms, np.bool_),
            won=np.zeros(arms, np.int64),
            ahead=record(arm=-1),
        )

    def recommendation(self, state: Any) -> int | None:
        """Return the incumbent, once there is one."""
        return int(state.ahead[0].arm) if state.ahead[0].arm >= 0 else None
