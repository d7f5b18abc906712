"""The arm that would be recommended, were the run to end here: rules on the outcomes of all duels so far.

An algorithm may have a rule of its own (``Algorithm.recommendation``). One common rule for all of them tells what they
sampled from how they recommend. No rule draws anything, so a run is the same whether it is asked or not: arms that
are equal in everything come in an order that the run has from the start.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from duelbench.arrays import Floats, Ints
from duelbench.preferences.bradley_terry import most_likely

Rule = Callable[[Ints, Ints], Floats]

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
    """Return (K,) log-strengths that maximise the posterior, as ``copeland``."""
    return most_likely(won)


def _wins(won: Ints, met: Ints) -> Floats:
    total: Floats = won.sum(axis=1)
    return total


RULES: dict[str, Rule] = {"copeland": copeland, "borda": borda, "btl": bradley_terry}
