"""Duels allocated to many pairs at once, for a block of rounds whose order does not matter.

If an algorithm chooses at random, from the same distribution in every round and independently of the outcomes, the
numbers of duels of all pairs are drawn together and answered pair by pair. The regret at the end of the block does not
depend on the order of the duels.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.binomial import binomial

WORTHWHILE = 8
"""Allocating rounds to a pair and playing them costs as much as this many single rounds."""


class Block(NamedTuple):
    """``pending[i, j]`` duels of i against j remain; ``cursor[0].pair`` is the first pair i K + j that may have some.

    A caller that allocates duels resets ``pair`` to 0.
    """

    pending: Ints
    cursor: Record


def new_block(arms: int) -> Block:
    """Return a block without pending duels."""
    return Block(np.zeros((arms, arms), np.int64), record(pair=arms * arms))


@kernel
def allocate_to_pair(block: Block, i: int, j: int, rounds: int, pairs: int, rng: np.random.Generator) -> int:
    """Allocate to i against j a random number of ``rounds``, shared evenly with ``pairs - 1`` later pairs; return it.

    The numbers of all pairs then have a multinomial distribution.
    """
    part = rounds if pairs == 1 or rounds == 0 else binomial(rounds, 1.0 / pairs, rng)
    block.pending[i, j] = part
    return part


@kernel(inline=False)
def allocate_to_all(block: Block, rounds: int, rng: np.random.Generator) -> None:
    """Allocate ``rounds`` rounds of uniformly random pairs of different arms."""
    arms = block.pending.shape[0]
    pairs = arms * (arms - 1)
    for i in range(arms):
        for j in range(arms):
            if i != j:
                rounds -= allocate_to_pair(block, i, j, rounds, pairs, rng)
                pairs -= 1
    block.cursor[0].pair = 0


@kernel
def emit_block(block: Block, most: int) -> tuple[int, int, int]:
    """Return at most ``most`` pending duels of one pair, with count 0 if none is pending."""
    arms = block.pending.shape[0]
    cursor = block.cursor[0]
    while cursor.pair < arms * arms:
        i, j = cursor.pair // arms, cursor.pair % arms
        if block.pending[i, j] > 0:
            count = min(most, block.pending[i, j])
            block.pending[i, j] -= count
            return i, j, count
        cursor.pair += 1
    return 0, 0, 0
