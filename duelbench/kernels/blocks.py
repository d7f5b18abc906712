"""Duels allocated to many pairs at once: a stretch of rounds whose order does not matter.

Where an algorithm's choices are random, the same in every round and beyond the influence of the outcomes, the numbers
of duels of the pairs are drawn together and answered pair by pair. The regret at the end of the stretch does
not depend on their order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel

WORTHWHILE = 8
"""To allocate rounds to a pair and to play them costs as much as so many single rounds."""


class Block(NamedTuple):
    """``pending[i, j]`` duels of i against j are left; ``cursor[0].pair`` is the first pair i K + j that may have some.

    Whoever allocates duels puts ``pair`` back to 0.
    """

    pending: Ints
    cursor: Record


def new_block(arms: int) -> Block:
    """Return a block in which nothing is pending."""
    return Block(np.zeros((arms, arms), np.int64), record(pair=arms * arms))


@kernel
def allocate_to_pair(block: Block, i: int, j: int, rounds: int, pairs: int, rng: np.random.Generator) -> int:
    """Give the duel of i against j its part of ``rounds``, shared evenly with ``pairs - 1`` others to come; return it.

    So the parts of all pairs are multinomial.
    """
    part = rounds if pairs == 1 or rounds == 0 else rng.binomial(rounds, 1.0 / pairs)
    block.pending[i, j] = part
    return part


@kernel(inline=False)
def allocate_to_all(block: Block, rounds: int, rng: np.random.Generator) -> None:
    """Share ``rounds`` of random pairs of different arms among them."""
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
    """Return at most ``most`` pending duels of one pair, count 0 when none is pending."""
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
