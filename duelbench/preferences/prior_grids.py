"""The grids of priors of the posterior: log-strengths of arms at each point, and how likely the points are.

A point is a strength s of the prior of the pairs and a number of ghosts, the scale of the strengths; the prior on the
grid is uniform. At each point the log-strengths have a normal distribution around the most likely ones. Given s, wins
are overdispersed: they carry the information of ``votes (s + 1) / (s + votes)`` independent votes (Williams,
Extra-binomial variation in logistic linear models, Applied Statistics 1982, model II). The strengths are fitted to this
number of votes. The posterior of the points uses Laplace's method (Tierney & Kadane, JASA 1986).

Where ties are modelled, a point has a strength r of the prior of tie shares, too. At each, log-strengths and ln ν of
Davidson's model have jointly a normal distribution around their most likely values: given s and r, decisive votes and
ties are overdispersed, so they are fitted to as many independent votes as they are worth. The curvature is the expected
information, as the likelihood of the ties alone is not concave. Before the votes, the tie share of equal arms,
``ν / (2 + ν)``, is uniform.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duelbench.arrays import Floats
from duelbench.preferences.scores import FITTED, STEPS, curvature, log_prior, most_likely

_STRENGTHS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
"""The grid of strengths of the prior, if none is given."""
GHOSTS = (1.0, 2.0, 5.0, 10.0, 20.0)
"""The grid of scales of the strengths: the prior on log-strengths has standard deviations from 1.8 to 0.32."""
_QUICK = (3.0, 15.0, 80.0, 500.0), (2.0, 8.0)
_QUICK_MANY = (5.0, 50.0, 500.0), GHOSTS
"""The strengths and scales of the quick grid, with at most ``MANY`` arms and with more, which decide the scale."""
_QUICKLY_FITTED = 0.02
"""The largest last step, in log-odds, with which strengths of the quick grid are fitted."""
_DIGITS = 9
"""Results of linear algebra are rounded to these decimals, so that no matrix depends on the LAPACK of a machine."""
ENTRIES = 100_000
"""Matrix entries that are computed at once, so that they fit into the processor's cache."""
_UNLIKELY = 1e-5
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
    fine, scales = _grid_of(arms, quick)
    strengths = fine if strength is None else (strength,)
    voted = np.flatnonzero((votes + votes.T).any(axis=0)) if arms > MANY else np.arange(arms)
    if not len(voted):
        voted = np.arange(1)
    among, absent = won[np.ix_(voted, voted)], arms - len(voted)
    if quick and arms > MANY:
        points = _likely(among, absent, strengths, scales)
    else:
        prior, ghosts = np.repeat(strengths, len(scales)), np.tile(scales, len(strengths))
        most, close = max(1, ENTRIES // len(voted) ** 2), _QUICKLY_FITTED if quick else FITTED
        points = _joined(
            [_fitted(among, prior[k : k + most], ghosts[k : k + most], close) for k in range(0, len(prior), most)]
        )
    evidence = points.evidence + absent * _without_votes(points.ghosts)
    weight = np.exp(evidence - evidence.max())
    return Grid(points, voted, np.round(np.cumsum(weight / weight.sum()), _DIGITS))


def _likely(won: Floats, absent: int, strengths: tuple[float, ...], scales: tuple[float, ...]) -> Strengths:
    """Return all strengths at the scales that are likely at the middle one; ``absent`` arms have no votes.

    Each scale takes seconds with a thousand arms, and their votes rule out most.
    """
    middle = strengths[len(strengths) // 2]
    points = [_fitted(won, np.array([middle]), np.array([scale]), _QUICKLY_FITTED) for scale in scales]
    evidence = np.array([each.evidence[0] for each in points]) + absent * _without_votes(np.array(scales))
    likely = [points[k] for k in np.flatnonzero(evidence > evidence.max() + math.log(_UNLIKELY))]
    others = [
        _fitted(won, np.array([s]), each.ghosts, _QUICKLY_FITTED, each.mean)
        for s in strengths
        for each in likely
        if s != middle
    ]
    return _joined([*likely, *others])


def _joined(parts: list[Strengths]) -> Strengths:
    return Strengths(*map(np.concatenate, zip(*(each[:5] for each in parts), strict=True)))


def _grid_of(arms: int, quick: bool) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the strengths and the scales of the grid."""
    if not quick:
        return _STRENGTHS, GHOSTS
    return _QUICK if arms <= MANY else _QUICK_MANY


def _without_votes(ghosts: Floats) -> Floats:
    """Return the contribution of an arm without votes to the evidence, by Laplace's method as for the others."""
    from scipy.special import betaln

    added: Floats = -2.0 * ghosts * math.log(2.0) - betaln(ghosts, ghosts) - np.log(ghosts / 2.0) / 2.0
    return added


def _fitted(won: Floats, prior: Floats, ghosts: Floats, close: float, start: Floats | None = None) -> Strengths:
    """Return the posterior at the points of the grid with these priors and ghosts, both of shape (points,).

    ``close`` and ``start``: see ``most_likely``.
    """
    votes = won + won.T
    worth = _vote_worth(prior[:, None, None], votes)
    mean = most_likely(worth * won, ghosts, start, close)
    root = np.linalg.cholesky(curvature(mean, worth * votes, ghosts))
    # scipy's solve_triangular starts threads, which takes a hundred times as long if the cores are busy.
    spread: Floats = np.linalg.inv(root)
    evidence = _log_density_of_wins(won, prior, ghosts, mean)
    evidence -= np.log(root.diagonal(axis1=-2, axis2=-1)).sum(axis=-1)
    return Strengths(prior, ghosts, mean.round(_DIGITS), spread.round(_DIGITS), evidence)


def _vote_worth(s: Floats, votes: Floats) -> Floats:
    """Return how many independent votes one of ``votes`` on a pair is worth, given the strength s of its prior."""
    with np.errstate(invalid="ignore"):
        worth: Floats = np.where(np.isinf(s), 1.0, np.minimum(1.0, (s + 1.0) / (s + votes)))
    return worth


def _log_density_of_wins(won: Floats, prior: Floats, ghosts: Floats, g: Floats) -> Floats:
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


_CLOSE = 1e-6
"""The largest step, in log-odds, at which strengths are fitted."""


class _Votes(NamedTuple):
    """The votes on V arms, and the pairs with votes: first and second arms, wins, losses and ties, (pairs,)."""

    arms: int
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    wins: Floats
    losses: Floats
    ties: Floats


@lru_cache(maxsize=8)
def tie_grid(wins: bytes, ties: bytes, arms: int, strength: float | None, quick: bool = False) -> Grid:
    """Return the points of the grid for votes of which some are ties; ``strength`` is that of both priors, if given.

    ``quick``: a small grid.
    """
    won, tied = (np.frombuffer(table).reshape(arms, arms) for table in (wins, ties))
    decisive = strength_grid(wins, arms, strength, (won + tied).tobytes(), quick)
    points, voted = decisive.points, decisive.arms
    probability = np.diff(decisive.cumulative, prepend=0.0)
    likely = np.flatnonzero(probability > _UNLIKELY * probability.max())
    tie_strengths = _grid_of(arms, quick)[0] if strength is None else (strength,)
    base, r = np.repeat(likely, len(tie_strengths)), np.tile(tie_strengths, len(likely))
    first, second = np.nonzero(np.triu(won + won.T + tied, 1)[np.ix_(voted, voted)])
    i, j = voted[first], voted[second]
    votes = _Votes(len(voted), first, second, won[i, j], won[j, i], tied[i, j])
    share = (tied.sum() / 2 + 1) / (won.sum() + tied.sum() / 2 + 2)
    start = np.column_stack([points.mean[base], np.full(len(base), math.log(2 * share / (1 - share)))])
    s, ghosts, most = points.prior[base], points.ghosts[base], max(1, ENTRIES // len(voted) ** 2)
    parts = [
        _fitted_with_ties(votes, s[k : k + most], r[k : k + most], ghosts[k : k + most], start[k : k + most])
        for k in range(0, len(base), most)
    ]
    mean, spread, evidence = map(np.concatenate, zip(*parts, strict=True))
    evidence = evidence + (arms - len(voted)) * _without_votes(ghosts)
    weight = np.exp(evidence - evidence.max())
    return Grid(
        Strengths(s, ghosts, mean, spread, evidence, r), voted, np.round(np.cumsum(weight / weight.sum()), _DIGITS)
    )


def tie_shares(margin: Floats, log_nu: float | Floats) -> Floats:
    """Return Davidson's tie share of arms whose log-strengths differ by ``margin``."""
    share: Floats = 1.0 / (1.0 + np.exp(np.logaddexp(margin / 2, -margin / 2) - log_nu))
    return share


class _Model(NamedTuple):
    """What depends on strengths and ln ν: shares of decisive votes and ties by pair, and the log-posterior by point."""

    q: Floats
    m: Floats
    value: Floats


def _fitted_with_ties(
    votes: _Votes, s: Floats, r: Floats, ghosts: Floats, start: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the mean, spread and evidence at points of the grid; all arguments have their first axis for points."""
    decisive = votes.wins + votes.losses
    worth, tie_worth = _vote_worth(s[:, None], decisive), _vote_worth(r[:, None], decisive + votes.ties)
    x, model = start.copy(), _model(votes, worth, tie_worth, ghosts, start)
    for _ in range(STEPS):
        slope, information = _derivatives(votes, worth, tie_worth, ghosts, x, model)
        step = np.linalg.solve(information, slope[..., None])[..., 0]
        moved = np.abs(step).max(axis=1)
        then = _model(votes, worth, tie_worth, ghosts, x + step)
        while (worse := (then.value < model.value) & (moved > _CLOSE)).any():
            step[worse] /= 2.0
            moved[worse] /= 2.0
            then = _model(votes, worth, tie_worth, ghosts, x + step)
        x, model = x + step, then
        if moved.max() <= _CLOSE:
            break
    root = np.linalg.cholesky(_derivatives(votes, worth, tie_worth, ghosts, x, model)[1])
    evidence = _log_density(votes, s, r, ghosts, x, model)
    evidence -= np.log(root.diagonal(axis1=-2, axis2=-1)).sum(axis=-1)
    return x.round(_DIGITS), np.linalg.inv(root).round(_DIGITS), evidence


def _model(votes: _Votes, worth: Floats, tie_worth: Floats, ghosts: Floats, x: Floats) -> _Model:
    z, log_nu, decisive = x[:, votes.first] - x[:, votes.second], x[:, -1:], votes.wins + votes.losses
    q, losing = _sigmoid(z)
    against = losing + z / 2 - log_nu  # log-odds of a decisive vote: of 2 cosh(z/2) against ν
    share, tying = _sigmoid(-against)
    surprise = worth * (votes.wins * losing + votes.losses * (losing + z))
    surprise += tie_worth * (votes.ties * tying + decisive * (tying - against))
    value = log_prior(x[:, :-1], ghosts) + _log_prior_of_ties(x[:, -1]) - surprise.sum(axis=1)
    return _Model(q, share, value)


def _sigmoid(z: Floats) -> tuple[Floats, Floats]:
    """Return σ(z) and −ln σ(z): faster than from ``logaddexp``."""
    small = np.exp(-np.abs(z))
    return np.where(z > 0, 1.0, small) / (1.0 + small), np.log1p(small) - np.minimum(z, 0.0)


def _log_prior_of_ties(log_nu: Floats) -> Floats:
    """Return the log-density of ln ν where the tie share of equal arms is uniform."""
    odds = log_nu - math.log(2.0)
    density: Floats = -np.logaddexp(0.0, odds) - np.logaddexp(0.0, -odds)
    return density


def _derivatives(
    votes: _Votes, worth: Floats, tie_worth: Floats, ghosts: Floats, x: Floats, model: _Model
) -> tuple[Floats, Floats]:
    """Return the (points, V + 1) slope of the log-posterior, and the expected information."""
    V, first, second, (q, m, _) = votes.arms, votes.first, votes.second, model
    decisive, lead = votes.wins + votes.losses, model.q - 0.5
    excess = tie_worth * (votes.ties - (decisive + votes.ties) * m)
    sharp = tie_worth * (decisive + votes.ties) * m * (1.0 - m)
    ghost, equal = 1.0 / (1.0 + np.exp(-x[:, :V])), 1.0 / (1.0 + np.exp(math.log(2.0) - x[:, -1]))
    slope, information = np.empty(x.shape), np.zeros((len(x), V + 1, V + 1))
    slope[:, :V] = _by_arm(votes, worth * (votes.wins - decisive * q) - excess * lead)
    slope[:, :V] += ghosts[:, None] * (1.0 - 2.0 * ghost)
    slope[:, V] = excess.sum(axis=1) + 1.0 - 2.0 * equal
    weight = worth * decisive * q * (1.0 - q) + sharp * lead**2
    information[:, first, second] = information[:, second, first] = -weight
    own = -information.sum(axis=2)
    own[:, :V] += 2.0 * ghosts[:, None] * ghost * (1.0 - ghost)
    own[:, V] = sharp.sum(axis=1) + 2.0 * equal * (1.0 - equal)
    information[:, range(V + 1), range(V + 1)] = own
    information[:, V, :V] = information[:, :V, V] = -_by_arm(votes, sharp * lead)
    return slope, information


def _by_arm(votes: _Votes, of_pairs: Floats) -> Floats:
    """Return sums over the pairs of each arm, minus where it is second, shape (points, V)."""
    table = np.zeros((len(of_pairs), votes.arms, votes.arms))
    table[:, votes.first, votes.second] = of_pairs
    sums: Floats = table.sum(axis=2) - table.sum(axis=1)
    return sums


def _log_density(votes: _Votes, s: Floats, r: Floats, ghosts: Floats, x: Floats, model: _Model) -> Floats:
    """Return the log-probability of wins, ties, strengths and ln ν together, given the priors, by point."""
    from scipy.special import betaln

    won = np.zeros((votes.arms, votes.arms))
    won[votes.first, votes.second], won[votes.second, votes.first] = votes.wins, votes.losses
    density = _log_density_of_wins(won, s, ghosts, x[:, :-1]) + _log_prior_of_ties(x[:, -1])
    decisive, m, some = votes.wins + votes.losses, model.m, np.isfinite(r)
    ties = votes.ties * np.log(m) + decisive * np.log1p(-m)
    a, b = r[some, None] * m[some], r[some, None] * (1.0 - m[some])
    ties[some] = betaln(a + votes.ties, b + decisive) - betaln(a, b)
    total: Floats = density + ties.sum(axis=1)
    return total
