"""Bradley–Terry strengths of votes: the fit, its robust covariance, the effect of the order, and design effects.

We fit the posterior of ``preferences.scores``, but for numbers of votes that differ by any factor, such as 1e-6 votes
on one pair and 1e12 on another. The Fisher information of log-strengths is a graph Laplacian; the weight of an edge is
the information of the votes on its pair. We factor its inverse by eliminating one arm after the other, as in a Gaussian
Markov random field. Elimination adds and divides but never subtracts, so rounding errors of large weights do not hide
small ones. General solvers do not know the row sums exactly, and fail from a ratio of about 1e12.

The covariance is the cluster-robust (sandwich) estimate; clusters are the votes of one group or judge, or single votes.
For two arms, it is the trinomial variance of independent games with draws, and the pentanomial variance of pairs of
games. If an arm wins nearly always, or few clusters agree, scores do not scatter, and the estimate is too small. So we
bound the scatter of an arm's scores from below by the smaller of two values: the scatter under the model, and the
scatter of the prior votes on the arm. For clusters we enlarge both by the design effect, the ratio of the observed
scatter to the scatter under the model.

References
----------
Cameron & Miller, A practitioner's guide to cluster-robust inference, Journal of Human Resources 2015: few clusters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from duelbench.arrays import Floats, Ints
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.scores import FITTED
from duelbench.votes.vote_table import FEWEST_CLUSTERS, VoteTable


def groups(votes: NDArray[np.float64]) -> list[list[int]]:
    """Return the groups of arms that votes connect, the largest first, each in increasing order.

    ``votes[i, j]`` is the number of votes on i and j, shape (K, K), symmetric. Two arms in different groups cannot be
    compared, neither directly nor through other arms.
    """
    return _parts(votes > 0, "weak")


def unbeaten_groups(wins: NDArray[np.float64]) -> list[list[int]]:
    """Return the strongly connected groups of arms, the largest first: within one, each beat each, perhaps indirectly.

    ``wins[i, j]`` is the number of wins of i against j, shape (K, K). If there are several groups, some arms have won
    all or none of their votes against the others. The likelihood of a Bradley–Terry model then has no maximum (Ford,
    American Mathematical Monthly 1957): the votes do not determine the distance between the groups.
    """
    return _parts(wins > 0, "strong")


def _parts(edges: NDArray[np.bool_], connection: str) -> list[list[int]]:
    count, part = connected_components(csr_array(edges), connection=connection)
    parts = [np.flatnonzero(part == each).tolist() for each in range(count)]
    return sorted(parts, key=lambda arms: (-len(arms), arms))


_STEPS = 1_000


def root_of(weights: Floats) -> Floats:
    """Return R of shape (K, K) such that R Rᵀ is the inverse of a Laplacian, i.e. a covariance.

    ``weights`` are those of the edges, shape (K, K), symmetric. The last vertex of each component has the value 0.
    """
    left, shares, root = weights.copy(), np.zeros_like(weights), np.zeros_like(weights)
    for each in range(len(left) - 1):
        later = left[each, each + 1 :]
        if (total := later.sum()) > 0:
            shares[each, each + 1 :] = later / total
            root[each, each] = 1.0 / math.sqrt(total)
            left[each + 1 :, each + 1 :] += later[:, None] * shares[each, each + 1 :]
    for each in range(len(left) - 2, -1, -1):
        root[each] += shares[each, each + 1 :] @ root[each + 1 :]
    return root


def information(strengths: Floats, met: Floats) -> Floats:
    """Return the Fisher information of the votes on each pair about its log-odds, shape (K, K)."""
    odds = np.exp(-np.abs(strengths[:, None] - strengths[None, :]))
    weights: Floats = met * odds / (1.0 + odds) ** 2
    return weights


def posterior_root(strengths: Floats, met: Floats, prior_votes: float) -> Floats:
    """Return a factor of the posterior covariance of log-strengths, given ``met`` votes on each pair."""
    K = len(met)
    votes = np.pad(met, (0, 1))
    votes[K, :K] = votes[:K, K] = 2.0 * prior_votes
    return root_of(information(np.append(strengths, 0.0), votes))[:K, :K]


def slope(strengths: Floats, won: Floats, prior_votes: float) -> Floats:
    """Return the derivative of the log-posterior, shape (K,)."""
    lost = 1.0 / (1.0 + np.exp(strengths[:, None] - strengths[None, :]))  # the probability that i loses against j
    surprise = won * lost
    result: Floats = (surprise - surprise.T).sum(axis=1) - prior_votes * np.tanh(strengths / 2.0)
    return result


def fit(won: Floats, prior_votes: float = 1.0) -> Floats:
    """Return the (K,) log-strengths that maximise the posterior of ``scores.most_likely``.

    We damp Newton's steps by ``ln(1 + d) / d``, where d is the largest change of a difference of log-strengths. Such a
    step raises the log-posterior, whatever its rounding (Sun & Tran-Dinh, Mathematical Programming 2019).
    """
    strengths, met = np.zeros(len(won)), won + won.T
    for _ in range(_STEPS):
        root = posterior_root(strengths, met, prior_votes)
        step = root @ (root.T @ slope(strengths, won, prior_votes))
        change = max(step.max(), 0.0) - min(step.min(), 0.0)
        if change < FITTED:
            return strengths + step
        strengths = strengths + step * (math.log1p(change) / change)
    return strengths


Clusters = Literal["none", "groups", "judges"]
_FITTED = 1e-8
"""Newton's method ends when no parameter changes by more than this."""
_MOST_STEPS = 200
_ENTRIES = 2_000_000
"""The largest number of entries of a dense block of scores."""


@dataclass(frozen=True, eq=False)
class Clustered:
    """The votes of a table in clusters: those of a group, those of a judge, or single votes.

    Attributes
    ----------
    votes : VoteTable
        The votes.
    cluster : ndarray of int, shape (n,)
        The cluster of each row, from 0. A vote of an unknown judge is a cluster of its own.
    size : ndarray of float, shape (n,)
        The factor of each row's score, 0 for a tie that is left out. It is the row's weight or, for a row that is a
        cluster of its own, its square root: the row then stands for ``weight`` independent votes.
    """

    votes: VoteTable
    cluster: Ints
    size: Floats

    @classmethod
    def of(cls, votes: VoteTable, clusters: Clusters, ties: Literal["drop", "half"]) -> Clustered:
        """Assign the votes to clusters; with "none", each row is a cluster."""
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
        """Return Kish's effective number of votes on each arm, at most their number ``voted``."""
        squares = (self._sums(self.size, self.size) ** 2).sum(axis=0)
        return np.minimum(voted, voted**2 / np.where(squares > 0, squares, 1.0))

    def root(self, strengths: Floats, weights: Floats, bread: Floats, dimension: int, prior_votes: float) -> Floats:
        """Return a factor of the covariance of log-strengths, shape (K, K).

        ``weights`` are the information of the votes on each pair in the model, and ``bread`` is a factor of the inverse
        of their Laplacian, of rank ``dimension``.
        """
        scores = self._scores(strengths)
        scatter, own = _squares(scores, bread), (scores**2).sum(axis=0)
        effect = max(1.0, float(scatter.trace()) / max(dimension, 1))
        expected, win = weights.sum(axis=1), 1.0 / (1.0 + np.exp(-strengths))
        least = np.minimum(effect * expected, prior_votes * effect**2 * (win**2 + (1.0 - win) ** 2))
        lacking = np.maximum(least - own, 0.0) / np.where(expected > 0, expected, 1.0)
        more = weights * np.maximum(lacking[:, None], lacking)
        scatter += bread.T @ (np.diag(more.sum(axis=1)) - more) @ bread
        values, vectors = np.linalg.eigh(scatter)
        root: Floats = bread @ (vectors * np.sqrt(np.maximum(values, 0.0)))
        return root

    def design_effect(self, strengths: Floats, bread: Floats, dimension: int) -> float:
        """Return the ratio of the observed scatter of scores to the scatter under the model."""
        return float(_squares(self._scores(strengths), bread).trace()) / max(dimension, 1)

    def _scores(self, strengths: Floats) -> csr_array:
        """Return the score of each cluster, i.e. the gradient of its log-likelihood, shape (clusters, K)."""
        first, second = self.votes.first, self.votes.second
        expected = 1.0 / (1.0 + np.exp(strengths[second] - strengths[first]))
        score = self.size * ((self.votes.outcome + 1) / 2 - expected)
        return self._sums(score, -score)

    def _sums(self, of_first: Floats, of_second: Floats) -> csr_array:
        """Sum the values of both arms of each row by cluster and arm, shape (clusters, K)."""
        places = np.tile(self.cluster, 2), np.concatenate([self.votes.first, self.votes.second])
        shape = self.number, len(self.votes.names)
        return csr_array((np.concatenate([of_first, of_second]), places), shape=shape)


def _squares(scores: csr_array, bread: Floats) -> Floats:
    """Return the scatter of scores in the coordinates of ``bread``; its expectation under the model is the identity."""
    total, most = np.zeros((bread.shape[1],) * 2), max(1, _ENTRIES // len(bread))
    for begin in range(0, scores.shape[0], most):
        rows = scores[begin : begin + most] @ bread
        total += rows.T @ rows
    return total


def order_effect(
    votes: VoteTable, ties: Literal["drop", "half"] = "drop", clusters: Clusters = "none"
) -> tuple[float, float]:
    """Return the gain in log-odds of the arm shown first in a Bradley–Terry model, and its standard error.

    The prior is one win and one loss of the arm shown first against an equal arm, so that the effect is finite even if
    one side always wins.

    Parameters
    ----------
    votes : VoteTable
        The votes, with known order.
    ties : {"drop", "half"}
        Leave ties out, or count each as half a win for both arms.
    clusters : {"none", "groups", "judges"}
        The votes that are not independent of each other.
    """
    K = len(votes.names)
    won = np.zeros((K, K))  # wins and losses of the arm shown first
    lost = np.zeros((K, K))
    counts = np.where(votes.outcome == 0, 0.5 * (ties == "half"), 1.0) * votes.weight
    np.add.at(won, (votes.first, votes.second), counts * (votes.outcome >= 0))
    np.add.at(lost, (votes.first, votes.second), counts * (votes.outcome <= 0))
    x = np.zeros(K + 1)  # strengths and the effect of the order
    for _ in range(_MOST_STEPS):
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
    return effect, math.sqrt(variance + float((prior**2).sum()))


def _slope_and_information(x: Floats, won: Floats, lost: Floats) -> tuple[Floats, Floats]:
    """Return the gradient and the negative Hessian of the log-posterior, shapes (K + 1,) and (K + 1, K + 1)."""
    strengths, effect = x[:-1], x[-1]
    p = 1.0 / (1.0 + np.exp(strengths[None, :] - strengths[:, None] - effect))
    first = 1.0 / (1.0 + math.exp(-effect))
    score, weight, prior = won - (won + lost) * p, (won + lost) * p * (1.0 - p), np.tanh(strengths / 2.0)
    slope = np.append(score.sum(axis=1) - score.sum(axis=0) - prior, score.sum() + 1.0 - 2.0 * first)
    met, lead = weight + weight.T, weight.sum(axis=1) - weight.sum(axis=0)
    information = np.block([[np.diag(met.sum(axis=1) + (1.0 - prior**2) / 2.0) - met, lead[:, None]], [lead, 0.0]])
    information[-1, -1] = weight.sum() + 2.0 * first * (1.0 - first)
    return slope, information


def design_effect(votes: VoteTable) -> float:
    """Return the design effect: how many votes of a group count as one independent vote; at least 1.

    It is the mean ratio of the variances of strengths with and without groups, or 1 if there are too few groups for
    ``rank``. We round it to two decimals, so that keys of runs are the same on all machines.
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
    """Divide the counts by the design effect: they become effective numbers of independent votes."""
    return PairCounts(counts.names, counts.wins / effect, counts.ties / effect)


def in_groups(votes: VoteTable) -> bool:
    """Return whether some votes come from the same group."""
    return len(np.unique(votes.group)) < len(votes)
