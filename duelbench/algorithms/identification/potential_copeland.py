"""The potential Copeland winner stays: pairs are decided for good by a test, until no arm can overtake the best.

In common to POCOWISTA and TRA-POCOWISTA, which also counts as decided what follows by transitivity. A pair is decided
for its most probable outcome: 1 for the winner or, if that is a tie, 1/2 for both. So with ties the declared arm need
not be a Copeland winner of the matrix, in which the arm that wins more often than it loses beats the other. Next is the
arm that may yet have the highest score, and of its undecided opponents the one with the highest score so far, the first
in a random order of several. The pseudo-code is ``duelbench/reference/pocowista.py`` and ``tra_pocowista.py``;
``tests/test_catalogue.py`` checks that the paths, duel by duel, are equal.

Blocks. A pair is duelled until its test decides, in blocks of which none but the last duel can do so: ``ppr.py``.

Hold. The declared arm duels itself to the end.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import ExploreThenExploit, declare, nothing_declared
from duelbench.algorithms.identification.pair import count_outcome, new_pair, open_pair
from duelbench.algorithms.identification.ppr import is_tie, ppr_block, ppr_decided, ppr_level
from duelbench.arrays import Flags, Ints, Record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle


class PotentialCopelandState(NamedTuple):
    """``log_level``: of the PPR test. ``transitive``: whether what follows from decided pairs is decided.

    ``order``: the arms, at random. ``beats``, ``tied``: (K, K), what is decided. ``score``: twice the score of each arm
    so far; ``potential``: twice the most that it may be yet. ``pair``: see ``pair.py``. ``declared``: see
    ``declaration``.
    """

    log_level: float
    transitive: bool
    order: Ints
    beats: Flags
    tied: Flags
    score: Ints
    potential: Ints
    pair: Record
    declared: Record


@kernel
def is_open(state: PotentialCopelandState, i: int, j: int) -> bool:
    """Return whether a pair of different arms is undecided."""
    return i != j and not (state.beats[i, j] or state.beats[j, i] or state.tied[i, j])


@kernel(inline=False)
def settle(state: PotentialCopelandState, better: int, worse: int, tie: bool) -> None:
    """Write down that one arm beats another, or that they tie, and with transitivity what follows from it.

    What is above the one or ties with it is above what is below the other or ties with it, by three times a tie no
    more than that.
    """
    for i in state.order:
        above = state.transitive and state.beats[i, better]
        if i == better or above or (state.transitive and state.tied[i, better]):
            for j in state.order:
                below = state.transitive and state.beats[worse, j]
                level = j == worse or (state.transitive and state.tied[worse, j])
                if (level or below) and is_open(state, i, j):
                    if tie and not (above or below):
                        state.tied[i, j] = state.tied[j, i] = True
                        state.score[i] += 1
                        state.score[j] += 1
                        state.potential[i] -= 1
                        state.potential[j] -= 1
                    else:
                        state.beats[i, j] = True
                        state.score[i] += 2
                        state.potential[j] -= 2


@kernel(inline=False)
def proceed(state: PotentialCopelandState, t: int) -> None:
    """Go to the next pair, or declare the arm that none can overtake."""
    best = challenger = state.order[0]
    for i in state.order:
        if state.score[i] > state.score[best]:
            best = i
        if state.potential[i] > state.potential[challenger]:
            challenger = i
    over = True
    for i in state.order:
        over = over and (i == best or state.potential[i] <= state.score[best])
    if over:
        declare(state.declared, best, t)
        return
    opponent = -1
    for j in state.order:
        if is_open(state, challenger, j) and (opponent < 0 or state.score[j] > state.score[opponent]):
            opponent = j
    open_pair(state.pair, challenger, opponent)


@kernel
def select(state: PotentialCopelandState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the pair until it is decided, then the next; at the end the winner against itself."""
    pair, declared = state.pair[0], state.declared[0]
    if pair.first < 0:
        shuffle(state.order, state.order.shape[0], rng)
        proceed(state, t)
    elif declared.winner < 0 and ppr_decided(state.pair, state.log_level):
        if is_tie(state.pair):
            settle(state, pair.first, pair.second, True)
            settle(state, pair.second, pair.first, True)
        elif 2 * pair.wins > pair.duels - pair.ties:
            settle(state, pair.first, pair.second, False)
        else:
            settle(state, pair.second, pair.first, False)
        proceed(state, t)
    if declared.winner >= 0:
        return declared.winner, declared.winner, last - t + 1
    return pair.first, pair.second, ppr_block(state.pair, state.log_level, last - t + 1)


@kernel
def update(state: PotentialCopelandState, first: int, second: int, wins: int, ties: int, count: int) -> None:
    """Count the outcome if it is of the current pair."""
    if first == state.pair[0].first and second == state.pair[0].second:
        state.pair[0].ties += ties
    count_outcome(state.pair, first, second, wins, count)


class PotentialCopeland(ExploreThenExploit):
    """The base class of the two, which differ in the error probability of a test and in transitivity."""

    citation = (
        "Bengs, Haddenhorst, Hüllermeier. Identifying Copeland Winners in Dueling Bandits with Indifferences. "
        "AISTATS 2024"
    )
    uses_horizon = False
    takes_ties = True
    State = PotentialCopelandState
    select = staticmethod(select)
    update = staticmethod(update)

    delta: float = Field(0.05, gt=0, lt=1, description="probability δ of a wrong winner")
    outcomes: Literal[2, 3] = Field(
        3, description="outcomes of a duel that the test allows for: 3 as published, with ties; 2 is enough without"
    )

    def recommendation(self, state: PotentialCopelandState) -> int | None:
        """Return the arm with the highest score, the first in order of several; None until a pair is decided."""
        return int(state.order[np.argmax(state.score[state.order])]) if state.score.any() else None

    def first_state(self, arms: int, delta: float, transitive: bool) -> PotentialCopelandState:
        """Return the state before the first round, for tests that err with probability ``delta``."""
        return PotentialCopelandState(
            log_level=ppr_level(delta, self.outcomes),
            transitive=transitive,
            order=np.arange(arms),
            beats=np.zeros((arms, arms), np.bool_),
            tied=np.zeros((arms, arms), np.bool_),
            score=np.zeros(arms, np.int64),
            potential=np.full(arms, 2 * (arms - 1)),
            pair=new_pair(),
            declared=nothing_declared(),
        )
