"""BCB: random duels until one arm's Borda score is larger than all others with confidence; then that arm alone.

The pseudo-code, step by step, is ``duelbench/reference/borda.py``; ``tests/test_catalogue.py`` checks that the paths
are equal.

Only the abstract of the paper was read. Steps and constants, and δ = 0.1, rest on a single source, a code that is not
its authors'.

The test. With s = K · w, w[i] the duels that arm i has won as the first of its pair, ``b̃ − width > b̃' + width`` for
all others is ``K d² > 16 t ln(2KT/δ)``, d the wins that the arm with most of them has more than any other. Only a win
can make it true, and not before 2 width < K, as d ≤ t. Where K > 16 ln(2KT/δ), some 300 arms, the first win makes it
true: so narrow a width is a bound for more rounds than arms only. These are the steps of the source, none is added.

Hold. The arm that is left duels itself, to the horizon; nothing is drawn.

Block. d grows by one in a round at most. As long as ``K (d + n)² ≤ 16 t ln(2KT/δ)`` none of the next n rounds, nor any
part of them, can end the exploration, and their pairs are random: the numbers of their duels are multinomial
(``kernels/blocks.py``). With delayed outcomes no block begins before all have arrived.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import ExploreThenExploit, declare, nothing_declared
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.blocks import WORTHWHILE, Block, allocate_to_all, emit_block, new_block
from duelbench.kernels.draws import below


class BcbState(NamedTuple):
    """``scale``: 16 ln(2KT/δ). ``wins``: w. ``standing[0]``: the arm with ``most`` of them, the ``leader``, how many
    the ``next`` has, the duels ``asked`` for and the outcomes ``told``. ``block``: the duels to come. ``declared``: see
    ``declaration``.
    """

    scale: float
    wins: Ints
    standing: Record
    block: Block
    declared: Record


@kernel
def rounds_without_end(state: BcbState) -> int:
    """Return a number of rounds after those told in which no arm can be far enough ahead of all others."""
    standing = state.standing[0]
    far = int(math.sqrt(state.scale * standing.told / state.wins.shape[0]))
    lead: int = standing.most - standing.next
    return far - lead - 1


@kernel
def select(state: BcbState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel random pairs, or the best arm against itself."""
    standing, declared = state.standing[0], state.declared[0]
    arms = state.wins.shape[0]
    if declared.winner < 0:
        lead = float(standing.most - standing.next)
        if arms * lead * lead > state.scale * standing.told:
            declare(state.declared, standing.leader, t)
    if declared.winner >= 0:
        return declared.winner, declared.winner, last - t + 1
    first, second, count = emit_block(state.block, last - t + 1)
    if count == 0 and standing.asked == standing.told:
        rounds = min(rounds_without_end(state), last - t + 1)
        if rounds >= WORTHWHILE * arms**2:
            allocate_to_all(state.block, rounds, rng)
            first, second, count = emit_block(state.block, last - t + 1)
    if count == 0:
        first = below(arms, rng)
        second = below(arms - 1, rng)
        if second >= first:
            second += 1
        count = 1
    standing.asked += count
    return first, second, count


@kernel
def update(state: BcbState, first: int, second: int, wins: int, count: int) -> None:
    """Count the wins of the first arm, and who has most of them."""
    if first == second:
        return
    standing = state.standing[0]
    standing.told += count
    state.wins[first] += wins
    won = state.wins[first]
    if first == standing.leader:
        standing.most = won
    elif won > standing.most:
        standing.next = standing.most
        standing.most = won
        standing.leader = first
    elif won > standing.next:
        standing.next = won


class Bcb(ExploreThenExploit):
    """Random duels until one arm has the best Borda score for certain; it is played for ever."""

    name = "bcb"
    title = "BCB"
    citation = "Saha, Koren, Mansour. Adversarial Dueling Bandits. ICML 2021, Algorithm 3"
    assumes = "one Borda winner"
    regret_order = "K log T / Δ², of Borda regret"
    State = BcbState
    select = staticmethod(select)
    update = staticmethod(update)

    delta: float = Field(0.1, gt=0, lt=1, description="probability δ of a wrong winner")

    def start(self, arms: int, horizon: int) -> BcbState:
        """Return the state before the first round."""
        return BcbState(
            scale=16.0 * math.log(2.0 * arms * horizon / self.delta),
            wins=np.zeros(arms, np.int64),
            standing=record(leader=0, most=0, next=0, asked=0, told=0),
            block=new_block(arms),
            declared=nothing_declared(),
        )
