"""How fragile a winner is: the fewest votes whose change would put another arm first.

A vote is *dropped*, or *turned*, so that its loser wins; ties can be dropped where they count. For Copeland scores the
number is exact. For Bradley–Terry strengths it is the number that a greedy search needs, thus an upper bound: it
changes the vote that brings the rival nearest, by one step of Newton's method, fits the strengths again, and so on.

In the model of judges, most of the votes that one step of Newton's method needs are changed at once; then the model is
fitted again, with the same standard deviations between judges, until the rival is first. This is an upper bound, too.

References
----------
Huang, Shen, Wei & Broderick, Dropping just a handful of preferences can change top large language model rankings,
arXiv 2508.11847: the influence of a vote.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from duelbench.arrays import Floats
from duelbench.preferences.counts import PairCounts
from duelbench.votes.judge_model import JudgeFit, Mode, Model, log_chances, modes
from duelbench.votes.vote_graph import fit, posterior_root, slope
from duelbench.votes.vote_table import VoteTable

Change = Literal["drop", "turn"]
CHANGES: tuple[Change, ...] = ("drop", "turn")
_RIVALS = 3
"""Rivals that the search tries, those that one step of Newton's method brings nearest."""
_BLOCKS = 50
"""With more votes to go than this, the search changes several alike votes at once."""
_EXACT = 1e6
"""With more votes than this, the search counts in larger units: single votes drown in rounding."""
_SURE = 0.8
"""The search gives a rival up when this part of the estimated number of votes is too many."""
_STEPS = 2_000
"""Changes after which the search gives a rival up: about 1,200 are needed for 1e12 votes."""
_CHORDS, _SETTLED = 6, 1e-9
"""Steps with the same inverse information after a small change, and the size of the last."""
_AHEAD = 1e-9
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
        The number of votes that count.
    cells : tuple of (int, int, float)
        The votes to change: the arm that has won, the arm that has lost, and how many votes. Empty for Copeland scores.
    ties : tuple of (int, int, float)
        The ties to drop: the two arms, and how many.
    """

    winner: int
    rival: int
    change: Change
    votes: float
    total: float
    cells: tuple[tuple[int, int, float], ...] = ()
    ties: tuple[tuple[int, int, float], ...] = ()


def bradley_terry_fragility(
    counts: PairCounts,
    change: Change = "drop",
    ghosts: float = 1.0,
    *,
    ties: Literal["drop", "half"] = "drop",
    arms: Sequence[int] | None = None,
) -> Fragility | None:
    """Return the fewest votes found that change the arm with the largest Bradley–Terry strength.

    Parameters
    ----------
    counts : PairCounts
        The votes.
    change : {"drop", "turn"}
        How votes change.
    ghosts : float
        The prior of ``duelbench.preferences.scores``.
    ties : {"drop", "half"}
        Leave ties out, or count each as half a win for both arms.
    arms : sequence of int, optional
        The arms among which the largest strength is looked for. All by default.

    Returns
    -------
    Fragility or None
        None where the search finds no such votes, as with a single vote.
    """
    tied = np.triu(counts.ties) if ties == "half" else np.zeros_like(counts.ties)
    votes = np.stack([counts.wins, tied])
    won = _won(votes)
    strengths = fit(won, ghosts)
    candidates = np.arange(counts.arms) if arms is None else np.array(arms)
    winner = int(candidates[np.argmax(strengths[candidates])])
    root = posterior_root(strengths, won + won.T, ghosts)
    rivals = [
        (_needed(effect, votes, strengths[winner] - strengths[rival]), rival)
        for rival in candidates.tolist()
        if rival != winner
        for effect in [_effects(strengths, root, winner, rival, change)]
    ]
    found: Fragility | None = None
    for _, rival in sorted(rivals)[:_RIVALS]:
        most = found.votes if found else math.inf
        found = _search(votes, strengths, winner, rival, change, ghosts, most) or found
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


def _won(votes: Floats) -> Floats:
    """Return the wins of each pair, a tie being half a win for both, from wins and ties, shape (2, K, K)."""
    wins, ties = votes
    return np.asarray(wins + (ties + ties.T) / 2, np.float64)


def _search(
    given: Floats, strengths: Floats, winner: int, rival: int, change: Change, ghosts: float, most: float
) -> Fragility | None:
    """Return the votes that a greedy search changes to put the rival above the winner, if they are fewer than most."""
    votes, changed, won, total = given.copy(), np.zeros_like(given), _won(given), float(given.sum())
    least = max(1.0, total // _EXACT)
    for _ in range(_STEPS):
        if (gap := strengths[winner] - strengths[rival]) <= -_AHEAD:
            break
        root = posterior_root(strengths, won + won.T, ghosts)
        effect = _effects(strengths, root, winner, rival, change)
        effect[votes <= 0] = 0.0
        kind, i, j = np.unravel_index(int(np.argmax(effect)), effect.shape)
        needed = _needed(effect, votes, gap)
        if effect[kind, i, j] <= 0 or changed.sum() + max(least, _SURE * min(needed, 1e300)) >= most:
            return None
        block = (needed if math.isfinite(needed) else votes[kind, i, j]) // _BLOCKS
        block = min(votes[kind, i, j], max(least, block))
        votes[kind, i, j] -= block
        changed[kind, i, j] += block
        if change == "turn":
            votes[kind, j, i] += block
        won = _won(votes)
        strengths = _refitted(strengths, won, ghosts, root)
    else:
        return None
    cells, ties = (_most_first(table) for table in changed)
    return Fragility(winner, rival, change, float(changed.sum()), total, cells, ties)


def _most_first(changed: Floats) -> tuple[tuple[int, int, float], ...]:
    cells = [(int(i), int(j), float(changed[i, j])) for i, j in np.argwhere(changed > 0)]
    return tuple(sorted(cells, key=lambda each: -each[2]))


def _refitted(strengths: Floats, won: Floats, ghosts: float, root: Floats) -> Floats:
    """Return the strengths after a small change of the votes."""
    fitted = strengths
    for _ in range(_CHORDS):
        step = root @ (root.T @ slope(fitted, won, ghosts))
        size = np.abs(step).max()
        if not size < 1.0:
            break
        fitted = fitted + step
        if size < _SETTLED:
            return fitted
    return fit(won, ghosts, strengths)


def _effects(strengths: Floats, root: Floats, winner: int, rival: int, change: Change) -> Floats:
    """Return by how much changing a vote brings the rival nearer to the winner, shape (2, K, K).

    The votes are those of arm i over arm j, and the ties of i and j, which do not turn.
    """
    p = 1.0 / (1.0 + np.exp(strengths[None, :] - strengths[:, None]))
    direction = root @ (root[winner] - root[rival])
    along: Floats = direction[:, None] - direction[None, :]
    if change == "turn":
        return np.stack([along, np.zeros_like(along)])
    spread = np.array([((each - root) ** 2).sum(axis=1) for each in root])
    kept = np.maximum(1.0 - p * (1.0 - p) * spread, 0.1)
    return np.stack([(1.0 - p) * along / kept, (0.5 - p) * along / kept])


def _needed(effect: Floats, votes: Floats, gap: float) -> float:
    """Return how many votes close a gap if their effects add up, the largest first; infinity where all are too few."""
    useful = (effect > 0) & (votes > 0)
    effects, number = effect[useful], votes[useful]
    order = np.argsort(-effects, kind="stable")
    closed, changed = np.cumsum(effects[order] * number[order]), np.cumsum(number[order])
    last = int(np.searchsorted(closed, gap))
    if last == len(closed):
        return math.inf
    return float(changed[last] - (closed[last] - gap) / effects[order[last]])


_ROUNDS = 50
"""Fits after which the search gives up."""
_CAREFUL = 0.8
"""The part of the gap that the votes changed between two fits are to close."""


def judged_fragility(votes: VoteTable, fit: JudgeFit, change: Change, arms: Sequence[int]) -> Fragility | None:
    """Return the fewest votes found that change which of some arms has the largest strength.

    Parameters
    ----------
    votes : VoteTable
        The votes.
    fit : JudgeFit
        The model of judges, fitted to them.
    change : {"drop", "turn"}
        How votes change. Ties can be dropped.
    arms : sequence of int
        The arms among which the largest strength is looked for.

    Returns
    -------
    Fragility or None
        Without cells; None where the search finds no such votes.
    """
    first, *others = sorted(arms, key=lambda arm: -fit.strength[arm])
    if not others:
        return None
    model, _, mode = modes(votes, fit.priors, 1.0, bool((votes.outcome == 0).any()))
    total, changed = model.cells.votes.sum(), 0.0
    strength = mode.point.common

    def needed(arm: int) -> float:
        most = _judged_effects(model, mode, first, arm, change).max()
        return float((strength[first] - strength[arm]) / max(most, 1e-300))

    rival = min(others, key=needed)
    for _ in range(_ROUNDS):
        gap = mode.point.common[first] - mode.point.common[rival]
        if gap <= -_AHEAD:
            return Fragility(first, rival, change, changed, float(total))
        closing = _CAREFUL * gap
        effect, left = _judged_effects(model, mode, first, rival, change), model.cells.votes.copy()
        order = np.argsort(-effect, axis=None, kind="stable")
        for cell, outcome in zip(*np.unravel_index(order, effect.shape), strict=True):
            if closing <= 0 or effect[cell, outcome] <= 0:
                break
            number = float(min(left[cell, outcome], max(1.0, closing // effect[cell, outcome])))
            closing -= number * effect[cell, outcome]
            changed += number
            left[cell, outcome] -= number
            if change == "turn":
                left[cell, 2 - outcome] += number
        if np.array_equal(left, model.cells.votes):
            return None
        model.cells = model.cells._replace(votes=left)
        mode = model.mode(mode.point)
    return None


def _judged_effects(model: Model, mode: Mode, winner: int, rival: int, change: Change) -> Floats:
    """Return by how much changing a vote brings the rival nearer to the winner, for each cell and outcome, (n, 3)."""
    covariance, _, by_judge = model.system(mode.point).inverted()
    common = covariance[winner] - covariance[rival]
    own = -(by_judge @ common)[model.cells.judge]
    z, theta, x, log_ties = model.predictors(mode.point)
    win, tie, loss = np.exp(log_chances(x, log_ties)).T
    known, (_, first, second, votes) = model.known, model.cells
    along_x = theta * (common[first] - common[second]) + model.free[0] * common[model.K]
    along_x += known[:, 0] * z * own[:, 0] + known[:, 1] * own[:, 1]
    along_ties = model.free[1] * common[model.K + 1] + known[:, 2] * own[:, 2]
    if change == "turn":
        effect = np.stack([along_x, np.zeros_like(x), -along_x], axis=1)
    else:
        expected = (win - loss) / 2.0 * along_x + tie * along_ties
        effect = np.stack([along_x / 2.0, along_ties, -along_x / 2.0], axis=1) - expected[:, None]
    return np.where(votes > 0, effect, 0.0)
