"""WSW-PE: Winner Stays with pairwise elimination, for weak regret and to identify the Condorcet winner.

An incumbent meets the qualified arms in random order, as in WS-W. In epoch ℓ a meeting lasts until one of the two has ℓ
losses more than wins and is out for this epoch. If a confidence interval shows earlier which of the two is better, the
worse one is out for good. The pseudo-code, step by step, is ``tests/reference/winner_stays.py``;
``tests/test_catalogue.py`` checks that the paths are equal when every answer is one round.

As in the paper, it stops when one arm is left, and declares it.

Block. A pair meets until one of its arms has ``S = −ℓ`` or until its interval, from all its duels since the first
round, excludes 1/2. The first takes at least ``min(S) + ℓ`` duels, the second at least one more than
``pair_tests.safe_duels``. The smaller of the two numbers is one request; only its last duel can end the meeting.
"""

import math
from typing import Any

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Program
from duelbench.arrays import Flags, State, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import below
from duelbench.kernels.duels import World, block_limit, duel
from duelbench.kernels.pair_tests import boundary, safe_duels


@kernel
def others(marked: Flags, arm: int) -> int:
    """Count the marked arms other than this one."""
    count = 0
    for other in range(marked.shape[0]):
        count += other != arm and marked[other]
    return count


@kernel
def random_other(marked: Flags, arm: int, rng: np.random.Generator) -> int:
    """Return a random marked arm other than this one; there must be one."""
    count = others(marked, arm)
    place = below(count, rng) if count > 1 else 0
    other = -1
    while place >= 0:
        other += 1
        place -= other != arm and marked[other]
    return other


@kernel
def room_of_the_pair(state: State, i: int, j: int, epoch: int) -> int:
    """Return a number of duels such that only the last one can end the meeting."""
    n = state.wins[i, j] + state.wins[j, i]
    lead = 0.5 * (state.wins[i, j] - state.wins[j, i])
    decided = min(safe_duels(state.scale, n, lead, 0.5), safe_duels(state.scale, n, -lead, 0.5)) + 1
    # At least 1: if a meeting ended for both reasons at once, its winner may be at −ℓ itself.
    out = max(1, min(state.score[i], state.score[j]) + epoch)
    return min(decided, out)  # type: ignore[no-any-return]


@kernel
def meet(world: World, state: State, i: int, j: int, epoch: int) -> int:
    """Let a pair duel until one of them is out, for the epoch or for good, and return the other one."""
    while True:
        count = block_limit(world)
        if count > 1:
            count = min(count, room_of_the_pair(state, i, j, epoch))
        won = duel(world, i, j, count)
        state.wins[i, j] += won
        state.wins[j, i] += count - won
        state.score[i] += 2 * won - count
        state.score[j] -= 2 * won - count
        lead = 0.5 * (state.wins[i, j] - state.wins[j, i])
        if abs(lead) > boundary(state.scale, state.wins[i, j] + state.wins[j, i]):
            winner, loser = (i, j) if lead > 0 else (j, i)
            state.active[loser] = state.qualified[loser] = False
            return winner
        if min(state.score[i], state.score[j]) <= -epoch:
            winner, loser = (j, i) if state.score[i] <= -epoch else (i, j)
            state.qualified[loser] = False
            return winner


@kernel
def explore(world: World, state: State, rng: np.random.Generator) -> int:
    """Let the winner of each meeting stay, in epochs of longer and longer meetings, until no other arm is left."""
    incumbent, epoch = below(world.arms, rng), 1
    while others(state.active, incumbent) > 0:
        state.ahead[0].arm = incumbent
        if others(state.qualified, incumbent) == 0:
            for arm in range(world.arms):
                state.qualified[arm] = state.active[arm]
            epoch += 1
        incumbent = meet(world, state, incumbent, random_other(state.qualified, incumbent, rng), epoch)
    return incumbent


class WswPe(Program):
    """Winner Stays that drops an arm for good when another one beats it with confidence."""

    name = "wsw-pe"
    title = "WSW-PE"
    citation = "Ma, Ding, Zhang, Zhou. ACM SIGKDD Conference on Knowledge Discovery and Data Mining 2025, Algorithm 3"
    assumes = "Condorcet winner"
    regret_order = "K log K / Δ⁶, whatever T, of binary weak regret"
    explore = explore

    delta: float = Field(
        0.05, gt=0, lt=1, description="probability δ of declaring another arm than the Condorcet winner"
    )

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round.

        ``scale``: ln(8K/δ). ``wins[i, j]``: duels that i won against j. ``score``: S. ``active``, ``qualified``: X, Q.
        ``ahead``: the incumbent.
        """
        return self.state(
            scale=math.log(8.0 * arms / self.delta),
            wins=np.zeros((arms, arms), np.int64),
            score=np.zeros(arms, np.int64),
            active=np.ones(arms, np.bool_),
            qualified=np.ones(arms, np.bool_),
            ahead=record(arm=-1),
        )

    def recommendation(self, state: Any) -> int | None:
        """Return the incumbent, once there is one."""
        return int(state.ahead[0].arm) if state.ahead[0].arm >= 0 else None
