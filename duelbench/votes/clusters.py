"""Votes that depend on each other: the covariance of strengths, and the effect of the order, after votes in clusters.

Of dependent votes the covariance is the sandwich estimate from the scores of clusters. If few clusters agree, their
scores do not scatter, and the estimate is too small. So the ghost's votes, the prior of ``scores``, count as
clusters too, whose size is the design effect: the factor by which the scores scatter more than those of independent
votes.

References
----------
Cameron & Miller, A practitioner's guide to cluster-robust inference, Journal of Human Resources 2015: few clusters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from duelbench.arrays import Floats, Ints
from duelbench.preferences.counts import PairCounts
from duelbench.votes.vote_graph import fit, groups, information, root_of
from duelbench.votes.vote_table import FEWEST_CLUSTERS, VoteTable

Clusters = Literal["none", "groups", "judges"]
_FITTED = 1e-8
"""The largest step of a parameter that ends Newton's method."""
_STEPS = 200


@dataclass(frozen=True, eq=False)
class Clustered:
    """The votes of a table in clusters: those of one group or of one judge.

    Attributes
    ----------
    votes : VoteTable
        The votes.
    cluster : ndarray of int, shape (n,)
        The cluster of each row, from 0. A vote of an unknown judge is a cluster of its own.
    size : ndarray of float, shape (n,)
        The weight of each row: 0 for a tie that is left out. A row in no cluster stands for ``weight`` independent
        votes, whose scores add up in squares; its size is the square root.
    """

    votes: VoteTable
    cluster: Ints
    size: Floats

    @classmethod
    def of(cls, votes: VoteTable, clusters: Clusters, ties: Literal["drop", "half"]) -> Clustered:
        """Return the votes in their clusters; with none, each row is one."""
        rows = np.arange(len(votes))
        judge = np.where(votes.judge >= 0, votes.judge, len(votes.judges) + rows)
        named = {"groups": votes.group, "judges": judge, "none": rows}[clusters]
        cluster = np.unique(named, return_inverse=True)[1].reshape(-1)
        alone = votes.judge < 0 if clusters == "judges" else np.bincount(cluster)[cluster] == 1
        size = np.where(alone, np.sqrt(votes.weight), votes.weight)
        if ties == "drop":
            size[votes.outcome == 0] = 0.0
        return cls(votes, cluster, size)

    @property
    def number(self) -> int:
        """The number of clusters."""
        return int(self.cluster.max()) + 1

    def independent(self, voted: Floats) -> Floats:
        """Return how many independent votes the votes on each arm amount to, at most as many as there are (Kish)."""
        squares = self._squares(self.size, self.size).diagonal()
        return np.minimum(voted, voted**2 / np.where(squares > 0, squares, 1.0))

    def root(self, strengths: Floats, bread: Floats, dimension: int, ghosts: float) -> Floats:
        """Return a factor of the covariance of log-strengths, shape (K, K).

        ``bread`` is a factor of their covariance if all votes were independent, of rank ``dimension``.
        """
        scatter, effect = self.scatter(strengths, bread, dimension)
        ghost = 1.0 / (1.0 + np.exp(-strengths))
        scatter += ghosts * effect**2 * np.diag(ghost**2 + (1.0 - ghost) ** 2)
        return bread @ bread.T @ square_root(scatter)

    def scatter(self, strengths: Floats, bread: Floats, dimension: int) -> tuple[Floats, float]:
        """Return the scatter of the scores of clusters, shape (K, K), and the design effect: at least 1."""
        first, second = self.votes.first, self.votes.second
        expected = 1.0 / (1.0 + np.exp(strengths[second] - strengths[first]))
        score = self.size * ((self.votes.outcome + 1) / 2 - expected)
        scatter = self._squares(score, -score)
        return scatter, max(1.0, float(((scatter @ bread) * bread).sum()) / max(dimension, 1))

    def _squares(self, of_first: Floats, of_second: Floats) -> Floats:
        """Return the sum over clusters of the squares of their sums, by arms, shape (K, K)."""
        from scipy.sparse import csr_array

        places = np.tile(self.cluster, 2), np.concatenate([self.votes.first, self.votes.second])
        shape = self.number, len(self.votes.names)
        by_cluster = csr_array((np.concatenate([of_first, of_second]), places), shape=shape)
        total: Floats = (by_cluster.T @ by_cluster).toarray()
        return total


def square_root(covariance: Floats) -> Floats:
    """Return a factor of a covariance, which may be singular."""
    values, vectors = np.linalg.eigh(covariance)
    root: Floats = vectors * np.sqrt(np.maximum(values, 0.0))
    return root


class Estimate(NamedTuple):
    """An estimate and its standard error."""

    value: float
    error: float


def order_effect(votes: VoteTable, ties: Literal["drop", "half"] = "drop", clusters: Clusters = "none") -> Estimate:
    """Return the log-odds that the arm shown first gains in a Bradley–Terry model, as White does, and its error.

    A prior of one win and one loss of the arm shown first, against an equal arm, keeps it finite if one side always
    wins.

    Parameters
    ----------
    votes : VoteTable
        The votes, whose order is known.
    ties : {"drop", "half"}
        Leave ties out, or count each as half a win for both arms.
    clusters : {"none", "groups", "judges"}
        The votes that are not independent of each other.
    """
    K = len(votes.names)
    won = np.zeros((K, K))  # by the arm shown first, and the other
    lost = np.zeros((K, K))
    counts = np.where(votes.outcome == 0, 0.5 * (ties == "half"), 1.0) * votes.weight
    np.add.at(won, (votes.first, votes.second), counts * (votes.outcome >= 0))
    np.add.at(lost, (votes.first, votes.second), counts * (votes.outcome <= 0))
    x = np.zeros(K + 1)  # strengths, and the effect
    for _ in range(_STEPS):
        slope, information = _slope_and_information(x, won, lost)
        step = np.linalg.solve(information, slope)
        size = np.abs(step).max()
        # Damped as in ``fit``: a margin changes by at most three times the largest change.
        x = x + step * (math.log1p(3.0 * size) / (3.0 * size) if size > _FITTED else 1.0)
        if size <= _FITTED:
            break
    covariance = np.linalg.inv(_slope_and_information(x, won, lost)[1])
    strengths, effect = x[:K], float(x[K])
    expected = 1.0 / (1.0 + np.exp(strengths[votes.second] - strengths[votes.first] - effect))
    clustered = Clustered.of(votes, clusters, ties)
    per_score = covariance[K, votes.first] - covariance[K, votes.second] + covariance[K, K]
    influence = clustered.size * ((votes.outcome + 1) / 2 - expected) * per_score
    variance = float((np.bincount(clustered.cluster, influence) ** 2).sum())
    prior = max(variance, covariance[K, K]) / (1.0 + np.exp([-effect, effect]))
    return Estimate(effect, math.sqrt(variance + float((prior**2).sum())))


def _slope_and_information(x: Floats, won: Floats, lost: Floats) -> tuple[Floats, Floats]:
    """Return the derivatives of the log-posterior of strengths and the effect, shapes (K + 1,) and (K + 1, K + 1)."""
    strengths, effect = x[:-1], x[-1]
    p = 1.0 / (1.0 + np.exp(strengths[None, :] - strengths[:, None] - effect))
    first = 1.0 / (1.0 + math.exp(-effect))
    score, weight, ghost = won - (won + lost) * p, (won + lost) * p * (1.0 - p), np.tanh(strengths / 2.0)
    slope = np.append(score.sum(axis=1) - score.sum(axis=0) - ghost, score.sum() + 1.0 - 2.0 * first)
    met, lead = weight + weight.T, weight.sum(axis=1) - weight.sum(axis=0)
    information = np.block([[np.diag(met.sum(axis=1) + (1.0 - ghost**2) / 2.0) - met, lead[:, None]], [lead, 0.0]])
    information[-1, -1] = weight.sum() + 2.0 * first * (1.0 - first)
    return slope, information


def design_effect(votes: VoteTable) -> float:
    """Return how many votes amount to an independent one, as those of a group depend on each other; at least 1.

    It is the mean ratio of the variances of strengths with groups and without; 1 where ``rank`` has too few groups.
    Two decimals are the same on all machines, as keys of runs must be.
    """
    arms = len(votes.names)
    if not in_groups(votes) or (cluster := Clustered.of(votes, "groups", "half")).number < FEWEST_CLUSTERS * arms:
        return 1.0
    won = votes.counts().halved()
    strengths, parts = fit(won, 1.0), groups(won + won.T)
    freedom = arms - len(parts)
    effect = cluster.scatter(strengths, root_of(information(strengths, won + won.T)), freedom)[1]
    return max(1.0, round(effect * cluster.number / (cluster.number - freedom), 2))


def independent(counts: PairCounts, effect: float) -> PairCounts:
    """Return the independent votes that dependent ones with this design effect amount to."""
    return PairCounts(counts.names, counts.wins / effect, counts.ties / effect)


def in_groups(votes: VoteTable) -> bool:
    """Return whether some votes come from the same group."""
    return len(np.unique(votes.group)) < len(votes)
