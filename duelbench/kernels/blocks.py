"""Many duels chosen at once: blocks, holds that several arms share, and outcomes that arrive later.

If an algorithm chooses at random, from the same distribution in every round and independently of the outcomes, the
numbers of duels of all pairs in a block of rounds are multinomial: they are drawn together and answered pair by pair.
The regret at the end of the block does not depend on the order of the duels. In a shared hold every round is a
self-duel of a random arm.

The engine reports outcomes in the order of their duels. Where they may be delayed, which ones count and how many duels
to ask for follows from a record with the fields ``asked`` and ``received``, the numbers of duels asked for and of
outcomes received in the run; ``start``, the value of ``asked`` when the current phase began; and ``late``, whether an
outcome has arrived late.
"""

from typing import NamedTuple

import numpy as np

from duelbench.arrays import Floats, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import binomial

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


@kernel(inline=False)
def allocate(
    pending: Ints, arms: Ints, length: int, p_informative: Floats, rounds: int, rng: np.random.Generator
) -> None:
    """Divide ``rounds`` among the first ``length`` of ``arms`` in ``pending``, by weights ``1 - p_informative[a]``."""
    weight = 0.0
    for k in range(length):
        weight += 1.0 - p_informative[arms[k]]
    for k in range(length - 1):
        a = arms[k]
        own = 1.0 - p_informative[a]
        pending[a] = binomial(rounds, min(1.0, own / weight), rng) if rounds > 0 else 0
        rounds -= pending[a]
        weight -= own
    pending[arms[length - 1]] = rounds


@kernel
def emit(pending: Ints, most: int) -> tuple[int, int, int]:
    """Return at most ``most`` pending self-duels of one arm, with count 0 if none is pending."""
    for a in range(pending.shape[0]):
        if pending[a] > 0:
            count = min(most, pending[a])
            pending[a] -= count
            return a, a, count
    return 0, 0, 0


@kernel
def ask_for(duels: Record, count: int) -> int:
    """Ask for ``count`` duels, of which only the last can end the phase, and return their number.

    After the first late outcome it is 1, since the outcomes of a block would arrive sooner than those of single rounds.
    """
    this = duels[0]
    if this.asked != this.received:
        this.late = True
    count = 1 if this.late else count
    this.asked += count
    return count


@kernel
def count_received(duels: Record, count: int) -> bool:
    """Count received outcomes; return whether their duels belong to the current phase."""
    this = duels[0]
    in_time = this.received >= this.start
    this.received += count
    return in_time  # type: ignore[no-any-return]
