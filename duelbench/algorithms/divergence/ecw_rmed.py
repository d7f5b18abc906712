"""ECW-RMED: relative minimum empirical divergence for Copeland winners; see ``duelbench/reference/ecw_rmed.py``.

The pairs that it lists are an optimum in closed form (``closed_form.py``). What a round adds to the next list depends
on its outcome; ``select`` adds it at the start of the following round.

Hold. Let the list be {(i, i)}, and let the pass start without a pair that line 4 wants. The round teaches nothing. If i
is the first arm with least losses that is proven (all sums of ``smallest_sum`` are at least log t), the next list is
{(i, i)} again. Only log t moves: what is not proven stays so, and i is proven until the first t with log t above its
smallest sum. That round is (i, i) too, and then the list changes. Line 4 wants a pair again only when α sqrt(log t)
exceeds the number of duels that every pair has (β / log log t falls), and the hold ends before that round. Nothing is
drawn: the path is the same as with stepping.

Agreement. ``tests/test_catalogue.py``: the path of the reference implementation.

Readings of Algorithm 1. Line 3's test is that of the constraints (2), in both algorithms, without their box; for the
winner with the lowest index that passes it. Line 4 is repeated until no pair is left, the first one in lexicographic
order each time, with log log t replaced by max(1, log max(1, log t)). Line 15's set without self-pairs is a misprint:
it would leave line 9 without effect. Candidates are listed arm by arm (i2 ascending): the pair (i1, i2) if i1 beats i2,
then i2's pairs with superiors by cost; (i1, i1) comes last. Ties of optima go to the lowest index.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.divergence.closed_form import judge
from duelbench.algorithms.divergence.pair_lists import (
    Demands,
    ListingRmed,
    PairLists,
    add_optimum,
    add_pair,
    all_pairs,
    learn_duels,
    new_demands,
    next_duels,
)
from duelbench.algorithms.divergence.tournament import Tournament, new_results
from duelbench.compiling.jit import kernel


class EcwRmedState(NamedTuple):
    """The results so far, the pairs that line 4 may want, and the lists."""

    tournament: Tournament
    demands: Demands
    lists: PairLists


@kernel
def add_candidates(state: EcwRmedState, t: int) -> None:
    """Lines 7–15, after round t of a list: list what it takes to be sure of a winner, and the winner."""
    tournament = state.tournament
    log_t = math.log(t)
    winner, proven = judge(tournament, log_t)
    if not proven:
        add_optimum(state.lists, tournament, winner, log_t)
    add_pair(state.lists, tournament.losses.shape[0], winner, winner)


@kernel
def select(state: EcwRmedState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel what line 4 wants, then the pairs of the list; hold when that is one self-duel."""
    if state.lists.cursor[0].pending:
        add_candidates(state, t - 1)
        state.lists.cursor[0].pending = False
    return next_duels(state.lists, state.demands, state.tournament, t, last)


@kernel
def update(state: EcwRmedState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome."""
    learn_duels(state.demands, state.tournament, first, second, wins, count)


class EcwRmed(ListingRmed):
    """Duel the pairs that leave doubt about the cheapest Copeland winner, by a closed form."""

    name = "ecw-rmed"
    title = "ECW-RMED"
    regret_order = "C^E* log T; optimal with two Copeland winners or more"
    State = EcwRmedState
    select = staticmethod(select)
    update = staticmethod(update)

    def start(self, arms: int, horizon: int) -> EcwRmedState:
        """Return the state before the first round; the first list holds every pair."""
        return EcwRmedState(new_results(arms), new_demands(arms, self.alpha, self.beta), all_pairs(arms))
