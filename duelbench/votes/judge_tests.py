"""Tests of judges: whether they differ, and how far they agree beyond chance.

``held_out`` tests the model of ``judge_model``. ``agreement`` has none: it compares judges on the pairs of arms that
several have judged, not on what they saw. If each vote shows another prompt or page, faultless judges disagree by
chance: an arm that is preferred with probability p gets equal answers with p² + (1 − p)². So agreement describes judges
only in comparison with each other, and that is what is tested.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal, NamedTuple, Protocol

import numpy as np

from duelbench.arrays import Flags, Floats
from duelbench.proportions import wilson
from duelbench.votes.judge_model import JudgePriors, fit_judges, sums
from duelbench.votes.vote_table import VoteTable

_FEWEST_VARIANCE = 3.0
"""The smallest variance of a number of votes for the normal approximation."""
_LEAST_GAIN = 1e-4
"""The gain per held-out vote, in nats, below which the model of judges is no better."""


class HeldOut(NamedTuple):
    """The negative log-likelihood per held-out vote, with judges alike and with the model of judges.

    ``error`` is the standard error of their difference; votes of one group are dependent.
    """

    alike: float
    judges: float
    error: float

    @property
    def supported(self) -> bool:
        """Whether the model of judges predicts held-out votes better, by more than two standard errors and rounding."""
        return self.alike - self.judges > max(2.0 * self.error, _LEAST_GAIN)


def held_out(votes: VoteTable, priors: JudgePriors | None = None, folds: int = 5) -> HeldOut:
    """Return how well the model of judges predicts votes that it was not fitted to, and whether the data support it.

    Parameters
    ----------
    votes : VoteTable
        The votes. Those of one group are held out together.
    priors : JudgePriors, optional
        The standard deviations between judges.
    folds : int
        The number of parts, each of which is held out once. Groups are dealt out at random, with a fixed seed.

    Returns
    -------
    HeldOut
        The negative log-likelihood per vote of both models.

    Raises
    ------
    ValueError
        If there are fewer groups than folds, or fewer than two folds.
    """
    priors = JudgePriors() if priors is None else priors
    groups, group = np.unique(votes.group, return_inverse=True)
    if not 2 <= folds <= len(groups):
        raise ValueError(
            f"{folds} folds need two or more folds and at least as many groups of votes, not {len(groups)}"
        )
    fold = np.random.default_rng(0).permutation(np.arange(len(groups)) % folds)[group]
    ties = bool((votes.outcome == 0).any())
    loss = np.zeros((2, len(votes)))
    for part in range(folds):
        out = fold == part
        known, rest = votes.chosen(~out), votes.chosen(out)
        for row, each in enumerate((priors.alike(), priors)):
            chances = fit_judges(known, each, ties=ties).log_chances(rest)
            loss[row, out] = -rest.weight * chances[np.arange(len(rest)), 1 - rest.outcome]
    total = votes.weight.sum()
    gain = loss[0] - loss[1]
    by_group = sums(group, gain - votes.weight * gain.sum() / total, len(groups))
    alike, judges = loss.sum(axis=1) / total
    return HeldOut(float(alike), float(judges), float(np.sqrt((by_group**2).sum()) / total))


Answer = Literal["first", "second", "tie"]
LEVEL = 0.05
"""The family-wise probability of reporting a judge when none differs."""
_RESAMPLES = 2_000
_FEWEST_PAIRS = 20
"""The smallest effective number of pairs for an interval of the agreement: with fewer it would be too narrow."""


class Judged(Protocol):
    """One vote: two different arms in the random order in which they were shown, and the judge's answer."""

    @property
    def judge(self) -> str | None: ...  # noqa: D102
    @property
    def first(self) -> str: ...  # noqa: D102
    @property
    def second(self) -> str: ...  # noqa: D102
    @property
    def answer(self) -> Answer: ...  # noqa: D102


class Share(NamedTuple):
    """A share of ``of`` votes, with the ends of its 95 % interval (Wilson's, which assumes independent votes)."""

    value: float
    of: int
    low: float
    high: float


@dataclass(frozen=True)
class Judge:
    """The votes of one judge: shares of ties, of the arm shown first (without ties), and of votes like others'.

    ``with_others`` counts the votes on pairs of which the other judges have one most frequent answer. A share of no
    votes is None.
    """

    name: str
    votes: int
    ties: Share | None
    first: Share | None
    with_others: Share | None


class Striking(NamedTuple):
    """A judge who differs by more than chance from what the others on the same pairs predict.

    ``what`` is "ties", "agreement" (less than others with what most votes on the pair say) or "first" (of those shown);
    ``seen`` and ``expected`` are shares of that judge's ``votes``; ``p`` is two-sided and corrected for all tests that
    were made (Bonferroni).
    """

    judge: str
    what: Literal["ties", "agreement", "first"]
    seen: float
    expected: float
    votes: int
    p: float


@dataclass(frozen=True)
class Agreement:
    """Agreement on ``pairs`` pairs of arms that two or more judges have judged, in ``votes`` votes.

    ``equal`` is the probability that a vote on such a pair is answered like one of another judge, ``alpha``
    Krippendorff's coefficient; None where there is nothing to compare. Their intervals (95 %, by resampling pairs) are
    None if there are too few pairs. ``tests`` is the number of tests of which ``striking`` are significant.
    """

    pairs: int
    votes: int
    equal: float | None
    equal_interval: tuple[float, float] | None
    alpha: float | None
    alpha_interval: tuple[float, float] | None
    judges: tuple[Judge, ...]
    striking: tuple[Striking, ...]
    tests: int


def agreement(votes: Sequence[Judged]) -> Agreement:
    """Return the agreement of judges. Judges come in order of their number of votes, then by name.

    Votes without a judge's name are left out: they may come from one judge or from many.
    """
    votes = [vote for vote in votes if vote.judge is not None]
    number = Counter(str(vote.judge) for vote in votes)
    names = sorted(number, key=lambda name: (-number[name], name))
    counts = _counts(votes, names)
    shared = counts[(counts.sum(axis=2) > 0).sum(axis=1) >= 2]
    equal, alpha, *intervals = _chance_corrected(shared)
    judges = tuple(_judge(name, place, votes, shared) for place, name in enumerate(names))
    made = [test for place, name in enumerate(names) for test in _tests(name, place, votes, shared)]
    corrected = [test._replace(p=min(1.0, test.p * len(made))) for test in made]
    striking = sorted((test for test in corrected if test.p < LEVEL and _matters(test)), key=lambda test: test.p)
    return Agreement(
        len(shared), int(shared.sum()), equal, intervals[0], alpha, intervals[1], judges, tuple(striking), len(made)
    )


def _matters(test: Striking) -> bool:
    """Return whether a difference is of interest: agreeing with the majority more often than others is not."""
    return test.what != "agreement" or test.seen < test.expected


def _paired(counts: Floats) -> tuple[Floats, Floats]:
    """Return, for each unit, the sum over its votes of the share of other judges' equal votes, and its number of votes.

    A unit with fewer than two judges has no votes to compare.
    """
    of_judge = counts.sum(axis=2)
    total = counts.sum(axis=1)
    others = of_judge.sum(axis=1)[:, None] - of_judge
    like = (counts * (total[:, None, :] - counts)).sum(axis=2)
    paired = ((of_judge > 0).sum(axis=1) >= 2) * of_judge.sum(axis=1)
    return np.divide(like, others, out=np.zeros_like(like), where=others > 0).sum(axis=1), paired


def _alpha(seen: Floats, expected: Floats) -> Floats:
    """Return Krippendorff's alpha from shares of equal answers, NaN if all answers are expected to be equal."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return 1 - (1 - seen) / (1 - expected)


def _counts(votes: Sequence[Judged], names: Sequence[str]) -> Floats:
    """Return (pairs, judges, 3) how often each judge has preferred the first arm by name, the other, or neither."""
    place = {name: place for place, name in enumerate(names)}
    pairs: dict[tuple[str, str], int] = {}
    found = [(pairs.setdefault(_pair(vote), len(pairs)), place[str(vote.judge)], _said(vote)) for vote in votes]
    counts = np.zeros((len(pairs), len(names), 3))
    if found:
        np.add.at(counts, tuple(np.array(found).T), 1.0)
    return counts


def _pair(vote: Judged) -> tuple[str, str]:
    return min(vote.first, vote.second), max(vote.first, vote.second)


def _said(vote: Judged) -> int:
    return 2 if vote.answer == "tie" else int((vote.answer == "first") != (vote.first < vote.second))


def _chance_corrected(
    counts: Floats,
) -> tuple[float | None, float | None, tuple[float, float] | None, tuple[float, float] | None]:
    """Return the share of equal answers, alpha, and their intervals by the bootstrap over pairs.

    The order of the names of a pair carries no information, so by chance two votes are equal when both are ties or,
    with probability 1/2, when neither is. That is the usual expected agreement, averaged over all ways to name the
    arms.
    """
    same, paired = _paired(counts)
    if not paired.sum():
        return None, None, None, None
    stats = np.stack([same, paired, counts[:, :, 2].sum(axis=1)])

    def both(sums: Floats) -> Floats:
        like, votes, ties = sums
        with np.errstate(invalid="ignore", divide="ignore"):
            chance = (ties * (ties - 1) + (votes - ties) * (votes - ties - 1) / 2) / (votes * (votes - 1))
            share = like / votes
        return np.stack([share, _alpha(share, chance)])

    equal, alpha = both(stats.sum(axis=1))
    known = None if not math.isfinite(alpha) else float(alpha)
    if paired.sum() ** 2 / (paired**2).sum() < _FEWEST_PAIRS:
        return float(equal), known, None, None
    # The seed is fixed: the same votes have the same intervals.
    drawn = np.random.default_rng(0).multinomial(len(paired), np.full(len(paired), 1 / len(paired)), _RESAMPLES)
    ends = np.nanquantile(both(stats @ drawn.T), [0.025, 0.975], axis=1)
    return float(equal), known, (float(ends[0, 0]), float(ends[1, 0])), (float(ends[0, 1]), float(ends[1, 1]))


def _judge(name: str, place: int, votes: Sequence[Judged], shared: Floats) -> Judge:
    theirs = [vote.answer for vote in votes if vote.judge == name]
    own = shared[:, place]
    most = _most_frequent(shared.sum(axis=1) - own)
    return Judge(
        name,
        len(theirs),
        _share(theirs.count("tie"), len(theirs)),
        _share(theirs.count("first"), len(theirs) - theirs.count("tie")),
        _share(int((own * most).sum()), int(own[most.any(axis=1)].sum())),
    )


def _share(count: int, of: int) -> Share | None:
    return Share(count / of, of, *wilson(count / of, of)) if of else None


def _tests(name: str, place: int, votes: Sequence[Judged], shared: Floats) -> list[Striking]:
    """Return the tests that can be made of one judge, p not yet corrected.

    Ties, and agreement with the answer most frequent among all votes on the pair: were the names of the judges dealt
    out anew among the votes of each pair, how many such answers would be one judge's is hypergeometric (the
    Cochran–Mantel–Haenszel test with pairs as strata). Which pairs an algorithm has chosen does not enter. First: the
    place in which an arm is shown is drawn, so half of those preferred are the first, whatever the arms are.
    """
    own, total = shared[:, place], shared.sum(axis=1)
    n, of = own.sum(axis=1), total.sum(axis=1)
    counted: dict[Literal["ties", "agreement"], Flags] = {
        "ties": np.broadcast_to(np.array([False, False, True]), own.shape),
        "agreement": _most_frequent(total),
    }
    found = []
    for what, answers in counted.items():
        said = (total * answers).sum(axis=1)
        variance = (n * (of - n) * said * (of - said) / (of**2 * np.maximum(of - 1, 1))).sum()
        if variance >= _FEWEST_VARIANCE:
            found.append(_striking(name, what, (own * answers).sum(), (n * said / of).sum(), variance, n.sum()))
    decided = [vote.answer for vote in votes if vote.judge == name and vote.answer != "tie"]
    if len(decided) / 4 >= _FEWEST_VARIANCE:
        found.append(_striking(name, "first", decided.count("first"), len(decided) / 2, len(decided) / 4, len(decided)))
    return found


def _most_frequent(counts: Floats) -> Flags:
    """Return (pairs, 3) which answer is the one most frequent on each pair; none where several are."""
    most: Flags = (counts == counts.max(axis=1, keepdims=True)) & (counts > 0)
    sole: Flags = most & (most.sum(axis=1, keepdims=True) == 1)
    return sole


def _striking(
    name: str, what: Literal["ties", "agreement", "first"], seen: float, expected: float, variance: float, votes: float
) -> Striking:
    p = 2 * (1 - NormalDist().cdf(abs(seen - expected) / math.sqrt(variance)))
    return Striking(name, what, float(seen / votes), float(expected / votes), int(votes), p)
