"""Standings of arms after votes: scores with intervals, the probability of being best, and the deciding pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Floats
from duelbench.preferences.bradley_terry import curvature, fit
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.posterior import Posterior
from duelbench.preferences.worlds import Estimate, Notion, Worlds
from duelbench.proportions import NORMAL, wilson

MOST_DRAWS, FEWEST_DRAWS = 4_000, 400
ENTRIES = 20_000_000
"""Entries of all matrices drawn, but at least ``FEWEST_DRAWS`` matrices."""
SHOWN = 0.01
"""Arms with a smaller chance to be best are ordered by their scores: smaller chances are Monte Carlo noise."""


class Standing(NamedTuple):
    """The standing of one arm. ``arm`` is its number, from 0.

    ``votes`` were ``wins``, ``losses`` and ``ties``. ``share`` of them is won, a tie as half a win, with Wilson's
    interval; None without votes. It depends on the opponents, which an algorithm does not choose at random. The
    others do not: ``beats`` is how many of the other arms it beats, and ``borda`` the probability that it is preferred
    to one of them chosen at random (means and credible intervals over matrices drawn from ``Posterior``);
    ``strength`` is Bradley–Terry's, in log-odds against the mean of the arms (normal approximation). ``chance`` is the
    probability that it is best.
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
    strength: Estimate
    chance: float


class Deciding(NamedTuple):
    """A pair that decides whether an arm is best.

    ``first`` is the arm that is more probably preferred, with probability ``p`` that it is. ``if_so`` and ``if_not``
    are the probabilities, in either case, that the arm of the question is best; ``wins``, ``losses`` and ``ties`` the
    votes on the pair so far, seen from ``first``.
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
    """The arms that take part, best first, by their chance to be best and then by their scores.

    ``leader`` is the arm that ``chance`` and ``deciding`` are about: the one recommended or, where none is, the first.
    ``error`` is the standard error of ``chance`` that comes from the number of ``draws``. ``votes`` and ``ties`` count
    all votes, ``unseen`` the pairs of arms that take part which nobody has voted on.
    """

    names: tuple[str, ...]
    notion: Notion
    votes: float
    ties: float
    arms: tuple[Standing, ...]
    recommended: int | None
    leader: int
    chance: float
    error: float
    draws: int
    deciding: tuple[Deciding, ...]
    unseen: int


def standings(
    counts: PairCounts,
    *,
    recommended: int | None = None,
    taking_part: Sequence[int] | None = None,
    notion: Notion = "copeland",
    draws: int | None = None,
    seed: int = 0,
) -> Standings:
    """Return the standings of the arms after votes.

    ``recommended`` is the arm that an algorithm would name. ``taking_part`` are the numbers of the arms that have not
    been withdrawn; votes on the others still say something of these. ``draws`` matrices are drawn, by default as many
    as take some seconds; with the same ``seed`` the same votes give the same numbers.

    Raises ValueError when no arm takes part or the recommended one does not.
    """
    part = list(range(counts.arms)) if taking_part is None else sorted(taking_part)
    if not part or (recommended is not None and recommended not in part):
        raise ValueError(f"arm {recommended} does not take part: {part} do")
    worlds = Posterior(counts, ties="model").sample(draws or _enough(counts.arms), seed, part)
    chances = worlds.chances(notion)
    beats, borda = worlds.wins.mean(axis=0), worlds.borda.mean(axis=0)
    order = np.lexsort((-borda, -beats, -np.where(chances >= SHOWN, chances, 0.0)))
    leader = part[order[0]] if recommended is None else recommended
    chance = float(chances[part.index(leader)])
    beats_of, borda_of = worlds.estimates("copeland"), worlds.estimates("borda")
    among = counts.votes[np.ix_(part, part)]
    strengths = strengths_of(counts, part)
    return Standings(
        counts.names,
        notion,
        float(counts.votes.sum() / 2),
        float(counts.ties.sum() / 2),
        tuple(
            _standing(counts, part[place], chances[place], beats_of[place], borda_of[place], strengths[place])
            for place in order
        ),
        recommended,
        leader,
        chance,
        math.sqrt(chance * (1 - chance) / worlds.draws),
        worlds.draws,
        tuple(_deciding(counts, worlds, part.index(leader), notion)),
        int((among[np.triu_indices(len(part), 1)] == 0).sum()),
    )


def chances(
    counts: PairCounts,
    *,
    taking_part: Sequence[int] | None = None,
    notion: Notion = "copeland",
    draws: int = 1_000,
    seed: int = 0,
) -> Floats:
    """Return the probability of each arm to be best, shape (K,): 0 for those that do not take part.

    That is the ``chance`` of ``standings``, alone and from fewer draws: for deciding when to stop, again and again.
    """
    part = list(range(counts.arms)) if taking_part is None else sorted(taking_part)
    result = np.zeros(counts.arms)
    result[part] = Posterior(counts, ties="model").sample(draws, seed, part).chances(notion)
    return result


def _enough(arms: int) -> int:
    return max(FEWEST_DRAWS, min(MOST_DRAWS, ENTRIES // arms**2))


def strengths_of(counts: PairCounts, part: Sequence[int]) -> list[Estimate]:
    """Return the Bradley–Terry strengths of some arms above their mean, in log-odds, with normal intervals."""
    above_mean = np.eye(counts.arms)[list(part)]
    above_mean[:, list(part)] -= 1 / len(part)
    strengths = fit(counts)
    spread = above_mean @ np.linalg.inv(curvature(strengths, counts.votes)) @ above_mean.T
    half = NORMAL * np.sqrt(np.maximum(spread.diagonal(), 0.0))
    return [
        Estimate(float(value), float(value - each), float(value + each))
        for value, each in zip(above_mean @ strengths, half, strict=True)
    ]


def _standing(
    counts: PairCounts, arm: int, chance: float, beats: Estimate, borda: Estimate, strength: Estimate
) -> Standing:
    wins, losses, ties = (float(each.sum()) for each in (counts.wins[arm], counts.wins[:, arm], counts.ties[arm]))
    votes = wins + losses + ties
    share = (wins + ties / 2) / votes if votes else math.nan
    return Standing(
        arm,
        counts.names[arm],
        votes,
        wins,
        losses,
        ties,
        Estimate(share, *wilson(share, votes)) if votes else None,
        beats,
        borda,
        strength,
        float(chance),
    )


def _deciding(counts: PairCounts, worlds: Worlds, place: int, notion: Notion) -> list[Deciding]:
    """Return the pairs that are most informative about whether an arm is best, with the votes on them."""
    found = []
    for pair in worlds.deciding(place, notion):
        i, j = worlds.arms[pair.first], worlds.arms[pair.second]
        votes = (float(each) for each in (counts.wins[i, j], counts.wins[j, i], counts.ties[i, j]))
        found.append(Deciding(i, j, pair.p, pair.if_so, pair.if_not, *votes))
    return found
