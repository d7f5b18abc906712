"""From preferences and kinds of regret to what the round loop is played on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from duelbench.arrays import Floats, Ints
from duelbench.engine.play import Problem
from duelbench.errors import UserError
from duelbench.preferences.changing import Preferences, segments
from duelbench.preferences.regret import ADVERSARIAL, regret_tables

MOST_NUMBERS = 1 << 27
"""Of the tables of adversarial regret: a gigabyte."""


def problem_of(preferences: Preferences, kinds: Sequence[str]) -> Problem:
    """Return the problem of these preferences; in each segment regret is that against the segment's own best.

    Its ``regrets`` are those of ``preferences.regret.regret_tables``, one kind after the other: ``by_kind`` makes the
    regret of the kinds of what is summed by them.

    Raises:
        UserError: an unknown kind; one that needs a Condorcet winner in a segment that has none; or adversarial regret
            of so many arms and segments that its tables do not fit into memory.
    """
    starts, matrices = segments(preferences)
    numbers = sum(kind in ADVERSARIAL for kind in kinds) * len(matrices) * preferences.arms**3
    if numbers > MOST_NUMBERS:
        raise UserError(
            f"adversarial regret looks at each of the {preferences.arms} arms in each of {len(matrices):,} matrices, "
            "which do not fit into memory: ask for another regret"
        )
    tables = list(tables_of(preferences, kinds))
    if len(matrices) == 1:
        return Problem(matrices[0].P, tables[0])
    return Problem.changing(starts, [matrix.P for matrix in matrices], tables)


def tables_of(preferences: Preferences, kinds: Sequence[str]) -> Iterator[Floats]:
    """Yield the (tables, K, K) regret of each segment; raises as ``problem_of``."""
    for begin, matrix in zip(*segments(preferences), strict=True):
        try:
            yield np.concatenate([regret_tables(matrix, kind) for kind in kinds])
        except UserError as error:
            if begin > 1:
                error.message = f"from round {begin} on: {error.message}"
            raise


def regret_of(problem: Problem, t: int, duels: Ints) -> Floats:
    """Return the (kinds,) regret of so many ``duels`` of each ordered pair in the segment that round ``t`` is in.

    One is added after the other, as the round loop does it: the last bit is the same.
    """
    return np.array([np.cumsum(duels.ravel() * table.ravel())[-1] for table in problem.regrets_at(t)])
