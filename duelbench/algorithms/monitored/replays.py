"""ANACONDA's stack: the episode and the running replays, each with the arms that it trusts.

A replay of length m that begins in round s, before one that goes on is over, is played first, to round s + m. What
then is over as well is never played again, so it is taken off the stack when the new one comes: the ends in the stack
decrease from each to the one on top of it, and no two have the same length. Lengths are powers of 2 up to twice the
horizon, so there are never more of them than of these, and the episode below.

Schedule. In round s of an episode that began in round e a replay of each length m begins with probability
``1/sqrt(m (s − e))``, of which the longest is played. The next round that has one is drawn at once: the probability
that a round has any falls, so candidates are drawn at the rate of the first of them, by geometric gaps, and each is
kept with the ratio of its own probability to that. Which replay it is follows from what is left of the product of the
longer ones' chances. That is the law of drawing all of them, and costs nothing in the rounds between.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Flags, Ints, Record, record
from duelbench.compiling.jit import kernel

NEVER = 2**62
"""A round after the last round of any run."""
LAYERS = 64
"""One for the episode, and one for every length up to 2⁶³."""


class Replays(NamedTuple):
    """Of each layer of the stack, the episode at place 0: ``start``, ``end``, its first and last round; ``arms``, those
    that it trusts, in increasing order, ``size`` of them; ``trusts``, the same as flags.

    ``course[0]``: the ``depth`` of the stack, 0 before there is an episode; the round of the ``next`` replay and its
    ``length``, 0 where they are still to be drawn.
    """

    horizon: int
    levels: int
    start: Ints
    end: Ints
    arms: Ints
    size: Ints
    trusts: Flags
    course: Record


def new_replays(arms: int, horizon: int) -> Replays:
    """Return the stack before the first episode; replays have lengths 2, 4, … up to 2^⌈log₂ T⌉."""
    return Replays(
        horizon,
        (horizon - 1).bit_length(),
        np.zeros(LAYERS, np.int64),
        np.zeros(LAYERS, np.int64),
        np.zeros((LAYERS, arms), np.int64),
        np.zeros(LAYERS, np.int64),
        np.zeros((LAYERS, arms), np.bool_),
        record(depth=0, next=0, length=0),
    )


@kernel
def push(replays: Replays, start: int, end: int) -> None:
    """Put a layer on top that trusts all arms."""
    course = replays.course[0]
    place = course.depth
    course.depth += 1
    replays.start[place] = start
    replays.end[place] = end
    for arm in range(replays.arms.shape[1]):
        replays.arms[place, arm] = arm
        replays.trusts[place, arm] = True
    replays.size[place] = replays.arms.shape[1]


@kernel(inline=False)
def begin_episode(replays: Replays, t: int) -> None:
    """Forget all layers, and begin an episode in round t. Where votes are counted it may go on after the horizon."""
    replays.course[0].depth = 0
    replays.course[0].next = 0
    push(replays, t, NEVER)


@kernel(inline=False)
def some_replay(levels: int, age: int) -> float:
    """Return the probability that a round ``age`` ≥ 1 rounds after the first of its episode has a replay."""
    none, length = 1.0, 1
    for _ in range(levels):
        length *= 2
        none *= 1.0 - 1.0 / math.sqrt(float(length) * age)
    return 1.0 - none


@kernel(inline=False)
def longest_replay(levels: int, age: int, rng: np.random.Generator) -> int:
    """Return the length of the longest replay of such a round that has one."""
    left = rng.random() * some_replay(levels, age)
    longer_none, length = 1.0, 1
    for _ in range(levels):
        length *= 2
    while length > 2:
        chance = 1.0 / math.sqrt(float(length) * age)
        left -= longer_none * chance
        if left < 0.0:
            return length
        longer_none *= 1.0 - chance
        length //= 2
    return 2


@kernel(inline=False)
def draw_next(replays: Replays, t: int, rng: np.random.Generator) -> None:
    """Draw the first round from t on that has a replay, and how long that is."""
    course, episode = replays.course[0], replays.start[0]
    age = t - episode
    while True:
        most = some_replay(replays.levels, age)
        age += rng.geometric(most) - 1
        if episode + age > replays.horizon:
            course.next = NEVER
            return
        if rng.random() * most < some_replay(replays.levels, age):
            course.next = episode + age
            course.length = longest_replay(replays.levels, age, rng)
            return
        age += 1


@kernel
def move_to(replays: Replays, t: int, rng: np.random.Generator) -> None:
    """Move to round t of the episode: remove finished layers from the stack, and push a replay that begins now."""
    course = replays.course[0]
    if t == replays.start[0]:
        return
    while course.depth > 1 and replays.end[course.depth - 1] < t:
        course.depth -= 1
    if course.next < t:
        draw_next(replays, t, rng)
    if course.next == t:
        end = min(t + course.length, replays.horizon)
        while course.depth > 1 and replays.end[course.depth - 1] <= end:
            course.depth -= 1
        push(replays, t, end)


@kernel
def first_round_trusted(replays: Replays, arm: int) -> int:
    """Return the first round of the lowest layer that trusts an arm, ``NEVER`` if none does.

    No layer has a use for what happened to the arm before: those below have lost their trust for good.
    """
    for place in range(replays.course[0].depth):
        if replays.trusts[place, arm]:
            return replays.start[place]  # type: ignore[no-any-return]
    return NEVER


@kernel
def begins_within(replays: Replays, after: int, until: int) -> bool:
    """Return whether a layer's first round is later than one round, and not later than another."""
    found = False
    for place in range(replays.course[0].depth):
        found |= after < replays.start[place] <= until
    return found


@kernel(inline=False)
def distrust(replays: Replays, arm: int, since: int) -> None:
    """Take an arm that is bad from a round on from all layers that began no later."""
    for place in range(replays.course[0].depth):
        if replays.start[place] <= since and replays.trusts[place, arm]:
            replays.trusts[place, arm] = False
            arms, size = replays.arms[place], 0
            for k in range(replays.size[place]):
                if arms[k] != arm:
                    arms[size] = arms[k]
                    size += 1
            replays.size[place] = size
