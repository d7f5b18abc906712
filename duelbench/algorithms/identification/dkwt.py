"""DKWT, the Dvoretzky–Kiefer–Wolfowitz tournament, for duels: the winner stays and meets the next arm.

A pair is decided in steps s = 1, 2, …, each of a number of duels that is fixed before: by the majority, once it is
clear enough for the step. The pseudo-code is ``duelbench/reference/nts.py``; ``tests/test_catalogue.py`` checks that
the paths, duel by duel, are equal.

Blocks. Nothing is looked at within a step, so its duels are one draw.

Hold. After K − 1 pairs the winner of the last duels itself to the end.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import ExploreThenExploit, declare, nothing_declared
from duelbench.algorithms.identification.pair import count_outcome, lead, new_pair, open_pair
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.arithmetic import NEVER
from duelbench.kernels.draws import shuffle


class DkwtState(NamedTuple):
    """``delta``: of one pair. ``reuse``: judge by all duels of the pair, not by those of the step.

    ``order``: the arms, at random. ``cursor[0]``: ``position`` is the place in ``order`` of the next challenger, 0
    before there is a pair; ``step`` is s, and it is over with the pair's duel number ``until``. ``pair``: the champion
    is its first arm, see ``pair.py``. ``declared``: see ``declaration``.
    """

    delta: float
    reuse: bool
    order: Ints
    cursor: Record
    pair: Record
    declared: Record


@kernel(inline=False)
def next_step(state: DkwtState) -> None:
    """Begin step s: h = 2^(−s − 1), γ = 6δ/(π²s²), ⌈(8/h²) log(4/γ)⌉ duels."""
    cursor = state.cursor[0]
    cursor.step += 1
    duels = 8.0 * 4.0 ** (cursor.step + 1) * math.log(4.0 * math.pi**2 * cursor.step**2 / (6.0 * state.delta))
    if not state.reuse:
        state.pair[0].wins = 0
        state.pair[0].duels = 0
    cursor.until = state.pair[0].duels + (math.ceil(duels) if duels < NEVER // 2 else NEVER // 2)


@kernel(inline=False)
def next_challenger(state: DkwtState, champion: int) -> None:
    """Let the champion meet the next arm."""
    open_pair(state.pair, champion, state.order[state.cursor[0].position])
    state.cursor[0].position += 1
    state.cursor[0].step = 0
    next_step(state)


@kernel(inline=False)
def judge(state: DkwtState, t: int) -> None:
    """After a step: the majority wins if |2p̂ − 1| > h, else there is another step."""
    pair, cursor = state.pair[0], state.cursor[0]
    if lead(state.pair) * 2.0 ** (cursor.step + 1) <= pair.duels:
        next_step(state)
        return
    winner = pair.first if 2 * pair.wins > pair.duels else pair.second
    if cursor.position < state.order.shape[0]:
        next_challenger(state, winner)
    else:
        declare(state.declared, winner, t)


@kernel
def select(state: DkwtState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the champion against its challenger for what is left of the step, or the winner against itself."""
    pair, cursor, declared = state.pair[0], state.cursor[0], state.declared[0]
    if cursor.position == 0:
        shuffle(state.order, state.order.shape[0], rng)
        cursor.position = 1
        next_challenger(state, state.order[0])
    while declared.winner < 0 and pair.duels >= cursor.until:
        judge(state, t)
    if declared.winner >= 0:
        return declared.winner, declared.winner, last - t + 1
    return pair.first, pair.second, min(cursor.until - pair.duels, last - t + 1)


@kernel
def update(state: DkwtState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome if it is of the current pair."""
    count_outcome(state.pair, first, second, wins, count)


class Dkwt(ExploreThenExploit):
    """The winner stays: each pair is decided in steps for ever smaller gaps."""

    name = "dkwt"
    title = "DKWT"
    citation = (
        "Haddenhorst, Bengs, Hüllermeier. Identification of the Generalized Condorcet Winner in Multi-dueling Bandits. "
        "NeurIPS 2021, for duels"
    )
    assumes = "Condorcet winner, no pair at 1/2"
    regret_order = "no bound; declares after O(Σ 1/gap² ln(K/δ · ln 1/gap)) duels, whatever T"
    uses_horizon = False
    State = DkwtState
    select = staticmethod(select)
    update = staticmethod(update)

    delta: float = Field(0.05, gt=0, lt=1, description="probability δ of a wrong winner")
    reuse: bool = Field(False, description="judge a pair by all its duels so far, not by those of the last step")

    def start(self, arms: int, horizon: int) -> DkwtState:
        """Return the state before the first round."""
        return DkwtState(
            delta=self.delta / arms,
            reuse=self.reuse,
            order=np.arange(arms),
            cursor=record(position=0, step=0, until=0),
            pair=new_pair(),
            declared=nothing_declared(),
        )

    def recommendation(self, state: DkwtState) -> int | None:
        """Return the declared arm, before the champion; None until a pair is decided."""
        if state.declared[0].winner >= 0:
            return int(state.declared[0].winner)
        return int(state.pair[0].first) if state.cursor[0].position > 2 else None
