"""Preferences that change: a sequence of matrices, each with its first round."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from duelbench.arguments import whole_number
from duelbench.arrays import Floats, Ints
from duelbench.errors import UserError
from duelbench.preferences.matrix import PreferenceMatrix


class Changing:
    """A sequence of preference matrices of the same K arms: the *segments*.

    A segment lasts from its first round to the one before the next segment, and is identified by its first round.
    Neighbouring matrices may be equal. Immutable.

    Parameters
    ----------
    segments : sequence of (int, matrix) pairs
        The first round of each segment and its matrix, a ``PreferenceMatrix`` or a (K, K) table. The first round is 1
        and the rounds increase; a new matrix applies from its first round on.

    Raises
    ------
    UserError
        If the rounds do not increase from 1, the numbers of arms differ, or a table is not a preference matrix;
        ``key`` begins with the number of the segment.

    Examples
    --------
    >>> from duelbench import Changing, simulate
    >>> before, after = [[0.5, 0.8], [0.2, 0.5]], [[0.5, 0.3], [0.7, 0.5]]
    >>> swap = Changing([(1, before), (5_001, after)])
    >>> swap.at(5_000).condorcet_winner(), swap.at(5_001).condorcet_winner()
    (0, 1)
    >>> trajectory = simulate("rucb", swap, horizon=10_000, regret="condorcet")
    """

    __slots__ = ("matrices", "starts")
    starts: tuple[int, ...]
    matrices: tuple[PreferenceMatrix, ...]

    def __init__(self, segments: Sequence[tuple[int, PreferenceMatrix | ArrayLike]]) -> None:
        starts, matrices = list[int](), list[PreferenceMatrix]()
        if not segments:
            raise UserError("changing preferences need at least one matrix, from round 1 on")
        for number, (begin, values) in enumerate(segments):
            try:
                begin = whole_number("the first round of a segment", begin)
            except ValueError as error:
                raise UserError(str(error), key=(number,)) from None
            if number == 0 and begin != 1:
                raise UserError(f"the first segment must begin at round 1, not {begin}", key=(number,))
            if number and begin <= starts[-1]:
                raise UserError(f"round {begin} does not come after round {starts[-1]}", key=(number,))
            try:
                matrix = values if isinstance(values, PreferenceMatrix) else PreferenceMatrix(values)
            except UserError as error:
                error.key = (number, *error.key)
                raise
            if number and matrix.arms != matrices[0].arms:
                there, here = matrices[0].arms, matrix.arms
                raise UserError(
                    f"round {begin} has {here} arms and round 1 has {there}: use the same arms", key=(number,)
                )
            starts.append(begin)
            matrices.append(matrix)
        self.starts, self.matrices = tuple(starts), tuple(matrices)

    def __repr__(self) -> str:
        return f"Changing(arms={self.arms}, starts={list(self.starts)})"

    @property
    def arms(self) -> int:
        """The number of arms, K."""
        return self.matrices[0].arms

    def at(self, t: int) -> PreferenceMatrix:
        """Return the matrix of round ``t`` ≥ 1."""
        return self.matrices[bisect_right(self.starts, whole_number("t", t)) - 1]

    def relabelled(self, permutation: Sequence[int] | NDArray[np.integer]) -> Changing:
        """Return the sequence with the arms of all segments in another order.

        Parameters
        ----------
        permutation : sequence of int
            Arm k of the result is arm ``permutation[k]`` of this sequence.

        Returns
        -------
        Changing
            The same segments, relabelled.

        Raises
        ------
        ValueError
            If ``permutation`` is not a permutation of 0 … K − 1.
        """
        matrices = [matrix.relabelled(permutation) for matrix in self.matrices]
        return Changing(list(zip(self.starts, matrices, strict=True)))

    def digest(self) -> str:
        """Return the SHA-256, in hex, of the first rounds and the digests of the matrices."""
        content = [(begin, matrix.digest()) for begin, matrix in zip(self.starts, self.matrices, strict=True)]
        return hashlib.sha256(repr(content).encode()).hexdigest()

    def identity(self) -> dict[str, Any]:
        """Return everything that determines the numbers, as JSON data."""
        return {"changing": self.digest()}


Preferences: TypeAlias = PreferenceMatrix | Changing


def segments(preferences: Preferences) -> tuple[Ints, tuple[PreferenceMatrix, ...]]:
    """Return the first rounds of the segments, shape (segments,), and their matrices; constant preferences have one."""
    if isinstance(preferences, Changing):
        return np.array(preferences.starts, np.int64), preferences.matrices
    return np.ones(1, np.int64), (preferences,)


def measures(changing: Changing) -> dict[str, float]:
    """Return measures of how much a sequence changes (Kleine Buening & Saha, AISTATS 2023).

    ``S_P``: the number of changes of the matrix. ``V``: the sum over changes of the largest change of an entry. If each
    segment has a Condorcet winner, also ``S_CW``: the number of changes of the winner, and ``V_CW`` (Ṽ in the paper):
    the sum over changes of the largest change of an entry in the row of the new winner.
    """
    wins = np.array([matrix.wins() for matrix in changing.matrices])
    winners = wins.argmax(axis=1)
    of_rows = [np.abs(after.P - before.P).max(axis=1) for before, after in pairwise(changing.matrices)]
    changes = np.array(of_rows).reshape(-1, changing.arms)
    of_any = changes.max(axis=1)
    found = {"S_P": int(np.count_nonzero(of_any)), "V": _sum(of_any)}
    if (wins.max(axis=1) == changing.arms - 1).all():
        moved = changes[np.arange(len(changes)), winners[1:]]
        found |= {"S_CW": int(np.count_nonzero(np.diff(winners))), "V_CW": _sum(moved)}
    return found


def _sum(values: Floats) -> float:
    """Return the sum, added in order: NumPy's ``sum`` adds pairwise, which may change the last bits."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0
