"""Test whether two samples of runs have the same distribution, and report the smallest detectable difference."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats, Ints
from duelbench.conformance.case import CheckFailed, Reference
from duelbench.conformance.rounds import in_numbers, streams
from duelbench.engine.play import Problem, Rules
from duelbench.engine.rollout import Trajectory, rollout
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table

LEVEL = 1e-5
"""The significance level: one correct algorithm in 10⁵ fails by chance."""


def p_values(a: Floats, b: Floats, paired: bool = False) -> Floats:
    """Return the smaller p-value of the two tests, shape (columns,).

    If rows are ``paired`` (played on the same environment streams), the second test is Student's t-test of their
    differences; the first test remains valid, with less power.
    """
    p = np.ones(a.shape[1])
    a, b = np.round(a, 6), np.round(b, 6)  # regrets that differ only by rounding are ties
    for k, (x, y) in enumerate(zip(a.T, b.T, strict=True)):
        if np.ptp(np.concatenate([x, y])) == 0.0:
            continue
        p[k] = min(p[k], stats.ks_2samp(x, y, method="asymp").pvalue)
        if paired and np.ptp(x - y) > 0.0:
            p[k] = min(p[k], stats.ttest_1samp(x - y, 0.0).pvalue)
        elif not paired and np.ptp(x) + np.ptp(y) > 0.0:
            moments = [value for each in (x, y) for value in (each.mean(), each.std(ddof=1), len(each))]
            p[k] = min(p[k], stats.ttest_ind_from_stats(*moments, equal_var=False).pvalue)
    return p


def resolution(a: Floats, b: Floats, column: int = -1, paired: bool = False) -> float:
    """Return the relative difference of means in a column that equals four standard errors."""
    x, y = a[:, column], b[:, column]
    variance = (x - y).var(ddof=1) if paired else x.var(ddof=1) + y.var(ddof=1) * len(x) / len(y)
    return float(4.0 * np.sqrt(variance / len(x)) / max(x.mean(), y.mean()))


def in_per_cent(difference: float) -> str:
    """Return a relative difference in per cent, with two digits."""
    return f"{float(f'{100 * difference:.2g}'):,g} %"


def two_samples(
    one: Callable[[int], Floats], other: Callable[[int], Floats], runs: int, beat: Callable[[], None] = lambda: None
) -> tuple[Floats, Floats]:
    """Call both functions with the numbers of ``runs`` runs, and return their rows; call ``beat`` before each."""
    a: list[Floats] = []
    b: list[Floats] = []
    for run in range(runs):
        for play, rows in ((one, a), (other, b)):
            beat()
            rows.append(play(run))
    return np.array(a), np.array(b)


def demand_agreement(a: Floats, b: Floats, names: list[str], sides: tuple[str, str], paired: bool = False) -> None:
    """Raise CheckFailed, naming the column with the smallest p-value, if two samples differ. See ``p_values``."""
    p = p_values(a, b, paired)
    k = int(np.argmin(p))
    if 2 * len(p) * p[k] >= LEVEL:
        return
    means = f"on average {a[:, k].mean():,.4g} {sides[0]} and {b[:, k].mean():,.4g} {sides[1]}"
    raise CheckFailed(f"{names[k]} differs in distribution: {means}, {len(a):,} runs each, p = {p[k]:.0e}")


def demand_equal_means(a: Floats, b: Floats, errors: float, names: list[str], sides: tuple[str, str]) -> None:
    """Raise CheckFailed if the means of a column differ by more than ``errors`` standard errors."""
    apart = np.abs(a.mean(axis=0) - b.mean(axis=0))
    error = np.sqrt(a.var(axis=0, ddof=1) / len(a) + b.var(axis=0, ddof=1) / len(b))
    rounding = 1e-12 * np.abs(a.mean(axis=0))  # equal runs may differ by rounding if sums have another order
    for k in np.flatnonzero(apart > errors * error + rounding):
        raise CheckFailed(
            f"{names[k]} is {a[:, k].mean():,.4g} on average {sides[0]} and {b[:, k].mean():,.4g} {sides[1]}, "
            + (f"{apart[k] / error[k]:.1f} standard errors apart " if error[k] > rounding[k] else "")
            + f"in {len(a):,} runs each"
        )


KINDS = ("the Copeland regret", "the Borda regret", "the number of duels of different arms", "the self-duels")
Run = Callable[[int], Floats]


class Resolved(NamedTuple):
    """The number of runs on each side, and the relative differences of means that would be detected.

    ``regret`` refers to the Copeland regret at the last checkpoint, ``duels`` to the duels of different arms.
    """

    runs: int
    regret: float
    duels: float


def in_words(seen: Iterable[tuple[int, Resolved]]) -> str:
    """Describe comparisons: for each horizon t, the fewest runs and the largest difference that may go undetected."""
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
    """Return tables of Copeland regret and of duels of different arms; the self-duels of all winners are equal."""
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
    """Return a function that maps the number of a run to its row, played by the engine with these ``costs``."""
    problem = Problem(matrix.P, tables(matrix) if costs is None else costs)

    def run(number: int) -> Floats:
        rngs, rules = streams(seed, number), Rules(stepping=stepping)
        return _row(rollout(algorithm, problem, np.asarray(marks), rngs, rules), pairs=costs is None)

    return run


def regret_run(algorithm: Algorithm, matrix: PreferenceMatrix, marks: Sequence[int], seed: int) -> Run:
    """Return a function that maps the number of a run to its Copeland regret at the checkpoints."""
    problem = Problem(matrix.P, regret_table(matrix, "copeland")[None])
    return lambda number: rollout(algorithm, problem, np.asarray(marks), streams(seed, number)).regret[0]


def reference_run(reference: Reference, matrix: PreferenceMatrix, marks: Sequence[int], seed: int) -> Run:
    """Return a function like ``engine_run`` for a reference implementation; a missing declaration counts as none."""
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
    """Return the names of the columns of a row."""
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
    """Compare ``runs`` runs of each side, and return the smallest detectable difference.

    ``pairs``: rows include the duels of every pair. ``paired``: see ``p_values``. Raises CheckFailed if they differ.
    """
    a, b = two_samples(one, other, runs, beat)
    demand_agreement(a, b, names(marks, arms, pairs), sides, paired)
    kinds = (0, 2) if pairs else (0, 1)
    finals = [len(marks) * kind + len(marks) - 1 for kind in kinds]  # the columns of the last checkpoint
    regret, duels = (resolution(a, b, k, paired) if a[:, k].any() or b[:, k].any() else 0.0 for k in finals)
    return Resolved(len(a), regret, duels)
