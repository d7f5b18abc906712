"""The fewest votes whose change puts another arm first, in the model of judges.

The votes that bring the rival nearest, by one step of Newton's method, are changed at once, most of those that the step
needs; then the model is fitted again, with the same standard deviations between judges, until the rival is first. The
number is an upper bound, like that of ``fragility``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from duelbench.arrays import Floats
from duelbench.votes.ranking.fragility import AHEAD, Change, Fragility
from duelbench.votes.ranking.judge_model import Mode, Model, log_chances
from duelbench.votes.ranking.judges import JudgeFit, modes
from duelbench.votes.table import VoteTable

ROUNDS = 50
"""Fits after which the search gives up."""
CAREFUL = 0.8
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
        most = _effects(model, mode, first, arm, change).max()
        return float((strength[first] - strength[arm]) / max(most, 1e-300))

    rival = min(others, key=needed)
    for _ in range(ROUNDS):
        gap = mode.point.common[first] - mode.point.common[rival]
        if gap <= -AHEAD:
            return Fragility(first, rival, change, changed, float(total))
        closing = CAREFUL * gap
        effect, left = _effects(model, mode, first, rival, change), model.cells.votes.copy()
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


def _effects(model: Model, mode: Mode, winner: int, rival: int, change: Change) -> Floats:
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
