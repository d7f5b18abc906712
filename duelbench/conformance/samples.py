"""The numbers of a run for comparing two samples of runs in distribution."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats, Ints
from duelbench.conformance.case import Reference
from duelbench.conformance.rounds import in_numbers, streams
from duelbench.conformance.statistics import demand_agreement, in_per_cent, resolution, two_samples
from duelbench.engine.play import Problem, Rules
from duelbench.engine.rollout import Trajectory, rollout
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table

KINDS = ("the Copeland regret", "the Borda regret", "the number of duels of different arms", "the self-duels")
Run = Callable[[int], Floats]


class Resolved(NamedTuple):
    """The number of ``runs`` on each side, and the relative differences of means that would be detected.

    ``regret``: of the Copeland regret at the last checkpoint. ``duels``: of the number of duels of different arms.
    """

    runs: int
    regret: float
    duels: float


def in_words(seen: Iterable[tuple[int, Resolved]]) -> str:
    """Describe comparisons up to several rounds t: for each, the fewest runs and the largest undetected difference."""
    by_round: dict[int, list[Resolved]] = {}
    for t, each in seen:
        by_round.setdefault(t, []).append(each)
    said = []
    for t, those in by_round.items():
        runs, regret, duels = (list(column) for column in zip(*those, strict=True))
        said.append(
            f"{min(runs):,} runs each to t = {t:,}: {in_per_cent(max(regret))} more or less regret would be detected, "
            f"or {in_per_cent(max(duels))} more or fewer duels of different arms"
        )
    return "; ".join(said)


def tables(matrix: PreferenceMatrix) -> Floats:
    """Return the (kinds, K, K) tables of ``KINDS``; self-duels of different arms have different values."""
    K = matrix.arms
    regrets = [regret_table(matrix, kind) for kind in ("copeland", "borda")]
    return np.stack([*regrets, 1.0 - np.eye(K), np.diag(np.arange(1.0, K + 1))])


def merged_tables(matrix: PreferenceMatrix) -> Floats:
    """Return tables of the Copeland regret and of duels of different arms, where all winners' self-duels are equal."""
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
    """Return a function from the number of a run to its row, played by the engine with these ``costs``."""
    problem = Problem(matrix.P, tables(matrix) if costs is None else costs)

    def run(number: int) -> Floats:
        rngs, rules = streams(seed, number), Rules(stepping=stepping)
        return _row(rollout(algorithm, problem, np.asarray(marks), rngs, rules), pairs=costs is None)

    return run


def regret_run(algorithm: Algorithm, matrix: PreferenceMatrix, marks: Sequence[int], seed: int) -> Run:
    """Return a function from the number of a run to its Copeland regret at the checkpoints."""
    problem = Problem(matrix.P, regret_table(matrix, "copeland")[None])
    return lambda number: rollout(algorithm, problem, np.asarray(marks), streams(seed, number)).regret[0]


def reference_run(reference: Reference, matrix: PreferenceMatrix, marks: Sequence[int], seed: int) -> Run:
    """Return the same as ``engine_run`` for a reference implementation; a missing declaration counts as none."""
    costs = tables(matrix).reshape(len(KINDS), -1)

    def run(number: int) -> Floats:
        path, declared = reference(matrix, marks[-1], streams(seed, number))
        pairs = path[:, 0] * matrix.arms + path[:, 1]
        regret = np.cumsum(costs[:, pairs], axis=1)[:, np.asarray(marks) - 1]
        duels: Ints = np.bincount(pairs, minlength=matrix.arms**2)
        said = None if declared is ... else declared
        return _row(Trajectory(np.asarray(marks), regret, duels, said), pairs=True)

    return run


def _row(run: Trajectory, pairs: bool) -> Floats:
    return np.concatenate([run.regret.ravel(), run.duels.ravel() if pairs else [], in_numbers(run)])


def names(marks: Sequence[int], arms: int, pairs: bool = True) -> list[str]:
    """Return the names of the numbers in a row."""
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
    runs: int,
    beat: Callable[[], None] = lambda: None,
    *,
    pairs: bool = True,
    paired: bool = False,
) -> Resolved:
    """Compare ``runs`` runs of each, and return the smallest difference that would be detected.

    ``pairs``: rows include the duels of every pair. ``paired``: see ``p_values``. Raises CheckFailed if they differ.
    """
    a, b = two_samples(one, other, runs, beat)
    demand_agreement(a, b, names(marks, arms, pairs), sides, paired)
    kinds = (0, 2) if pairs else (0, 1)
    finals = [len(marks) * kind + len(marks) - 1 for kind in kinds]  # their columns at the last checkpoint
    regret, duels = (resolution(a, b, k, paired) if a[:, k].any() or b[:, k].any() else 0.0 for k in finals)
    return Resolved(len(a), regret, duels)
