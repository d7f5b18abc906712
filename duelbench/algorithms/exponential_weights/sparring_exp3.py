"""Sparring over EXP3: two bandits for adversaries choose an arm each, and the side that wins is rewarded.

``duelbench/reference/exponential_weights.py`` has the steps; that the paths are equal is checked in
``tests/test_catalogue.py``. The weights are kept as the sums of what has been gained, so they never overflow.

No hold: a self-duel is a fair coin and a reward for one of the sides. The coin comes from the policy stream, when the
duel is chosen. Late outcomes are weighted by the probabilities of the last round.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.exponential_weights.mixture import mix
from duelbench.arrays import Floats, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import draw_arm


class Exp3(NamedTuple):
    """``gains``: estimates of what each arm would have gained. ``p``: chances of the arms in the last round.

    ``course[0].moved``: whether gains have changed since.
    """

    gains: Floats
    p: Floats
    course: Record


class SparringExp3State(NamedTuple):
    """A bandit for each side of a duel; exploration ``gamma``."""

    gamma: float
    left: Exp3
    right: Exp3


def new_bandit(arms: int) -> Exp3:
    """Return a bandit that has not played."""
    return Exp3(np.zeros(arms), np.zeros(arms), record(moved=True))


@kernel
def choose_arm(bandit: Exp3, gamma: float, rng: np.random.Generator) -> int:
    """Draw an arm."""
    if bandit.course[0].moved:
        mix(bandit.gains, gamma / bandit.gains.shape[0], gamma, bandit.p)
        bandit.course[0].moved = False
    return draw_arm(bandit.p, rng)


@kernel
def reward(bandit: Exp3, arm: int) -> None:
    """Tell a bandit that its arm has gained 1; after a 0 nothing changes."""
    bandit.gains[arm] += 1.0 / bandit.p[arm]
    bandit.course[0].moved = True


@kernel
def select(state: SparringExp3State, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Let each bandit choose an arm."""
    first = choose_arm(state.left, state.gamma, rng)
    second = choose_arm(state.right, state.gamma, rng)
    if first == second:
        if rng.random() < 0.5:
            reward(state.left, first)
        else:
            reward(state.right, second)
    return first, second, 1


@kernel
def update(state: SparringExp3State, first: int, second: int, wins: int, count: int) -> None:
    """Reward the side that has won."""
    if first != second:
        if wins == 1:
            reward(state.left, first)
        else:
            reward(state.right, second)


class SparringExp3(Algorithm):
    """Two EXP3 choose an arm each; the side that wins is rewarded."""

    name = "sparring-exp3"
    title = "Sparring + EXP3"
    citation = (
        "Ailon, Karnin, Joachims. Reducing Dueling Bandits to Cardinal Bandits. ICML 2014, Algorithm 3, over EXP3: "
        "Auer, Cesa-Bianchi, Freund, Schapire. The Nonstochastic Multiarmed Bandit Problem. SIAM J. Computing 2002"
    )
    assumes = "utilities, linear link"
    regret_order = "no bound"
    uses_horizon = True  # not with a given `gamma`
    State = SparringExp3State
    select = staticmethod(select)
    update = staticmethod(update)

    gamma: float | None = Field(
        None, gt=0, le=1, description="exploration γ; min(1, sqrt(K ln K/((e − 1) g T))) when not given"
    )
    g: float = Field(0.5, gt=0, description="the gain of the best arm is taken to be at most g T")

    def start(self, arms: int, horizon: int) -> SparringExp3State:
        """Return the state before the first round."""
        computed = min(1.0, math.sqrt(arms * math.log(arms) / ((math.e - 1) * self.g * horizon)))
        return SparringExp3State(
            gamma=computed if self.gamma is None else self.gamma,
            left=new_bandit(arms),
            right=new_bandit(arms),
        )
