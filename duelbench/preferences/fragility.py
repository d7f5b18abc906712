"""How fragile a winner is: the fewest votes whose change would put another arm first.

A vote is *dropped*, or *turned*, so that its loser wins. For Copeland scores the number is exact. For Bradley–Terry
strengths it is the number that a greedy search needs, thus an upper bound: it changes the vote that brings the rival
nearest, by one step of Newton's method, fits the strengths again, and so on.

References
----------
Huang, Shen, Wei & Broderick, Dropping just a handful of preferences can change top large language model rankings,
arXiv 2508.11847: the influence of a vote.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from duelbench.arrays import Floats
from duelbench.preferences.bradley_terry import curvature, most_likely, slope
from duelbench.preferences.counts import PairCounts

Change = Literal["drop", "turn"]

RIVALS = 3
"""Rivals that the search tries, those that one step of Newton's method brings nearest."""
BLOCKS = 50
"""With more votes to go than this, the search changes several alike votes at once."""
SURE = 0.8
"""The search gives a rival up when this part of the estimated number of votes is too many."""
CHORDS, SETTLED = 6, 1e-9
"""Steps with the same inverse information after a small change, and the size of the last."""
AHEAD = 1e-9
"""By how much the rival's score must be larger."""


@dataclass(frozen=True)
class Fragility:
    """The fewest votes found that put another arm above the winner.

    Parameters
    ----------
    winner : int
        The arm with the highest score.
    rival : int
        The arm that would be above it.
    change : {"drop", "turn"}
        How the votes change.
    votes : float
        The number of votes to change, a whole number unless votes have weights.
    total : float
        The number of votes that are no ties.
    cells : tuple of (int, int, float)
        The votes to change: the arm that has won, the arm that has lost, and how many votes. Empty for Copeland scores.
    """

    winner: int
    rival: int
    change: Change
    votes: float
    total: float
    cells: tuple[tuple[int, int, float], ...] = ()


def bradley_terry_fragility(counts: PairCounts, change: Change = "drop", ghosts: float = 1.0) -> Fragility | None:
    """Return the fewest votes found that change the arm with the largest Bradley–Terry strength.

    Parameters
    ----------
    counts : PairCounts
        The votes; ties are left out.
    change : {"drop", "turn"}
        How votes change.
    ghosts : float
        The prior of ``duelbench.preferences.bradley_terry``.

    Returns
    -------
    Fragility or None
        None where the search finds no such votes, as with a single vote.
    """
    strengths = most_likely(counts.wins, ghosts)
    winner = int(np.argmax(strengths))
    inverse = _inverse(strengths, counts.wins, ghosts)
    needed = np.full(counts.arms, np.inf)
    for rival in range(counts.arms):
        if rival != winner:
            effect = _effects(strengths, inverse, winner, rival, change)
            needed[rival] = _needed(effect, counts.wins, strengths[winner] - strengths[rival])
    found: Fragility | None = None
    for rival in np.argsort(needed, kind="stable")[: min(RIVALS, counts.arms - 1)].tolist():
        most = found.votes if found else math.inf
        found = _search(counts, strengths, winner, rival, change, ghosts, most) or found
    return found


def copeland_fragility(counts: PairCounts, change: Change = "drop") -> Fragility | None:
    """Return the fewest votes that put another arm's Copeland score above that of the Copeland winner.

    A Copeland score is the number of arms that the arm beats, with 1/2 for a tied pair. Where several arms have the
    highest score, the winner is the first of them.

    Parameters
    ----------
    counts : PairCounts
        The votes; ties do not matter, since they do not change who leads a pair.
    change : {"drop", "turn"}
        How votes change.

    Returns
    -------
    Fragility or None
        None where no such votes exist.
    """
    lead = counts.wins - counts.wins.T
    halves = 2 * (lead > 0).sum(axis=1) + (lead == 0).sum(axis=1) - 1  # Copeland scores, twice
    winner = int(np.argmax(halves))
    level, passed = _costs(counts.wins, lead, change)
    per_point = np.minimum(level, passed / 2) / 2  # the least cost of a half point
    best, found = math.inf, -1
    for rival in range(counts.arms):
        gain = int(halves[winner] - halves[rival]) + 1
        if rival == winner or gain * min(per_point[winner].min(), per_point[:, rival].min()) >= best:
            continue
        cost = _cheapest(level, passed, lead, winner, rival, gain)
        if cost < best:
            best, found = cost, rival
    return None if found < 0 else Fragility(winner, found, change, best, float(counts.wins.sum()))


def _costs(wins: Floats, lead: Floats, change: Change) -> tuple[Floats, Floats]:
    """Return how many votes of arm i over arm j must change for a tie of the pair, and for j to lead, both (K, K)."""
    votes = lead if change == "drop" else lead / 2
    level = np.where((lead > 0) & (votes == np.floor(votes)), votes, np.inf)
    passed = np.floor(votes) + 1
    return level, np.where((lead >= 0) & (passed <= wins), passed, np.inf)


def _cheapest(level: Floats, passed: Floats, lead: Floats, winner: int, rival: int, gain: int) -> float:
    """Return the fewest votes that bring the rival so many half points nearer to the winner."""
    cost = np.full(gain + 1, np.inf)  # of so many half points at least
    cost[0] = 0.0
    others = [arm for arm in range(len(lead)) if arm not in (winner, rival)]
    pairs = [(winner, rival, 2), *((winner, arm, 1) for arm in others), *((arm, rival, 1) for arm in others)]
    for i, j, points in pairs:
        if lead[i, j] >= 0:
            choices = [(level[i, j], points), (passed[i, j], points * (2 if lead[i, j] > 0 else 1))]
            cost = np.min([cost, *(votes + _later(cost, more) for votes, more in choices)], axis=0)
    return float(cost[gain])


def _later(cost: Floats, more: int) -> Floats:
    return np.concatenate([np.full(min(more, len(cost)), cost[0]), cost[: max(len(cost) - more, 0)]])


def _search(
    counts: PairCounts, strengths: Floats, winner: int, rival: int, change: Change, ghosts: float, most: float
) -> Fragility | None:
    """Return the votes that a greedy search changes to put the rival above the winner, if they are fewer than most."""
    won, changed = counts.wins.copy(), np.zeros_like(counts.wins)
    while (gap := strengths[winner] - strengths[rival]) > -AHEAD:
        inverse = _inverse(strengths, won, ghosts)
        effect = _effects(strengths, inverse, winner, rival, change)
        effect[won <= 0] = 0.0
        cell = np.unravel_index(int(np.argmax(effect)), effect.shape)
        needed = _needed(effect, won, gap)
        if effect[cell] <= 0 or changed.sum() + max(1.0, SURE * min(needed, 1e12)) >= most:
            return None
        votes = min(won[cell], max(1.0, needed // BLOCKS) if math.isfinite(needed) else 1.0)
        won[cell] -= votes
        changed[cell] += votes
        if change == "turn":
            won[cell[::-1]] += votes
        strengths = _refitted(strengths, won, ghosts, inverse)
    cells = [(int(i), int(j), float(changed[i, j])) for i, j in np.argwhere(changed > 0)]
    cells.sort(key=lambda each: -each[2])
    return Fragility(winner, rival, change, float(changed.sum()), float(counts.wins.sum()), tuple(cells))


def _inverse(strengths: Floats, won: Floats, ghosts: float) -> Floats:
    information = curvature(strengths, won + won.T, ghosts)
    return np.asarray(np.linalg.inv(information + 1e-3 / len(won)), np.float64)  # exists without ghosts, too


def _refitted(strengths: Floats, won: Floats, ghosts: float, inverse: Floats) -> Floats:
    """Return the strengths after a small change of the votes."""
    fitted = strengths
    for _ in range(CHORDS):
        step = inverse @ slope(fitted, won, ghosts)
        fitted = fitted + step
        if np.abs(step).max() < SETTLED:
            return fitted
    return most_likely(won, ghosts, fitted)


def _effects(strengths: Floats, inverse: Floats, winner: int, rival: int, change: Change) -> Floats:
    """Return by how much changing a vote of arm i over arm j brings the rival nearer to the winner, shape (K, K)."""
    p = 1.0 / (1.0 + np.exp(strengths[None, :] - strengths[:, None]))
    direction = inverse[winner] - inverse[rival]
    along: Floats = direction[:, None] - direction[None, :]
    if change == "turn":
        return along
    spread = inverse.diagonal()[:, None] + inverse.diagonal()[None, :] - 2.0 * inverse
    return (1.0 - p) * along / np.maximum(1.0 - p * (1.0 - p) * spread, 0.1)


def _needed(effect: Floats, won: Floats, gap: float) -> float:
    """Return how many votes close a gap if their effects add up, the largest first; infinity where all are too few."""
    useful = (effect > 0) & (won > 0)
    effects, votes = effect[useful], won[useful]
    order = np.argsort(-effects, kind="stable")
    closed, changed = np.cumsum(effects[order] * votes[order]), np.cumsum(votes[order])
    last = int(np.searchsorted(closed, gap))
    if last == len(closed):
        return math.inf
    return float(changed[last] - (closed[last] - gap) / effects[order[last]])
