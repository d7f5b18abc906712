"""Shared by MergeRUCB and MergeDTS: the batches of the arms that are left, their merging, and which arms have lost.

All arms, in random order, are cut into consecutive batches of ``batch`` arms; the last batch may be smaller. When at
most ``K / 2^s + 1`` arms are left, s = 1, 2, …, the batches are merged: they are sorted by size, ties at random, and
the smallest joins the largest one with which it has at most ``1.5 batch`` arms together, and so on. They are merged
once more if a batch of at most half of ``batch`` remains.

There is always a pair to duel: if every batch has a single arm, so few arms are left that the batches are merged.
``_merge_all`` leaves joined pairs of batches, batches of more than ``0.75 batch`` arms, and at most one other batch. So
stage s begins with m arms in at most ``(m + 1) / 2`` batches, where ``m ≤ K / 2^(s − 1) + 1``. With one arm per batch,
at most ``K / 2^s + 1`` arms are left.

An arm that loses to another one of its batch with confidence is eliminated. At time t arm i loses to arm j when
``u[i, j] = w_ij / n + sqrt(α log(t + C) / n) < 1/2``, n = w_ij + w_ji. Equivalently, it has won fewer duels than it has
lost, and ``(w_ji − w_ij)² / (4n) > α log(t + C)``; a pair that has not met eliminates nobody. The right side only
grows, so an arm that has not lost at one time can lose later only by a duel. A duel after which ``u < 1/2`` at the last
round makes the worse arm *suspect*. Only suspects are checked, when their batch is played again. When time restarts,
all arms are suspect.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Flags, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle


class Batches(NamedTuple):
    """A linked list for each batch, and a list of the batches.

    Arms are identified by their places in the random order, so that the arms of a batch are neighbours in memory, too:
    the ``arm`` at a place, and the ``place`` of an arm.

    ``numbers[k]``: the number b of the k-th batch. ``first[b]``, ``final[b]``: the first and the last place in batch b;
    ``size[b]``: how many it has; ``after[i]``: the place after i in its batch, −1 after the final one. ``listed``: a
    buffer for the places of a batch. ``course[0]``: the number of arms ``left``; the ``count`` of batches, 0 before the
    first round; the ``stage`` s; and ``current``, the k of the current batch.
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
    """Set batch b to the first n ≥ 1 places that are ``listed``."""
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
    """Join the next batch, in a circle, to the current one."""
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
    """Return whether so few arms are left that the batches must be merged."""
    course = batches.course[0]
    few: bool = course.left <= batches.size.shape[0] / 2.0**course.stage + 1.0
    return few and course.count > 1


@kernel(inline=False)
def merge(batches: Batches, rng: np.random.Generator) -> None:
    """End a stage: merge the batches, and once more if a small one is left."""
    _merge_all(batches, rng)
    course = batches.course[0]
    least = batches.size[batches.numbers[0]]
    for k in range(1, course.count):
        least = min(least, batches.size[batches.numbers[k]])
    if least <= 0.5 * batches.batch:
        _merge_all(batches, rng)
    course.stage += 1


@kernel(inline=False)
def _merge_all(batches: Batches, rng: np.random.Generator) -> None:
    """Merge small batches with large ones."""
    course, numbers, size = batches.course[0], batches.numbers, batches.size
    shuffle(numbers, course.count, rng)
    for k in range(1, course.count):  # sort by size; ties keep their order
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


class Losses(NamedTuple):
    """``wins[i, j]``: duels that i has won against j; w_ij is this plus ``prior``. ``suspect[i]``: whether to check i.
    ``lost``: a buffer for results on the arms of a batch.

    ``log_constant`` and ``inverse_constant``: log C and 1 / C, since C itself may overflow. ``clock[0]``: the round
    ``start`` after which time began, and the ``level`` α log(t + C) of the last round.
    """

    alpha: float
    log_constant: float
    inverse_constant: float
    prior: int
    wins: Ints
    suspect: Flags
    lost: Flags
    clock: Record


def new_losses(arms: int, alpha: float, log_constant: float, prior: int) -> Losses:
    """Return the state before the first duel; each arm of a pair begins with ``prior`` wins."""
    return Losses(
        alpha=alpha,
        log_constant=log_constant,
        inverse_constant=math.exp(-log_constant),
        prior=prior,
        wins=np.zeros((arms, arms), np.int64),
        suspect=np.zeros(arms, np.bool_),
        lost=np.zeros(arms, np.bool_),
        clock=record(start=0, level=0.0),
    )


@kernel
def advance(losses: Losses, t: int) -> None:
    """Update the level for round t."""
    clock = losses.clock[0]
    clock.level = losses.alpha * (losses.log_constant + math.log1p((t - clock.start) * losses.inverse_constant))


@kernel
def begin_anew(losses: Losses, t: int) -> None:
    """Restart time after round t, and make all arms suspect."""
    losses.clock[0].start = t
    for arm in range(losses.suspect.shape[0]):
        losses.suspect[arm] = True


@kernel
def _has_lost(losses: Losses, i: int, j: int) -> bool:
    """Return whether u[i, j] < 1/2."""
    won, lost = losses.wins[i, j], losses.wins[j, i]
    if won >= lost:
        return False
    duels = won + lost + 2 * losses.prior
    return (lost - won) ** 2 / (4.0 * duels) > losses.clock[0].level  # type: ignore[no-any-return]


@kernel
def count_losers(losses: Losses, arms: Ints, n: int) -> int:
    """Set ``lost[k]`` if the k-th of the first n ``arms`` has lost to another one of them; return how many have."""
    found = 0
    for k in range(n):
        losses.lost[k] = False
        if losses.suspect[arms[k]]:
            for m in range(n):
                if m != k and _has_lost(losses, arms[k], arms[m]):
                    losses.lost[k] = True
            found += losses.lost[k]
            losses.suspect[arms[k]] = losses.lost[k]
    return found


@kernel
def learn(losses: Losses, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcomes of duels of two arms."""
    losses.wins[first, second] += wins
    losses.wins[second, first] += count - wins
    if _has_lost(losses, first, second):
        losses.suspect[first] = True
    elif _has_lost(losses, second, first):
        losses.suspect[second] = True


class Merging(Algorithm):
    """Arms in batches; the parameters ``alpha``, ``batch`` and ``C`` have defaults of their own in each algorithm."""

    assumes = "Condorcet winner"
    regret_order = "K log T"

    alpha: float
    batch: int
    delta: float = Field(
        0.01, gt=0, lt=1, description="probability δ of eliminating the Condorcet winner, if C is null"
    )
    C: float | None

    @model_validator(mode="after")
    def _needs_a_constant(self) -> Merging:
        if self.C is None and self.alpha <= 0.5:
            raise ValueError("C follows from delta only where alpha is above 1/2: give C")
        return self

    def log_constant(self, arms: int) -> float:
        """Return log C, with ``C = ((4α − 1) K² / ((2α − 1) δ))^(1 / (2α − 1))`` if it is not given."""
        if self.C is not None:
            return math.log(self.C)
        exponent = 2 * self.alpha - 1
        return math.log((4 * self.alpha - 1) * arms**2 / (exponent * self.delta)) / exponent

    def recommendation(self, state: Any) -> int | None:
        """Return the last arm, once all others are eliminated."""
        return int(last_arm(state.batches)) if state.batches.course[0].left == 1 else None
