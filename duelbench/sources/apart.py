"""Exact uniform sampling of sets of arms of which no two are too close, where rejection would never find one.

Such a set is an independent set of the graph whose edges are the pairs that are too close. The algorithm decides one
arm after the other whether it is in the set. The number of ways to continue depends only on the chosen arms that have
undecided neighbours, the *frontier*, so it is counted for each frontier. Arms are close if they are equally strong, so
there are few frontiers: on the MSLR matrices with a gap of 0.005, about a hundred per arm at most.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

FRONTIERS = 100_000
"""The largest number of frontiers, over all arms: about a second and some tens of megabytes."""
ORDERING = 5_000_000
"""The largest number of steps to find an order: some seconds. With up to 170 arms it is never reached."""


class TooManyError(Exception):
    """There are too many frontiers to count the sets."""


class SetsApart:
    """The sets of ``size`` arms of which no two are ``close``: symmetric (K, K) flags, False on the diagonal.

    Raises TooManyError if there are more than ``FRONTIERS`` frontiers, or finding an order takes more than ``ORDERING``
    steps.
    """

    def __init__(self, close: NDArray[np.bool_], size: int) -> None:
        arms = len(close)
        neighbours = [set(np.flatnonzero(row).tolist()) for row in close]
        self._size = size
        self._order, pending = _good_order(neighbours)
        # From here on, a set of arms is an integer, with one bit per arm.
        self._close = [_bits(neighbours[arm]) for arm in self._order]
        self._remembered = [_bits(each) for each in pending]

        layers: list[set[int]] = [{0}]
        for step in range(arms):
            layers.append({after for before in layers[-1] for after in self._after(step, before) if after is not None})
            if sum(map(len, layers)) > FRONTIERS:
                raise TooManyError
        # ways[step][frontier][r]: how many ways there are to choose r more arms from `step` on.
        self._ways = [dict[int, NDArray[np.float64]]() for _ in layers]
        self._ways[arms][0] = np.eye(1, size + 1)[0]
        for step in reversed(range(arms)):
            following = self._ways[step + 1]
            for frontier in layers[step]:
                without, chosen = self._after(step, frontier)
                ways = following[without].copy()
                if chosen is not None:
                    ways[1:] += following[chosen][:-1]
                self._ways[step][frontier] = ways

    def _after(self, step: int, frontier: int) -> tuple[int, int | None]:
        """Return the frontiers without and with the arm of this step; None if it is too close to a chosen one."""
        remembered = self._remembered[step]
        if frontier & self._close[step]:
            return frontier & remembered, None
        return frontier & remembered, (frontier | 1 << self._order[step]) & remembered

    @property
    def largest(self) -> int:
        """The size of the largest set, or ``size`` if there are larger ones."""
        return int(np.flatnonzero(self._ways[0][0])[-1])

    @property
    def share(self) -> float:
        """The share of all sets of ``size`` arms in which no two are close, in [0, 1]."""
        return float(self._ways[0][0][self._size]) / math.comb(len(self._order), self._size)

    def draw(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return one of the sets, each with the same probability, in increasing order; there must be one."""
        chosen: list[int] = []
        frontier = 0
        for step, uniform in enumerate(rng.random(len(self._order))):
            missing = self._size - len(chosen)
            without, taken = self._after(step, frontier)
            ways = self._ways[step][frontier][missing]
            if missing and taken is not None and uniform * ways < self._ways[step + 1][taken][missing - 1]:
                chosen.append(self._order[step])
                frontier = taken
            else:
                frontier = without
        return np.sort(np.array(chosen, np.int64))


def _bits(arms: set[int]) -> int:
    return sum(1 << arm for arm in arms)


def _good_order(neighbours: list[set[int]]) -> tuple[list[int], list[set[int]]]:
    """Return an order of the arms and, for each step, the decided arms with undecided neighbours after it.

    Greedy: always the arm that leaves the fewest such arms, ties to the one with the most decided neighbours. Raises
    TooManyError when that takes more than ``ORDERING`` steps.
    """
    undecided = set(range(len(neighbours)))
    waiting = [len(each) for each in neighbours]  # how many of its neighbours are undecided
    order: list[int] = []
    pending: list[set[int]] = []

    def pending_after(arm: int) -> set[int]:
        return {each for each in {arm}.union(*pending[-1:]) if waiting[each] > (arm in neighbours[each])}

    looked_at = 0
    while undecided:
        looked_at += len(undecided) * (1 + len(pending[-1] if pending else ()))
        if looked_at > ORDERING:
            raise TooManyError
        arm = min(undecided, key=lambda arm: (len(pending_after(arm)), waiting[arm] - len(neighbours[arm]), arm))
        pending.append(pending_after(arm))
        order.append(arm)
        undecided.remove(arm)
        for each in neighbours[arm]:
            waiting[each] -= 1
    return order, pending
