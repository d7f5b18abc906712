"""DKWT, the Dvoretzky–Kiefer–Wolfowitz tournament, for duels: the winner stays and meets the next arm.

A pair is decided in steps s = 1, 2, …, each with a fixed number of duels. After a step the majority decides the pair if
it is clear enough for this step. No outcome is used within a step, so its duels are one draw. The pseudo-code is
``tests/reference/nts.py``; ``tests/test_catalogue.py`` checks that the paths, duel by duel, are equal.
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
def winner_of(world: World, state: State, i: int, j: int, delta: float) -> int:
    """Let a pair duel in steps of ⌈(8/h²) log(4/γ)⌉ duels, h = 2^(−s − 1), γ = 6δ/(π²s²), until |2p̂ − 1| > h."""
    wins, duels, step = 0, 0, 0
    while True:
        step += 1
        enough = 8.0 * 4.0 ** (step + 1) * math.log(4.0 * math.pi**2 * step**2 / (6.0 * delta))
        count = math.ceil(enough) if enough < MOST else MOST
        if not state.reuse:
            wins, duels = 0, 0
        wins += duel(world, i, j, count)
        duels += count
        if abs(2 * wins - duels) * 2.0 ** (step + 1) > duels:
            return i if 2 * wins > duels else j


@kernel
def explore(world: World, state: State, rng: np.random.Generator) -> int:
    """Let the champion meet the other arms in turn; whoever wins is the next champion."""
    order = state.order
    shuffle(order, world.arms, rng)
    champion = order[0]
    for place in range(1, world.arms):
        champion = winner_of(world, state, champion, order[place], state.delta / world.arms)
        state.best[0].arm = champion
    return champion  # type: ignore[no-any-return]


class Dkwt(Program):
    """The winner of a pair meets the next arm; each pair is decided in steps that detect smaller and smaller gaps."""

    name = "dkwt"
    title = "DKWT"
    citation = (
        "Haddenhorst, Bengs, Hüllermeier. Identification of the Generalized Condorcet Winner in Multi-dueling Bandits. "
        "NeurIPS 2021, for duels"
    )
    assumes = "Condorcet winner, no pair at 1/2"
    regret_order = "no bound; declares after O(Σ 1/gap² ln(K/δ · ln 1/gap)) duels, whatever T"
    explore = explore

    delta: float = Field(0.05, gt=0, lt=1, description="probability δ of a wrong winner")
    reuse: bool = Field(False, description="judge a pair by all its duels so far, not by those of the last step")

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round."""
        return self.state(order=np.arange(arms), best=record(arm=-1))

    def recommendation(self, state: Any) -> int | None:
        """Return the champion; None until the first pair is decided."""
        return int(state.best[0].arm) if state.best[0].arm >= 0 else None
