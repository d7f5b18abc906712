"""Batches of the arms that are left, and how they are merged.

All arms in random order are cut into consecutive batches of ``batch`` arms, of which the last may have fewer. When at
most ``K / 2^s + 1`` arms are left, s = 1, 2, …, the batches are merged: in random order, sorted by size, the smallest
goes to the largest as long as they have at most ``1.5 batch`` arms together. They are merged once more if a batch of at
most half of ``batch`` remains.

If every batch has a single arm, as many are left as there are batches, and that is few enough to merge: what
``merge_all`` leaves are pairs, batches above ``0.75 batch``, and one other, so at most ``(m + 1) / 2`` batches of m
arms, and ``m ≤ K / 2^(s − 1) + 1`` when stage s began. So somebody can always be duelled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle


class Batches(NamedTuple):
    """A linked list for each batch, and a list of the batches.

    Arms are known by their places in the random order, so that those of a batch are neighbours in memory, too: the
    ``arm`` at a place, and the ``place`` of an arm.

    ``numbers[k]``: which batch the k-th is. Of a batch ``first`` and ``final`` are its places at the ends, ``size`` how
    many there are; ``after[i]``: the place after i in its batch, −1 after the final one. ``listed``: room for the
    places of a batch. ``course[0]``: the arms ``left``, the ``count`` of batches, 0 before the first round, the
    ``stage`` s, and which batch is the ``current`` one: the k-th.
    """

    batch: int
    arm: Ints
    place: Ints
    numbers: Ints
    first: Ints
    final: Ints
    size: Ints
    after: Ints
    listed: Ints
    course: Record


def new_batches(arms: int, batch: int) -> Batches:
    """Return the state before the arms are dealt out."""
    numbers, first, final, size, after, listed = (np.zeros(arms, np.int64) for _ in range(6))
    course = record(left=arms, count=0, stage=1, current=0)
    return Batches(batch, np.arange(arms), np.arange(arms), numbers, first, final, size, after, listed, course)


@kernel(inline=False)
def deal(batches: Batches, rng: np.random.Generator) -> None:
    """Cut the arms, in random order, into batches."""
    K, count = batches.arm.shape[0], 0
    shuffle(batches.arm, K, rng)
    for i in range(K):
        batches.place[batches.arm[i]] = i
    for start in range(0, K, batches.batch):
        n = min(batches.batch, K - start)
        for k in range(n):
            batches.listed[k] = start + k
        batches.size[count] = n
        keep(batches, count, n)
        batches.numbers[count] = count
        count += 1
    batches.course[0].count = count


@kernel
def list_arms(batches: Batches, b: int) -> int:
    """Put the places of batch b into ``listed``; return how many there are."""
    n = 0
    i = batches.first[b]
    while n < batches.size[b]:
        batches.listed[n] = i
        i = batches.after[i]
        n += 1
    return n


@kernel
def keep(batches: Batches, b: int, n: int) -> None:
    """Let batch b have the first n ≥ 1 places that are ``listed``, and no others."""
    for k in range(n - 1):
        batches.after[batches.listed[k]] = batches.listed[k + 1]
    batches.first[b] = batches.listed[0]
    batches.final[b] = batches.listed[n - 1]
    batches.after[batches.final[b]] = -1
    batches.course[0].left -= batches.size[b] - n
    batches.size[b] = n


@kernel
def last_arm(batches: Batches) -> int:
    """Return the arm that is left, or one of them."""
    return batches.arm[batches.first[batches.numbers[0]]]  # type: ignore[no-any-return]


@kernel
def join(batches: Batches, b: int, other: int) -> None:
    """Put the arms of batch ``other`` at the end of batch b."""
    batches.after[batches.final[b]] = batches.first[other]
    batches.final[b] = batches.final[other]
    batches.size[b] += batches.size[other]


@kernel(inline=False)
def join_next(batches: Batches) -> None:
    """Join the batch after the current one to it, in a circle."""
    course = batches.course[0]
    k = course.current
    following = (k + 1) % course.count
    join(batches, batches.numbers[k], batches.numbers[following])
    course.count -= 1
    for place in range(following, course.count):
        batches.numbers[place] = batches.numbers[place + 1]
    if following < k:
        course.current -= 1


@kernel
def is_due(batches: Batches) -> bool:
    """Return whether so few arms are left that the batches are to be merged."""
    course = batches.course[0]
    few: bool = course.left <= batches.size.shape[0] / 2.0**course.stage + 1.0
    return few and course.count > 1


@kernel(inline=False)
def merge(batches: Batches, rng: np.random.Generator) -> None:
    """End a stage: merge the batches, and once more if a small one is left."""
    merge_all(batches, rng)
    course = batches.course[0]
    least = batches.size[batches.numbers[0]]
    for k in range(1, course.count):
        least = min(least, batches.size[batches.numbers[k]])
    if least <= 0.5 * batches.batch:
        merge_all(batches, rng)
    course.stage += 1


@kernel(inline=False)
def merge_all(batches: Batches, rng: np.random.Generator) -> None:
    """Merge small batches with large ones."""
    course, numbers, size = batches.course[0], batches.numbers, batches.size
    shuffle(numbers, course.count, rng)
    for k in range(1, course.count):  # by size, those of one size in their order
        b = numbers[k]
        place = k
        while place > 0 and size[numbers[place - 1]] > size[b]:
            numbers[place] = numbers[place - 1]
            place -= 1
        numbers[place] = b
    small, large, merged = 0, course.count - 1, 0
    while small < large:
        if size[numbers[small]] + size[numbers[large]] > 1.5 * batches.batch:
            batches.listed[merged] = numbers[large]
        else:
            join(batches, numbers[small], numbers[large])
            batches.listed[merged] = numbers[small]
            small += 1
        large -= 1
        merged += 1
    if small == large:
        batches.listed[merged] = numbers[small]
        merged += 1
    for k in range(merged):
        numbers[k] = batches.listed[k]
    course.count = merged
