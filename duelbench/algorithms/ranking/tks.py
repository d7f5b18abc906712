"""TKS, tournament k-selection: the best k arms but for ε, from rounds in which EQS halves groups of 2k arms.

The pseudo-code, step by step, is ``duelbench/reference/quick_select.py``; the paths of both are equal, duel by duel
(``tests/test_catalogue.py``).

Hold. The duels of a pair come in blocks that cannot decide it on the way (``first_passage``). Once it has declared the
best arms, the first of them duels itself for the rest of the run.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import declare, nothing_declared
from duelbench.algorithms.ranking.eqs import Choice, choose, next_comparison, nothing_chosen
from duelbench.algorithms.ranking.top_k import TopK, list_others
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle
from duelbench.kernels.first_passage import answer, new_test, update


class Tournament(NamedTuple):
    """``choice``: the current group, a part of its arms. The arms of this round are the first ``arms`` of these; those
    that have passed are the first ``passed``.

    ``rounds[0]`` has these numbers; the ``number`` t of the round; the ends of the current group, ``group`` and
    ``next``; ``top``, ``epsilon`` and ``delta`` of the tournament; and ``sign``, −1 to find the worst.
    """

    choice: Choice
    rounds: Record


def nothing_played(arms: int) -> Tournament:
    """Return a tournament before it has begun."""
    rounds = record(arms=0, passed=0, number=0, group=0, next=0, top=1, epsilon=0.0, delta=0.0, sign=1)
    return Tournament(nothing_chosen(arms), rounds)


@kernel(inline=False)
def begin_tournament(tournament: Tournament, arms: int, top: int, epsilon: float, delta: float, sign: int) -> None:
    """Begin to choose the best ``top`` of the arms in the first places."""
    rounds = tournament.rounds[0]
    rounds.arms = arms
    rounds.passed = arms
    rounds.number = 0
    rounds.group = arms
    rounds.next = arms
    rounds.top = top
    rounds.epsilon = epsilon
    rounds.delta = delta
    rounds.sign = sign


@kernel
def pass_on(tournament: Tournament) -> None:
    """Let the best of the current group pass."""
    rounds, arms = tournament.rounds[0], tournament.choice.arms
    for place in range(rounds.group, min(rounds.group + rounds.top, rounds.next)):
        arms[rounds.passed] = arms[place]
        rounds.passed += 1


@kernel(inline=False)
def next_match(tournament: Tournament, test: Record, rng: np.random.Generator) -> bool:
    """Learn from the comparison that is over, if any; begin the next, and return whether the tournament needs one."""
    rounds, choice = tournament.rounds[0], tournament.choice
    while not next_comparison(choice, test, rng):
        pass_on(tournament)
        if rounds.next == rounds.arms:
            rounds.arms = rounds.passed
            if rounds.arms <= rounds.top:
                return False
            shuffle(choice.arms, rounds.arms, rng)
            rounds.number += 1
            rounds.passed = 0
            rounds.next = 0
        rounds.group = rounds.next
        rounds.next = min(rounds.group + 2 * rounds.top, rounds.arms)
        epsilon = rounds.epsilon / 4.0 * 0.8**rounds.number
        delta = 6.0 * rounds.delta / (math.pi**2 * rounds.number**2) / rounds.top
        choose(choice, rounds.group, rounds.next, rounds.top, epsilon, delta, rounds.sign)
    return True


class TksState(NamedTuple):
    """``test``: see ``first_passage``; ``order``, ``declared``: see ``declaration``."""

    tournament: Tournament
    test: Record
    order: Ints
    declared: Record


@kernel(inline=False)
def proceed(state: TksState, t: int, rng: np.random.Generator) -> None:
    """Begin the next comparison, or declare the best arms."""
    if not next_match(state.tournament, state.test, rng):
        top = state.tournament.rounds[0].top
        for place in range(top):
            state.order[place] = state.tournament.choice.arms[place]
        list_others(state.order, top)
        declare(state.declared, state.order[0], t)


@kernel
def select(state: TksState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel an arm against the pivot of its group, or the first of the best arms against itself."""
    if state.declared[0].winner < 0 and not state.test[0].running:
        proceed(state, t, rng)
    return answer(state, last - t + 1)


class Tks(TopK):
    """Find the best k arms but for ε: a tournament of groups of 2k arms, of which the best k pass."""

    name = "tks"
    title = "TKS"
    citation = f"{TopK.citation}, TKS"
    assumes = "total order, SST, STI"
    State = TksState
    select = staticmethod(select)
    update = staticmethod(update)

    epsilon: float = Field(0.05, gt=0, lt=0.5, description="slack ε: no other arm beats a declared one by more")

    def start(self, arms: int, horizon: int) -> TksState:
        """Return the state before the first round."""
        self.sizes(arms)
        tournament = nothing_played(arms)
        begin_tournament(tournament, arms, self.top, self.epsilon, self.delta, 1)
        return TksState(tournament=tournament, test=new_test(), order=np.arange(arms), declared=nothing_declared())
