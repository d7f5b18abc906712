"""CW-RMED: relative minimum empirical divergence for Copeland winners, asymptotically optimal.

It is ECW-RMED with the optimum of a linear program (``kernels/copeland_program.py``) for its closed form, so its select
and update are plain Python around the same kernels. The program is solved only while no winner is proven and there
is one empirical winner: with several, ECW-RMED's optimum is an optimum of the program (Theorem 6) and is taken. A
program is kept while it is decided who beats whom, and its solution while it is proven optimal by its dual solution.

Cost, measured on one core: about 0.1 ms per informative duel with K = 5 and T = 1e5 (0.4 s for a run on MSLR-5 with a
Condorcet winner, 5 s without one), where fewer than one duel in a hundred needs the solver; 0.2 to 0.3 ms with K = 16
on MSLR (15 to 30 s for a run with T = 1e5, 20 to 45 s with T = 1e6). Converged rounds are held.

Hold. That of ECW-RMED, whose argument does not depend on the optimum: when the list is {(i, i)} and i is the first
proven winner, the next list is the same until the first t with log t above its smallest sum, or until line 4 wants a
pair.

Readings. As for ECW-RMED. The optimum need not be unique: the solver's vertex is taken and kept while it stays
optimal. It lists the pairs (i, j), i < j, in lexicographic order, then (i1, i1).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.kernels.copeland import WINNERS, Tournament, judge, no_results
from duelbench.kernels.copeland_program import WinnerProgram
from duelbench.kernels.pair_lists import (
    PENDING,
    Demands,
    PairLists,
    add_optimum,
    add_pair,
    all_pairs,
    learn_duels,
    next_duels,
    no_demands,
)

PROGRAMS = 64
"""How many programs are kept; estimates near 1/2 go to and fro between a few tournaments."""


class CwRmedState(NamedTuple):
    """The results so far, the pairs that line 4 may want, the lists, and the programs by winner and tournament."""

    tournament: Tournament
    demands: Demands
    lists: PairLists
    programs: dict[bytes, WinnerProgram]


def program_for(state: CwRmedState, winner: int) -> WinnerProgram:
    """Return the program of the present tournament; the one not used for longest makes room."""
    key = state.tournament.sign.tobytes()
    program = state.programs.pop(key, None) or WinnerProgram(state.tournament, winner)
    if len(state.programs) == PROGRAMS:
        del state.programs[next(iter(state.programs))]
    state.programs[key] = program
    return program


def add_candidates(state: CwRmedState, t: int) -> None:
    """Lines 7–15, after round t of a list: list what it takes to be sure of a winner, and the winner."""
    tournament, lists = state.tournament, state.lists
    arms = len(tournament.losses)
    log_t = math.log(t)
    winner, proven = judge(tournament, log_t)
    if not proven:
        if tournament.summary[WINNERS] > 1:
            add_optimum(lists, tournament, winner, log_t)
        else:
            first, second, q = program_for(state, winner).optimum(tournament)
            n = tournament.wins[first, second] + tournament.wins[second, first]
            for k in np.flatnonzero(q > n / log_t):
                add_pair(lists, arms, first[k], second[k])
    add_pair(lists, arms, winner, winner)


def select(state: CwRmedState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel what line 4 wants, then the pairs of the list; hold when that is one self-duel."""
    if state.lists.cursor[PENDING]:
        add_candidates(state, t - 1)
        state.lists.cursor[PENDING] = 0
    return next_duels(state.lists, state.demands, state.tournament, t, last)


def update(state: CwRmedState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome."""
    learn_duels(state.demands, state.tournament, first, second, wins, count)


class CwRmed(Algorithm):
    """Duel the pairs that still leave doubt about the cheapest Copeland winner, by a linear program."""

    name = "cw-rmed"
    citation = (
        "Komiyama, Honda, Nakagawa. Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal Algorithm, "
        "and Computationally Efficient Algorithm. ICML 2016"
    )
    assumes = "no ties"
    regret_order = "C* log T, the lower bound"
    State = CwRmedState
    select = staticmethod(select)
    update = staticmethod(update)

    alpha: float = Field(3.0, gt=0, description="every pair is duelled at least α sqrt(log t) times")
    beta: float = Field(0.01, gt=0, lt=0.5, description="a pair is duelled while |p̂ − 1/2| < β / log log t")

    def start(self, arms: int, horizon: int) -> CwRmedState:
        """Return the state before the first round; the first list holds every pair."""
        return CwRmedState(no_results(arms), no_demands(arms, self.alpha, self.beta), all_pairs(arms), {})
