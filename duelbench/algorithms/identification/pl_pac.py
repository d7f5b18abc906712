"""PL-PAC: quicksort's pivot steps, whose orders have the marginals of the Plackett–Luce model.

A round duels a random pivot once with every other arm that is left. That orders pivot and winners, pivot and losers,
and every winner before every loser, though they never met: in the model the shares of such orders are the
probabilities of duels. Outside of it the declared arm can be wrong however small δ is. The pseudo-code, step by step,
is ``duelbench/reference/plackett_luce.py``; ``tests/test_catalogue.py`` checks that the paths are equal.

Where the paper leaves room: arms are looked at in a random order of this run, and one that is dropped drops no other
any more, so that one is left even where they beat each other in a circle; of several arms that could be declared the
one with the most wins is. ``variant: heckel`` is the program of Heckel, Shah, Ramchandran, Wainwright (Annals of
Statistics 2019) behind their figures, which halves the counts in the radius.

Hold. Every answer is a single duel until the winner is declared; the rest of the run is its self-duel, in one block,
and nothing more is drawn. The path is the same as with stepping.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import ExploreThenExploit, declare, nothing_declared
from duelbench.arrays import Flags, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle


class PlPacState(NamedTuple):
    """``met[i, j]`` orders of i and j are known, ``won[i, j]`` with i before j.

    A radius is ``sqrt(log(scale n²) / (2n))`` for n = ``share`` · met. ``order`` has the arms that are left first, in
    the order in which they are looked at. ``ahead`` tells which of them have beaten the pivot of this round.
    ``cursor[0]``: how many are ``left``, the ``pivot``, −1 before the first, and the ``position`` of its next opponent.
    ``declared``: see ``declaration``.
    """

    epsilon: float
    scale: float
    share: float
    met: Ints
    won: Ints
    order: Ints
    ahead: Flags
    cursor: Record
    declared: Record


@kernel
def radius(state: PlPacState, n: int) -> float:
    """Return the radius after n orders of a pair, 1 before the first."""
    share = state.share * n
    return math.sqrt(math.log(state.scale * share * share) / (2.0 * share)) if n > 0 else 1.0


@kernel
def mean(state: PlPacState, i: int, j: int) -> float:
    """Return the share of orders that have i before j, 1/2 before the first."""
    return state.won[i, j] / state.met[i, j] if state.met[i, j] > 0 else 0.5


@kernel
def put_before(state: PlPacState, i: int, j: int) -> None:
    """Note an order with i before j."""
    state.met[i, j] += 1
    state.met[j, i] += 1
    state.won[i, j] += 1


@kernel(inline=False)
def count_orders(state: PlPacState) -> None:
    """Note every order that the round has shown."""
    cursor, order = state.cursor[0], state.order
    for a in range(cursor.left):
        i = order[a]
        if i == cursor.pivot:
            continue
        if state.ahead[i]:
            put_before(state, i, cursor.pivot)
        else:
            put_before(state, cursor.pivot, i)
            continue
        for b in range(cursor.left):
            j = order[b]
            if j != cursor.pivot and not state.ahead[j]:
                put_before(state, i, j)


@kernel
def worse_than_another(state: PlPacState, i: int) -> bool:
    """Return whether arm i is beaten with confidence by one that is left."""
    for b in range(state.cursor[0].left):
        j = state.order[b]
        if j != i and mean(state, i, j) + radius(state, state.met[i, j]) < 0.5:
            return True
    return False


@kernel
def good_enough(state: PlPacState, i: int) -> bool:
    """Return whether arm i loses to none that is left by ε, with confidence."""
    for b in range(state.cursor[0].left):
        j = state.order[b]
        if j != i and not mean(state, i, j) - radius(state, state.met[i, j]) > 0.5 - state.epsilon:
            return False
    return True


@kernel(inline=False)
def drop_worse(state: PlPacState) -> None:
    """Drop arms that are worse than one that is left, one after the other."""
    cursor, place = state.cursor[0], 0
    while place < cursor.left:
        if worse_than_another(state, state.order[place]):
            cursor.left -= 1
            for later in range(place, cursor.left):
                state.order[later] = state.order[later + 1]
        else:
            place += 1


@kernel(inline=False)
def found(state: PlPacState) -> int:
    """Return the arm to be declared, −1 if there is none yet."""
    best, most = -1, -1
    for a in range(state.cursor[0].left):
        i = state.order[a]
        if good_enough(state, i):
            wins = 0
            for b in range(state.cursor[0].left):
                wins += state.won[i, state.order[b]]
            if wins > most:
                best, most = i, wins
    return best


@kernel(inline=False)
def next_round(state: PlPacState, t: int, rng: np.random.Generator) -> None:
    """Evaluate the round that is over; choose the next pivot, or declare the winner."""
    cursor = state.cursor[0]
    if cursor.pivot < 0:
        shuffle(state.order, state.order.shape[0], rng)
    else:
        count_orders(state)
        drop_worse(state)
        winner = found(state)
        if winner >= 0:
            declare(state.declared, winner, t)
            return
    cursor.pivot = state.order[int(rng.random() * cursor.left)]
    cursor.position = 0


@kernel
def skip_pivot(state: PlPacState) -> None:
    """Go on to the next opponent: the pivot is none."""
    cursor = state.cursor[0]
    if cursor.position < cursor.left and state.order[cursor.position] == cursor.pivot:
        cursor.position += 1


@kernel
def select(state: PlPacState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the pivot against its next opponent, or commit to the winner."""
    cursor, declared = state.cursor[0], state.declared[0]
    if declared.winner < 0:
        skip_pivot(state)
        if cursor.position == cursor.left:
            next_round(state, t, rng)
            skip_pivot(state)
    if declared.winner >= 0:
        return declared.winner, declared.winner, last - t + 1
    cursor.position += 1
    return cursor.pivot, state.order[cursor.position - 1], 1


@kernel
def update(state: PlPacState, first: int, second: int, wins: int, count: int) -> None:
    """Note on which side of the pivot its opponent is."""
    if first != second:
        state.ahead[second] = wins == 0


class PlPac(ExploreThenExploit):
    """Sort by one random pivot a round, and count all that its partition orders."""

    name = "pl-pac"
    title = "PLPAC"
    citation = (
        "Szörényi, Busa-Fekete, Paul, Hüllermeier. Online Rank Elicitation for Plackett-Luce: A Dueling Bandits "
        "Approach. NeurIPS 2015"
    )
    assumes = "Plackett–Luce model"
    regret_order = "no bound: max Δ⁻² log(K/(Δδ)) rounds of K − 1 duels to a winner"
    uses_horizon = False  # δ is its own
    supports_delay = False  # a round's orders are counted when all its outcomes are there
    State = PlPacState
    select = staticmethod(select)
    update = staticmethod(update)

    epsilon: float = Field(
        0.05,
        ge=0,
        le=0.5,
        description="slack ε: the winner may lose to the best arm with probability up to 1/2 + ε; "
        "with 0 all other arms must be out",
    )
    delta: float = Field(0.1, gt=0, lt=1, description="probability δ that the winner is worse than that")
    variant: Literal["paper", "heckel"] = Field(
        "paper", description="heckel: as the program of Heckel et al. (2019), half of the counts in the radius"
    )

    def start(self, arms: int, horizon: int) -> PlPacState:
        """Return the state before the first round; the horizon does not matter."""
        square = (arms, arms)
        return PlPacState(
            epsilon=self.epsilon,
            scale=4 * arms**2 / self.delta,
            share=0.5 if self.variant == "heckel" else 1.0,
            met=np.zeros(square, np.int64),
            won=np.zeros(square, np.int64),
            order=np.arange(arms),
            ahead=np.zeros(arms, np.bool_),
            cursor=record(left=arms, pivot=-1, position=arms),
            declared=nothing_declared(),
        )

    def recommendation(self, state: PlPacState) -> int:
        """Return the Copeland winner of the orders of the arms that are left, of several the one with the most wins."""
        left = state.order[: int(state.cursor[0].left)]
        won, met = state.won[np.ix_(left, left)], state.met[np.ix_(left, left)]
        better = np.sign(2 * won - met).sum(axis=1)
        return int(left[np.lexsort((-np.arange(len(left)), won.sum(axis=1), better))[-1]])
