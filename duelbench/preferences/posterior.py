"""The posterior distribution of a preference matrix given votes.

The model is Bradley–Terry with a deviation of its own for each pair. Arms have log-strengths g with a weak prior
(``duelbench.preferences.bradley_terry``), ``q[i, j] = 1 / (1 + exp(g[j] − g[i]))``, and

    P[i, j] ~ Beta(s q[i, j], s q[j, i]),   wins[i, j] ~ Binomial(votes[i, j], P[i, j]).

The strength s of the prior is the number of votes on a pair that have the same weight as the information from all other
pairs: s = ∞ is Bradley–Terry alone, and with small s the pairs are nearly independent, as suits cyclic preferences.
Given g, the posterior of each pair is exactly the Beta distribution with the wins and losses added. So a matrix is
drawn in three steps:

1. Draw s, unless it is given, and the scale of the strengths from their posterior on a grid with a uniform prior. (A
   single wide prior on the strengths would overstate the differences between arms that are close.)
2. Draw g from the Laplace approximation, a normal distribution around the most likely strengths. (With g fixed there,
   pairs without votes would have almost no uncertainty.)
3. Draw P given g and s.

Given s, wins are overdispersed: they carry the information of ``votes (s + 1) / (s + votes)`` independent votes
(Williams, Extra-binomial variation in logistic linear models, Applied Statistics 1982, model II). The strengths are
fitted to this number of votes. The posterior of the first step uses Laplace's method (Tierney & Kadane, JASA 1986).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duelbench.arrays import Flags, Floats
from duelbench.preferences.bradley_terry import curvature, log_prior, most_likely
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import PreferenceMatrix

Notion = Literal["copeland", "condorcet", "borda"]

STRENGTHS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
"""The grid of strengths of the prior, if none is given."""
GHOSTS = (1.0, 2.0, 5.0, 10.0, 20.0)
"""The grid of scales of the strengths: the prior on log-strengths has standard deviations from 1.8 to 0.32."""
DIGITS = 9
"""Results of linear algebra are rounded to these decimals, so that no matrix depends on the LAPACK of a machine."""


ENTRIES = 100_000
"""Matrix entries that are computed at once, so that they fit into the processor's cache."""
MANY = 300
"""With more arms, linear algebra leaves out arms without votes, whose posterior is the prior."""
FAR, PER_UNIT = 30, 200
"""The side of 1/2 is tabulated for margins up to ``FAR`` log-odds, with ``PER_UNIT`` points per unit."""


class _Strengths(NamedTuple):
    """The posterior of the log-strengths of V arms at points of the grid.

    ``prior`` and ``ghosts``: the coordinates of the points, shape (points,). ``mean``: shape (points, V). ``spread``:
    the transposed roots of the covariances, shape (points, V, V). ``evidence``: the log-probability of the wins, up to
    a constant, shape (points,).
    """

    prior: Floats
    ghosts: Floats
    mean: Floats
    spread: Floats
    evidence: Floats


class _Grid(NamedTuple):
    """The points of the grid, the ``arms`` in them, and the ``cumulative`` probabilities of the points."""

    points: _Strengths
    arms: NDArray[np.intp]
    cumulative: Floats


@dataclass(frozen=True, eq=False)
class Posterior:
    """The posterior of a preference matrix given votes; a tie counts as half a win for both.

    ``strength``: that of the prior, in votes, above 0. Infinity is Bradley–Terry alone; with None it is learnt from the
    votes.
    """

    counts: PairCounts
    strength: float | None = None

    def __post_init__(self) -> None:
        if self.strength is not None and not self.strength > 0:
            raise ValueError(f"the strength of the prior must be a number above 0, not {self.strength}")

    def draw(self, rng: np.random.Generator) -> PreferenceMatrix:
        """Draw a preference matrix from the posterior."""
        (P,) = next(self.stacks(rng, 1))
        return PreferenceMatrix(P, source="a matrix drawn after the votes", names=self.counts.names)

    def stacks(self, rng: np.random.Generator, draws: int) -> Iterator[Floats]:
        """Yield ``draws`` preference matrices from the posterior, in stacks of shape (…, K, K).

        They are the same matrices that ``draw`` returns one by one.
        """
        K = self.counts.arms
        first, second = _pairs(K)
        wins, losses = self._won
        most = max(1, ENTRIES // K**2)
        for begin in range(0, draws, most):
            q = np.empty((min(most, draws - begin), len(first)))
            for each in q:
                g, prior = self._strengths(rng)
                each[:] = 1.0 / (1.0 + np.exp(g[second] - g[first]))
                if prior < math.inf:
                    each[:] = rng.beta(prior * each + wins, prior * (1.0 - each) + losses)
            P = np.full((len(q), K, K), 0.5)
            P[:, first, second], P[:, second, first] = q, 1.0 - q
            yield P

    def outcomes(self, rng: np.random.Generator, draws: int, part: Sequence[int]) -> Iterator[tuple[Flags, Floats]]:
        """Yield, for ``draws`` matrices, which pairs i < j of arms in ``part`` the first arm wins, and the row sums.

        The row sums include the 1/2 of an arm against itself. With many arms this is ten times as fast as ``stacks``:
        for a pair without votes only the side of 1/2 is drawn, and the contribution of these pairs to a row sum is
        drawn from a normal distribution, given the strengths. Each of the two results has the distribution that it has
        in a drawn matrix, but they are not drawn jointly.
        """
        arms = np.array(part)
        first, second = _pairs(len(arms))
        beyond = np.arange(len(arms))[::-1]  # pairs of each first arm
        won = self.counts.halved()[np.ix_(arms, arms)]
        wins, losses = won[first, second], won[second, first]
        seen = np.flatnonzero(wins + losses)
        i, j, wins, losses = first[seen], second[seen], wins[seen], losses[seen]
        for _ in range(draws):
            g, prior = self._strengths(rng)
            g = g[arms]
            near = g.astype(np.float32)
            margin = np.repeat(near, beyond) - near.take(second)
            place = (margin * np.float32(PER_UNIT) + np.float32(FAR * PER_UNIT + 0.5)).astype(np.intp)
            above = rng.random(len(first), dtype=np.float32) < _sides(prior).take(place, mode="clip")
            q = 1.0 / (1.0 + np.exp(g[j] - g[i]))
            p = rng.beta(prior * q + wins, prior * (1.0 - q) + losses)
            above[seen] = p > 0.5
            along = np.linspace(g.min(), g.max(), 64)
            shares = 1.0 / (1.0 + np.exp(g - along[:, None]))
            total = np.interp(g, along, shares.sum(axis=1))
            variance = np.interp(g, along, (shares * (1.0 - shares)).sum(axis=1)) - 0.25  # without itself
            for arm, more in ((i, p - q), (j, q - p)):
                total += np.bincount(arm, more, len(g))
                variance -= np.bincount(arm, q * (1.0 - q), len(g))
            yield above, total + np.sqrt(np.maximum(variance, 0.0) / (prior + 1.0)) * rng.standard_normal(len(g))

    def _strengths(self, rng: np.random.Generator) -> tuple[Floats, float]:
        """Draw the log-strengths of all arms, and the strength of the prior of the pairs."""
        (points, arms, _), cumulative = self._grid, self._cumulative
        chosen = min(bisect_right(cumulative, rng.random()), len(cumulative) - 1)
        g = rng.standard_normal(self.counts.arms)
        if len(arms) == len(g):
            return points.mean[chosen] + points.spread[chosen].T @ g, float(points.prior[chosen])
        drawn = points.mean[chosen] + points.spread[chosen].T @ g[arms]
        g *= math.sqrt(2.0 / points.ghosts[chosen])
        g[arms] = drawn
        return g, float(points.prior[chosen])

    def chances(self, rng: np.random.Generator, draws: int = 1000, notion: Notion = "copeland") -> Floats:
        """Return the posterior probability that each arm is a best one, shape (K,), from ``draws`` matrices.

        The best are the Copeland winners, so that the probabilities add up to more than 1 where several may be; the
        Condorcet winner, so that they add up to the probability that there is one; or the Borda winners.
        """
        best = np.zeros(self.counts.arms)
        for P in self.stacks(rng, draws):
            best += best_arms(P, notion).sum(axis=0)
        return best / draws

    @cached_property
    def _won(self) -> tuple[Floats, Floats]:
        """Return the wins of the first and of the second arm of each pair."""
        won, (first, second) = self.counts.halved(), _pairs(self.counts.arms)
        return won[first, second], won[second, first]

    @cached_property
    def _cumulative(self) -> list[float]:
        cumulative: list[float] = self._grid.cumulative.tolist()
        return cumulative

    @cached_property
    def _grid(self) -> _Grid:
        return _grid(self.counts.halved().tobytes(), self.counts.arms, self.strength)


@lru_cache(maxsize=8)
def _grid(wins: bytes, arms: int, strength: float | None) -> _Grid:
    """Return the points of the grid; cached, since all tasks of a worker have the same votes."""
    won = np.frombuffer(wins).reshape(arms, arms)
    strengths = STRENGTHS if strength is None else (strength,)
    prior, ghosts = np.repeat(strengths, len(GHOSTS)), np.tile(GHOSTS, len(strengths))
    voted = np.flatnonzero((won + won.T).any(axis=0)) if arms > MANY else np.arange(arms)
    if not len(voted):
        voted = np.arange(1)
    among, most = won[np.ix_(voted, voted)], max(1, ENTRIES // len(voted) ** 2)
    parts = [_fitted(among, prior[k : k + most], ghosts[k : k + most]) for k in range(0, len(prior), most)]
    points = _Strengths(*map(np.concatenate, zip(*parts, strict=True)))
    evidence = points.evidence + (arms - len(voted)) * _without_votes(ghosts)
    weight = np.exp(evidence - evidence.max())
    return _Grid(points, voted, np.round(np.cumsum(weight / weight.sum()), DIGITS))


def _without_votes(ghosts: Floats) -> Floats:
    """Return the contribution of an arm without votes to the evidence, by Laplace's method as for the others."""
    from scipy.special import betaln

    added: Floats = -2.0 * ghosts * math.log(2.0) - betaln(ghosts, ghosts) - np.log(ghosts / 2.0) / 2.0
    return added


def _fitted(won: Floats, prior: Floats, ghosts: Floats) -> _Strengths:
    """Return the posterior at the points of the grid with these priors and ghosts, both of shape (points,)."""
    votes, s = won + won.T, prior[:, None, None]
    with np.errstate(invalid="ignore"):
        worth = np.where(np.isinf(s), 1.0, np.minimum(1.0, (s + 1.0) / (s + votes)))
    mean = most_likely(worth * won, ghosts)
    root = np.linalg.cholesky(curvature(mean, worth * votes, ghosts))
    # scipy's solve_triangular starts threads, which takes a hundred times as long if the cores are busy.
    spread: Floats = np.linalg.inv(root)
    evidence = _log_density(won, prior, ghosts, mean)
    evidence -= np.log(root.diagonal(axis1=-2, axis2=-1)).sum(axis=-1)
    return _Strengths(prior, ghosts, mean.round(DIGITS), spread.round(DIGITS), evidence)


def _log_density(won: Floats, prior: Floats, ghosts: Floats, g: Floats) -> Floats:
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


@lru_cache(maxsize=8)
def _pairs(arms: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    return np.triu_indices(arms, 1)


@lru_cache(maxsize=32)
def _sides(prior: float) -> NDArray[np.float32]:
    """Return a table of the probability that a pair without votes is above 1/2, by margin; see ``PER_UNIT``."""
    from scipy.special import betainc

    q = 1.0 / (1.0 + np.exp(-np.arange(-FAR * PER_UNIT, FAR * PER_UNIT + 1) / PER_UNIT))
    table: NDArray[np.float32] = betainc(prior * (1.0 - q), prior * q, 0.5).astype(np.float32)
    return table


def best_arms(P: Floats, notion: Notion) -> Flags:
    """Return which arms of (…, K, K) preference matrices are best, shape (…, K)."""
    return best_by(P.sum(axis=-1) if notion == "borda" else np.count_nonzero(P > 0.5, axis=-1), notion)


def best_by(score: NDArray[Any], notion: Notion) -> Flags:
    """Return which arms are best by their (…, K) scores: row sums for ``borda``, else the number of arms they beat."""
    most = score.shape[-1] - 1 if notion == "condorcet" else score.max(axis=-1, keepdims=True)
    best: Flags = score == most
    return best
