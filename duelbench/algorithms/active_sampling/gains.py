"""Choose pairs by the gain of a vote: the pair with the largest gain, or the spanning tree with the largest gains.

A tree is a batch of K − 1 votes that connects all arms. It is a maximum spanning tree: Prim's algorithm adds the pair
with the largest gain between the arms in the tree and the others. (So it also has the smallest sum of 1 / gain.)
"""

from typing import NamedTuple

import numpy as np

from duelbench.arrays import Flags, Floats, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import below, pick, shuffle

CLOSE = 1e-6
"""Gains with a smaller relative difference count as equal, so that rounding does not choose."""


class Gains(NamedTuple):
    """``gain[i, j]``: the gain of a vote on the pair, positive and symmetric. ``order``: the arms in random order,
    which breaks ties. ``first[k]``, ``second[k]``: the pairs of the tree; ``cursor[0].place`` is the next k.

    ``found`` is a list of pairs ``i K + j``. For an arm that is not ``inside`` the tree, ``nearest`` is the arm in the
    tree with which it has the largest gain, and ``reach`` is this gain.
    """

    gain: Floats
    order: Ints
    first: Ints
    second: Ints
    cursor: Record
    found: Ints
    inside: Flags
    nearest: Ints
    reach: Floats


def new_gains(arms: int) -> Gains:
    """Return gains of 0, and no tree."""
    return Gains(
        gain=np.zeros((arms, arms)),
        order=np.arange(arms),
        first=np.zeros(arms - 1, np.int64),
        second=np.zeros(arms - 1, np.int64),
        cursor=record(place=arms - 1),
        found=np.zeros(arms * (arms - 1) // 2, np.int64),
        inside=np.zeros(arms, np.bool_),
        nearest=np.zeros(arms, np.int64),
        reach=np.zeros(arms),
    )


@kernel(inline=False)
def largest_gain(gains: Gains, rng: np.random.Generator) -> tuple[int, int]:
    """Return the pair with the largest gain, one of several at random."""
    gain, arms, most, count = gains.gain, gains.order.shape[0], 0.0, 0
    for i in range(arms):
        for j in range(i + 1, arms):
            most = max(most, gain[i, j])
    for i in range(arms):
        for j in range(i + 1, arms):
            if gain[i, j] >= most * (1.0 - CLOSE):
                gains.found[count] = i * arms + j
                count += 1
    place = pick(gains.found, count, rng)
    return place // arms, place % arms


@kernel
def in_tree(gains: Gains) -> bool:
    """Return whether pairs of the tree remain."""
    return gains.cursor[0].place < gains.first.shape[0]  # type: ignore[no-any-return]


@kernel
def next_of_tree(gains: Gains) -> tuple[int, int]:
    """Return the next pair of the tree."""
    place = gains.cursor[0].place
    gains.cursor[0].place += 1
    return gains.first[place], gains.second[place]


@kernel(inline=False)
def grow_tree(gains: Gains, rng: np.random.Generator) -> None:
    """Build the spanning tree with the largest gains (Prim's algorithm), and begin with its first pair."""
    gain, order, reach = gains.gain, gains.order, gains.reach
    arms = order.shape[0]
    shuffle(order, arms, rng)
    for arm in range(arms):
        gains.inside[arm] = False
        reach[arm] = 0.0
    new = order[0]
    for k in range(arms - 1):
        gains.inside[new] = True
        best, most = new, 0.0
        for place in range(arms):
            arm = order[place]
            if not gains.inside[arm]:
                if gain[new, arm] > reach[arm] * (1.0 + CLOSE):
                    reach[arm] = gain[new, arm]
                    gains.nearest[arm] = new
                if reach[arm] > most * (1.0 + CLOSE):
                    most = reach[arm]
                    best = arm
        new = best
        gains.first[k] = gains.nearest[new]
        gains.second[k] = new
    gains.cursor[0].place = 0


@kernel(inline=False)
def grow_random_tree(gains: Gains, rng: np.random.Generator) -> None:
    """Build a random tree, in which each arm, in random order, is connected to a random earlier one."""
    order = gains.order
    shuffle(order, order.shape[0], rng)
    for k in range(order.shape[0] - 1):
        gains.first[k] = order[below(k + 1, rng)]
        gains.second[k] = order[k + 1]
    gains.cursor[0].place = 0
