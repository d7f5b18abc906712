"""The posterior of Bradley–Terry strengths given wins, in the normal approximation at its maximum (Laplace).

Arm i beats arm j with probability ``1 / (1 + exp(g[j] − g[i]))``. The prior is the one of
``duelbench.preferences.scores``: each arm has also won ``ghosts`` duels and lost as many against an arm of strength 0.
This makes the log-posterior strictly concave, so it has a maximum whatever the votes. The covariance is the inverse of
the negative Hessian there.

Newton's method starts at the previous maximum, so that after a few more votes it takes two or three steps. Every term
of the log-posterior is a logistic function of a difference z of strengths (the ghost's is 0), whose third derivative is
at most its second. If a step changes these differences by at most ρ, then a full step increases the log-posterior
whenever ρ < 1.79, and ``log(1 + ρ) / ρ`` of the step always does (generalized self-concordance; Sun, Tran-Dinh, Math.
Program. 2019). So no line search is needed.

As votes come, strengths are fitted again. With fewer than 40 votes they are fitted after each one, and later whenever
the votes have grown by 5 %: 5,000 votes take 140 fits. The fit depends only on the counts of votes, not on their order.
Fitting more often does not save votes.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Floats, Ints, Record, Tiers, record
from duelbench.compiling.jit import kernel

FITTED = 1e-8
"""Newton's method stops after a step of at most this; the remaining error is about its square."""
STEPS = 100


class StrengthPosterior(NamedTuple):
    """``strength``: (K,) the mode g; ``covariance``: (K, K); ``slope`` and ``step``: (K,) work space."""

    strength: Floats
    covariance: Floats
    slope: Floats
    step: Floats


def new_strength_posterior(arms: int) -> StrengthPosterior:
    """Return a posterior that has not been fitted; its first fit starts at strengths of 0."""
    return StrengthPosterior(np.zeros(arms), np.zeros((arms, arms)), np.zeros(arms), np.zeros(arms))


@kernel
def chance_of_win(difference: float) -> float:
    """Return the probability of a win, given the difference of the strengths."""
    odds = math.exp(-abs(difference))
    return 1.0 / (1.0 + odds) if difference >= 0.0 else odds / (1.0 + odds)


@kernel
def information(difference: float) -> float:
    """Return p (1 − p): the Fisher information of a vote about the difference of the strengths."""
    odds = math.exp(-abs(difference))
    return odds / (1.0 + odds) / (1.0 + odds)


@kernel
def difference_variance(covariance: Floats, i: int, j: int) -> float:
    """Return the variance of ``g[i] − g[j]``."""
    variance: float = covariance[i, i] + covariance[j, j] - covariance[i, j] - covariance[j, i]
    return variance


@kernel
def order_doubt(posterior: StrengthPosterior, i: int, j: int) -> float:
    """Return the probability that the arm with the smaller strength is the stronger one, at most 1/2."""
    g = posterior.strength
    deviation = math.sqrt(difference_variance(posterior.covariance, i, j))
    return 0.5 * math.erfc(abs(g[i] - g[j]) / deviation / math.sqrt(2.0))


@kernel(inline=False)
def fit_strengths(posterior: StrengthPosterior, wins: Ints | Floats, ghosts: float) -> None:
    """Fit the posterior to ``wins[i, j]``, the number of wins of i against j, starting at its present strengths."""
    for _ in range(STEPS):
        derive(posterior, wins, ghosts)
        invert(posterior.covariance)
        if move(posterior) <= FITTED:
            break


@kernel
def derive(posterior: StrengthPosterior, wins: Ints | Floats, ghosts: float) -> None:
    """Compute the gradient of the log-posterior, and its negative Hessian in place of the covariance."""
    g, slope, curvature = posterior.strength, posterior.slope, posterior.covariance
    arms = g.shape[0]
    for i in range(arms):
        slope[i] = ghosts * (1.0 - 2.0 * chance_of_win(g[i]))
        curvature[i, i] = 2.0 * ghosts * information(g[i])
    for i in range(arms):
        for j in range(i + 1, arms):
            votes = wins[i, j] + wins[j, i]
            weight = 0.0
            if votes > 0:
                p = chance_of_win(g[i] - g[j])
                surplus = wins[i, j] - votes * p
                weight = votes * p * (1.0 - p)
                slope[i] += surplus
                slope[j] -= surplus
                curvature[i, i] += weight
                curvature[j, j] += weight
            curvature[i, j] = -weight
            curvature[j, i] = -weight


@kernel
def invert(matrix: Floats) -> None:
    """Invert a positive definite matrix in place by Gauss–Jordan elimination, which needs no pivoting here.

    The inner loop has no sum whose order matters, so it is vectorized and still gives the same bits as plain Python.
    With 60 arms it is as fast as LAPACK.
    """
    size = matrix.shape[0]
    for k in range(size):
        scale = 1.0 / matrix[k, k]
        matrix[k, k] = 1.0
        for j in range(size):
            matrix[k, j] *= scale
        for i in range(size):
            if i != k:
                factor = matrix[i, k]
                matrix[i, k] = 0.0
                for j in range(size):
                    matrix[i, j] -= factor * matrix[k, j]


@kernel
def move(posterior: StrengthPosterior) -> float:
    """Take Newton's step, or a part of it if it is large; return the largest change of a strength."""
    slope, step = posterior.slope, posterior.step
    arms = step.shape[0]
    low, high = 0.0, 0.0
    for i in range(arms):
        step[i] = 0.0
        for j in range(arms):
            step[i] += posterior.covariance[i, j] * slope[j]
        low, high = min(low, step[i]), max(high, step[i])
    span = high - low
    part = 1.0 if span <= 1.0 else math.log1p(span) / span
    for i in range(arms):
        posterior.strength[i] += part * step[i]
    return part * max(high, -low)


_GROWTH = 20
"""The strengths are fitted again after 1/20 more votes."""
TIED = 1e-9
"""Strengths closer than this count as equal: for arms with the same results they differ by rounding."""


class Strengths(NamedTuple):
    """``ghosts``: see the module's docstring; ``wins[i, j]``: how often i has beaten j.

    ``counted[0]``: the number of ``votes``, and how many there were at the last fit (``fitted``, −1 before the first).
    """

    ghosts: float
    wins: Ints
    posterior: StrengthPosterior
    counted: Record


def new_strengths(arms: int, ghosts: float) -> Strengths:
    """Return the state without votes, not fitted yet."""
    counts = np.zeros((arms, arms), np.int64)
    return Strengths(ghosts, counts, new_strength_posterior(arms), record(votes=0, fitted=-1))


@kernel
def count_votes(strengths: Strengths, first: int, second: int, wins: int, count: int) -> None:
    """Count votes on two different arms."""
    strengths.wins[first, second] += wins
    strengths.wins[second, first] += count - wins
    strengths.counted[0].votes += count


@kernel
def refit_if_due(strengths: Strengths) -> bool:
    """Fit the strengths if enough votes have come since the last fit; return whether it did."""
    counted = strengths.counted[0]
    if counted.votes - counted.fitted < max(1, counted.fitted // _GROWTH):
        return False
    fit_strengths(strengths.posterior, strengths.wins, strengths.ghosts)
    counted.fitted = counted.votes
    return True


@kernel
def pair_at(place: int, arms: int) -> tuple[int, int]:
    """Return the pair (i, j), i < j, at a place of the list of all pairs, row by row."""
    i = 0
    while place >= arms - 1 - i:
        place -= arms - 1 - i
        i += 1
    return i, i + 1 + place


def strongest(strengths: Strengths) -> int | None:
    """Return the arm with the largest fitted strength given all votes, the first of several; None without votes."""
    if strengths.counted[0].votes == 0:
        return None
    posterior = new_strength_posterior(len(strengths.wins))
    posterior.strength[:] = strengths.posterior.strength
    fit_strengths(posterior, strengths.wins, strengths.ghosts)
    return int(np.argmax(posterior.strength >= posterior.strength.max() - TIED))


def tiers_of(strength: Floats) -> Tiers:
    """Return the arms, strongest first, with arms of equal strength in one tier."""
    order = np.argsort(-strength, kind="stable")
    breaks = np.flatnonzero(-np.diff(strength[order]) > TIED) + 1
    return tuple(tuple(sorted(tier.tolist())) for tier in np.split(order, breaks))
