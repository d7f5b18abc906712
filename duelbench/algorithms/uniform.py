"""Uniform exploration: the baseline that never learns.

``tests/reference/uniform.py`` is the same without blocks; ``tests/test_catalogue.py`` checks that the paths are equal
round by round.

Hold. No choice depends on an outcome, so many rounds before a checkpoint are one block (``kernels/blocks.py``). Random
pairs are independent and equally likely, so the numbers of their duels are multinomial. The round robin gives each pair
one duel per pass, so its block is a number of whole passes, after which it goes on where it was.
"""

from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.blocks import WORTHWHILE, Block, allocate_to_all, emit_block, new_block
from duelbench.kernels.draws import below


class UniformState(NamedTuple):
    """``pair[0]`` is the next pair of the round robin, ``first`` and ``second``; ``block`` has the pending duels."""

    arms: int
    round_robin: bool
    pair: Record
    block: Block


@kernel(inline=False)
def _start_block(state: UniformState, rounds: int, rng: np.random.Generator) -> None:
    """Allocate ``rounds`` rounds to all pairs; for the round robin, as many whole passes as fit."""
    if not state.round_robin:
        allocate_to_all(state.block, rounds, rng)
        return
    pairs = state.arms * (state.arms - 1)
    for i in range(state.arms):
        for j in range(state.arms):
            state.block.pending[i, j] = 2 * rounds // pairs if i < j else 0
    state.block.cursor[0].pair = 0


@kernel
def select(state: UniformState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel a random pair of different arms, or the next of the round robin; many rounds in a block."""
    i, j, count = emit_block(state.block, last - t + 1)
    if count == 0 and last - t >= WORTHWHILE * state.arms**2:
        _start_block(state, last - t + 1, rng)
        i, j, count = emit_block(state.block, last - t + 1)
    if count > 0:
        return i, j, count
    if state.round_robin:
        pair = state.pair[0]
        i, j = pair.first, pair.second
        pair.second += 1
        if pair.second == state.arms:
            pair.first = i + 1 if i + 2 < state.arms else 0
            pair.second = pair.first + 1
        return i, j, 1
    i = below(state.arms, rng)
    j = below(state.arms - 1, rng)
    if j >= i:
        j += 1
    return i, j, 1


@kernel
def update(state: UniformState, first: int, second: int, wins: int, count: int) -> None:
    """Learn nothing."""


class Uniform(Algorithm):
    """A random pair of different arms each round."""

    name = "uniform"
    ends_blocks_at_checkpoints = True
    title = "Uniform"
    citation = "baseline"
    regret_order = "T"
    learns_off_policy = True
    State = UniformState
    select = staticmethod(select)
    update = staticmethod(update)

    variant: Literal["random", "round-robin"] = Field(
        "random", description="random: a random pair each round; round-robin: all pairs in turn"
    )

    def start(self, arms: int, horizon: int) -> UniformState:
        """Return the state before the first round."""
        return UniformState(arms, self.variant == "round-robin", record(first=0, second=1), new_block(arms))
