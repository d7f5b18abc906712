"""Votes of D-TS by the word, each lane of which is a pair: for many arms.

Before its first duel a pair's vote is a fair coin: one variate of the stream casts as many as it has random bits. A
vote of chance p falls by comparing a uniform variate with p, binary digit by binary digit, from the first on: each word
from the stream gives one digit of the variates of all lanes, and settles half of those that are left. Pairs that have
not met are settled by the first, those that met once by the second; the few lanes that ``DIGITS`` leave open draw the
rest of their variates one by one. So every vote has its exact chance (to 2⁻⁵³, as elsewhere), and all are independent.

How many votes each arm has lost to others is counted crosswise, for all arms of a word at once: a binary number for
each lane, whose digits are words. Adding a word to numbers of m digits costs m steps, so words are *held* until there
are three of the same weight, which a full adder makes one of this weight and one of the next: on average one adder for
each word.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Ints
from duelbench.compiling.jit import kernel
from duelbench.kernels.votes import Votes

LANES = 53
"""Votes that one double of the stream casts: its random bits."""
DIGITS = 8
"""Digits of a chance that lanes are compared with before each draws a variate of its own."""


class Words(NamedTuple):
    """Votes of K arms by the word.

    Arm j is lane ``j % LANES`` of word ``j // LANES``, of W words in all. ``arms[v]``: the lanes of word v that are
    arms. ``met[i, v]``: those that have duelled i. ``digits[i, v, k]``: the k-th binary digits of their
    ``chance[i, j]``. ``longer[i, v]``: those whose chances have more than two digits, as 1 has. Of the current poll:
    ``polled[v, u]``, the arms of word u whose votes against word v have been cast; ``added[v]``, how many words of lost
    votes have been added for v; ``sums[v, m]`` and ``held[v, m]``, which count 2^m lost votes for each of their lanes.
    """

    arms: Ints
    met: Ints
    digits: Ints
    longer: Ints
    polled: Ints
    added: Ints
    sums: Ints
    held: Ints


def new_words(arms: int) -> Words:
    """Return the words of ``arms`` arms before the first duel."""
    words = -(-arms // LANES)
    weights = arms.bit_length() + 1
    return Words(
        arms=np.array([(1 << min(LANES, arms - LANES * v)) - 1 for v in range(words)], np.int64),
        met=np.zeros((arms, words), np.int64),
        digits=np.zeros((arms, words, DIGITS), np.int64),
        longer=np.zeros((arms, words), np.int64),
        polled=np.zeros((words, words), np.int64),
        added=np.zeros(words, np.int64),
        sums=np.zeros((words, weights), np.int64),
        held=np.zeros((words, weights), np.int64),
    )


@kernel
def population(word: int) -> int:
    """Return the number of ones in a word ≥ 0; LLVM makes this loop one instruction."""
    count = 0
    while word != 0:
        word &= word - 1
        count += 1
    return count


@kernel
def lowest(word: int) -> int:
    """Return the place of the lowest one in a word > 0."""
    return population((word & -word) - 1)


@kernel
def coins(rng: np.random.Generator) -> int:
    """Return a fair coin for each lane."""
    return int(rng.random() * 2.0**LANES)


@kernel(inline=False)
def refined(votes: Votes, i: int, v: int, lanes: int, rng: np.random.Generator) -> int:
    """Return which of the ``lanes``, whose first digits have been equal to those of their chances, i wins."""
    wins = 0
    while lanes != 0:
        lane = lowest(lanes)
        lanes &= lanes - 1
        scaled = votes.chance[i, LANES * v + lane] * 2.0**DIGITS
        if rng.random() < scaled - min(int(scaled), 2**DIGITS - 1):
            wins |= 1 << lane
    return wins


@kernel
def won(words: Words, votes: Votes, i: int, v: int, lanes: int, rng: np.random.Generator) -> int:
    """Cast the votes of i against the ``lanes`` of word v; return those that i wins."""
    uniform = coins(rng)
    undecided = lanes & words.met[i, v]
    wins = lanes & ~undecided & uniform
    if undecided == 0:
        return wins  # type: ignore[no-any-return]
    digits = words.digits
    wins |= undecided & digits[i, v, 0] & ~uniform
    undecided &= ~(digits[i, v, 0] ^ uniform)
    uniform = coins(rng)  # also if nothing is left: to foresee that is harder than to draw
    wins |= undecided & digits[i, v, 1] & ~uniform
    undecided &= ~(digits[i, v, 1] ^ uniform) & words.longer[i, v]
    k = 2
    while undecided != 0:
        if k == DIGITS:
            return wins | refined(votes, i, v, undecided, rng)  # type: ignore[no-any-return]
        uniform = coins(rng)
        wins |= undecided & digits[i, v, k] & ~uniform
        undecided &= ~(digits[i, v, k] ^ uniform)
        k += 1
    return wins  # type: ignore[no-any-return]


@kernel
def add_losses(words: Words, v: int, lost: int) -> None:
    """Count a lost vote for each lane of word v that is in ``lost``."""
    added = words.added[v]
    words.added[v] = added + 1
    m = 0
    while added & 1:
        first, second = words.sums[v, m], words.held[v, m]
        words.held[v, m] = 0
        words.sums[v, m] = first ^ second ^ lost
        lost = (first & second) | (lost & (first ^ second))
        added >>= 1
        m += 1
    words.held[v, m] = lost


@kernel
def forget_polled(words: Words) -> None:
    """Begin a poll in which no vote has been cast."""
    size, weights = words.sums.shape
    for v in range(size):
        words.added[v] = 0
        for u in range(size):
            words.polled[v, u] = 0
        for m in range(weights):
            words.sums[v, m] = 0
            words.held[v, m] = 0


@kernel
def losses_of(words: Words, v: int, lane: int) -> int:
    """Return how many lost votes have been counted for an arm."""
    count = 0
    for m in range(words.sums.shape[1]):
        count += (((words.sums[v, m] >> lane) & 1) + ((words.held[v, m] >> lane) & 1)) << m
    return count


@kernel
def open_lanes(words: Words, i: int, v: int) -> int:
    """Return the arms of word v whose votes with i have not been cast."""
    lanes = words.arms[v] & ~words.polled[i // LANES, v]
    return lanes & ~(1 << i % LANES) if v == i // LANES else lanes  # type: ignore[no-any-return]


@kernel
def set_digits(words: Words, votes: Votes, i: int, j: int) -> None:
    """Note the chance of i against j, which has changed as they have met."""
    v, lane = j // LANES, 1 << j % LANES
    chance = votes.chance[i, j]
    words.met[i, v] |= lane
    longer = chance * 4.0 != math.floor(chance * 4.0) or chance == 1.0
    words.longer[i, v] = (words.longer[i, v] & ~lane) | (lane if longer else 0)
    digits = min(int(chance * 2.0**DIGITS), 2**DIGITS - 1)
    for k in range(DIGITS):
        digit = (digits >> (DIGITS - 1 - k)) & 1
        words.digits[i, v, k] = (words.digits[i, v, k] & ~lane) | (lane if digit else 0)
