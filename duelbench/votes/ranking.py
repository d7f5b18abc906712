"""Rank arms by votes: scores, rank intervals, tiers, and decided ranks.

Scores are the log-strengths of a Bradley–Terry model. Arm i is *decided above* arm j if their difference exceeds c
standard errors. We choose c such that, with probability 95 %, no decision contradicts the true order. The number of
arms decided above an arm, and the number decided below it, bound its rank.

With few votes that all agree, standard errors are too small. With K equal arms and n votes on each, the probability
that all votes on some arm agree by chance is at most ``K (K − 1) 2⁻ⁿ``. If this bound exceeds 5 % for the votes on an
arm, we decide nothing about it. Nor do we decide between arms that no votes connect.

References
----------
Mogstad, Romano, Shaikh & Wilhelm, Inference for ranks with applications to mobility across neighbourhoods and academic
achievement across countries, Review of Economic Studies 2024: the marginal and the simultaneous intervals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from duelbench.arrays import Flags, Floats, Ints
from duelbench.errors import UserError, did_you_mean
from duelbench.preferences.counts import PairCounts
from duelbench.votes.strengths import (
    Clustered,
    Clusters,
    fit,
    groups,
    in_groups,
    information,
    root_of,
    unbeaten_groups,
)
from duelbench.votes.vote_table import FEWEST_CLUSTERS, Votes, VoteTable

if TYPE_CHECKING:
    import pandas as pd

Looks = Literal["one", "any"]
Intervals = Literal["simultaneous", "marginal"]
Ties = Literal["drop", "half"]
_LEVEL = 0.95
_DRAWS = 4_000
"""The number of normal draws; critical values are their quantiles."""
_ENTRIES = 50_000
"""The number of differences computed at once, small enough for the processor's cache."""
FEW = 6
"""Arms with fewer votes come last in the order: by chance, all of them agree with a probability above 5 %."""
_MIXED = 0.5
"""The standard deviation of the mixture over log-strengths in ``always_decided``."""
_EQUAL = 1e-8
"""Log-strengths that differ by less are equal up to rounding."""


class TooFewClusters(UserError):
    """There are too few groups or judges to estimate a covariance."""


class ArmDifference(NamedTuple):
    """The log-strength of an arm minus that of another one, with its standard error and interval.

    All numbers are NaN if no votes connect the two arms.
    """

    arm: str
    difference: float
    standard_error: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Ranking:
    """A ranking of K arms.

    Parameters
    ----------
    names : tuple of str
        The names of the arms. Elsewhere an arm is its index in ``names``.
    strengths : ndarray of float, shape (K,)
        Bradley–Terry log-strengths. In each group, their mean over the arms that do not have ``few`` votes is 0.
    errors : ndarray of float, shape (K,)
        Their standard errors; NaN for an arm without votes (if ties are left out, also for an arm with ties only).
    expected_wins : ndarray of float, shape (K,)
        The mean share of votes won over opponents; see the function ``expected_wins``.
    ranks : ndarray of int, shape (K, 2)
        The ends of the rank interval of each arm; 1 is the best rank.
    above : ndarray of bool, shape (K, K)
        Whether arm i is decided above arm j by the simultaneous test, whichever intervals are chosen.
    few : ndarray of bool, shape (K,)
        Whether the arm has so few votes that it comes last in the order; False for all arms if all have few.
    groups : tuple of tuple of int
        The groups of arms that votes connect, the largest first.
    ties : {"drop", "half"}
        How ties count.
    intervals : {"simultaneous", "marginal"}
        The kind of intervals. With probability ``level``, all simultaneous intervals together contain the true ranks;
        for marginal intervals this holds for each one alone.
    clusters : {"none", "groups", "judges"}
        The votes that are not independent of each other.
    number : int
        The number of clusters, or of votes without clusters.
    freedom : int or None
        The degrees of freedom of the covariance; None if votes are taken as independent.
    level : float
        The confidence level.
    looks : {"one", "any"}
        Whether the simultaneous intervals hold for one look at the votes, or jointly for any number of looks.
    prior_votes : float
        The weight of the prior; see ``rank``.
    root : ndarray of float, shape (K, m)
        A factor of the covariance of the log-strengths.
    """

    names: tuple[str, ...]
    strengths: Floats
    errors: Floats
    expected_wins: Floats
    ranks: Ints
    above: Flags
    few: Flags
    groups: tuple[tuple[int, ...], ...]
    ties: Ties
    intervals: Intervals
    clusters: Clusters
    number: int
    freedom: int | None
    level: float
    looks: Looks
    prior_votes: float
    root: Floats

    @property
    def arms(self) -> int:
        """The number of arms, K."""
        return len(self.names)

    @cached_property
    def order(self) -> Ints:
        """The arms, best first, shape (K,). Groups follow one another; arms with few votes come last."""
        return np.lexsort((-self.strengths, _group_of(self.groups), self.few))

    @cached_property
    def half_length(self) -> float:
        """Half the length of an interval in standard errors: a normal quantile, or Student's t for clusters."""
        from scipy.special import ndtri, stdtrit

        p = (1 + self.level) / 2
        return float(ndtri(p) if self.freedom is None else stdtrit(self.freedom, p))

    def against(self, arm: str) -> tuple[ArmDifference, ...]:
        """Compare every other arm with this one, the best first; intervals hold for single differences.

        ``pandas.DataFrame`` turns the result into a table.
        """
        if arm not in self.names:
            raise ValueError(f"there is no arm {arm!r:.80}{did_you_mean(arm, self.names)}")
        anchor, group = self.names.index(arm), _group_of(self.groups)
        found = []
        for other in self.order.tolist():
            if other != anchor:
                known = 1.0 if group[other] == group[anchor] else math.nan
                value = float(self.strengths[other] - self.strengths[anchor]) * known
                error = math.sqrt(((self.root[other] - self.root[anchor]) ** 2).sum()) * known
                half = self.half_length * error
                found.append(ArmDifference(self.names[other], value, error, value - half, value + half))
        return tuple(found)

    @cached_property
    def superiority(self) -> Floats:
        """The probability that each arm is better than the next one in the order, shape (K,), with normal errors.

        It is NaN for the last arm, and if no votes connect the arm with the next one.
        """
        from scipy.special import ndtr

        found, group = np.full(self.arms, np.nan), _group_of(self.groups)
        for arm, following in pairwise(self.order):
            error = math.sqrt(((self.root[arm] - self.root[following]) ** 2).sum())
            if error > 0 and group[arm] == group[following]:
                found[arm] = ndtr((self.strengths[arm] - self.strengths[following]) / error)
        return found

    @cached_property
    def decided_tops(self) -> tuple[int, ...]:
        """The numbers k < K such that each of the first k arms is decided above each later one."""
        in_order = self.above[np.ix_(self.order, self.order)]
        beaten = np.cumprod(in_order[:, ::-1], axis=1).sum(axis=1)  # the number of last arms that are all below the arm
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
        """The ranks, in increasing order, for which the arm is decided."""
        best, worst = _ranks(self.above, self.above.T).T
        return tuple(sorted(best[best == worst].tolist()))

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each arm, best first, with its tier, the ends of its rank interval, and its scores."""
        import pandas as pd

        return pd.DataFrame(self.columns())

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of ``to_frame`` by name, without pandas, which takes half a second to import."""
        order = self.order
        numbers = {
            "tier": np.repeat(np.arange(len(self.tiers)) + 1, [len(tier) for tier in self.tiers]),
            "best_rank": self.ranks[order, 0],
            "worst_rank": self.ranks[order, 1],
            "strength": self.strengths[order],
            "standard_error": self.errors[order],
            "superiority": self.superiority[order],
            "expected_wins": self.expected_wins[order],
        }
        names = [self.names[arm] for arm in order]
        return {"arm": names, **{name: values.tolist() for name, values in numbers.items()}}

    def decisions(self) -> dict[str, Any]:
        """Return the tiers, the rank intervals and the decisions, with names of arms, as ``--json`` prints them."""
        return {
            "tiers": [[self.names[arm] for arm in tier] for tier in self.tiers],
            "intervals": {
                "kind": self.intervals,
                "level": self.level,
                "looks": self.looks,
                "clusters": self.clusters,
                "number": self.number,
                "ranks": {name: ends.tolist() for name, ends in zip(self.names, self.ranks, strict=True)},
            },
            "decided": {"ranks": list(self.decided_ranks), "tops": list(self.decided_tops)},
            "groups": [[self.names[arm] for arm in group] for group in self.groups],
            "few_votes": [self.names[arm] for arm in np.flatnonzero(self.few)],
        }


def rank(
    votes: Any,
    *,
    ties: Ties = "drop",
    clusters: Clusters | None = None,
    intervals: Intervals = "simultaneous",
    level: float = _LEVEL,
    looks: Looks = "one",
    prior_votes: float = 1.0,
    seed: int = 0,
    **reading: Any,
) -> Ranking:
    """Rank arms by votes, with intervals.

    Parameters
    ----------
    votes : str, Path, DataFrame, sequence, Votes, VoteTable or PairCounts
        The votes, or anything that ``read_votes`` reads. ``PairCounts`` have no groups and judges.
    ties : {"drop", "half"}
        Leave ties out, or count each as half a win for both arms.
    clusters : {"none", "groups", "judges"}, optional
        The votes that are not independent of each other: those of a group, those of a judge, or none. The default is
        groups if votes come in groups, else none.
    intervals : {"simultaneous", "marginal"}
        Whether all intervals together contain the true ranks with probability ``level`` (by step-down), or each alone.
    level : float
        The confidence level, above 0.5 and below 1.
    looks : {"one", "any"}
        Whether simultaneous intervals hold for one look at the votes, or jointly however often one looks.
    prior_votes : float
        The weight of the prior of ``duelbench.preferences.scores``, which keeps log-strengths finite if an arm has won
        all of its votes; 0 for maximum likelihood. The covariance comes from the votes alone.
    seed : int
        The seed of the normal draws.

    Returns
    -------
    Ranking

    Raises
    ------
    TooFewClusters
        If there are fewer than two groups or judges per arm.
    UserError
        If some arms have won, or lost, all votes against the others and ``prior_votes`` is 0; or if ``looks`` is "any"
        and intervals are marginal.
    ValueError
        If clusters are asked for of ``PairCounts``, or ``level`` or ``prior_votes`` is out of range.

    Examples
    --------
    >>> from pathlib import Path
    >>> from duelbench import rank
    >>> _ = Path("votes.csv").write_text("first,second,wins_first,wins_second\\nx,y,70,30\\ny,z,55,45\\nx,z,74,26\\n")
    >>> rank("votes.csv").to_frame()[["arm", "best_rank", "worst_rank"]].values.tolist()
    [['x', 1, 1], ['y', 2, 3], ['z', 2, 3]]
    """
    if not isinstance(votes, (Votes, VoteTable, PairCounts)):
        from duelbench.votes.reading.read import read_votes

        votes = read_votes(votes, **reading)
    if isinstance(votes, Votes):
        votes = votes.table
    if isinstance(votes, PairCounts):
        if clusters not in (None, "none"):
            raise ValueError(f"counts of votes have no {clusters}")
        votes = VoteTable.of(votes)
    if not 0.5 < level < 1:
        raise ValueError(f"level must be between 0.5 and 1, not {level}")
    if not 0 <= prior_votes < math.inf:
        raise ValueError(f"prior_votes must be a number of votes, not {prior_votes}")
    if looks == "any" and intervals != "simultaneous":
        raise UserError(f"{intervals} intervals hold for one look only: choose simultaneous ones for any number")
    counts = votes.counts()
    if clusters is None:
        clusters = "groups" if in_groups(votes) else "none"
    won = counts.wins if ties == "drop" else counts.halved()
    freedom = None
    if clusters == "none":  # a row for each count
        cluster, number = Clustered.of(VoteTable.of(counts), clusters, ties), round(counts.votes.sum() / 2)
    else:
        cluster = Clustered.of(votes, clusters, ties)
        number = cluster.number
        freedom = number - counts.arms
        if number < FEWEST_CLUSTERS * counts.arms:
            raise TooFewClusters(
                f"{number:,} {clusters} are too few for intervals of {counts.arms:,} arms: "
                f"{FEWEST_CLUSTERS * counts.arms:,} or more are needed; --clusters none takes votes as independent, "
                "which may give too short intervals"
            )
    voted = won.sum(axis=0) + won.sum(axis=1)
    few = voted < FEW
    few &= not few.all()
    parts = tuple(map(tuple, groups(won + won.T)))
    if not prior_votes:
        _check_maximum(counts.names, won, len(parts))
    group = _group_of(parts)
    together = group[:, None] == group[None, :]
    strengths = fit(won, prior_votes)
    weights = information(strengths, won + won.T)
    bread = root_of(weights)
    bread -= _means(together, np.zeros_like(few)) @ bread
    root = cluster.root(strengths, weights, bread, counts.arms - len(parts), prior_votes)
    means = _means(together, few)
    strengths = strengths - means @ strengths
    errors = np.where(voted > 0, np.sqrt(((root - means @ root) ** 2).sum(axis=1)), np.nan)
    enough = cluster.independent(voted) >= math.log2(counts.arms * (counts.arms - 1) / (1 - level))
    comparable = together & enough[:, None] & enough[None, :] | np.eye(counts.arms, dtype=bool)
    score = expected_wins(won, strengths, together)
    if looks == "any":
        relative = root - _means(together, np.zeros_like(few)) @ root
        above = always_decided(strengths, relative, comparable, level=level)
    else:
        above, _ = decided(strengths, root, comparable, level=level, freedom=freedom, seed=seed)
    ranks = _ranks(above, above.T)
    if intervals == "marginal":
        ranks = _ranks(*decided(strengths, root, comparable, joint=False, level=level, freedom=freedom, seed=seed))
    return Ranking(
        counts.names,
        strengths,
        errors,
        score,
        ranks,
        above,
        few,
        parts,
        ties,
        intervals,
        clusters,
        number,
        freedom,
        level,
        looks,
        prior_votes,
        root,
    )


def _check_maximum(names: tuple[str, ...], won: Floats, parts: int) -> None:
    """Raise UserError if the maximum likelihood estimate does not exist, as some arms won or lost all votes."""
    apart = unbeaten_groups(won)
    if len(apart) > parts:
        some = ", ".join(names[arm] for arm in apart[-1][:5]) + (", …" if len(apart[-1]) > 5 else "")
        why = f"without a prior some strengths are infinite: {some} won, or lost, all votes against others"
        raise UserError(f"{why}; leave out --prior none, or these arms")


def decided(
    strengths: Floats,
    root: Floats,
    comparable: Flags | None = None,
    *,
    joint: bool = True,
    level: float = _LEVEL,
    freedom: int | None = None,
    draws: int = _DRAWS,
    seed: int = 0,
) -> tuple[Flags, Flags]:
    """Decide, for each pair of arms, whether the first is above the second, and whether it is below.

    We use the step-down method of Mogstad et al. The critical value is a quantile of the largest standardised
    difference over all ordered pairs that are not decided yet. We repeat this until no further pair is decided.

    Parameters
    ----------
    strengths : ndarray of float, shape (K,)
        Scores with normal errors.
    root : ndarray of float, shape (K, m)
        A factor of their covariance, ``root @ root.T``.
    comparable : ndarray of bool, shape (K, K), optional
        Pairs that may be decided; all by default.
    joint : bool
        Whether all decisions are jointly right with probability ``level``, or only those about any one arm. In the
        latter case, row i holds the decisions of the test for arm i.
    level : float
        Above 0.5.
    freedom : int, optional
        The degrees of freedom of the estimated covariance. If given, we draw from a t instead of a normal distribution.
    draws : int
        The number of draws.
    seed : int
        The seed of the draws.

    Returns
    -------
    above, below : ndarray of bool, shape (K, K)
        Transposes of each other if ``joint``.
    """
    K = len(strengths)
    standardised, per_error = _standardised(strengths, root, comparable)
    rng = np.random.default_rng(seed)
    drawn = rng.standard_normal((draws, root.shape[1])) @ root.T
    if freedom is not None:
        drawn /= np.sqrt(rng.chisquare(freedom, (draws, 1)) / freedom)
    above, below = np.zeros((2, K, K), dtype=bool)
    blocks = np.array_split(drawn, min(draws, 1 + draws * K**2 // _ENTRIES))
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


def _standardised(strengths: Floats, root: Floats, comparable: Flags | None) -> tuple[Floats, Floats]:
    """Return the differences over their standard errors, and the inverse errors, shape (K, K); 0 if not comparable."""
    differences = strengths[:, None] - strengths[None, :]
    spread = np.array([((row - root) ** 2).sum(axis=1) for row in root])
    apart = spread > 0
    if comparable is not None:
        apart &= comparable
    per_error = np.where(apart, 1.0 / np.sqrt(np.where(apart, spread, 1.0)), 0.0)
    return np.where(np.abs(differences) > _EQUAL, differences, 0.0) * per_error, per_error


def always_decided(strengths: Floats, root: Floats, comparable: Flags | None = None, *, level: float = _LEVEL) -> Flags:
    """Decide, for each pair of arms, whether the first is above the second; valid however often one looks.

    We treat strengths as estimates of a normal linear model. Consider its likelihood, mixed over strengths with
    standard deviation s, divided by its likelihood at the true strengths. This ratio is a martingale, whichever pairs
    are asked. With probability at most α, it ever exceeds 1 / α (Ville). So, with covariance C, the errors of all
    differences a of strengths are at all times within ``√(a' (C + C² / s²) a)`` times
    ``√(2 ln(1 / α) + ln det(I + s² C⁻¹))``, except with probability α.

    Parameters
    ----------
    strengths, comparable, level
        As for ``decided``.
    root : ndarray of float, shape (K, m)
        A factor of the covariance of the strengths, each relative to the mean of its group.

    Returns
    -------
    ndarray of bool, shape (K, K)

    References
    ----------
    Abbasi-Yadkori, Pál & Szepesvári, Improved algorithms for linear stochastic bandits, NIPS 2011: the mixture for
    adaptive designs. Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas, Time-uniform central limit theory and asymptotic
    confidence sequences, Annals of Statistics 2024: asymptotically normal estimates.
    """
    variances = np.linalg.svd(root, compute_uv=False) ** 2
    known = variances[variances > _EQUAL * variances.max(initial=0.0)]
    critical = math.sqrt(2.0 * math.log(1.0 / (1.0 - level)) + float(np.log1p(_MIXED**2 / known).sum()))
    standardised, _ = _standardised(strengths, np.hstack([root, root @ root.T / _MIXED]), comparable)
    return standardised > critical


def _group_of(parts: tuple[tuple[int, ...], ...]) -> Ints:
    """Return the number of the group of each arm."""
    group = np.empty(sum(map(len, parts)), np.int64)
    for number, arms in enumerate(parts):
        group[list(arms)] = number
    return group


def _means(together: Flags, few: Flags) -> Floats:
    """Return each arm's weights for the mean of its group, shape (K, K), without ``few`` unless all of them are few."""
    counted = together & ~few
    counted = np.where(counted.any(axis=1, keepdims=True), counted, together)
    means: Floats = counted / counted.sum(axis=1, keepdims=True)
    return means


def expected_wins(won: Floats, strengths: Floats, together: Flags) -> Floats:
    """Return each arm's share of votes won, averaged over opponents as in WMT's evaluations, shape (K,).

    ``won[i, j]`` is how often arm i has won against arm j. For a pair without votes we use the probability that the
    strengths predict if votes connect the arms (``together``), else 1/2.
    """
    met, gaps = won + won.T, (strengths[:, None] - strengths) * together
    share = np.where(met > 0, won / np.where(met > 0, met, 1.0), 1.0 / (1.0 + np.exp(-gaps)))
    score: Floats = (share.sum(axis=1) - share.diagonal()) / (len(won) - 1)
    return score


def _ranks(above: Flags, below: Flags) -> Ints:
    return np.stack([1 + below.sum(axis=1), len(above) - above.sum(axis=1)], axis=1)
