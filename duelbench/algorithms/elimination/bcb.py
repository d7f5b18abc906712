"""BCB: random duels until one arm's Borda score exceeds all others with confidence; that arm is then played alone.

The pseudo-code, step by step, is ``bcb`` in ``tests/reference/borda.py``; ``tests/test_catalogue.py`` checks that
the paths are equal.

Only the abstract of the paper was read. The steps, the constants and δ = 0.1 come from a single source, an
implementation that is not by its authors.

The test. Let s = K · w, where w[i] counts the duels that arm i has won as the first of its pair, b̃ = s / t, and let d
be the lead in w of the best arm over the second best. Then ``b̃ − width > b̃' + width`` for all others is equivalent to
``K d² > 16 t ln(2KT/δ)``. Only a win can make it true, and only once 2 width < K, since d ≤ t. If K > 16 ln(2KT/δ),
some 300 arms, the first win makes it true: so narrow a width is a valid bound only after more rounds than arms. The
source has no safeguard against this, and we add none.

Block. d grows by at most one per round. As long as ``K (d + n)² ≤ 16 t ln(2KT/δ)``, exploration cannot end within the
next n rounds. Their pairs are random, so the numbers of their duels are multinomial (``kernels/blocks.py``).
"""

import math
from typing import Any

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Program
from duelbench.arrays import State, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.blocks import WORTHWHILE, allocate_to_all, new_block
from duelbench.kernels.draws import below
from duelbench.kernels.duels import World, block_limit, duel


@kernel(inline=False)
def play(world: World, state: State, first: int, second: int, count: int) -> None:
    """Let two arms duel, count the wins of the first one, and update the largest and second largest number of wins."""
    score = state.score[0]
    score.rounds += count
    state.wins[first] += duel(world, first, second, count)
    won = state.wins[first]
    if first == score.leader:
        score.most = won
    elif won > score.most:
        score.next = score.most
        score.most = won
        score.leader = first
    elif won > score.next:
        score.next = won


@kernel
def rounds_without_end(world: World, state: State, lead: int) -> int:
    """Return a number of coming rounds in which exploration cannot end; 0 if it is too small for a block."""
    rounds = int(math.sqrt(state.scale * state.score[0].rounds / world.arms)) - lead - 1
    return min(rounds, block_limit(world)) if rounds >= WORTHWHILE * world.arms**2 else 0


@kernel
def explore(world: World, state: State, rng: np.random.Generator) -> int:
    """Duel random pairs until one arm is far enough ahead of all others."""
    arms, score, pending = world.arms, state.score[0], state.block.pending
    lead = 0
    while arms * float(lead) ** 2 <= state.scale * score.rounds:
        rounds = rounds_without_end(world, state, lead)
        if rounds >= WORTHWHILE * arms**2:
            allocate_to_all(state.block, rounds, rng)
            for first in range(arms):
                for second in range(arms):
                    if pending[first, second] > 0:
                        play(world, state, first, second, pending[first, second])
        else:
            first, second = below(arms, rng), below(arms - 1, rng)
            play(world, state, first, second + int(second >= first), 1)
        lead = score.most - score.next
    return score.leader  # type: ignore[no-any-return]


class Bcb(Program):
    """Duel random pairs until one arm has the best Borda score with confidence, then play that arm."""

    name = "bcb"
    ends_blocks_at_checkpoints = True
    title = "BCB"
    citation = "Saha, Koren, Mansour. Adversarial Dueling Bandits. ICML 2021, Algorithm 3"
    assumes = "one Borda winner"
    regret_order = "K log T / Δ², of Borda regret"
    uses_horizon = True
    explore = explore

    delta: float = Field(0.1, gt=0, lt=1, description="probability δ of a wrong winner")

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round.

        ``scale``: 16 ln(2KT/δ). ``wins``: w. ``score``: the ``leader`` is the arm with the most wins, ``most`` is their
        number, and ``next`` the second largest number; ``rounds`` so far. ``block``: the duels to come.
        """
        return self.state(
            scale=16.0 * math.log(2.0 * arms * horizon / self.delta),
            wins=np.zeros(arms, np.int64),
            score=record(leader=0, most=0, next=0, rounds=0),
            block=new_block(arms),
        )
