"""From preferences and kinds of regret to what the round loop is played on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from duelbench.arrays import Floats, Ints
from duelbench.engine.play import Problem
from duelbench.preferences.changing import Preferences, pieces
from duelbench.preferences.regret import regret_table


def problem_of(preferences: Preferences, kinds: Sequence[str]) -> Problem:
    """Return the problem of these preferences; in each piece regret is that against the piece's own best.

    Raises:
        UserError: an unknown kind, or one that needs a Condorcet winner in a piece that has none.
    """
    begins, matrices = pieces(preferences)
    tables = [np.stack([regret_table(matrix, kind) for kind in kinds]) for matrix in matrices]
    if len(matrices) == 1:
        return Problem(matrices[0].P, tables[0])
    return Problem.changing(begins, [matrix.P for matrix in matrices], tables)


def regret_of(problem: Problem, t: int, duels: Ints) -> Floats:
    """Return the (kinds,) regret of so many ``duels`` of each ordered pair in the piece that round ``t`` is in.

    One is added after the other, as the round loop does it: the last bit is the same.
    """
    return np.array([np.cumsum(duels.ravel() * table.ravel())[-1] for table in problem.regrets_at(t)])
