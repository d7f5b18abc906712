"""Many duels chosen at once: blocks, holds that several arms share, and outcomes that arrive late.

If an algorithm chooses at random, from the same distribution in every round and independently of the outcomes, the
numbers of duels of all pairs in a block of rounds are multinomial: they are drawn together and answered pair by pair.
The regret at the end of the block does not depend on the order of the duels.

In a shared hold every round is a self-duel of a random arm. The hold is one answer, and the numbers of self-duels of
all arms are drawn with it. At a checkpoint inside the hold, ``divide`` says how many of them belong to its first
rounds. Its result is a function of the hold, the number of rounds and a seed, so it does not depend on other
checkpoints: a binary tree halves the rounds, and each node has its own random numbers. The same function divides the
wins of a block.

The engine reports outcomes in the order of their duels. If they may be delayed, a record tells which of them count and
how many duels to ask for: ``asked`` and ``received``, the numbers of duels asked for and of outcomes received in the
run; ``start``, the value of ``asked`` when the current phase began; and ``late``, whether an outcome has arrived late.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Floats, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import binomial

WORTHWHILE = 8
"""Allocating rounds to a pair and playing them costs as much as this many single rounds."""


class Block(NamedTuple):
    """``pending[i, j]`` duels of i against j remain; ``cursor[0].pair`` is the first pair i K + j that may have any.

    A caller that allocates duels resets ``pair`` to 0.
    """

    pending: Ints
    cursor: Record


def new_block(arms: int) -> Block:
    """Return a block without pending duels."""
    return Block(np.zeros((arms, arms), np.int64), record(pair=arms * arms))


@kernel
def allocate_to_pair(block: Block, i: int, j: int, rounds: int, pairs: int, rng: np.random.Generator) -> int:
    """Draw how many of ``rounds`` rounds the pair (i, j) gets if ``pairs`` pairs share them; allocate and return them.

    Called for each pair in turn with the rounds and pairs left, it draws from a uniform multinomial distribution.
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
    """Return a pair and the number of its pending duels, at most ``most``; 0 if no pair has any."""
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


WHOLE, COUNTED, PART, REST = 0, 1, 2, 3
"""The rows of ``shares``: the numbers in the whole hold, the numbers counted so far, and two buffers of ``divide``."""


def new_shares(kinds: int) -> Ints:
    """Return shares of shape (4, kinds), all 0."""
    return np.zeros((4, kinds), np.int64)


@kernel(inline=False)
def allocate(
    shares: Ints, arms: Ints, length: int, p_informative: Floats, rounds: int, rng: np.random.Generator
) -> None:
    """Divide ``rounds`` at random among the first ``length`` of ``arms``, with weights ``1 - p_informative[a]``."""
    weight = 0.0
    for k in range(length):
        weight += 1.0 - p_informative[arms[k]]
    for a in range(shares.shape[1]):
        shares[WHOLE, a] = 0
    for k in range(length - 1):
        a = arms[k]
        own = 1.0 - p_informative[a]
        shares[WHOLE, a] = binomial(rounds, min(1.0, own / weight), rng) if rounds > 0 else 0
        rounds -= shares[WHOLE, a]
        weight -= own
    shares[WHOLE, arms[length - 1]] = rounds


@kernel
def mix(key: int, number: int) -> int:
    """Return a 32-bit hash of ``key`` and the lowest 64 bits of ``number``."""
    for _ in range(2):
        key = (key * 0x1E3779B1 + (number & 0xFFFFFFFF)) & 0xFFFFFFFF
        key = ((key ^ (key >> 16)) * 0x7FEB352D) & 0xFFFFFFFF
        key = ((key ^ (key >> 15)) * 0x046CA68B) & 0xFFFFFFFF
        key ^= key >> 16
        number >>= 32
    return key


@kernel
def uniform(key: int, number: int) -> float:
    """Return a pseudo-random number between 0 and 1, determined by ``key`` and ``number``."""
    return (mix(key, 2 * number) + (mix(key, 2 * number + 1) + 0.5) / 2**32) / 2**32


@kernel
def log_weight(n: int, marked: int, taken: int, x: int) -> float:
    """Return the log-probability, up to a constant, that x of the ``taken`` items are marked."""
    without = math.lgamma(marked - x + 1.0) + math.lgamma(taken - x + 1.0)
    return -math.lgamma(x + 1.0) - without - math.lgamma(n - marked - taken + x + 1.0)


@kernel(inline=False)
def hypergeometric(n: int, marked: int, taken: int, key: int) -> int:
    """Return how many of ``taken`` items, drawn without replacement from n, belong to the ``marked`` ones.

    The random numbers are those of ``key``. At most 20 marked (or unmarked) items are drawn one by one, more by the
    ratio of uniforms with the box of Stadlober (1989), Ratio of uniforms as a convenient method for sampling from
    classical discrete distributions.
    """
    few = min(marked, n - marked)
    if few <= 20:
        found = 0
        for k in range(few):
            if uniform(key, k) * (n - k) < taken - found:
                found += 1
        return found if few == marked else taken - found
    share = marked / n
    variance = taken * share * (1.0 - share) * (n - taken) / (n - 1.0)
    centre = taken * share + 0.5
    width = 1.7155277699214135 * math.sqrt(variance + 0.5) + 0.8989161620588988
    mode = int((taken + 1.0) * (marked + 1.0) / (n + 2.0))
    highest = log_weight(n, marked, taken, mode)
    k = 0
    while True:
        u = uniform(key, k)
        x = math.floor(centre + width * (uniform(key, k + 1) - 0.5) / u)
        k += 2
        possible = max(0, taken + marked - n) <= x <= min(taken, marked)
        if possible and 2.0 * math.log(u) <= log_weight(n, marked, taken, x) - highest:
            return x


@kernel(rare=True)
def divide(shares: Ints, n: int, part: int, key: int) -> None:
    """Put into row ``PART`` how many of each kind in ``WHOLE`` (sum n) are among the first ``part`` in random order."""
    kinds = shares.shape[1]
    for k in range(kinds):
        shares[PART, k] = 0
        shares[REST, k] = shares[WHOLE, k]
    low = 0
    while 0 < part < n:
        half = n // 2
        node, size, taken = mix(mix(key, low), n), n, half
        for k in range(kinds):
            marked = shares[REST, k]
            found = hypergeometric(size, marked, taken, mix(node, k)) if 0 < marked < size else min(marked, taken)
            size -= marked
            taken -= found
            if part < half:
                shares[REST, k] = found
            else:
                shares[PART, k] += found
                shares[REST, k] -= found
        if part < half:
            n = half
        else:
            low += half
            n -= half
            part -= half
    for k in range(kinds if part > 0 else 0):
        shares[PART, k] += shares[REST, k]


@kernel
def ask_for(duels: Record, count: int) -> int:
    """Ask for ``count`` duels, only the last of which can end the phase, and return their number.

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
