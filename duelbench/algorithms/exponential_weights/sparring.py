"""Sparring over EXP3 and EXP3.S: two adversarial bandits choose one arm each, and the side that wins is rewarded.

``tests/reference/exponential_weights.py`` has the steps; ``tests/test_catalogue.py`` checks that the paths are equal.
EXP3's weights are stored as sums of gains, so they never overflow.

There is no hold: a self-duel is decided by a fair coin, which rewards one of the sides, and the weights of EXP3.S
change even without a reward. The coin comes from the policy stream, when the duel is chosen. Late outcomes are weighted
by the probabilities of the last round.

EXP3.S is for a best arm that changes S times: each side's weights are pulled together in every round. Each side learns
from its own arm with the probability of that arm. (A published program by other authors uses the first side's
probability for the second side.)

A weight is ``common`` plus the arm's ``excess``. What all arms gain in a round goes into ``common``, so a round changes
only two numbers. Both only grow, except when all weights are divided by their sum; nothing is ever subtracted.
"""

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.exponential_weights.dexp3 import mix
from duelbench.arrays import Floats, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import draw_arm


class Exp3(NamedTuple):
    """``gains``: estimates of what each arm would have gained. ``p``: the arms' probabilities in the last round.

    ``course[0].moved``: whether gains have changed since.
    """

    gains: Floats
    p: Floats
    course: Record


class SparringExp3State(NamedTuple):
    """A bandit for each side of a duel, and their exploration ``gamma``."""

    gamma: float
    left: Exp3
    right: Exp3


def _new_exp3(arms: int) -> Exp3:
    """Return a bandit that has not played."""
    return Exp3(np.zeros(arms), np.zeros(arms), record(moved=True))


@kernel
def _choose_exp3(bandit: Exp3, gamma: float, rng: np.random.Generator) -> int:
    """Draw an arm."""
    if bandit.course[0].moved:
        mix(bandit.gains, gamma / bandit.gains.shape[0], gamma, bandit.p)
        bandit.course[0].moved = False
    return draw_arm(bandit.p, rng)


@kernel
def _reward(bandit: Exp3, arm: int) -> None:
    """Tell a bandit that its arm has gained 1; a gain of 0 changes nothing."""
    bandit.gains[arm] += 1.0 / bandit.p[arm]
    bandit.course[0].moved = True


@kernel
def select_exp3(state: SparringExp3State, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Let each bandit choose an arm."""
    first = _choose_exp3(state.left, state.gamma, rng)
    second = _choose_exp3(state.right, state.gamma, rng)
    if first == second:
        if rng.random() < 0.5:
            _reward(state.left, first)
        else:
            _reward(state.right, second)
    return first, second, 1


@kernel
def update_exp3(state: SparringExp3State, first: int, second: int, wins: int, count: int) -> None:
    """Reward the side that has won."""
    if first != second:
        if wins == 1:
            _reward(state.left, first)
        else:
            _reward(state.right, second)


class SparringExp3(Algorithm):
    """Two EXP3 bandits choose one arm each; the side that wins is rewarded."""

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
    select = staticmethod(select_exp3)
    update = staticmethod(update_exp3)

    gamma: float | None = Field(
        None, gt=0, le=1, description="exploration γ; min(1, sqrt(K ln K/((e − 1) g T))) when not given"
    )
    g: float = Field(0.5, gt=0, description="the gain of the best arm is taken to be at most g T")

    def start(self, arms: int, horizon: int) -> SparringExp3State:
        """Return the state before the first round."""
        computed = min(1.0, math.sqrt(arms * math.log(arms) / ((math.e - 1) * self.g * horizon)))
        return SparringExp3State(
            gamma=computed if self.gamma is None else self.gamma,
            left=_new_exp3(arms),
            right=_new_exp3(arms),
        )


LARGE = 1e9
"""Weights are divided by their sum when the sum exceeds this."""


class Exp3s(NamedTuple):
    """``excess[i]``: see the module's docstring. ``p``: the arms' probabilities in the last round.

    ``weights[0]`` has ``common``, the part that all weights have in common, and ``total``, their sum.
    """

    excess: Floats
    p: Floats
    weights: Record


class SparringExp3sState(NamedTuple):
    """A bandit for each side, their exploration ``gamma``, and the ``share`` e α of the sum that all arms get."""

    gamma: float
    share: float
    left: Exp3s
    right: Exp3s


def new_exp3s(arms: int) -> Exp3s:
    """Return a bandit that has not played: all weights are 1."""
    return Exp3s(np.ones(arms), np.zeros(arms), record(common=0.0, total=float(arms)))


@kernel
def choose_exp3s(bandit: Exp3s, gamma: float, rng: np.random.Generator) -> int:
    """Draw an arm."""
    K = bandit.p.shape[0]
    common, scale, uniform = bandit.weights[0].common, (1.0 - gamma) / bandit.weights[0].total, gamma / K
    for arm in range(K):
        bandit.p[arm] = scale * (bandit.excess[arm] + common) + uniform
    return draw_arm(bandit.p, rng)


@kernel
def learn(bandit: Exp3s, gamma: float, share: float, arm: int, gain: int) -> None:
    """Tell a bandit that its arm has gained 1 or 0."""
    K = bandit.p.shape[0]
    weights = bandit.weights[0]
    rise = 0.0
    if gain == 1:
        rise = (bandit.excess[arm] + weights.common) * math.expm1(gamma / (K * bandit.p[arm]))
    shared = share * weights.total
    bandit.excess[arm] += rise
    weights.common += shared / K
    weights.total += shared + rise
    if weights.total > LARGE:
        divide(bandit)


@kernel
def divide(bandit: Exp3s) -> None:
    """Divide the weights by their sum, which is computed anew so that rounding errors do not add up."""
    K = bandit.p.shape[0]
    weights = bandit.weights[0]
    total = K * weights.common
    for arm in range(K):
        total += bandit.excess[arm]
    for arm in range(K):
        bandit.excess[arm] /= total
    weights.common /= total
    weights.total = 1.0


@kernel
def _both_learn(state: SparringExp3sState, first: int, second: int, won: int) -> None:
    """Tell each bandit what its arm has gained; ``won`` is 1 if the first side has won, else 0."""
    learn(state.left, state.gamma, state.share, first, won)
    learn(state.right, state.gamma, state.share, second, 1 - won)


@kernel
def select_exp3s(state: SparringExp3sState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Let each bandit choose an arm."""
    first = choose_exp3s(state.left, state.gamma, rng)
    second = choose_exp3s(state.right, state.gamma, rng)
    if first == second:
        _both_learn(state, first, second, int(rng.random() < 0.5))
    return first, second, 1


@kernel
def update_exp3s(state: SparringExp3sState, first: int, second: int, wins: int, count: int) -> None:
    """Reward the side that has won."""
    if first != second:
        _both_learn(state, first, second, wins)


class SparringExp3s(Algorithm):
    """Two EXP3.S bandits, which gradually forget, choose one arm each; the side that wins is rewarded."""

    name = "sparring-exp3s"
    title = "Sparring + EXP3.S"
    citation = (
        "Ailon, Karnin, Joachims. Reducing Dueling Bandits to Cardinal Bandits. ICML 2014, Algorithm 3, over EXP3.S: "
        "Auer, Cesa-Bianchi, Freund, Schapire. The Nonstochastic Multiarmed Bandit Problem. SIAM J. Computing 2002"
    )
    assumes = "utilities, linear link"
    regret_order = "no bound"
    uses_horizon = True  # with `S`
    State = SparringExp3sState
    select = staticmethod(select_exp3s)
    update = staticmethod(update_exp3s)

    S: int | None = Field(None, ge=1, description="how often the best arm may change: γ and α for this and the horizon")
    gamma: float | None = Field(
        None,
        gt=0,
        le=1,
        description="exploration γ; when not given min(1, sqrt(K (S ln(KT) + e)/((e − 1) T))), 0.1 without S",
    )
    alpha: float | None = Field(
        None, ge=0, le=1, description="share α by which weights are pulled together; when not given 1/T, 0.01 without S"
    )

    def start(self, arms: int, horizon: int) -> SparringExp3sState:
        """Return the state before the first round."""
        gamma, alpha = 0.1, 0.01
        if self.S is not None:
            gamma = min(1.0, math.sqrt(arms * (self.S * math.log(arms * horizon) + math.e) / ((math.e - 1) * horizon)))
            alpha = 1.0 / horizon
        return SparringExp3sState(
            gamma=gamma if self.gamma is None else self.gamma,
            share=math.e * (alpha if self.alpha is None else self.alpha),
            left=new_exp3s(arms),
            right=new_exp3s(arms),
        )
