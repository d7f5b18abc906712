"""The robust covariance of strengths, the effect of the order, and votes that depend on each other.

The covariance is the sandwich estimate from the scores of clusters: votes of one group or judge, else single votes. For
two arms it is the trinomial variance of independent games with draws, and the pentanomial one of pairs of games.

If an arm wins nearly always, or few clusters agree, scores do not scatter, and the estimate is too small. So the scores
of an arm scatter at least as much as the model says, or as those of the ghost's votes on it (the prior of ``scores``),
if that is less. In clusters both are larger by the design effect: how much more the scores scatter than the model says.

References
----------
Cameron & Miller, A practitioner's guide to cluster-robust inference, Journal of Human Resources 2015: few clusters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from duelbench.arrays import Floats, Ints
from duelbench.preferences.counts import PairCounts
from duelbench.votes.vote_graph import fit, groups, information, root_of
from duelbench.votes.vote_table import FEWEST_CLUSTERS, VoteTable

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Clusters = Literal["none", "groups", "judges"]
_FITTED = 1e-8
"""The largest step of a parameter that ends Newton's method."""
_STEPS = 200
_ENTRIES = 2_000_000
"""Of a dense table of scores that is computed at once."""


@dataclass(frozen=True, eq=False)
class Clustered:
    """The votes of a table in clusters: those of one group or of one judge, or each on its own.

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
        return int(self.cluster.max(initial=-1)) + 1

    def independent(self, voted: Floats) -> Floats:
        """Return how many independent votes the votes on each arm amount to, at most as many as there are (Kish)."""
        squares = (self._sums(self.size, self.size) ** 2).sum(axis=0)
        return np.minimum(voted, voted**2 / np.where(squares > 0, squares, 1.0))

    def root(self, strengths: Floats, weights: Floats, bread: Floats, dimension: int, ghosts: float) -> Floats:
        """Return a factor of the covariance of log-strengths, shape (K, K).

        ``weights`` are the information of the votes on each pair in the model, and ``bread`` is a factor of the inverse
        of their Laplacian, of rank ``dimension``.
        """
        scores = self._scores(strengths)
        scatter, own = _squares(scores, bread), (scores**2).sum(axis=0)
        effect = max(1.0, float(scatter.trace()) / max(dimension, 1))
        expected, win = weights.sum(axis=1), 1.0 / (1.0 + np.exp(-strengths))
        least = np.minimum(effect * expected, ghosts * effect**2 * (win**2 + (1.0 - win) ** 2))
        lacking = np.maximum(least - own, 0.0) / np.where(expected > 0, expected, 1.0)
        more = weights * np.maximum(lacking[:, None], lacking)
        scatter += bread.T @ (np.diag(more.sum(axis=1)) - more) @ bread
        values, vectors = np.linalg.eigh(scatter)
        root: Floats = bread @ (vectors * np.sqrt(np.maximum(values, 0.0)))
        return root

    def design_effect(self, strengths: Floats, bread: Floats, dimension: int) -> float:
        """Return the factor by which scores scatter more than the model says."""
        return float(_squares(self._scores(strengths), bread).trace()) / max(dimension, 1)

    def _scores(self, strengths: Floats) -> csr_array:
        """Return the slope of the log-likelihood of each cluster, shape (clusters, K)."""
        first, second = self.votes.first, self.votes.second
        expected = 1.0 / (1.0 + np.exp(strengths[second] - strengths[first]))
        score = self.size * ((self.votes.outcome + 1) / 2 - expected)
        return self._sums(score, -score)

    def _sums(self, of_first: Floats, of_second: Floats) -> csr_array:
        """Return the sums over clusters of numbers of both arms of each row, shape (clusters, K)."""
        from scipy.sparse import csr_array

        places = np.tile(self.cluster, 2), np.concatenate([self.votes.first, self.votes.second])
        shape = self.number, len(self.votes.names)
        return csr_array((np.concatenate([of_first, of_second]), places), shape=shape)


def _squares(scores: csr_array, bread: Floats) -> Floats:
    """Return the scatter of scores in the coordinates of ``bread``: the identity if the model is right."""
    total, most = np.zeros((bread.shape[1],) * 2), max(1, _ENTRIES // len(bread))
    for begin in range(0, scores.shape[0], most):
        rows = scores[begin : begin + most] @ bread
        total += rows.T @ rows
    return total


def one_by_one(counts: PairCounts) -> VoteTable:
    """Return a row for all votes on a pair with one outcome, without judges or groups."""
    won, tied = np.argwhere(counts.wins > 0), np.argwhere(np.triu(counts.ties) > 0)
    first, second = np.concatenate([won, tied]).T
    weight = np.concatenate([counts.wins[tuple(won.T)], counts.ties[tuple(tied.T)]])
    rows = np.arange(len(first))
    return VoteTable(counts.names, first, second, (rows < len(won)).astype(np.int64), weight, rows * 0 - 1, rows)


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
    effect = cluster.design_effect(strengths, root_of(information(strengths, won + won.T)), freedom)
    return max(1.0, round(max(1.0, effect) * cluster.number / (cluster.number - freedom), 2))


def independent(counts: PairCounts, effect: float) -> PairCounts:
    """Return the independent votes that dependent ones with this design effect amount to."""
    return PairCounts(counts.names, counts.wins / effect, counts.ties / effect)


def in_groups(votes: VoteTable) -> bool:
    """Return whether some votes come from the same group."""
    return len(np.unique(votes.group)) < len(votes)
