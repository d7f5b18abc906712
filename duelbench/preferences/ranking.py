"""Rankings of arms after votes: scores, rank intervals, tiers, and the ranks that the votes decide.

Scores are the log-strengths of a Bradley–Terry model. Arm i is *decided above* arm j where the difference of their
log-strengths exceeds its standard error c times, with c such that, with probability 95 %, no true order is
contradicted anywhere. The number of arms decided above an arm, and below it, bound its rank.

References
----------
Mogstad, Romano, Shaikh & Wilhelm, Inference for ranks with applications to mobility across neighbourhoods and academic
achievement across countries, Review of Economic Studies 2024: the marginal and the simultaneous intervals.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from duelbench.arrays import Flags, Floats, Ints
from duelbench.preferences.bradley_terry import curvature, most_likely
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.expected_wins import bootstrap_ranks, expected_wins
from duelbench.preferences.judges import JudgeFit
from duelbench.preferences.tournament import groups
from duelbench.preferences.votes import VoteTable

Intervals = Literal["simultaneous", "marginal", "bootstrap"]
Clusters = Literal["none", "groups", "judges"]

LEVEL = 0.95
DRAWS = 4_000
"""Normal draws of which the critical values are quantiles."""
ENTRIES = 50_000
"""Differences of draws that are computed at once, so that they fit into a processor's cache."""
FEWEST_CLUSTERS = 2
"""Clusters per arm below which their scatter does not estimate a covariance."""


class TooFewClusters(ValueError):
    """There are too few groups or judges to estimate a covariance."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """A ranking of K arms.

    Parameters
    ----------
    names : tuple of str
        The names of the arms; an arm is its place here, from 0.
    strengths : ndarray of float, shape (K,)
        Bradley–Terry log-strengths, with mean 0.
    covariance : ndarray of float, shape (K, K)
        Their covariance.
    errors : ndarray of float, shape (K,)
        Their standard errors; NaN for an arm without votes, or with ties alone where these are left out.
    expected_wins : ndarray of float, shape (K,)
        See ``expected_wins``.
    ranks : ndarray of int, shape (K, 2)
        The ends of the rank interval of each arm; 1 is the best rank.
    above : ndarray of bool, shape (K, K)
        Whether arm i is decided above arm j. With bootstrap intervals: whether the interval of i ends before that of j
        begins; otherwise by the simultaneous test, whatever the intervals.
    intervals : {"simultaneous", "marginal", "bootstrap"}
        The kind of the intervals. Simultaneous ones all contain the true ranks with probability ``level``, the others
        each.
    clusters : {"none", "groups", "judges"}
        The votes that are not independent of each other.
    number : int
        The number of clusters, or of votes without clusters.
    level : float
        The confidence level.
    """

    names: tuple[str, ...]
    strengths: Floats
    covariance: Floats
    errors: Floats
    expected_wins: Floats
    ranks: Ints
    above: Flags
    intervals: Intervals
    clusters: Clusters
    number: int
    level: float

    @property
    def arms(self) -> int:
        """The number of arms, K."""
        return len(self.names)

    @cached_property
    def order(self) -> Ints:
        """The arms, best first, shape (K,): by expected wins with bootstrap intervals, by log-strengths otherwise."""
        scores = self.expected_wins if self.intervals == "bootstrap" else self.strengths
        return np.argsort(-scores, kind="stable")

    @cached_property
    def decided_tops(self) -> tuple[int, ...]:
        """The numbers k < K such that each of the first k arms is decided above each later one."""
        in_order = self.above[np.ix_(self.order, self.order)]
        beaten = np.cumprod(in_order[:, ::-1], axis=1).sum(axis=1)  # the last so many arms are all below the arm
        first = np.maximum.accumulate(self.arms - beaten)
        return tuple(k for k in range(1, self.arms) if first[k - 1] <= k)

    @property
    def tiers(self) -> tuple[tuple[int, ...], ...]:
        """The finest groups of arms, best first, such that each arm is decided above all arms of later groups."""
        ends = [0, *self.decided_tops, self.arms]
        order = self.order.tolist()
        return tuple(tuple(order[low:high]) for low, high in pairwise(ends))

    @property
    def decided_ranks(self) -> tuple[int, ...]:
        """The ranks, in increasing order, whose arm is decided."""
        best, worst = _ranks(self.above, self.above.T).T
        return tuple(sorted(best[best == worst].tolist()))

    def decisions(self) -> dict[str, Any]:
        """Return the tiers, the rank intervals and what is decided, by name, as ``--json`` prints them."""
        return {
            "tiers": [[self.names[arm] for arm in tier] for tier in self.tiers],
            "intervals": {
                "kind": self.intervals,
                "level": self.level,
                "clusters": self.clusters,
                "number": self.number,
                "ranks": {name: ends.tolist() for name, ends in zip(self.names, self.ranks, strict=True)},
            },
            "decided": {"ranks": list(self.decided_ranks), "tops": list(self.decided_tops)},
        }


def rank(
    votes: VoteTable | PairCounts,
    *,
    ties: Literal["drop", "half"] = "drop",
    clusters: Clusters | None = None,
    intervals: Intervals = "simultaneous",
    level: float = LEVEL,
    ghosts: float = 1.0,
    seed: int = 0,
    judges: JudgeFit | None = None,
) -> Ranking:
    """Rank arms by votes, with intervals.

    Parameters
    ----------
    votes : VoteTable or PairCounts
        The votes. Groups and judges are known in a ``VoteTable`` only.
    ties : {"drop", "half"}
        Leave ties out, or count each as half a win for both arms, which overstates the standard errors.
    clusters : {"none", "groups", "judges"}, optional
        The votes that are not independent of each other: those of a group, those of a judge, or none. By default
        groups, where votes come in groups.
    intervals : {"simultaneous", "marginal", "bootstrap"}
        Intervals that contain the ranks of all arms with probability ``level`` (by step-down); those of single arms;
        or WMT's, which take the ranks of expected wins in bootstrap samples and are too short for arms of nearly equal
        strength.
    level : float
        The confidence level, above 0.5 and below 1.
    ghosts : float
        The prior of ``duelbench.preferences.bradley_terry``, for finite log-strengths where an arm has won all of its
        votes. The covariance is that of the votes alone.
    seed : int
        Of the normal draws and of the bootstrap.
    judges : JudgeFit, optional
        The model of judges, fitted to these votes. Its strengths and their covariance replace those of Bradley and
        Terry. Votes are independent given their judges, so ``clusters`` must be none.

    Returns
    -------
    Ranking

    Raises
    ------
    TooFewClusters
        Fewer than two groups, or judges, per arm.
    ValueError
        Groups or judges of votes that are only counted, clusters or a bootstrap with ``judges``, or a level out of
        range.
    """
    if not 0.5 < level < 1:
        raise ValueError(f"level must be between 0.5 and 1, not {level}")
    table = votes if isinstance(votes, VoteTable) else None
    counts = votes.counts() if isinstance(votes, VoteTable) else votes
    if table is None and clusters not in (None, "none"):
        raise ValueError(f"counts of votes have no {clusters}")
    if judges is not None and (clusters not in (None, "none") or intervals == "bootstrap"):
        raise ValueError("the model of judges takes votes as independent given their judges: no clusters, no bootstrap")
    if clusters is None:
        clusters = "groups" if judges is None and table is not None and in_groups(table) else "none"
    won = counts.wins if ties == "drop" else counts.halved()
    strengths = most_likely(won, ghosts)
    strengths -= strengths.mean()
    cluster = None if table is None or clusters == "none" else _cluster_of(table, clusters)
    number = round(counts.votes.sum() / 2) if cluster is None else int(cluster.max()) + 1
    information = curvature(strengths, won + won.T, ghosts=0.0)
    bread = _centred(np.asarray(np.linalg.pinv(information, rcond=1e-12, hermitian=True), dtype=np.float64))
    if table is None or cluster is None:
        covariance = bread
    else:
        if number < FEWEST_CLUSTERS * counts.arms and intervals != "bootstrap":
            raise TooFewClusters(
                f"{number:,} {clusters} are too few for intervals of {counts.arms:,} arms: "
                f"{FEWEST_CLUSTERS * counts.arms:,} or more are needed"
            )
        covariance = bread @ _scatter(table, strengths, cluster, clusters, ties) @ bread
    if judges is not None:
        strengths, covariance = judges.strength - judges.strength.mean(), _centred(judges.covariance)
    score = expected_wins(won, strengths)
    if intervals == "bootstrap":
        ranks = _dropping_ends(bootstrap_ranks(votes, cluster, ties=ties, strengths=strengths, seed=seed), level)
        above = ranks[:, 1, None] < ranks[None, :, 0]
    else:
        connected = _connected(won)
        above, _ = decided(strengths, covariance, connected, level=level, seed=seed)
        ranks = _ranks(above, above.T)
        if intervals == "marginal":
            higher, lower = decided(strengths, covariance, connected, joint=False, level=level, seed=seed)
            ranks = _ranks(higher, lower)
    errors = np.where(information.diagonal() > 0, np.sqrt(np.maximum(covariance.diagonal(), 0.0)), np.nan)
    return Ranking(counts.names, strengths, covariance, errors, score, ranks, above, intervals, clusters, number, level)


def decided(
    strengths: Floats,
    covariance: Floats,
    comparable: Flags | None = None,
    *,
    joint: bool = True,
    level: float = LEVEL,
    draws: int = DRAWS,
    seed: int = 0,
) -> tuple[Flags, Flags]:
    """Return, for each pair of arms, whether the first is decided above the second, and whether below.

    The step-down method of Mogstad et al.: the critical value is a quantile of the largest standardised difference over
    all ordered pairs that are not decided yet, until no further pair is decided.

    Parameters
    ----------
    strengths : ndarray of float, shape (K,)
        Scores with a normal distribution.
    covariance : ndarray of float, shape (K, K)
        Their covariance.
    comparable : ndarray of bool, shape (K, K), optional
        Pairs that may be decided; all by default.
    joint : bool
        Whether all decisions are right together with probability ``level``, or only those about any one arm. In the
        latter case, row i holds the decisions of the test for arm i.
    level : float
        Above 0.5.
    draws : int
        The number of normal draws.
    seed : int
        Their seed.

    Returns
    -------
    above, below : ndarray of bool, shape (K, K)
        The transposes of each other if ``joint``.
    """
    K, variance = len(strengths), covariance.diagonal()
    spread = variance[:, None] + variance[None, :] - 2.0 * covariance
    apart = ~np.eye(K, dtype=bool) & (spread > 1e-12 * max(variance.max(), 1e-300))
    if comparable is not None:
        apart &= comparable
    per_error = np.where(apart, 1.0 / np.sqrt(np.where(apart, spread, 1.0)), 0.0)
    standardised = (strengths[:, None] - strengths[None, :]) * per_error
    root = np.linalg.cholesky(covariance + 1e-10 * max(variance.max(), 1e-300) * np.eye(K))
    drawn = np.random.default_rng(seed).standard_normal((draws, K)) @ root.T
    above, below = np.zeros((2, K, K), dtype=bool)
    blocks = np.array_split(drawn, min(draws, 1 + draws * K**2 // ENTRIES))
    while True:
        upward, downward = per_error * ~above, per_error * ~below
        largest = []
        for some in blocks:
            difference = some[:, :, None] - some[:, None, :]
            if joint:
                largest.append((difference * upward).reshape(len(some), -1).max(axis=1, keepdims=True))
            else:
                largest.append(np.maximum(difference * upward, -difference * downward).max(axis=2))
        critical = np.quantile(np.concatenate(largest), level, axis=0)[:, None]
        higher, lower = above | (standardised > critical), below | (-standardised > critical)
        if np.array_equal(higher, above) and np.array_equal(lower, below):
            return above, below
        above, below = higher, lower


def in_groups(votes: VoteTable) -> bool:
    """Return whether some votes come from the same group."""
    return len(np.unique(votes.group)) < len(votes)


def _cluster_of(votes: VoteTable, clusters: Clusters) -> Ints:
    """Return the cluster of each vote, numbered from 0; a vote of an unknown judge is a cluster of its own."""
    alone = len(votes.judges) + np.arange(len(votes))
    cluster = votes.group if clusters == "groups" else np.where(votes.judge >= 0, votes.judge, alone)
    return np.unique(cluster, return_inverse=True)[1].reshape(-1)


def _scatter(
    votes: VoteTable, strengths: Floats, cluster: Ints, clusters: Clusters, ties: Literal["drop", "half"]
) -> Floats:
    """Return the sum over clusters of the squares of their scores, shape (K, K)."""
    from scipy.sparse import csr_array

    # A row in no cluster stands for ``weight`` independent votes.
    alone = votes.judge < 0 if clusters == "judges" else np.bincount(cluster)[cluster] == 1
    expected = 1.0 / (1.0 + np.exp(strengths[votes.second] - strengths[votes.first]))
    score = ((votes.outcome + 1) / 2 - expected) * np.where(alone, np.sqrt(votes.weight), votes.weight)
    if ties == "drop":
        score[votes.outcome == 0] = 0.0
    places = np.tile(cluster, 2), np.concatenate([votes.first, votes.second])
    of_cluster = csr_array((np.concatenate([score, -score]), places), shape=(int(cluster.max()) + 1, len(strengths)))
    total: Floats = (of_cluster.T @ of_cluster).toarray()
    return total


def _centred(covariance: Floats) -> Floats:
    """Return the covariance of the differences from the mean."""
    half = covariance - covariance.mean(axis=0)
    result: Floats = half - half.mean(axis=1, keepdims=True)
    return (result + result.T) / 2.0


def _connected(won: Floats) -> Flags:
    """Return whether votes connect two arms, perhaps through others, shape (K, K)."""
    part = np.zeros(len(won), np.int64)
    for number, arms in enumerate(groups(won + won.T)):
        part[arms] = number
    together: Flags = part[:, None] == part[None, :]
    return together


def _ranks(above: Flags, below: Flags) -> Ints:
    return np.stack([1 + below.sum(axis=1), len(above) - above.sum(axis=1)], axis=1)


def _dropping_ends(ranks: Ints, level: float) -> Ints:
    """Return the (K, 2) ends of bootstrap ranks without the largest and the smallest, as in WMT's program."""
    gone = int(np.ceil((1 - level) / 2 * len(ranks) - 1e-9))
    ordered = np.sort(ranks, axis=0)
    return np.stack([ordered[gone], ordered[len(ranks) - 1 - gone]], axis=1)
