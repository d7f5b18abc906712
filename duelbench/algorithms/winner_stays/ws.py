"""WS-W and WS-S: Winner Stays, for weak and for strong regret.

``C[i]`` are the wins of arm i minus its losses. The first arm has the largest C, the second the largest of all others;
ties go to the first arm of the last duel, then to its second arm, then to a random one.

Block. The pair (i, j) has ``C[i] ≥ C[j] ≥ m``, where m is the largest C of the other arms. Whatever happens in the next
s duels, ``C[j] ≥ C[j]₀ − s`` and ``C[i] − C[j] ≥ C[i]₀ − C[j]₀ − 2s``. So as long as ``s ≤ C[j]₀ − m`` and
``2s ≤ C[i]₀ − C[j]₀``, the two are still the largest, in this order. This includes ties, since both were in the last
duel. So the duel after these s is (i, j) once more, and nothing is drawn for it. Thus
``min(C[j] − m, (C[i] − C[j]) // 2) + 1`` duels are played at once. While a challenger climbs from m towards the
incumbent, its blocks double until it is about half way, and then shrink with the distance. So the number of requests
grows with the logarithm of the distance.

The pseudo-code, step by step, is ``tests/reference/winner_stays.py``; ``tests/test_catalogue.py`` checks that the
paths are equal when every answer is one round.

WS-W. Nothing is ever reset. In its round ℓ, an incumbent meets all others in random order, each until one of the two
has ℓ losses more than wins: an arm that has won the rounds so far is far ahead and hard to replace. It never holds:
weak regret gives it no reason to duel an arm with itself. A winner that is far ahead beats its challengers in a duel or
two, so a run takes time proportional to its horizon.

WS-S. After round ℓ of WS-W its winner duels itself ``⌊β^ℓ⌋`` times. The round is over when all arms except one have at
least ℓ losses more than wins. Hold: the number of these self-duels is known when they begin. They are one answer; if it
is cut at ``last``, the next answer is the rest. Nothing is drawn. A block of a pair must not go beyond the end of the
round. The round cannot end before C of the second arm has fallen to −ℓ, so a block has at most ``C[second] + ℓ`` duels.
"""

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.blocks import ask_for
from duelbench.kernels.draws import below

_LOWEST = -(2**62)
"""Less than any arm's wins minus losses."""


class Standing(NamedTuple):
    """``net[i]`` is C[i]. ``duel[0]``: the arms ``first`` and ``second`` of the last duel, −1 before there is one;
    ``asked``, ``received``, ``late``: see ``kernels.blocks``.
    """

    net: Ints
    duel: Record


def new_standing(arms: int) -> Standing:
    """Return the standing before the first duel."""
    return Standing(np.zeros(arms, np.int64), record(first=-1, second=-1, asked=0, received=0, late=False))


@kernel
def largest_but(net: Ints, one: int, other: int) -> int:
    """Return the largest entry, ignoring two arms (−1 is no arm); ``_LOWEST`` if there is none."""
    most = _LOWEST
    for k in range(net.shape[0]):
        if k != one and k != other and net[k] > most:
            most = net[k]
    return most


@kernel
def leader(net: Ints) -> int:
    """Return the arm with the largest entry, the first of several."""
    best = 0
    for k in range(1, net.shape[0]):
        if net[k] > net[best]:
            best = k
    return best


@kernel
def largest(standing: Standing, excluded: int, rng: np.random.Generator) -> int:
    """Return the arm with the largest C except ``excluded``; ties go to the arms of the last duel, or are random."""
    net, duel = standing.net, standing.duel[0]
    most = largest_but(net, excluded, -1)
    if duel.first >= 0 and duel.first != excluded and net[duel.first] == most:
        return duel.first  # type: ignore[no-any-return]
    if duel.second >= 0 and duel.second != excluded and net[duel.second] == most:
        return duel.second  # type: ignore[no-any-return]
    tied = 0
    for k in range(net.shape[0]):
        tied += k != excluded and net[k] == most
    place = below(tied, rng) if tied > 1 else 0
    for k in range(net.shape[0]):
        if k != excluded and net[k] == most:
            if place == 0:
                return k
            place -= 1
    return -1  # never


@kernel
def next_duels(standing: Standing, most: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Return the next pair and how many of its duels are certain to come next, at most ``most``."""
    net, duel = standing.net, standing.duel[0]
    first = largest(standing, -1, rng)
    second = largest(standing, first, rng)
    duel.first, duel.second = first, second
    certain = min((net[first] - net[second]) // 2, net[second] - largest_but(net, first, second)) + 1
    return first, second, ask_for(standing.duel, min(certain, most))


@kernel
def learn(standing: Standing, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcomes."""
    standing.duel[0].received += count
    standing.net[first] += 2 * wins - count
    standing.net[second] -= 2 * wins - count


class WsWState(NamedTuple):
    """Wins minus losses, and the last duel."""

    standing: Standing


@kernel
def select_ws_w(state: WsWState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the two leading arms."""
    return next_duels(state.standing, last - t + 1, rng)


@kernel
def update_ws_w(state: WsWState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcomes."""
    learn(state.standing, first, second, wins, count)


class WsW(Algorithm):
    """Duel the two arms with the largest wins minus losses: Winner Stays for weak regret."""

    name = "ws-w"
    title = "WS-W"
    citation = "Chen, Frazier. Dueling Bandits with Weak Regret. ICML 2017, Algorithm 1"
    assumes = "Condorcet winner"
    regret_order = "K², whatever T, of binary weak regret; K log K with a total order"
    State = WsWState
    select = staticmethod(select_ws_w)
    update = staticmethod(update_ws_w)

    def start(self, arms: int, horizon: int) -> WsWState:
        """Return the state before the first round."""
        return WsWState(new_standing(arms))

    def recommendation(self, state: WsWState) -> int | None:
        """Return the arm that is ahead, once there is one."""
        ahead = int(leader(state.standing.net))
        return ahead if state.standing.net[ahead] > 0 else None


_FAR = 2.0**62
"""More rounds than any run has."""


class WsSState(NamedTuple):
    """``course[0]``: the ``number`` ℓ of WS-W's round; the ``winner`` of the round before, −1 if there is none; and how
    many of its self-duels are ``left``.
    """

    beta: float
    standing: Standing
    course: Record


@kernel
def _end_round(state: WsSState) -> None:
    """Begin the self-duels of the winner if the round of WS-W is over."""
    net, course = state.standing.net, state.course[0]
    ahead = leader(net)
    if largest_but(net, ahead, -1) > -course.number:
        return
    course.winner = ahead
    course.left = int(min(math.pow(state.beta, float(course.number)), _FAR))
    course.number += 1


@kernel
def select_ws_s(state: WsSState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Go on with the round of WS-W, or with the self-duels of its winner."""
    course = state.course[0]
    most = last - t + 1
    if course.left == 0:
        _end_round(state)
    if course.left > 0:
        count = min(course.left, most)
        course.left -= count
        return course.winner, course.winner, count
    second = largest_but(state.standing.net, leader(state.standing.net), -1)
    return next_duels(state.standing, min(most, second + course.number), rng)


@kernel
def update_ws_s(state: WsSState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcomes; a self-duel teaches nothing."""
    if first != second:
        learn(state.standing, first, second, wins, count)


class WsS(Algorithm):
    """Play Winner Stays in rounds; the winner of each round duels itself, for longer and longer."""

    name = "ws-s"
    title = "WS-S"
    citation = "Chen, Frazier. Dueling Bandits with Weak Regret. ICML 2017, Algorithm 2"
    assumes = "Condorcet winner, β < p / (1 − p)"
    regret_order = "K² + K log T"
    State = WsSState
    select = staticmethod(select_ws_s)
    update = staticmethod(update_ws_s)

    beta: float = Field(
        1.1,
        gt=1,
        description="β: round ℓ is followed by ⌊β^ℓ⌋ self-duels; below p / (1 − p) for every P[i, j] = p > 1/2",
    )

    def start(self, arms: int, horizon: int) -> WsSState:
        """Return the state before the first round."""
        return WsSState(self.beta, new_standing(arms), record(number=1, winner=-1, left=0))

    def recommendation(self, state: WsSState) -> int | None:
        """Return the winner of the last round."""
        winner = int(state.course[0].winner)
        return winner if winner >= 0 else None
