"""What runs are compared by in distribution, and the comparison of as many as there is time for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats, Ints
from duelbench.engine.play import Problem, Rules
from duelbench.engine.rollout import Streams, Trajectory, rollout
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table
from duelbench.proving.claims import Literal
from duelbench.proving.contract import observed
from duelbench.proving.rounds import streams
from duelbench.proving.statistics import demand_agreement, resolution, two_samples

KINDS = ("the Copeland regret", "the Borda regret", "the number of duels of different arms", "the self-duels")
Run = Callable[[int], Floats]


def tables(matrix: PreferenceMatrix) -> Floats:
    """Return the (kinds, K, K) tables of ``KINDS``; self-duels of any two arms are told apart by their cost."""
    K = matrix.arms
    regrets = [regret_table(matrix, kind) for kind in ("copeland", "borda")]
    return np.stack([*regrets, 1.0 - np.eye(K), np.diag(np.arange(1.0, K + 1))])


def merged_tables(matrix: PreferenceMatrix) -> Floats:
    """Return the Copeland regret and the duels of different arms: the winners' self-duels cost the same."""
    return tables(matrix)[[0, 2]]


def engine_run(
    algorithm: Algorithm,
    matrix: PreferenceMatrix,
    marks: Sequence[int],
    seed: int,
    *,
    stepping: bool = False,
    costs: Floats | None = None,
) -> Run:
    """Return a function of the number of a run: its row, played by the engine with these ``costs``."""
    problem = Problem(matrix.P, tables(matrix) if costs is None else costs)

    def run(number: int) -> Floats:
        luck, rules = streams(seed, number), Rules(stepping=stepping)
        return _row(rollout(algorithm, problem, np.asarray(marks), luck, rules), pairs=costs is None)

    return run


def literal_run(literal: Literal, matrix: PreferenceMatrix, marks: Sequence[int], seed: int) -> Run:
    """Return the same of a transcription; what does not say what it declares has declared nothing."""
    costs = tables(matrix).reshape(len(KINDS), -1)

    def run(number: int) -> Floats:
        path, declared = literal(matrix.P, marks[-1], streams(seed, number))
        pairs = path[:, 0] * matrix.arms + path[:, 1]
        regret = np.cumsum(costs[:, pairs], axis=1)[:, np.asarray(marks) - 1]
        duels: Ints = np.bincount(pairs, minlength=matrix.arms**2)
        said = None if declared is ... else declared
        return _row(Trajectory(np.asarray(marks), regret, duels, said), pairs=True)

    return run


def _row(run: Trajectory, pairs: bool) -> Floats:
    winner, rounds = run.declaration or (-1, run.checkpoints[-1])
    return np.concatenate([run.regret.ravel(), run.duels.ravel() if pairs else [], [winner, rounds]])


def names(marks: Sequence[int], arms: int, pairs: bool = True) -> list[str]:
    """Return what the numbers of a row are."""
    kinds = KINDS if pairs else (KINDS[0], KINDS[2])
    duels = [f"the number of duels ({i}, {j}) until t = {marks[-1]:,}" for i in range(arms) for j in range(arms)]
    last = ["the declared winner", "the round of the declaration"]
    return [f"{kind} at t = {t:,}" for kind in kinds for t in marks] + (duels if pairs else []) + last


def compare(
    one: Run,
    other: Run,
    marks: Sequence[int],
    arms: int,
    sides: tuple[str, str],
    until: float,
    *,
    pairs: bool = True,
    paired: bool = False,
) -> tuple[int, float]:
    """Compare as many runs of each as there is time for; return how many, and what difference would have been seen.

    That is of the mean Copeland regret at the last of the ``marks``. ``pairs``: rows have the duels of every pair.
    ``paired``: see ``p_values``. Raises DisprovedError.
    """
    a, b = two_samples(one, other, until)
    demand_agreement(a, b, names(marks, arms, pairs), sides, paired)
    final = len(marks) - 1
    return len(a), (resolution(a, b, final, paired) if a[:, final].any() or b[:, final].any() else 0.0)


def regret_of(
    algorithm: Algorithm,
    matrix: PreferenceMatrix,
    order: Sequence[int] | None,
    marks: Sequence[int],
    luck: Callable[[int], Streams],
) -> Callable[[int], Floats]:
    """Return a function of the number of a run: its (checkpoints,) Copeland regret, on the arms in this ``order``."""
    played = matrix if order is None else matrix.relabelled(np.asarray(order))
    return lambda run: observed(algorithm, played, marks, luck(run), ("copeland",)).regret[0]
