"""ECW-RMED and CW-RMED: relative minimum empirical divergence for Copeland winners.

Both duel the pairs that are still needed to prove a Copeland winner. ``select`` returns the next pair, or a hold while
the list is a single self-duel. The steps are in ``tests/reference/ecw_rmed.py``; line numbers are the paper's.

ECW-RMED lists pairs by an optimum in closed form (``tournament.py``). The pairs that a round adds to the next list
depend on its outcome, so ``select`` adds them at the start of the following round.

CW-RMED, which is asymptotically optimal for Copeland winners, replaces the closed form by the optimum of a linear
program (``linear_program.py``). The program is needed only while no winner is proven and there is one empirical winner.
With several, ECW-RMED's optimum is also optimal for the program (Theorem 6) and is used.

Hold of both algorithms. A self-duel changes no estimate, no evidence n kl and no number of losses, so while the list is
{(i, i)} only log t changes. Suppose that i is proven (all sums of ``smallest_sum`` are at least log t) and that no arm
with the fewest losses before i is proven. As log t grows, an arm that is not proven stays so, and i stays proven until
the first t with log t above its smallest sum. Until then line 8 finds i, line 9 lists only (i, i), and no optimum is
computed. That round still plays (i, i), from the previous list, and the list after it is decided anew. Several
empirical winners change nothing, since i is the first proven one. Line 4 is tested before each list. The hold ends
before n < α sqrt(log t) becomes true for a pair. In the other condition, |p̂ − 1/2| < β / log log t, the right side
decreases, so a pair that did not meet it when the hold began does not meet it later. Nothing is drawn, so the path is
the same as with stepping.

Agreement. ``tests/test_catalogue.py`` checks that the paths equal the paths of the reference implementations; for
CW-RMED only with few arms, since its reference writes out the whole linear program.

Readings of Algorithm 1. In both algorithms, line 3 tests the constraints (2) without their box and takes the winner
with the lowest index that passes. Line 4 is repeated until it wants no pair, and each time the first such pair in
lexicographic order is duelled; log log t is replaced by max(1, log max(1, log t)). Line 15's set without self-pairs is
a misprint, since it would leave line 9 without effect. ECW-RMED lists candidates arm by arm (i2 ascending): the pair
(i1, i2) if i1 beats i2, then i2's pairs with superiors by cost; (i1, i1) comes last. Ties between optima go to the
lowest index. In CW-RMED, if line 11 has several optima, a fixed surcharge on each pair decides. The optimum's pairs
(i, j), i < j, are listed in lexicographic order, then (i1, i1).
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
    """Run lines 7–15 after round t of a list: list the pairs needed to prove a winner, and its self-duel."""
    tournament = state.tournament
    log_t = math.log(t)
    winner, proven = judge(tournament, log_t)
    if not proven:
        add_optimum(state.lists, tournament, winner, log_t)
    add_pair(state.lists, tournament.losses.shape[0], winner, winner)


@kernel
def select(state: EcwRmedState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the pairs that line 4 wants, then the pairs of the list; hold if the list is a single self-duel."""
    if state.lists.cursor[0].pending:
        add_candidates(state, t - 1)
        state.lists.cursor[0].pending = False
    return next_duels(state.lists, state.demands, state.tournament, t, last)


@kernel
def update(state: EcwRmedState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome."""
    learn_duels(state.demands, state.tournament, first, second, wins, count)


class EcwRmed(ListingRmed):
    """Duel the pairs that are needed to prove a Copeland winner, chosen by a closed form with low regret."""

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
    """Run lines 7–15 after round t of a list: list the pairs needed to prove a winner, and its self-duel."""
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
    """Duel the pairs that line 4 wants, then the pairs of the list; hold if the list is a single self-duel."""
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
    """Duel the pairs that are needed to prove a Copeland winner, chosen by a linear program for the least regret."""

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
