"""Test judges: measure their agreement beyond chance, and find those who differ from the others.

We compare judges on pairs of arms that several of them have judged, whatever prompt or page they saw. If each vote is
about another prompt, even perfect judges disagree by chance: if an arm is preferred with probability p, two answers are
equal with probability p² + (1 − p)². So agreement is only meaningful to compare judges with each other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal, NamedTuple

import numpy as np

from duelbench.arrays import Flags, Floats, Ints
from duelbench.proportions import wilson
from duelbench.votes.vote_table import VoteTable

_FEWEST_VARIANCE = 3.0
"""The smallest variance of a count for which we use the normal approximation."""
LEVEL = 0.05
"""The family-wise error rate: the probability of reporting any judge if none differs."""
_RESAMPLES = 2_000
_FEWEST_PAIRS = 20
"""The smallest effective number of pairs for an interval of the agreement; with fewer it would be too narrow."""
_TIE = 1
"""The index of ties among the three answers; 0 and 2 are wins of the two arms."""


class VoteShare(NamedTuple):
    """A share of ``of`` votes, with its 95 % Wilson interval, which assumes independent votes."""

    value: float
    of: float
    low: float
    high: float


@dataclass(frozen=True)
class JudgeSummary:
    """The votes of one judge.

    ``ties`` is the share of ties, and ``first`` the share of wins of the arm shown first (without ties).
    ``with_others`` is the share of votes that equal the most frequent answer of the other judges, on pairs where it is
    unique. Each is None without votes, and ``first`` also if the order of the arms is unknown.
    """

    name: str
    votes: float
    ties: VoteShare | None
    first: VoteShare | None
    with_others: VoteShare | None


class Striking(NamedTuple):
    """A judge who differs significantly from the expectation, given the other votes on the same pairs.

    ``what`` is "ties", "agreement" (a smaller share than others of answers like the most frequent one on the pair) or
    "first" (wins of the arm shown first). ``seen`` and ``expected`` are shares of that judge's ``votes``. ``p`` is
    two-sided, with Bonferroni correction for all tests.
    """

    judge: str
    what: Literal["ties", "agreement", "first"]
    seen: float
    expected: float
    votes: float
    p: float


@dataclass(frozen=True)
class Agreement:
    """Agreement on ``pairs`` pairs of arms that two or more judges have judged, with ``votes`` votes in total.

    ``equal`` is the probability that two votes of different judges on such a pair are equal, and ``alpha`` is
    Krippendorff's coefficient; None if there is nothing to compare. Their 95 % intervals come from resampling pairs,
    and are None if there are too few. Of ``tests`` tests, those in ``striking`` are significant.
    """

    pairs: int
    votes: float
    equal: float | None
    equal_interval: tuple[float, float] | None
    alpha: float | None
    alpha_interval: tuple[float, float] | None
    judges: tuple[JudgeSummary, ...]
    striking: tuple[Striking, ...]
    tests: int


class Cells(NamedTuple):
    """Counts of each answer by pair and judge, shape (cells, 3); ``total`` has the counts of all judges on the pair."""

    pair: Ints
    judge: Ints
    counts: Floats
    total: Floats

    @classmethod
    def of(cls, pair: Ints, judge: Ints, counts: Floats) -> Cells:
        """Make cells, with their totals."""
        return cls(pair, judge, counts, _sums(pair, counts)[pair])

    def shared(self) -> Cells:
        """Return the cells on pairs that several judges have judged."""
        several = np.bincount(self.pair)[self.pair] > 1
        pair = np.unique(self.pair[several], return_inverse=True)[1].reshape(-1)
        return Cells(pair, self.judge[several], self.counts[several], self.total[several])


def agreement(votes: VoteTable) -> Agreement:
    """Compute the agreement of judges. They are sorted by their number of votes, then by name.

    If a judge answers several times on a pair within a group, for example in both orders, we count the majority as one
    vote; but each answer counts in the share of the arm shown first. Votes without a judge's name are left out: they
    may come from one judge or from many.
    """
    votes = votes.chosen(votes.judge >= 0)
    cells = _cells(votes)
    shared, J = cells.shared(), len(votes.judges)
    number, own = (_sums(each.judge, each.counts, J) for each in (cells, shared))
    most = _most_frequent(shared.total - shared.counts)
    like = np.bincount(shared.judge, (shared.counts * most).sum(axis=1), J)
    compared = np.bincount(shared.judge, shared.counts.sum(axis=1) * most.any(axis=1), J)
    first = _shown_first(votes)
    judges = [
        JudgeSummary(
            name,
            float(number[k].sum()),
            _share(number[k, _TIE], number[k].sum()),
            _share(first[k, 0], first[k].sum()),
            _share(like[k], compared[k]),
        )
        for k, name in enumerate(votes.judges)
        if number[k].any()
    ]
    made = [*_against_others(votes.judges, shared), *_against_sides(votes.judges, first)]
    corrected = [test._replace(p=min(1.0, test.p * len(made))) for test in made]
    striking = [
        test
        for test in sorted(corrected, key=lambda test: test.p)
        # We do not report judges who agree with the majority more often than others.
        if test.p < LEVEL and (test.what != "agreement" or test.seen < test.expected)
    ]
    equal, alpha, equal_interval, alpha_interval = _chance_corrected(shared)
    return Agreement(
        len(np.unique(shared.pair)),
        float(own.sum()),
        equal,
        equal_interval,
        alpha,
        alpha_interval,
        tuple(sorted(judges, key=lambda judge: (-judge.votes, judge.name))),
        tuple(striking),
        len(made),
    )


def _cells(votes: VoteTable) -> Cells:
    J, low, high = (
        max(len(votes.judges), 1),
        np.minimum(votes.first, votes.second),
        np.maximum(votes.first, votes.second),
    )
    keys, cell = np.unique((low * len(votes.names) + high) * J + votes.judge, return_inverse=True)
    groups, group = np.unique(votes.group, return_inverse=True)
    answers, row = np.unique(cell * max(len(groups), 1) + group, return_inverse=True)
    turned = np.where(votes.first > votes.second, -1, 1)
    answer = np.sign(np.bincount(row, votes.outcome * turned * votes.weight, len(answers))).astype(np.int64)
    weight = np.bincount(row, votes.weight, len(answers)) / np.bincount(row, minlength=len(answers))
    counts = np.zeros((len(keys), 3))
    np.add.at(counts, (answers // max(len(groups), 1), _TIE - answer), weight)
    return Cells.of(np.unique(keys // J, return_inverse=True)[1], keys % J, counts)


def _shown_first(votes: VoteTable) -> Floats:
    """Count how often each judge preferred the arm shown first, and the other one, shape (J, 2)."""
    counts = np.zeros((len(votes.judges), 2))
    if votes.ordered:
        decided = votes.outcome != 0
        np.add.at(counts, (votes.judge[decided], np.where(votes.outcome[decided] > 0, 0, 1)), votes.weight[decided])
    return counts


def _sums(places: Ints, values: Floats, size: int = 0) -> Floats:
    """Sum the values by place, for at least ``size`` places."""
    total = np.zeros((max(size, int(places.max(initial=-1)) + 1), *values.shape[1:]))
    np.add.at(total, places, values)
    return total


def _share(count: float, of: float) -> VoteShare | None:
    return VoteShare(float(count / of), float(of), *wilson(float(count / of), float(of))) if of else None


def _paired(cells: Cells) -> tuple[Floats, Floats]:
    """For each pair, sum over its votes the share of other judges' votes that are equal; also count its answers."""
    others = (cells.total - cells.counts).sum(axis=1)
    like = (cells.counts * (cells.total - cells.counts)).sum(axis=1) / others
    return _sums(cells.pair, like), _sums(cells.pair, cells.counts)


def _alpha(seen: Floats, expected: Floats) -> Floats:
    """Return Krippendorff's alpha for shares of equal answers; NaN if all answers are expected to be equal."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return 1 - (1 - seen) / (1 - expected)


_Interval = tuple[float, float]


def _chance_corrected(cells: Cells) -> tuple[float | None, float | None, _Interval | None, _Interval | None]:
    """Return the share of equal answers, alpha, and their bootstrap intervals over pairs.

    The order of the names of a pair carries no information. So by chance, two votes are equal if both are ties and,
    with probability 1/2, if neither is. This is the usual expected agreement, averaged over all orders of the names.
    """
    if not len(cells.pair):
        return None, None, None, None
    same, answers = _paired(cells)
    votes = answers.sum(axis=1)
    stats = np.stack([same, votes, answers[:, _TIE]])

    def both(sums: Floats) -> Floats:
        like, votes, ties = sums
        with np.errstate(invalid="ignore", divide="ignore"):
            chance = (ties * (ties - 1) + (votes - ties) * (votes - ties - 1) / 2) / (votes * (votes - 1))
            share = like / votes
        return np.stack([share, _alpha(share, chance)])

    equal, alpha = both(stats.sum(axis=1)).tolist()
    known = alpha if math.isfinite(alpha) else None
    if votes.sum() ** 2 / (votes**2).sum() < _FEWEST_PAIRS:
        return equal, known, None, None
    # The seed is fixed, so that the same votes give the same intervals.
    drawn = np.random.default_rng(0).multinomial(len(votes), np.full(len(votes), 1 / len(votes)), _RESAMPLES)
    ends = np.nanquantile(both(stats @ drawn.T), [0.025, 0.975], axis=1).T
    of_equal, of_alpha = ((low, high) for low, high in ends.tolist())
    return equal, known, of_equal, of_alpha


def _against_others(names: tuple[str, ...], cells: Cells) -> list[Striking]:
    """Test ties, and agreement with the most frequent answer on the pair; p is not corrected.

    This is the Cochran–Mantel–Haenszel test with pairs as strata: if we permute the judges among the votes of each
    pair, the number of such answers of one judge is hypergeometric. The test is valid however pairs were chosen.
    """
    n, of, J = cells.counts.sum(axis=1), cells.total.sum(axis=1), len(names)
    counted: dict[Literal["ties", "agreement"], Flags] = {
        "ties": np.arange(3) == _TIE,
        "agreement": _most_frequent(cells.total),
    }
    found = []
    for what, answers in counted.items():
        said = (cells.total * answers).sum(axis=1)
        share = n * (of - n) * said * (of - said) / (of**2 * np.maximum(of - 1, 1))
        variance, expected = np.bincount(cells.judge, share, J), np.bincount(cells.judge, n * said / of, J)
        seen, votes = (np.bincount(cells.judge, each, J) for each in ((cells.counts * answers).sum(axis=1), n))
        for k in np.flatnonzero(variance >= _FEWEST_VARIANCE):
            found.append(_striking(names[k], what, seen[k], expected[k], variance[k], votes[k]))
    return found


def _against_sides(names: tuple[str, ...], first: Floats) -> list[Striking]:
    """Test position bias. Sides are drawn at random, so half of the preferred arms should be shown first."""
    votes = first.sum(axis=1)
    return [
        _striking(names[k], "first", first[k, 0], votes[k] / 2, votes[k] / 4, votes[k])
        for k in np.flatnonzero(votes / 4 >= _FEWEST_VARIANCE)
    ]


def _most_frequent(counts: Floats) -> Flags:
    """Mark the most frequent answer of each row, shape (cells, 3); none if it is not unique."""
    most: Flags = (counts == counts.max(axis=1, keepdims=True)) & (counts > 0)
    sole: Flags = most & (most.sum(axis=1, keepdims=True) == 1)
    return sole


def _striking(
    name: str, what: Literal["ties", "agreement", "first"], seen: float, expected: float, variance: float, votes: float
) -> Striking:
    p = 2 * (1 - NormalDist().cdf(abs(seen - expected) / math.sqrt(variance)))
    return Striking(name, what, float(seen / votes), float(expected / votes), float(votes), p)
