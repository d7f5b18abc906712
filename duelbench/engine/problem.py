"""Make the problem of a run from preferences and kinds of regret, and choose the checkpoints."""

from collections.abc import Iterator, Sequence

import numpy as np

from duelbench.arrays import Floats, Ints
from duelbench.engine.play import NO_TIES, Problem
from duelbench.errors import UserError
from duelbench.preferences.changing import Preferences, segments
from duelbench.preferences.regret import ADVERSARIAL, regret_tables


def checkpoints(horizons: Sequence[int], per_decade: int) -> Ints:
    """Return increasing rounds from 1 to the largest horizon, ``per_decade`` in each decade, and every horizon.

    The grid does not depend on the horizon: the checkpoints of a shorter run are the first ones of a longer run.
    """
    last = max(horizons)
    grid = {1}
    power = 0
    while (t := round(10 ** (power / per_decade))) <= last:
        grid.add(t)
        power += 1
    return np.array(sorted(grid | set(horizons)), dtype=np.int64)


MOST_NUMBERS = 1 << 27
"""The largest size of the tables of adversarial regret: one gigabyte."""


def problem_of(preferences: Preferences, kinds: Sequence[str], ties: bool = False) -> Problem:
    """Return the problem of these preferences. Regret compares with the best arm of the current segment.

    With ``ties``, a tie is a third outcome; without, a fair coin decides it. ``regrets`` stacks the tables of
    ``preferences.regret.regret_tables`` for all kinds; ``by_kind`` computes the regret of each kind from their sums.

    Raises UserError for an unknown kind, a kind that needs a Condorcet winner in a segment without one, tables of
    adversarial regret that do not fit into memory, and ties in preferences that change.
    """
    starts, matrices = segments(preferences)
    numbers = sum(kind in ADVERSARIAL for kind in kinds) * len(matrices) * preferences.arms**3
    if numbers > MOST_NUMBERS:
        raise UserError(
            f"adversarial regret needs a table for each of the {preferences.arms} arms and {len(matrices):,} matrices, "
            "which do not fit into memory: choose another kind of regret"
        )
    tables = list(tables_of(preferences, kinds))
    if len(matrices) == 1:
        T = matrices[0].ties
        return Problem(matrices[0].P, tables[0], T=NO_TIES if T is None or not ties else T)
    if ties and any(matrix.ties is not None for matrix in matrices):
        raise UserError("ties need constant preferences: remove the ties, or decide each by a coin (ties: coin)")
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
    """Return the (kinds,) regret of ``duels`` of each ordered pair, in the segment of round ``t``.

    The order of the summation is that of the round loop, so both give the same bits.
    """
    return np.array([np.cumsum(duels.ravel() * table.ravel())[-1] for table in problem.regrets_at(t)])
