"""Bradley–Terry strengths that are fitted again as votes come.

With fewer than 40 votes they are fitted after each one, and later whenever the votes have grown by 5 %: 5,000 votes
take 140 fits. The fit depends on the counts of votes alone, not on their order. Fitting more often does not save votes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.active_sampling.bradley_terry import StrengthPosterior, fit_strengths, new_strength_posterior
from duelbench.arrays import Floats, Ints, Record, Tiers, record
from duelbench.compiling.jit import kernel

GROWTH = 20
"""The strengths are fitted again after 1/20 more votes."""
TIED = 1e-9
"""Strengths closer than this are equal: those of arms with the same results differ by rounding."""


class Strengths(NamedTuple):
    """``ghosts``: see ``kernels/bradley_terry.py``; ``wins[i, j]``: how often i has beaten j.

    ``counted[0]``: the number of ``votes``, and of those at the last fit, ``fitted``, −1 before the first.
    """

    ghosts: float
    wins: Ints
    posterior: StrengthPosterior
    counted: Record


def new_strengths(arms: int, ghosts: float) -> Strengths:
    """Return the state without votes, not fitted yet."""
    counts = np.zeros((arms, arms), np.int64)
    return Strengths(ghosts, counts, new_strength_posterior(arms), record(votes=0, fitted=-1))


@kernel
def count_votes(strengths: Strengths, first: int, second: int, wins: int, count: int) -> None:
    """Count votes on two different arms."""
    strengths.wins[first, second] += wins
    strengths.wins[second, first] += count - wins
    strengths.counted[0].votes += count


@kernel
def refit_if_due(strengths: Strengths) -> bool:
    """Fit the strengths if enough votes have come since the last fit; return whether it did."""
    counted = strengths.counted[0]
    if counted.votes - counted.fitted < max(1, counted.fitted // GROWTH):
        return False
    fit_strengths(strengths.posterior, strengths.wins, strengths.ghosts)
    counted.fitted = counted.votes
    return True


@kernel
def pair_at(place: int, arms: int) -> tuple[int, int]:
    """Return the pair (i, j), i < j, at a place of the list of all pairs, row by row."""
    i = 0
    while place >= arms - 1 - i:
        place -= arms - 1 - i
        i += 1
    return i, i + 1 + place


def strongest(strengths: Strengths) -> int | None:
    """Return the arm that is most probably the strongest given all votes, the first of several; None without votes."""
    if strengths.counted[0].votes == 0:
        return None
    posterior = new_strength_posterior(len(strengths.wins))
    posterior.strength[:] = strengths.posterior.strength
    fit_strengths(posterior, strengths.wins, strengths.ghosts)
    return int(np.argmax(posterior.strength >= posterior.strength.max() - TIED))


def tiers_of(strength: Floats) -> Tiers:
    """Return the arms, strongest first, those of equal strength in one tier."""
    order = np.argsort(-strength, kind="stable")
    breaks = np.flatnonzero(-np.diff(strength[order]) > TIED) + 1
    return tuple(tuple(sorted(tier.tolist())) for tier in np.split(order, breaks))
