"""Compute standings of arms after votes: scores with intervals, probabilities of being best, and goals for stopping."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from duelbench.arrays import Floats
from duelbench.errors import UserError
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.posterior import Posterior
from duelbench.preferences.samples import Estimate, Notion, Samples
from duelbench.proportions import NORMAL, wilson
from duelbench.votes.sessions.events import Vote
from duelbench.votes.strengths import independent

_LEVEL = 0.95
"""The probability required for a goal that is not itself a probability."""


class Goal(NamedTuple):
    """A statement that must have probability ``level`` for a session to stop.

    ``what`` is the statement: the recommended arm is best ("best") or within the margin of the best ("margin"), the
    order of all arms is right ("ranks"), or the first ``k`` arms are the best ones ("top").
    """

    what: Literal["best", "margin", "ranks", "top"]
    level: float = _LEVEL
    k: int = 0

    @property
    def until(self) -> float | str:
        """The goal in the form that ``goal_of`` takes."""
        return self.level if self.what == "best" else f"top:{self.k}" if self.what == "top" else self.what


def goal_of(until: object, arms: int, margin: float = 0.0) -> Goal:
    """Parse a goal: a probability, "ranks", "top:K" or "margin". Raises UserError for anything else.

    Parameters
    ----------
    until : float or str
        The goal.
    arms : int
        The number of arms.
    margin : float
        The indifference margin, which the goal "margin" needs.
    """
    if until == "ranks":
        return Goal("ranks")
    if until == "margin":
        if not margin:
            raise UserError("the goal 'margin' needs a margin above 0, such as 0.02")
        return Goal("margin")
    text = "" if isinstance(until, bool) else str(until)
    if found := re.fullmatch(r"top:(\d{1,9})", text, re.ASCII):
        if not 1 <= int(found[1]) < arms:
            raise UserError(f"K in top:K is from 1 to {arms - 1}, less than the {arms} arms, not {found[1]}")
        return Goal("top", k=int(found[1]))
    try:
        level = float(text)
    except ValueError:
        level = 0.0
    if not 0 < level < 1:
        raise UserError(f"{until!r:.60} is not a goal: give a probability between 0 and 1, ranks, top:K or margin")
    return Goal("best", level)


_MOST_DRAWS, _FEWEST_DRAWS = 4_000, 200
_ENTRIES = 20_000_000
"""The largest number of entries of all matrices drawn; but we draw at least ``_FEWEST_DRAWS`` matrices."""


class ArmStanding(NamedTuple):
    """The standing of one arm, with the number ``arm``, from 0.

    ``votes`` is the sum of ``wins``, ``losses`` and ``ties``. ``share`` is the share of votes won, a tie as half a win,
    with Wilson's interval; None without votes. It depends on the opponents, which an algorithm does not choose at
    random. The other scores do not: ``beats`` is the number of other arms that it beats, and ``borda`` the probability
    that it is preferred to another arm chosen at random. Both are means with credible intervals over matrices drawn
    from ``Posterior``. ``chance`` is the probability that it is best, and ``near`` that it is within the margin.
    """

    arm: int
    name: str
    votes: float
    wins: float
    losses: float
    ties: float
    share: Estimate | None
    beats: Estimate
    borda: Estimate
    chance: float
    near: float


class Deciding(NamedTuple):
    """A pair of arms on which it depends whether the leader is best.

    ``p`` is the probability, at least 1/2, that ``first`` is preferred to ``second``. The leader is best with
    probability ``if_so`` if it is, else ``if_not``. ``wins``, ``losses`` and ``ties`` are the votes on the pair so far,
    from the view of ``first``.
    """

    first: int
    second: int
    p: float
    if_so: float
    if_not: float
    wins: float
    losses: float
    ties: float


@dataclass(frozen=True)
class Standings:
    """The standings of the arms that take part: the most probable best arm first, then the others by their scores.

    ``recommended`` is the arm that the algorithm has ``declared`` the winner, else the first arm; None without either
    votes or a winner. ``leader`` is the recommended arm or, if there is none, the first; ``chance`` is the probability
    that it is best, and ``deciding`` lists the pairs on which this depends. ``error`` is the standard error of
    ``chance`` due to the number of ``draws``. ``votes`` and ``ties`` count all votes; ``unseen`` counts the pairs of
    participating arms without votes. ``in_order`` is the probability that the order is right, and ``tops[k - 1]`` that
    the first k arms are the best, for 1 ≤ k < K; both allow for the ``margin``. One more vote on ``next_pair`` would
    lower the uncertainty of the order most. ``effect`` is the design effect: as votes on an item depend on each other,
    intervals and probabilities count so many votes as one.
    """

    names: tuple[str, ...]
    notion: Notion
    votes: float
    ties: float
    arms: tuple[ArmStanding, ...]
    recommended: int | None
    declared: int | None
    leader: int
    chance: float
    error: float
    draws: int
    deciding: tuple[Deciding, ...]
    unseen: int
    margin: float
    in_order: float
    tops: tuple[float, ...]
    next_pair: tuple[int, int] | None
    effect: float = 1.0

    @property
    def best_does(self) -> str:
        """A phrase that defines the best arm."""
        return {"copeland": "beats most others", "condorcet": "beats all others"}.get(
            self.notion, "is preferred most often"
        )

    @property
    def standing(self) -> ArmStanding:
        """The standing of the leader."""
        return next(row for row in self.arms if row.arm == self.leader)

    def probability(self, until: float | str) -> float:
        """Return the probability of a goal, which ``reached`` compares with its level."""
        goal = self._goal(until)
        match goal.what:
            case "best":
                return self.chance
            case "margin":
                return self.standing.near
            case "ranks":
                return self.in_order
            case "top":
                return self.tops[goal.k - 1]

    def reached(self, until: float | str) -> bool:
        """Return whether a session may stop; see ``Session.stop`` for ``until``."""
        goal = self._goal(until)
        return bool(self.votes) and self.probability(goal.until) >= goal.level

    def _goal(self, until: float | str) -> Goal:
        return goal_of(until, len(self.arms), self.margin)


class BothOrders(NamedTuple):
    """The number of questions answered in both orders, and the effect of the order with 95 % intervals.

    ``flips`` is the share of ``questions`` with different answers. ``first`` is the position bias: the share of answers
    that prefer the arm shown first, with ties as halves, minus 1/2.
    """

    questions: int
    flips: Estimate
    first: Estimate


def both_orders(votes: Sequence[Vote]) -> BothOrders | None:
    """Compare the answers in both orders; None if there are none.

    If all of few differences are equal, their standard error is 0. So for the interval of the position bias we add two
    questions, half a question for each pair of answers without ties (Agresti & Min, Statistics in Medicine 2005).
    """
    answers = [vote.answers for vote in votes if vote.answers is not None]
    if not answers:
        return None
    flips = sum(vote.flip is not None for vote in votes) / len(answers)
    worth = {"first": 0.5, "tie": 0.0, "second": -0.5}
    first = np.array([(worth[one] + worth[other]) / 2 for one, other in answers])
    more = np.append(first, (0.5, -0.5, 0.0))
    weights = np.append(np.ones(len(first)), (0.5, 0.5, 1.0))
    centre = float(np.average(more, weights=weights))
    half = NORMAL * math.sqrt(float(np.average((more - centre) ** 2, weights=weights)) / (len(first) + 2))
    bias = Estimate(float(first.mean()), max(centre - half, -0.5), min(centre + half, 0.5))
    return BothOrders(len(answers), Estimate(flips, *wilson(flips, len(answers))), bias)


def standings(
    counts: PairCounts,
    *,
    declared: int | None = None,
    taking_part: Sequence[int] | None = None,
    notion: Notion = "copeland",
    margin: float = 0.0,
    draws: int | None = None,
    seed: int = 0,
    effect: float = 1.0,
) -> Standings:
    """Compute the standings of the arms.

    ``declared`` is the winner that an algorithm has declared. ``taking_part`` are the numbers of the arms that have not
    been withdrawn; votes on withdrawn arms still inform about the others. We draw ``draws`` matrices, by default as
    many as take some seconds; the same ``seed`` and votes give the same numbers. For dependent votes with design effect
    ``effect``, we raise the likelihood to the power 1 / ``effect`` (Pauli, Racugno & Ventura, Statistica Sinica 2011).
    """
    part = list(range(counts.arms)) if taking_part is None else sorted(taking_part)
    effective = independent(counts, effect)
    samples = Posterior(effective, ties="model").sample(draws or enough_draws(counts.arms), seed, part, margin)
    chances, near = samples.chances(notion), samples.within_margin(notion)
    beats, borda = samples.wins.mean(axis=0), samples.borda.mean(axis=0)
    scores = (-borda,) if notion == "borda" else (-borda, -beats)
    order = np.lexsort((*scores, chances < chances.max())).tolist()
    beats_of, borda_of = samples.estimates("copeland"), samples.estimates("borda")
    arms = []
    for k in order:
        arm = part[k]
        won, lost, tied = (float(each.sum()) for each in (counts.wins[arm], counts.wins[:, arm], counts.ties[arm]))
        of_arm = won + lost + tied
        won_share = (won + tied / 2) / of_arm if of_arm else math.nan
        share = Estimate(won_share, *wilson(won_share, of_arm / effect)) if of_arm else None
        numbers = of_arm, won, lost, tied, share, beats_of[k], borda_of[k], float(chances[k]), float(near[k])
        arms.append(ArmStanding(arm, counts.names[arm], *numbers))
    votes, among = counts.votes, counts.votes[np.ix_(part, part)]
    recommended = declared if declared is not None else arms[0].arm if votes.any() else None
    leader = arms[0].arm if recommended is None else recommended
    chance, pair = float(chances[part.index(leader)]), samples.next_pair()
    return Standings(
        names=counts.names,
        notion=notion,
        votes=float(votes.sum() / 2),
        ties=float(counts.ties.sum() / 2),
        arms=tuple(arms),
        recommended=recommended,
        declared=declared,
        leader=leader,
        chance=chance,
        error=math.sqrt(chance * (1 - chance) / samples.draws),
        draws=samples.draws,
        deciding=tuple(_deciding(counts, samples, part.index(leader), notion)),
        unseen=int((among[np.triu_indices(len(part), 1)] == 0).sum()),
        margin=margin,
        in_order=samples.in_order(order, notion),
        tops=tuple(samples.tops(order, notion).tolist()),
        next_pair=None if pair is None else (part[pair[0]], part[pair[1]]),
        effect=effect,
    )


def enough_draws(arms: int) -> int:
    """Return the default number of matrices to draw, which takes some seconds."""
    return max(_FEWEST_DRAWS, min(_MOST_DRAWS, _ENTRIES // arms**2))


def _deciding(counts: PairCounts, samples: Samples, place: int, notion: Notion) -> list[Deciding]:
    """Return the pairs that are most informative about whether an arm is best, with the votes on them."""
    found = []
    for pair in samples.deciding(place, notion):
        i, j = samples.arms[pair.first], samples.arms[pair.second]
        votes = (float(each) for each in (counts.wins[i, j], counts.wins[j, i], counts.ties[i, j]))
        found.append(Deciding(i, j, pair.p, pair.if_so, pair.if_not, *votes))
    return found


DRAWS = 400
MARKS = 24
_LARGE = 60
"""With more arms we compute fewer marks, since each needs the posterior."""


class ProgressCurves(NamedTuple):
    """The probabilities ``chances[m]`` that arms are best after ``votes[m]`` votes, shapes (marks, K) and (marks,)."""

    votes: Floats
    chances: Floats


def progress(
    counts: PairCounts,
    votes: Sequence[Vote],
    *,
    taking_part: Sequence[int] | None = None,
    notion: Notion = "copeland",
    effect: float = 1.0,
) -> ProgressCurves:
    """Compute the probabilities of being best before the first vote, after the last one, and in between.

    ``counts`` are all votes, and ``votes`` those of them with known time; the others, which were imported, count from
    the beginning. Votes on arms that are not in ``counts`` are ignored. ``taking_part`` and ``effect`` are as for
    ``standings``.
    """
    place = {name: number for number, name in enumerate(counts.names)}
    known = [vote for vote in votes if vote.first in place and vote.second in place]
    steps = MARKS if counts.arms <= _LARGE else MARKS * _LARGE // counts.arms
    marks = np.unique(np.linspace(0, len(known), steps + 2).round()).astype(np.int64)
    wins, ties = counts.wins.copy(), counts.ties.copy()
    part = list(range(counts.arms)) if taking_part is None else sorted(taking_part)
    after, taken, found = [], len(known), np.zeros((len(marks), counts.arms))
    for row, mark in zip(found[::-1], marks[::-1], strict=True):
        for vote in known[mark:taken]:
            _take_back(vote, place, wins, ties)
        taken = int(mark)
        then = PairCounts(counts.names, wins, ties)
        after.append(float(then.votes.sum() / 2))
        row[part] = Posterior(independent(then, effect), ties="model").sample(DRAWS, part=part).chances(notion)
    return ProgressCurves(np.array(after[::-1]), found)


def _take_back(vote: Vote, place: dict[str, int], wins: Floats, ties: Floats) -> None:
    first, second = place[vote.first], place[vote.second]
    for outcome, weight in vote.parts:
        if outcome == 0:
            ties[first, second] -= weight
            ties[second, first] -= weight
        elif outcome > 0:
            wins[first, second] -= weight
        else:
            wins[second, first] -= weight
