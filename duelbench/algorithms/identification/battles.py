"""Matches of a fixed number of duels: Trace-the-Best, Divide-and-Battle and Halving-Battle.

In Trace-the-Best a champion meets the other arms one after the other, and a clearly better arm replaces it. The other
two play rounds that halve the arms: each round pairs the arms that are left at random; with an odd number, one arm
advances without a match. From round to round ε shrinks by a quarter and δ by half. A match has ⌈log(c/δ) / ε²⌉ duels,
enough to tell apart two arms that differ by ε. In Halving-Battle arms with at least the median number of wins stay: in
a match of two arms the winner, or both after a draw. In Divide-and-Battle ε and δ are reset to larger values before the
match of the last two arms, which the guarantee allows. After a draw the paper allows either arm to advance; here it is
the first arm of the random pair.

The pseudo-code, step by step, is ``tests/reference/plackett_luce.py``; ``tests/test_catalogue.py`` checks that the
paths, round by round, are equal. The duels of a match are one draw, since no outcome is used before the last duel.
"""

import math
from typing import Any

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Program
from duelbench.arrays import State, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle
from duelbench.kernels.duels import World, duel

MOST = 1 << 61
"""More duels than any run has."""


@kernel
def enough_duels(scale: float, epsilon: float, log_inverse_delta: float) -> int:
    """Return ``⌈scale · log(1/δ) / ε²⌉``, enough duels to tell apart two arms that differ by ε; at most MOST."""
    duels = scale / epsilon**2 * log_inverse_delta if epsilon > 1e-150 else np.inf
    return MOST if duels >= MOST else math.ceil(duels)


@kernel
def trace(world: World, state: State, rng: np.random.Generator) -> int:
    """Trace-the-Best."""
    order, best = state.order, state.best[0]
    shuffle(order, world.arms, rng)
    best.arm = order[0]
    for place in range(1, world.arms):
        wins = duel(world, order[place], best.arm, state.duels)
        if wins / state.duels > 0.5 + state.epsilon / 2:
            best.arm = order[place]
    return best.arm  # type: ignore[no-any-return]


@kernel
def battle(world: World, state: State, rng: np.random.Generator) -> int:
    """Divide-and-Battle and Halving-Battle."""
    order, left = state.order, world.arms
    epsilon, log_inverse_delta = state.first_epsilon, state.first_log_inverse_delta
    while left > 1:
        shuffle(order, left, rng)
        if left == 2 and state.final_epsilon > 0:
            epsilon, log_inverse_delta = state.final_epsilon, state.final_log_inverse_delta
        log_inverse_delta += math.log(2.0)
        epsilon *= 0.75
        duels = enough_duels(1.0, epsilon, math.log(state.c) + log_inverse_delta)
        kept = 0
        for place in range(0, left - 1, 2):
            first, second = order[place], order[place + 1]
            wins = duel(world, first, second, duels)
            losses = duels - wins
            if wins >= losses:
                order[kept] = first
                kept += 1
            if wins < losses or (wins == losses and state.both_on_a_tie):
                order[kept] = second
                kept += 1
        if left % 2 == 1:  # the odd arm advances
            order[kept] = order[left - 1]
            kept += 1
        left = kept
    return order[0]  # type: ignore[no-any-return]


class Battle(Program):
    """The base class of the three."""

    assumes = "Plackett–Luce model"
    supports_delay = False  # a match is judged once all its outcomes have arrived

    epsilon: float = Field(
        0.05, ge=1e-9, le=0.5, description="slack ε: the winner may lose to the best arm with probability up to 1/2 + ε"
    )
    delta: float = Field(0.1, gt=0, lt=1, description="probability δ that the winner is worse than that")


class TraceTheBest(Battle):
    """Let a champion play a fixed number of duels against every other arm; a clearly better arm replaces it."""

    name = "trace-the-best"
    title = "Trace the Best"
    citation = "Saha, Gopalan. PAC Battling Bandits in the Plackett-Luce Model. ALT 2019, Algorithm 1, two arms a duel"
    regret_order = "no bound: K log(K/δ) / ε² duels to a winner"
    explore = trace

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round; ``best[0].arm`` is the champion."""
        duels = enough_duels(4.0, self.epsilon, math.log(2 * arms / self.delta))
        return self.state(duels=duels, order=np.arange(arms), best=record(arm=-1))

    def recommendation(self, state: Any) -> int | None:
        """Return the champion, once there is one."""
        return int(state.best[0].arm) if state.best[0].arm >= 0 else None


class DivideAndBattle(Battle):
    """Pair the arms at random and keep the winner of each pair, with more duels from round to round."""

    name = "divide-and-battle"
    title = "Divide and Battle"
    citation = "Saha, Gopalan. PAC Battling Bandits in the Plackett-Luce Model. ALT 2019, Algorithm 2, two arms a duel"
    regret_order = "no bound: K log(1/δ) / ε² duels to a winner"
    explore = battle

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round."""
        return self.state(
            order=np.arange(arms),
            c=2.0,
            first_epsilon=self.epsilon / 8,
            first_log_inverse_delta=math.log(2) - math.log(self.delta),
            final_epsilon=2 * self.epsilon / 3,
            final_log_inverse_delta=-math.log(self.delta),
            both_on_a_tie=False,
        )


class HalvingBattle(Battle):
    """Pair the arms at random and keep the winner of each pair, or both after a draw, with more duels in each round."""

    name = "halving-battle"
    title = "Halving Battle"
    citation = "Saha, Gopalan. PAC Battling Bandits in the Plackett-Luce Model. ALT 2019, Algorithm 3, two arms a duel"
    regret_order = "no bound: K log(1/δ) / ε² duels to a winner"
    explore = battle

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round; the last match does not reset ε and δ."""
        return self.state(
            order=np.arange(arms),
            c=4.0,
            first_epsilon=self.epsilon / 4,
            first_log_inverse_delta=-math.log(self.delta),
            final_epsilon=0.0,
            final_log_inverse_delta=0.0,
            both_on_a_tie=True,
        )
