"""Single elimination: a bracket of pairs, of which the winners go on, and what may follow for the last one.

In common to SELECT, NTS and SELECT-then-verify. A pair of the bracket is decided by the majority of a fixed number of
duels or by an SPRT. In every round the first pairs in line play and those left over pass on: as many as can, but NTS
begins with so few that a power of two goes on. Where the last one is verified it plays the others, by SPRTs, until it
loses or has beaten all. Once it has lost every arm has: that there is no Condorcet winner is declared.

The pseudo-code, step by step, is in ``duelbench/reference``: ``select.py``, ``nts.py`` and ``select_then_verify.py``;
``tests/test_catalogue.py`` checks that the paths, duel by duel, are equal.

Blocks. The duels of a pair by majority are one draw, as their number is fixed. With ``early_stop`` a pair is over when
one arm has more than half of m wins: if it has w, the next ⌊m/2⌋ + 1 − w duels may be drawn in one, for none but the
last can end it, and never more than are left. Those of an SPRT: ``sprt.py``. The law of the counts at the end of a
block is that of duelling one by one, and nothing else is drawn.

Hold. Once all is decided one arm duels itself to the end: the declared one, or where there is no winner the one that
has won most pairs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from duelbench.algorithms.algorithm import Declared
from duelbench.algorithms.declaration import ExploreThenExploit, declare, nothing_declared
from duelbench.algorithms.identification.pair import count_outcome, new_pair, open_pair
from duelbench.algorithms.identification.sprt import sprt_block, sprt_decided
from duelbench.arrays import Flags, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle

BEFORE, BRACKET, VERIFYING, OVER = 0, 1, 2, 3


class SingleEliminationState(NamedTuple):
    """``duels_per_pair``: m in the bracket, 0 for the SPRT. ``early_stop``: pairs that cannot turn end before m duels.

    ``boundary``: of the SPRT. ``opening_pairs``: the pairs of the bracket's first round. ``verified``: whether the last
    one must beat the others. ``met``: (K, K), whom it need not meet again.

    ``order``: the arms, at random. ``left``: those still in the bracket, ``stage[0].arms`` many at the beginning of the
    round, the winners so far in front. ``won``: the pairs that each arm has won. ``stage[0]``: the ``phase``; the
    ``pairs`` of the round and how many are ``over``; the ``champion`` that is verified or held, and ``position``, the
    place in ``order`` of its opponent. ``pair``: see ``pair.py``. ``declared``: see ``declaration``.
    """

    duels_per_pair: int
    early_stop: bool
    boundary: int
    opening_pairs: int
    verified: bool
    met: Flags
    order: Ints
    left: Ints
    won: Ints
    stage: Record
    pair: Record
    declared: Record


@kernel
def by_majority(state: SingleEliminationState) -> bool:
    """Return whether the pair is decided by a majority, not by an SPRT."""
    return state.duels_per_pair > 0 and state.stage[0].phase == BRACKET


@kernel
def missing(state: SingleEliminationState) -> int:
    """Return how many duels of the pair can be drawn in one; 0 or less when it is decided."""
    pair = state.pair[0]
    if not by_majority(state):
        return 0 if sprt_decided(state.pair, state.boundary) else sprt_block(state.pair, state.boundary)
    rest = state.duels_per_pair - pair.duels
    if state.early_stop:
        rest = min(rest, state.duels_per_pair // 2 + 1 - max(pair.wins, pair.duels - pair.wins))
    return rest  # type: ignore[no-any-return]


@kernel(inline=False)
def begin(state: SingleEliminationState, rng: np.random.Generator) -> None:
    """Order the arms at random and go to the first pair."""
    shuffle(state.order, state.order.shape[0], rng)
    for place in range(state.order.shape[0]):
        state.left[place] = state.order[place]
    stage = state.stage[0]
    stage.phase = BRACKET
    stage.arms = state.order.shape[0]
    stage.pairs = state.opening_pairs
    open_pair(state.pair, state.left[0], state.left[1])


@kernel(inline=False)
def conclude(state: SingleEliminationState, t: int) -> None:
    """Write down who has won the pair, on a draw the first arm, and go on to the next or to the end."""
    stage, pair = state.stage[0], state.pair[0]
    winner, loser = pair.first, pair.second
    if 2 * pair.wins < pair.duels:
        winner, loser = loser, winner
    state.won[winner] += 1
    if stage.phase == VERIFYING:
        if winner != stage.champion:
            abandon(state, t)
            return
    else:
        state.met[winner, loser] = not by_majority(state)
        advance(state, winner)
        if stage.arms > 1:
            open_pair(state.pair, state.left[2 * stage.over], state.left[2 * stage.over + 1])
            return
        stage.champion = winner
        stage.phase = VERIFYING
    next_opponent(state, t)


@kernel(inline=False)
def advance(state: SingleEliminationState, winner: int) -> None:
    """Let the winner go on in the bracket, and after the last pair of the round those that had none."""
    stage = state.stage[0]
    state.left[stage.over] = winner
    stage.over += 1
    if stage.over == stage.pairs:
        for place in range(2 * stage.pairs, stage.arms):
            state.left[place - stage.pairs] = state.left[place]
        stage.arms -= stage.pairs
        stage.pairs = stage.arms // 2
        stage.over = 0


@kernel(inline=False)
def next_opponent(state: SingleEliminationState, t: int) -> None:
    """Go to the next opponent of the champion; declare it when there is none."""
    stage = state.stage[0]
    arms = state.order.shape[0] if state.verified else 0
    while stage.position < arms:
        other = state.order[stage.position]
        stage.position += 1
        if other != stage.champion and not state.met[stage.champion, other]:
            open_pair(state.pair, stage.champion, other)
            return
    declare(state.declared, stage.champion, t)
    stage.phase = OVER


@kernel(inline=False)
def abandon(state: SingleEliminationState, t: int) -> None:
    """Declare that there is no winner, as every arm has lost a pair.

    What is held is the arm that has won most pairs, the first in order of several.
    """
    stage = state.stage[0]
    stage.champion = state.order[0]
    for arm in state.order:
        if state.won[arm] > state.won[stage.champion]:
            stage.champion = arm
    declare(state.declared, -1, t)
    stage.phase = OVER


@kernel
def select(state: SingleEliminationState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the pair until it is decided, then the next; at the end the champion against itself."""
    stage, pair = state.stage[0], state.pair[0]
    if stage.phase == BEFORE:
        begin(state, rng)
    while stage.phase != OVER:
        count = missing(state)
        if count > 0:
            return pair.first, pair.second, min(count, last - t + 1)
        conclude(state, t)
    return stage.champion, stage.champion, last - t + 1


@kernel
def update(state: SingleEliminationState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome if it is of the current pair."""
    count_outcome(state.pair, first, second, wins, count)


class SingleElimination(ExploreThenExploit):
    """The base class of the three, which differ in how pairs are decided and which arm is verified."""

    uses_horizon = False
    State = SingleEliminationState
    select = staticmethod(select)
    update = staticmethod(update)

    def declaration(self, state: Any) -> tuple[Declared, int] | None:
        """Return the declared winner, None where it is that there is none, and the rounds before; None till then."""
        if state.stage[0].phase == OVER and state.declared[0].winner < 0:
            return None, int(state.declared[0].rounds)
        return super().declaration(state)

    def recommendation(self, state: Any) -> int | None:
        """Return the arm that has come furthest: the bracket's winner, or the first winner of the present round.

        Before the round has a winner it is the arm that is ahead in its first pair; None before the first outcome.
        """
        stage, pair = state.stage[0], state.pair[0]
        if stage.phase in (VERIFYING, OVER):
            return int(stage.champion)
        if stage.over > 0:
            return int(state.left[0])
        if pair.duels == 0 and stage.arms == len(state.order):
            return None
        return int(pair.first if 2 * pair.wins >= pair.duels else pair.second)


def new_bracket(
    arms: int,
    opening_pairs: int,
    duels_per_pair: int = 0,
    early_stop: bool = False,
    boundary: int = 0,
    verified: bool = False,
) -> SingleEliminationState:
    """Return the state before the first round; see there."""
    return SingleEliminationState(
        duels_per_pair=duels_per_pair,
        early_stop=early_stop,
        boundary=boundary,
        opening_pairs=opening_pairs,
        verified=verified,
        met=np.zeros((arms, arms), np.bool_),
        order=np.arange(arms),
        left=np.arange(arms),
        won=np.zeros(arms, np.int64),
        stage=record(phase=BEFORE, arms=arms, pairs=0, over=0, champion=-1, position=0),
        pair=new_pair(),
        declared=nothing_declared(),
    )
