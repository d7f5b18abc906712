"""What votes leave open: preference matrices drawn from what is known of one after them.

The model is Bradley–Terry with a deviation of its own for each pair. Arms have log-strengths g with a weak prior
(``duelbench.preferences.bradley_terry``), ``q[i, j] = 1 / (1 + exp(g[j] − g[i]))``, and

    P[i, j] ~ Beta(s q[i, j], s q[j, i]),   wins[i, j] ~ Binomial(votes[i, j], P[i, j]).

The strength s of the prior is the number of votes on a pair that outweigh what the other pairs say of it: s = ∞ is
Bradley–Terry alone, and with small s pairs say nothing of each other, as where preferences are cyclic. Given g, the
posterior of each pair is the Beta distribution with the wins added, exactly. So a matrix is drawn in three steps:

1. s, unless it is given, and how far strengths differ at all, from their posterior on a grid, of which each point is as
   likely before the votes as any other: a wide prior on strengths alone promises too much of arms that are close;
2. g given these from the Laplace approximation, a normal distribution around the most likely strengths: were g
   fixed there, pairs that nobody has voted on would be as good as known;
3. P given g and s.

Given s, wins are overdispersed: their variance is that of ``votes (s + 1) / (s + votes)`` independent votes (Williams,
Extra-binomial variation in logistic linear models, Applied Statistics 1982, model II). The strengths are fitted to that
many. The posterior of the first step is by Laplace's method (Tierney & Kadane, JASA 1986).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duelbench.preferences.bradley_terry import curvature, log_prior, most_likely
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import PreferenceMatrix

Floats = NDArray[np.float64]
Notion = Literal["copeland", "condorcet", "borda"]

STRENGTHS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
"""The grid of strengths where none is given."""
GHOSTS = (1.0, 2.0, 5.0, 10.0, 20.0)
"""The grid of how far arms differ: the prior on log-strengths has standard deviations from 1.8 to 0.32."""
DIGITS = 9
"""Decimals of what linear algebra gives, so that the last bits of a machine's LAPACK change no matrix."""


ENTRIES = 100_000
"""Entries of matrices that are computed at once, so that they fit into a processor's cache."""


class _Strengths(NamedTuple):
    """The log-strengths given points of the grid.

    ``prior``: the strengths there, shape (points,). ``mean`` (points, K), and ``spread`` (points, K, K), the transposed
    roots of the covariances. ``evidence``: the log-probability of the wins, up to a constant, shape (points,).
    """

    prior: Floats
    mean: Floats
    spread: Floats
    evidence: Floats


class _Grid(NamedTuple):
    """The points of the grid, and the ``cumulative`` probability of them after the votes."""

    points: _Strengths
    cumulative: Floats


@dataclass(frozen=True, eq=False)
class Posterior:
    """What is known of the preference matrix after votes; a tie counts as half a win for both.

    ``strength`` of the prior, in votes, is above 0; infinity is Bradley–Terry alone, None learns it from the votes.
    """

    counts: PairCounts
    strength: float | None = None

    def __post_init__(self) -> None:
        if self.strength is not None and not self.strength > 0:
            raise ValueError(f"the strength of the prior is a number above 0, not {self.strength}")

    def draw(self, rng: np.random.Generator) -> PreferenceMatrix:
        """Return a preference matrix as likely as it is after the votes."""
        (P,) = next(self.stacks(rng, 1))
        return PreferenceMatrix(P, source="a matrix drawn after the votes", names=self.counts.names)

    def stacks(self, rng: np.random.Generator, draws: int) -> Iterator[Floats]:
        """Yield so many preference matrices, each as likely as it is after the votes, in stacks of shape (…, K, K).

        They are those that ``draw`` returns one by one.
        """
        K = self.counts.arms
        first, second = _pairs(K)
        wins, losses = self._won
        points, cumulative = self._grid.points, self._grid.cumulative.tolist()
        priors, last = points.prior.tolist(), len(cumulative) - 1
        most = max(1, ENTRIES // K**2)
        for begin in range(0, draws, most):
            q = np.empty((min(most, draws - begin), len(first)))
            for each in q:
                chosen = min(bisect_right(cumulative, rng.random()), last)
                g = points.mean[chosen] + points.spread[chosen].T @ rng.standard_normal(K)
                each[:] = 1.0 / (1.0 + np.exp(g[second] - g[first]))
                prior = priors[chosen]
                if prior < math.inf:
                    each[:] = rng.beta(prior * each + wins, prior * (1.0 - each) + losses)
            P = np.full((len(q), K, K), 0.5)
            P[:, first, second], P[:, second, first] = q, 1.0 - q
            yield P

    def chances(self, rng: np.random.Generator, draws: int = 1000, notion: Notion = "copeland") -> Floats:
        """Return the probability of each arm to be a best one, shape (K,), from so many matrices drawn.

        The best are the Copeland winners, so that the probabilities add up to more than 1 where several may be; the
        Condorcet winner, so that they add up to the probability that there is one; or the Borda winners.
        """
        best = np.zeros(self.counts.arms)
        for P in self.stacks(rng, draws):
            best += best_arms(P, notion).sum(axis=0)
        return best / draws

    @cached_property
    def _won(self) -> tuple[Floats, Floats]:
        """The wins of the first and of the second arm of each pair."""
        won, (first, second) = self.counts.halved(), _pairs(self.counts.arms)
        return won[first, second], won[second, first]

    @cached_property
    def _grid(self) -> _Grid:
        return _grid(self.counts.halved().tobytes(), self.counts.arms, self.strength)


@lru_cache(maxsize=8)
def _grid(wins: bytes, arms: int, strength: float | None) -> _Grid:
    """Return the points of the grid; kept, as a worker is given the same votes with each of its tasks."""
    won = np.frombuffer(wins).reshape(arms, arms)
    strengths = STRENGTHS if strength is None else (strength,)
    prior, ghosts = np.repeat(strengths, len(GHOSTS)), np.tile(GHOSTS, len(strengths))
    most = max(1, ENTRIES // arms**2)
    parts = [_fitted(won, prior[k : k + most], ghosts[k : k + most]) for k in range(0, len(prior), most)]
    points = _Strengths(*map(np.concatenate, zip(*parts, strict=True)))
    weight = np.exp(points.evidence - points.evidence.max())
    return _Grid(points, np.round(np.cumsum(weight / weight.sum()), DIGITS))


def _fitted(won: Floats, prior: Floats, ghosts: Floats) -> _Strengths:
    """Return the strengths at points of the grid that have these priors and ghosts, both of shape (points,)."""
    votes, s = won + won.T, prior[:, None, None]
    with np.errstate(invalid="ignore"):
        worth = np.where(np.isinf(s), 1.0, np.minimum(1.0, (s + 1.0) / (s + votes)))
    mean = most_likely(worth * won, ghosts)
    root = np.linalg.cholesky(curvature(mean, worth * votes, ghosts))
    # scipy's solve_triangular starts threads, which takes a hundred times as long where the cores are busy.
    spread: Floats = np.linalg.inv(root)
    evidence = _log_density(won, prior, ghosts, mean)
    evidence -= np.log(root.diagonal(axis1=-2, axis2=-1)).sum(axis=-1)
    return _Strengths(prior, mean.round(DIGITS), spread.round(DIGITS), evidence)


def _log_density(won: Floats, prior: Floats, ghosts: Floats, g: Floats) -> Floats:
    """Return, at points of the grid, the log-probability of the wins and of g together, given the priors."""
    from scipy.special import betaln

    first, second = np.nonzero(np.triu(won + won.T, 1))  # pairs without votes say nothing
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


def best_arms(P: Floats, notion: Notion) -> NDArray[np.bool_]:
    """Return which arms of (…, K, K) preference matrices are best, shape (…, K)."""
    if notion == "borda":
        score = P.sum(axis=-1)
        borda: NDArray[np.bool_] = score == score.max(axis=-1, keepdims=True)
        return borda
    wins = np.count_nonzero(P > 0.5, axis=-1)
    most = P.shape[-1] - 1 if notion == "condorcet" else wins.max(axis=-1, keepdims=True)
    best: NDArray[np.bool_] = wins == most
    return best
