"""The grid of priors of the posterior: log-strengths of arms at each of its points, and how likely the points are.

A point is a strength s of the prior of the pairs and a number of ghosts, the scale of the strengths; the prior on the
grid is uniform. At each point the log-strengths have a normal distribution around the most likely ones. Given s, wins
are overdispersed: they carry the information of ``votes (s + 1) / (s + votes)`` independent votes (Williams,
Extra-binomial variation in logistic linear models, Applied Statistics 1982, model II). The strengths are fitted to this
number of votes. The posterior of the points uses Laplace's method (Tierney & Kadane, JASA 1986).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duelbench.arrays import Floats
from duelbench.preferences.scores import FITTED, curvature, log_prior, most_likely

STRENGTHS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
"""The grid of strengths of the prior, if none is given."""
GHOSTS = (1.0, 2.0, 5.0, 10.0, 20.0)
"""The grid of scales of the strengths: the prior on log-strengths has standard deviations from 1.8 to 0.32."""
QUICK = (3.0, 15.0, 80.0, 500.0), (2.0, 8.0)
QUICK_MANY = (5.0, 50.0, 500.0), GHOSTS
"""The strengths and scales of the quick grid, with at most ``MANY`` arms and with more, which decide the scale."""
QUICKLY_FITTED = 0.02
"""The largest last step, in log-odds, with which strengths of the quick grid are fitted."""
DIGITS = 9
"""Results of linear algebra are rounded to these decimals, so that no matrix depends on the LAPACK of a machine."""
ENTRIES = 100_000
"""Matrix entries that are computed at once, so that they fit into the processor's cache."""
UNLIKELY = 1e-5
"""Points that are less likely than the likeliest by this factor are left out, where others depend on them."""
MANY = 300
"""With more arms, linear algebra leaves out arms without votes, whose posterior is the prior."""


class Strengths(NamedTuple):
    """The posterior of the log-strengths of V arms at points of the grid.

    ``prior`` and ``ghosts``: the coordinates of the points, shape (points,). ``mean``: shape (points, V). ``spread``:
    the transposed roots of the covariances, shape (points, V, V). ``evidence``: the log-probability of the wins, up to
    a constant, shape (points,). Where ties are modelled (``tie_grid``), ``tie_prior`` is the strength of the prior of
    tie shares, (points,), and ``mean`` and ``spread`` have ln ν after the strengths.
    """

    prior: Floats
    ghosts: Floats
    mean: Floats
    spread: Floats
    evidence: Floats
    tie_prior: Floats | None = None


class Grid(NamedTuple):
    """The points of the grid, the ``arms`` in them, and the ``cumulative`` probabilities of the points."""

    points: Strengths
    arms: NDArray[np.intp]
    cumulative: Floats


@lru_cache(maxsize=8)
def strength_grid(wins: bytes, arms: int, strength: float | None, met: bytes = b"", quick: bool = False) -> Grid:
    """Return the points of the grid; cached, since all tasks of a worker have the same votes.

    ``wins``: the (K, K) table as bytes. ``strength`` of the prior, if given. ``met``: a table that is not 0 where there
    are votes, if some of them are no wins. ``quick``: a small grid.
    """
    won = np.frombuffer(wins).reshape(arms, arms)
    votes = np.frombuffer(met).reshape(arms, arms) if met else won
    fine, scales = grid_of(arms, quick)
    strengths = fine if strength is None else (strength,)
    voted = np.flatnonzero((votes + votes.T).any(axis=0)) if arms > MANY else np.arange(arms)
    if not len(voted):
        voted = np.arange(1)
    among, absent = won[np.ix_(voted, voted)], arms - len(voted)
    if quick and arms > MANY:
        points = _likely(among, absent, strengths, scales)
    else:
        prior, ghosts = np.repeat(strengths, len(scales)), np.tile(scales, len(strengths))
        most, close = max(1, ENTRIES // len(voted) ** 2), QUICKLY_FITTED if quick else FITTED
        points = _joined(
            [_fitted(among, prior[k : k + most], ghosts[k : k + most], close) for k in range(0, len(prior), most)]
        )
    evidence = points.evidence + absent * without_votes(points.ghosts)
    weight = np.exp(evidence - evidence.max())
    return Grid(points, voted, np.round(np.cumsum(weight / weight.sum()), DIGITS))


def _likely(won: Floats, absent: int, strengths: tuple[float, ...], scales: tuple[float, ...]) -> Strengths:
    """Return all strengths at the scales that are likely at the middle one; ``absent`` arms have no votes.

    Each scale takes seconds with a thousand arms, and their votes rule out most.
    """
    middle = strengths[len(strengths) // 2]
    points = [_fitted(won, np.array([middle]), np.array([scale]), QUICKLY_FITTED) for scale in scales]
    evidence = np.array([each.evidence[0] for each in points]) + absent * without_votes(np.array(scales))
    likely = [points[k] for k in np.flatnonzero(evidence > evidence.max() + math.log(UNLIKELY))]
    others = [
        _fitted(won, np.array([s]), each.ghosts, QUICKLY_FITTED, each.mean)
        for s in strengths
        for each in likely
        if s != middle
    ]
    return _joined([*likely, *others])


def _joined(parts: list[Strengths]) -> Strengths:
    return Strengths(*map(np.concatenate, zip(*(each[:5] for each in parts), strict=True)))


def grid_of(arms: int, quick: bool) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the strengths and the scales of the grid."""
    if not quick:
        return STRENGTHS, GHOSTS
    return QUICK if arms <= MANY else QUICK_MANY


def without_votes(ghosts: Floats) -> Floats:
    """Return the contribution of an arm without votes to the evidence, by Laplace's method as for the others."""
    from scipy.special import betaln

    added: Floats = -2.0 * ghosts * math.log(2.0) - betaln(ghosts, ghosts) - np.log(ghosts / 2.0) / 2.0
    return added


def _fitted(won: Floats, prior: Floats, ghosts: Floats, close: float, start: Floats | None = None) -> Strengths:
    """Return the posterior at the points of the grid with these priors and ghosts, both of shape (points,).

    ``close`` and ``start``: see ``most_likely``.
    """
    votes = won + won.T
    worth = vote_worth(prior[:, None, None], votes)
    mean = most_likely(worth * won, ghosts, start, close)
    root = np.linalg.cholesky(curvature(mean, worth * votes, ghosts))
    # scipy's solve_triangular starts threads, which takes a hundred times as long if the cores are busy.
    spread: Floats = np.linalg.inv(root)
    evidence = log_density(won, prior, ghosts, mean)
    evidence -= np.log(root.diagonal(axis1=-2, axis2=-1)).sum(axis=-1)
    return Strengths(prior, ghosts, mean.round(DIGITS), spread.round(DIGITS), evidence)


def vote_worth(s: Floats, votes: Floats) -> Floats:
    """Return how many independent votes one of ``votes`` on a pair is worth, given the strength s of its prior."""
    with np.errstate(invalid="ignore"):
        worth: Floats = np.where(np.isinf(s), 1.0, np.minimum(1.0, (s + 1.0) / (s + votes)))
    return worth


def log_density(won: Floats, prior: Floats, ghosts: Floats, g: Floats) -> Floats:
    """Return the joint log-density of the wins and g at points of the grid, given the priors."""
    from scipy.special import betaln

    first, second = np.nonzero(np.triu(won + won.T, 1))  # pairs without votes have no information
    margin, wins, losses, s = g[:, second] - g[:, first], won[first, second], won[second, first], prior[:, None]
    likelihood = -wins * np.logaddexp(0.0, margin) - losses * np.logaddexp(0.0, -margin)
    some = np.isfinite(prior)
    q, s = 1.0 / (1.0 + np.exp(margin[some])), s[some]
    likelihood[some] = betaln(s * q + wins, s * (1.0 - q) + losses) - betaln(s * q, s * (1.0 - q))
    density: Floats = log_prior(g, ghosts) - g.shape[-1] * betaln(ghosts, ghosts) + likelihood.sum(axis=-1)
    return density
