"""Columns of tables of all runs: how bad the worst runs are, and which algorithm probably has less regret.

The probability that a run of one algorithm has less regret than a run of another, with intervals of a bootstrap that is
stratified by dataset, is the "probability of improvement" of Agarwal et al., Deep reinforcement learning at the edge of
the statistical precipice, NeurIPS 2021.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.stats import bootstrap

from duelbench.analysis.difference import Sample
from duelbench.arrays import Floats

_RESAMPLES = 1000
_AT_ONCE = 10**7
"""Numbers that are resampled together."""


def _shortfall(regret: Floats, axis: int = -1) -> Any:
    """Return the mean of the largest 5 % of the numbers."""
    worst = math.ceil(0.05 * regret.shape[axis])
    return np.sort(regret, axis=axis).take(range(-worst, 0), axis=axis).mean(axis=axis)


def _quantile(share: float) -> Callable[..., Any]:
    return lambda regret, axis=-1: np.quantile(regret, share, axis=axis)


TAIL: dict[str, Callable[..., Any]] = {
    "median": _quantile(0.5),
    "95 % quantile": _quantile(0.95),
    "99 % quantile": _quantile(0.99),
    "shortfall": _shortfall,
}
"""Statistics of the tail; the expected shortfall is that of the worst 5 % of the runs."""


def of_the_tail(statistic: str, regret: Floats) -> Sample:
    """Return a statistic of the runs with its bootstrap standard error."""
    error = math.nan
    if len(regret) > 1:
        error = _resampled([regret], TAIL[statistic], vectorized=True).standard_error
    return Sample(float(TAIL[statistic](regret)), float(error), len(regret))


def better(ours: Sequence[Floats], others: Sequence[Floats]) -> tuple[float, tuple[float, float]]:
    """Return the probability that a run of ours has less regret than one of the others, and its 95 % interval.

    Both have the regrets of their runs on each dataset, and the probability is the mean over datasets; equal regrets
    count half.
    """

    def share(*runs: Floats) -> float:
        pairs = zip(runs[: len(ours)], runs[len(ours) :], strict=True)
        return float(np.mean([_less(np.sort(a), b) for a, b in pairs]))

    found = share(*ours, *others)
    if min(map(len, (*ours, *others))) < 2:
        return found, (math.nan, math.nan)
    interval = _resampled([*ours, *others], share, vectorized=False).confidence_interval
    return found, (float(interval.low), float(interval.high))


def _less(sorted_ours: Floats, others: Floats) -> float:
    at_most = sum(np.searchsorted(sorted_ours, others, side).sum() for side in ("left", "right"))
    return float(at_most) / (2 * len(sorted_ours) * len(others))


def _resampled(samples: Sequence[Floats], statistic: Callable[..., Any], *, vectorized: bool) -> Any:
    return bootstrap(
        samples, statistic, vectorized=vectorized, n_resamples=_RESAMPLES, method="percentile",
        batch=max(1, _AT_ONCE // max(map(len, samples))), random_state=np.random.default_rng(0),
    )  # fmt: skip
