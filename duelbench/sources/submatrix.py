"""Submatrices: arms chosen by number, or at random under conditions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from duelbench.errors import UserError
from duelbench.preferences.matrix import PreferenceMatrix, check_choice
from duelbench.sources.apart import SetsApart, TooManyError
from duelbench.sources.parameters import Parameters, Whole
from duelbench.versions.record import Subject

SUBMATRICES = Subject("generators", "submatrix", 1, (__name__,))
"""Increase its version when an edit is meant to change which arms are drawn."""

PROPOSALS = 1_000_000
"""The largest number of random sets of arms to try; fewer of large ones, to give up within seconds."""

PATIENCE = 4096
"""The number of tries after which the sets that keep ``min_gap`` are counted and, if rare, drawn directly."""
DRAWS = 100_000
"""The largest number of these to try for ``condorcet``, which takes some seconds: one in 2,000 sets of 64 of the MSLR
rankers with gaps of 0.003 has no Condorcet winner."""


class Submatrix(Parameters):
    """Either the listed ``arms``, in that order, or ``size`` random ones, in increasing order.

    Random sets are uniform among those that meet the conditions: by rejection or, if fewer than about one in 10⁴ keeps
    ``min_gap``, by counting those that do (``duelbench.sources.apart``). They are drawn from ``seed``, the same for
    every run, or with ``per_run`` from the stream of each run.

    Raises:
        UserError: contradictory options; ``key`` is the option to remove.
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

        Raises:
            UserError: an arm that ``matrix`` lacks, or no choice found that meets the conditions.
        """
        return matrix.submatrix(self.choose(matrix, rng))

    def choose(self, matrix: PreferenceMatrix, rng: np.random.Generator) -> tuple[int, ...]:
        """Return the chosen arms of ``matrix``, in the order of the submatrix; as ``draw``."""
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
        """Raise UserError if a matrix of ``available`` arms does not have the chosen arms."""
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
        """Yield, in batches, the number of random sets tried and those that keep ``min_gap``, shape (sets, size)."""
        size = self.count
        close = (np.abs(matrix.P - 0.5) < self.min_gap) & ~np.eye(matrix.arms, dtype=bool)
        # Few proposals at first (most requests accept one soon), then more, within some tens of megabytes.
        cost = matrix.arms + size**2
        limit = max(1, min(PROPOSALS, 2**30 // cost))
        largest = max(1, 2**22 // cost)
        batch, tried = 64, 0
        while tried < limit:
            batch = min(2 * batch, largest, limit - tried)
            arms = rng.permuted(np.tile(np.arange(matrix.arms), (batch, 1)), axis=1)[:, :size]
            yield batch, arms[~close[arms[:, :, None], arms[:, None, :]].any(axis=(1, 2))]
            if tried < PATIENCE <= tried + batch and close.any():
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
        for _ in range(DRAWS):
            yield 1, sets.draw(rng)[None]


@lru_cache(maxsize=8)
def _sets_apart(close: bytes, arms: int, size: int) -> SetsApart | None:
    """Return the sets of arms without ``close`` pairs, as bytes of (K, K) flags; None if they cannot be counted."""
    try:
        return SetsApart(np.frombuffer(close, np.bool_).reshape(arms, arms), size)
    except TooManyError:
        return None
