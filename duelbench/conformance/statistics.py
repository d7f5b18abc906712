"""Two-sample tests of equal distribution, and the smallest difference that they detect."""

from collections.abc import Callable

import numpy as np
from scipy import stats

from duelbench.arrays import Floats
from duelbench.conformance.case import CheckFailed

LEVEL = 1e-5
"""The significance level: one correct algorithm in 10⁵ fails by chance."""


def disagreement(a: Floats, b: Floats) -> float:
    """Return the smallest p-value, over checkpoints, for two samples under the null hypothesis of equal distribution.

    The samples have shape (runs, checkpoints). The tests are Kolmogorov–Smirnov's and Welch's t-test, for each column
    separately; multiply by the number of tests for a family-wise level.
    """
    p: Floats = p_values(a, b)
    return float(p.min(initial=1.0))


def p_values(a: Floats, b: Floats, paired: bool = False) -> Floats:
    """Return (columns,) the smaller p-value of the two tests.

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


def agreement(a: Floats, b: Floats) -> float:
    """Return ``disagreement`` as a family-wise p-value, with Bonferroni's correction for both tests and all columns."""
    columns: int = a.shape[1]
    return min(1.0, 2 * columns * disagreement(a, b))


def resolution(a: Floats, b: Floats, column: int = -1, paired: bool = False) -> float:
    """Return the relative difference of means that equals four standard errors, for a column, by default the last."""
    x, y = a[:, column], b[:, column]
    variance = (x - y).var(ddof=1) if paired else x.var(ddof=1) + y.var(ddof=1) * len(x) / len(y)
    return float(4.0 * np.sqrt(variance / len(x)) / max(x.mean(), y.mean()))


def in_per_cent(difference: float) -> str:
    """Return a relative difference in per cent, with two digits."""
    return f"{float(f'{100 * difference:.2g}'):,g} %"


def two_samples(
    one: Callable[[int], Floats], other: Callable[[int], Floats], runs: int, beat: Callable[[], None] = lambda: None
) -> tuple[Floats, Floats]:
    """Return ``runs`` rows of each function, called with the number of the run; ``beat`` is called before each."""
    a: list[Floats] = []
    b: list[Floats] = []
    for run in range(runs):
        for play, rows in ((one, a), (other, b)):
            beat()
            rows.append(play(run))
    return np.array(a), np.array(b)


def demand_agreement(a: Floats, b: Floats, names: list[str], sides: tuple[str, str], paired: bool = False) -> None:
    """Raise CheckFailed, with the column of the smallest p-value, if two samples differ. See ``p_values``."""
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
    rounding = 1e-12 * np.abs(a.mean(axis=0))  # of sums in another order, if all runs are equal
    for k in np.flatnonzero(apart > errors * error + rounding):
        raise CheckFailed(
            f"{names[k]} is {a[:, k].mean():,.4g} on average {sides[0]} and {b[:, k].mean():,.4g} {sides[1]}, "
            + (f"{apart[k] / error[k]:.1f} standard errors apart " if error[k] > rounding[k] else "")
            + f"in {len(a):,} runs each"
        )
