"""Uniform exploration: the baseline that never learns. It never holds."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Ints
from duelbench.kernels.draws import below
from duelbench.kernels.jit import kernel


class UniformState(NamedTuple):
    """``pair`` is the next pair of the round robin."""

    arms: int
    round_robin: bool
    pair: Ints


@kernel
def select(state: UniformState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel a random pair of different arms, or the next of the round robin."""
    if state.round_robin:
        i, j = state.pair[0], state.pair[1]
        state.pair[1] += 1
        if state.pair[1] == state.arms:
            state.pair[0] = i + 1 if i + 2 < state.arms else 0
            state.pair[1] = state.pair[0] + 1
        return i, j, 1
    i = below(state.arms, rng)
    j = below(state.arms - 1, rng)
    if j >= i:
        j += 1
    return i, j, 1


@kernel
def update(state: UniformState, first: int, second: int, wins: int, count: int) -> None:
    """Learn nothing."""


class Uniform(Algorithm):
    """A random pair of different arms each round."""

    name = "uniform"
    citation = "baseline"
    regret_order = "T"
    State = UniformState
    select = staticmethod(select)
    update = staticmethod(update)

    variant: Literal["random", "round-robin"] = Field(
        "random", description="random: a random pair each round; round-robin: all pairs in turn"
    )

    def start(self, arms: int, horizon: int) -> UniformState:
        """Return the state before the first round."""
        return UniformState(arms, self.variant == "round-robin", np.array([0, 1], np.int64))
