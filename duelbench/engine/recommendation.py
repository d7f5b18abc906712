"""The arm that would be recommended, were the run to end here: rules on the outcomes of all duels so far.

An algorithm may have a rule of its own (``Algorithm.recommendation``). One common rule for all of them tells what they
sampled from how they recommend. No rule draws anything, so a run is the same whether it is asked or not: arms that
are equal in everything come in an order that the run has from the start.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from duelbench.arrays import Floats, Ints

Rule = Callable[[Ints, Ints], Floats]

FITTED = 1e-10
"""The largest step of Newton's method, in log-odds, at which strengths are fitted."""
STEPS = 100
TIED = 1e-9
"""Scores closer than this are equal: rounding must not choose between arms whose records are alike."""


def recommended(rule: str, duels: Ints, wins: Ints, order: Ints | None = None) -> int:
    """Return the arm with the highest score by a rule; ties go to the Borda score, then to more wins.

    ``duels``: (K, K) how often each ordered pair was duelled. ``wins``: (K, K) how many of these the first arm won.
    ``rule``: "copeland", the opponents an arm has won more than half of its duels against, half of one for those it has
    drawn with or never met; "borda", its mean share of wins over opponents, 1/2 for those it never met; "btl", its
    strength in a Bradley–Terry–Luce model. ``order``: (K,) all arms, of which the first is chosen that is equal in all
    of this; without, the lowest number.
    """
    won = wins + (duels - wins).T
    np.fill_diagonal(won, 0)
    met = won + won.T
    best = np.arange(len(won)) if order is None else order
    for scores in (RULES[rule], borda, _wins):
        found = scores(won, met)[best]
        best = best[found >= found.max() - TIED]
        if len(best) == 1:
            break
    return int(best[0])


def copeland(won: Ints, met: Ints) -> Floats:
    """Return (K,) Copeland scores. ``won[i, j]`` of ``met[i, j]`` duels of i and j were i's."""
    score: Floats = (len(won) - 1 + np.sign(2 * won - met).sum(axis=1)) / 2.0
    return score


def borda(won: Ints, met: Ints) -> Floats:
    """Return (K,) means over opponents of the share of wins, as ``copeland``."""
    share = np.divide(won, met, out=np.full(won.shape, 0.5), where=met > 0)
    score: Floats = (share.sum(axis=1) - share.diagonal()) / (len(won) - 1)
    return score


def bradley_terry(won: Ints, met: Ints) -> Floats:
    """Return (K,) log-strengths that maximise the posterior, as ``copeland``.

    Every arm has won once and lost once against a ghost of strength 1 beside its duels, so that they exist. Newton's
    method with halved steps: the posterior is strictly concave.
    """
    strength = np.zeros(len(won))
    value = _log_posterior(strength, won)
    for _ in range(STEPS):
        share = 1.0 / (1.0 + np.exp(strength[None, :] - strength[:, None]))  # that i should win of those with j
        ghost = 1.0 / (1.0 + np.exp(-strength))
        slope = (won - met * share).sum(axis=1) + 1.0 - 2.0 * ghost
        weight = met * share * (1.0 - share)
        curvature = np.diag(weight.sum(axis=1) + 2.0 * ghost * (1.0 - ghost)) - weight
        step = np.linalg.solve(curvature, slope)
        while (better := _log_posterior(strength + step, won)) < value and np.abs(step).max() > FITTED:
            step /= 2.0
        strength, value = strength + step, better
        if np.abs(step).max() <= FITTED:
            break
    return strength


def _wins(won: Ints, met: Ints) -> Floats:
    total: Floats = won.sum(axis=1)
    return total


def _log_posterior(strength: Floats, won: Ints) -> float:
    duels = (won * np.logaddexp(0.0, strength[None, :] - strength[:, None])).sum()
    ghosts = (np.logaddexp(0.0, strength) + np.logaddexp(0.0, -strength)).sum()
    return -float(duels + ghosts)


RULES: dict[str, Rule] = {"copeland": copeland, "borda": borda, "btl": bradley_terry}
