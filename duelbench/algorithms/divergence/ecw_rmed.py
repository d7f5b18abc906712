"""ECW-RMED and CW-RMED: relative minimum empirical divergence for Copeland winners; see
``tests/reference/ecw_rmed.py``.

ECW-RMED lists pairs by an optimum in closed form (``tournament.py``). The pairs that a round adds to the next list
depend on its outcome, so ``select`` adds them at the start of the following round.

Hold. Let the list be {(i, i)}, and let line 4 want no pair at the start of the pass. The round changes no estimate. If
i is the first proven arm among those with the fewest losses (all sums of ``smallest_sum`` are at least log t), the next
list is {(i, i)} again. Only log t changes: an arm that is not proven stays so, and i is proven until the first t with
log t above its smallest sum. That round is (i, i) too, and then the list changes. Line 4 wants a pair again only when α
sqrt(log t) exceeds the number of duels that every pair has (β / log log t falls), and the hold ends before that round.
Nothing is drawn: the path is the same as with stepping.

Agreement. ``tests/test_catalogue.py``: the path of the reference implementation.

Readings of Algorithm 1. In both algorithms line 3 tests the constraints (2) without their box, and takes the winner
with the lowest index that passes. Line 4 is repeated until no pair is left, the first one in lexicographic order each
time, with log log t replaced by max(1, log max(1, log t)). Line 15's set without self-pairs is a misprint: it would
leave line 9 without effect. Candidates are listed arm by arm (i2 ascending): the pair (i1, i2) if i1 beats i2, then
i2's pairs with superiors by cost; (i1, i1) comes last. Ties of optima go to the lowest index.

CW-RMED, asymptotically optimal for Copeland winners, is ECW-RMED with the closed form replaced by the optimum of a
linear program (``linear_program.py``). The program is needed only while no winner is proven and there is one empirical
winner: with several, ECW-RMED's optimum is also optimal for the program (Theorem 6) and is used.

Hold of CW-RMED. A self-duel teaches nothing, so while the list is {(i, i)} only log t moves: estimates, evidence n kl
and losses stand still. Let i be proven (all its sums of evidence are at least log t) and no arm with least losses
before it. As log t grows, an arm that is not proven stays so, and i stays proven until the first t with log t above its
smallest sum. Up to then line 8 finds i, line 9 lists (i, i) alone, and no optimum is asked for. Round t still plays (i,
i), from the previous list; the list after it is decided anew. Line 4, before each list, wants a pair where n < α
sqrt(log t), and the hold ends before that comes true, or where |p̂ − 1/2| < β / log log t, which falls: a pair that was
not wanted when the hold began is not wanted later. Several empirical winners change nothing: the first proven one is i.
Nothing is drawn at random, so the path is the same as with stepping.

Agreement and readings are as for ECW-RMED, for as many arms as the reference can write the linear program out. If line
11 has several optima, a fixed surcharge on each pair decides. The optimum's pairs (i, j), i < j, are listed in
lexicographic order, then (i1, i1).
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.divergence.linear_program import WinnerProgram, new_program, solve
from duelbench.algorithms.divergence.pair_lists import (
    Demands,
    ListingRmed,
    PairLists,
    add_if_lacking,
    add_optimum,
    add_pair,
    all_pairs,
    learn_duels,
    new_demands,
    next_duels,
)
from duelbench.algorithms.divergence.tournament import Tournament, judge, new_results
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


class CwRmedState(NamedTuple):
    """The results so far, the pairs that line 4 may want, the lists, and the program of the empirical winner."""

    tournament: Tournament
    demands: Demands
    lists: PairLists
    program: WinnerProgram


@kernel
def _add_candidates_by_program(state: CwRmedState, t: int) -> None:
    """Lines 7–15, after round t of a list: list what it takes to be sure of a winner, and the winner."""
    tournament, lists = state.tournament, state.lists
    arms = tournament.losses.shape[0]
    log_t = math.log(t)
    winner, proven = judge(tournament, log_t)
    if not proven:
        if tournament.summary[0].winners > 1:
            add_optimum(lists, tournament, winner, log_t)
        else:
            solve(state.program, tournament, winner)
            for i in range(arms):
                for j in range(i + 1, arms):
                    add_if_lacking(lists, tournament, i, j, state.program.q[i, j], log_t)
    add_pair(lists, arms, winner, winner)


@kernel
def select_by_program(state: CwRmedState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel what line 4 wants, then the pairs of the list; hold when that is one self-duel."""
    if state.lists.cursor[0].pending:
        _add_candidates_by_program(state, t - 1)
        state.lists.cursor[0].pending = False
    return next_duels(state.lists, state.demands, state.tournament, t, last)


@kernel
def update_program(state: CwRmedState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome."""
    learn_duels(state.demands, state.tournament, first, second, wins, count)
    state.program.stale[first] = True
    state.program.stale[second] = True


class CwRmed(ListingRmed):
    """Duel the pairs that still leave doubt about the cheapest Copeland winner, by a linear program."""

    name = "cw-rmed"
    title = "CW-RMED"
    regret_order = "C* log T, the lower bound"
    State = CwRmedState
    select = staticmethod(select_by_program)
    update = staticmethod(update_program)

    def start(self, arms: int, horizon: int) -> CwRmedState:
        """Return the state before the first round; the first list holds every pair."""
        return CwRmedState(
            new_results(arms), new_demands(arms, self.alpha, self.beta), all_pairs(arms), new_program(arms)
        )
