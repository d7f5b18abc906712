"""How it is asserted that holding is stepping: by the very path, or where a hold draws what happens in it, in
distribution.

An algorithm that may answer for many rounds at once is played twice: free to hold, and asked for every single round.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.preferences.regret import regret_table
from tests.comparison import pair_tables, simulate, streams
from tests.paths import engine_path


class Course(NamedTuple):
    """``duels``: of every ordered pair at every checkpoint, (K², checkpoints). The streams' next numbers come last."""

    duels: np.ndarray
    declaration: tuple[int, int] | None
    environment: float
    policy: float


def course(algorithm, matrix, marks, seed, **how):
    """Play run 0; ``how`` has ``stepping``, ``delay``."""
    environment, policy = streams(seed, 0)
    played = simulate(algorithm, matrix.P, pair_tables(matrix.arms), np.asarray(marks), environment, policy, **how)
    return Course(played.regret, played.declaration, environment.random(), policy.random())


def same(a: Course, b: Course, draws=True) -> bool:
    """Tell whether two courses are equal. ``draws``: the numbers drawn on the way, too."""
    return np.array_equal(a.duels, b.duels) and a.declaration == b.declaration and (not draws or a[2:] == b[2:])


def holds_as_it_steps(algorithm, matrix, marks, seed, draws=True, **how):
    """Tell whether a run is the very same with and without holds.

    Without ``draws`` if it asks for blocks of duels, whose outcomes are a single draw of the environment. Such runs
    can only be the same where outcomes are certain or do not matter.
    """
    held, stepped = (course(algorithm, matrix, marks, seed, stepping=stepping, **how) for stepping in (False, True))
    return same(held, stepped, draws)


def held_path(algorithm, matrix, horizon, seed):
    """Return the (horizon, 2) arms of run 0, every answer of which may reach to the last round."""
    environment, policy = streams(seed, 0)
    state = algorithm.start(matrix.arms, horizon)
    path = np.empty((horizon, 2), int)
    t = 1
    while t <= horizon:
        first, second, count = algorithm.select(state, t, horizon, policy)
        wins = int(environment.random() < matrix.P[first, second]) if first != second else 0
        algorithm.update(state, first, second, wins, count)
        path[t - 1 : t - 1 + count] = first, second
        t += count
    return path


def holds_round_by_round(algorithm, matrix, horizon, seed):
    """Tell whether every hold ends in its very round, which checkpoints further on need not see."""
    return np.array_equal(held_path(algorithm, matrix, horizon, seed), engine_path(algorithm, matrix, horizon, seed))


# In distribution.


def sample(algorithm, matrix, marks, runs, seed, tables=None, **how):
    """Return what (runs, …) courses are compared by: ``tables`` of regret at the checkpoints, and the declarations.

    Without ``tables`` these are the Copeland and the Borda regret, and the duels of every ordered pair at the end. An
    algorithm may count arms of equal regret together, so the duels are no part of it where ``tables`` are given.
    """
    every_duel = tables is None
    if every_duel:
        tables = np.stack([regret_table(matrix, kind) for kind in ("copeland", "borda")])
    rows = []
    for run in range(runs):
        played = simulate(algorithm, matrix.P, tables, np.asarray(marks), *streams(seed, run), **how)
        duels = played.duels.ravel() if every_duel else []
        rows.append([*played.regret.ravel(), *duels, *(played.declaration or (-1, marks[-1]))])
    return np.array(rows)


def equal_self_duels(tables):
    """Return (K, K): the arms whose self-duels cost the same in all ``tables``, so that nobody tells them apart."""
    cost = np.diagonal(tables, axis1=1, axis2=2)
    return (cost[:, :, None] == cost[:, None, :]).all(axis=0)
