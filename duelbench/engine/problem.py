"""The problem of a run, from preferences and kinds of regret, and the rounds at which regret is recorded."""

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
    """Return the problem of these preferences; in each segment, regret is measured against the best arm of the segment.

    With ``ties`` the problem has their ties, if any, as a third outcome; without, each is decided by a coin.

    Its ``regrets`` are those of ``preferences.regret.regret_tables``, one kind after the other; ``by_kind`` computes
    the regret of each kind from their sums.

    Raises UserError for an unknown kind, for a kind that needs a Condorcet winner in a segment without one, if the
    tables of adversarial regret do not fit into memory, and for ties in preferences that change.
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

    The sum is computed in the order of the round loop, so that the last bit is the same.
    """
    return np.array([np.cumsum(duels.ravel() * table.ravel())[-1] for table in problem.regrets_at(t)])
