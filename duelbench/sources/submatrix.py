"""Submatrices: arms chosen by number, or at random under conditions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from duelbench.errors import UserError
from duelbench.parameters import Parameters, Whole
from duelbench.preferences.matrix import PreferenceMatrix, check_choice
from duelbench.versions.record import Subject

SUBMATRICES = Subject("generators", "submatrix", 1, (__name__,))
"""Increase its version when an edit is meant to change which arms are drawn."""

_PROPOSALS = 1_000_000
"""Maximum number of random sets of arms to try; fewer for large sets, so that it takes seconds."""

_TRIES_BEFORE_COUNTING = 4096
"""The number of tries after which the sets that keep ``min_gap`` are counted and, if rare, drawn directly."""
_DRAWS = 100_000
"""Maximum number of directly drawn sets to try for ``condorcet``, which takes some seconds.

One in 2,000 sets of 64 MSLR rankers with gaps of 0.003 has no Condorcet winner.
"""


class Submatrix(Parameters):
    """Either the listed ``arms``, in that order, or ``size`` random ones, in increasing order.

    Random sets are drawn uniformly from the sets that meet the conditions: by rejection or, if fewer than about one set
    in 10⁴ keeps ``min_gap``, by counting the sets that do (``SetsApart``). All runs share the set drawn from ``seed``;
    with ``per_run``, each run draws a set from its own stream.

    Raises UserError if options contradict each other; ``key`` is the option to remove.
    """

    arms: Annotated[tuple[Whole, ...], Field(strict=False)] | None = Field(
        None, description="The arms to keep, numbered from 0, in this order."
    )
    size: Annotated[Whole, Field(ge=2)] | None = Field(None, description="Number of arms to choose at random.")
    seed: Annotated[Whole, Field(ge=0, lt=2**63)] = Field(0, description="Seed of the choice, the same for every run.")
    per_run: bool = Field(False, description="Choose other arms for every run.")
    condorcet: bool | None = Field(None, description="Only choices with (true) or without (false) a Condorcet winner.")
    min_gap: float = Field(0.0, ge=0, le=0.5, description="Only choices whose every |p − 1/2| is at least this.")

    @model_validator(mode="after")
    def _consistent(self) -> Submatrix:
        if self.arms is None and self.size is None:
            raise UserError("write which arms (arms: [0, 3, 5]) or how many random ones (size: 5) to choose")
        if self.arms is not None:
            for option in sorted(self.model_fields_set - {"arms"}):
                raise UserError(f"{option} is for random choices, but arms lists the choice: keep one", key=(option,))
        if self.per_run and "seed" in self.model_fields_set:
            raise UserError("with per_run each run chooses from its own random stream: remove seed", key=("seed",))
        return self

    def draw(self, matrix: PreferenceMatrix, rng: np.random.Generator) -> PreferenceMatrix:
        """Return the chosen part of ``matrix``; ``rng`` is used only with ``per_run``.

        Raises UserError if ``matrix`` lacks a chosen arm, or no choice that meets the conditions was found.
        """
        return matrix.submatrix(self.choose(matrix, rng))

    def choose(self, matrix: PreferenceMatrix, rng: np.random.Generator) -> tuple[int, ...]:
        """Return the chosen arms of ``matrix``, in the order of the submatrix. Raises as ``draw``."""
        self.check(matrix.arms)
        if self.arms is not None:
            return self.arms
        stream = rng if self.per_run else np.random.Generator(np.random.PCG64(self.seed))
        return tuple(self._random_arms(matrix, stream).tolist())

    @property
    def count(self) -> int:
        """The number of chosen arms."""
        return len(self.arms) if self.arms is not None else self.size or 0

    def check(self, available: int) -> None:
        """Raise UserError if a matrix of ``available`` arms lacks a chosen arm."""
        if self.arms is not None:
            try:
                check_choice(self.arms, available)
            except UserError as error:
                raise UserError(error.message, key=("arms", *error.key)) from None
        if self.count > available:
            raise UserError(f"size is {self.count}, but there are only {available} arms", key=("size",))

    def _random_arms(self, matrix: PreferenceMatrix, rng: np.random.Generator) -> NDArray[np.int64]:
        beats = matrix.P > 0.5
        tried = 0
        for batch, arms in self._with_gap(matrix, rng):
            tried += batch
            if self.condorcet is not None:
                wins = beats[arms[:, :, None], arms[:, None, :]].sum(axis=2)
                arms = arms[(wins == self.count - 1).any(axis=1) == self.condorcet]
            if len(arms):
                return np.sort(arms[0])
        winner = {None: [], True: ["with a Condorcet winner"], False: ["without a Condorcet winner"]}[self.condorcet]
        gap = [f"with every |p − 1/2| ≥ {self.min_gap:g}"] if self.min_gap > 0 else []
        raise UserError(
            f"{tried:,} random tries found no choice of {self.count} of the {matrix.arms} arms of {matrix.source} "
            f"{' and '.join(winner + gap)}: choose fewer arms, or relax condorcet or min_gap"
        )

    def _with_gap(self, matrix: PreferenceMatrix, rng: np.random.Generator) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield batches: the number of random sets tried, and the sets that keep ``min_gap``, shape (sets, size)."""
        size = self.count
        close = (np.abs(matrix.P - 0.5) < self.min_gap) & ~np.eye(matrix.arms, dtype=bool)
        # Start with small batches, since most requests accept a set soon; larger ones take some tens of megabytes.
        cost = matrix.arms + size**2
        limit = max(1, min(_PROPOSALS, 2**30 // cost))
        largest = max(1, 2**22 // cost)
        batch, tried = 64, 0
        while tried < limit:
            batch = min(2 * batch, largest, limit - tried)
            arms = rng.permuted(np.tile(np.arange(matrix.arms), (batch, 1)), axis=1)[:, :size]
            yield batch, arms[~close[arms[:, :, None], arms[:, None, :]].any(axis=(1, 2))]
            if tried < _TRIES_BEFORE_COUNTING <= tried + batch and close.any():
                sets = _sets_apart(close.tobytes(), matrix.arms, size)
                if sets is not None and sets.share * limit < 100:
                    yield from self._counted(sets, matrix, rng)
                    return
            tried += batch

    def _counted(
        self, sets: SetsApart, matrix: PreferenceMatrix, rng: np.random.Generator
    ) -> Iterator[tuple[int, NDArray[np.int64]]]:
        if sets.largest < self.count:
            raise UserError(
                f"size is {self.count}, but at most {sets.largest} of the {matrix.arms} arms of {matrix.source} "
                f"have every |p − 1/2| ≥ {self.min_gap:g}: choose fewer arms, or relax min_gap",
                key=("size",),
            )
        for _ in range(_DRAWS):
            yield 1, sets.draw(rng)[None]


@lru_cache(maxsize=8)
def _sets_apart(close: bytes, arms: int, size: int) -> SetsApart | None:
    """Return the sets without ``close`` pairs (the bytes of (K, K) flags); None if they cannot be counted."""
    try:
        return SetsApart(np.frombuffer(close, np.bool_).reshape(arms, arms), size)
    except TooManyError:
        return None


_FRONTIERS = 100_000
"""The largest number of frontiers, over all arms: about a second and some tens of megabytes."""
_ORDERING = 5_000_000
"""The largest number of steps to find an order: some seconds. With up to 170 arms it is never reached."""


class TooManyError(Exception):
    """There are too many frontiers to count the sets."""


class SetsApart:
    """The sets of ``size`` arms in which no two arms are ``close``, given as symmetric (K, K) flags.

    They are drawn exactly uniformly, even if rejection would never find one. Such a set is an independent set of the
    graph whose edges are the close pairs. The algorithm decides for one arm after the other whether it is in the set.
    The number of ways to continue depends only on the *frontier* (the chosen arms that have undecided neighbours), so
    it is counted once per frontier. Close arms are about equally strong, so there are few frontiers: at most about a
    hundred per arm on the MSLR matrices with a gap of 0.005.

    Raises TooManyError if there are more than ``_FRONTIERS`` frontiers, or finding an order takes more than
    ``_ORDERING`` steps.
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
            if sum(map(len, layers)) > _FRONTIERS:
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
        """Return the next frontiers without and with the arm of this step (None if it is close to a chosen arm)."""
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
    """Return an order of the arms and, for each step, the decided arms that then have undecided neighbours.

    Greedy: choose the arm that leaves the fewest such arms; among ties, the one with the most decided neighbours.
    Raises TooManyError if that takes more than ``_ORDERING`` steps.
    """
    undecided = set(range(len(neighbours)))
    waiting = [len(each) for each in neighbours]  # the number of undecided neighbours of each arm
    order: list[int] = []
    pending: list[set[int]] = []

    def pending_after(arm: int) -> set[int]:
        return {each for each in {arm}.union(*pending[-1:]) if waiting[each] > (arm in neighbours[each])}

    looked_at = 0
    while undecided:
        looked_at += len(undecided) * (1 + len(pending[-1] if pending else ()))
        if looked_at > _ORDERING:
            raise TooManyError
        arm = min(undecided, key=lambda arm: (len(pending_after(arm)), waiting[arm] - len(neighbours[arm]), arm))
        pending.append(pending_after(arm))
        order.append(arm)
        undecided.remove(arm)
        for each in neighbours[arm]:
            waiting[each] -= 1
    return order, pending
