"""WS-W: Winner Stays for weak regret.

The arm with the largest wins minus losses duels the arm with the next largest; nothing is ever reset. In round ℓ of it
an incumbent meets all others in random order, each until one of the two has ℓ losses more than wins: an arm that has
won the rounds so far is far ahead and hard to replace. The pseudo-code, step by step, is
``duelbench/reference/winner_stays.py``; ``tests/test_catalogue.py`` checks that the paths are equal when every answer
is one round.

No hold: it never duels an arm with itself, which costs weak regret nothing. Blocks of one pair: see ``standing``. A
winner that is far ahead beats its challengers in a duel or two, so a run costs in proportion to its horizon.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.winner_stays.standing import Standing, leader, learn, new_standing, next_duels
from duelbench.compiling.jit import kernel


class WsWState(NamedTuple):
    """Wins minus losses, and the last duel."""

    standing: Standing


@kernel
def select(state: WsWState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the two that are ahead."""
    return next_duels(state.standing, last - t + 1, rng)


@kernel
def update(state: WsWState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcomes."""
    learn(state.standing, first, second, wins, count)


class WsW(Algorithm):
    """Duel the arm with the largest wins minus losses against the next: Winner Stays, weak regret."""

    name = "ws-w"
    title = "WS-W"
    citation = "Chen, Frazier. Dueling Bandits with Weak Regret. ICML 2017, Algorithm 1"
    assumes = "Condorcet winner"
    regret_order = "K², whatever T, of binary weak regret; K log K with a total order"
    State = WsWState
    select = staticmethod(select)
    update = staticmethod(update)

    def start(self, arms: int, horizon: int) -> WsWState:
        """Return the state before the first round."""
        return WsWState(new_standing(arms))

    def recommendation(self, state: WsWState) -> int | None:
        """Return the arm that is ahead, once there is one."""
        ahead = int(leader(state.standing.net))
        return ahead if state.standing.net[ahead] > 0 else None
