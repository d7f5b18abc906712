"""Dueling-EXP3: both arms are drawn by exponential weights of their estimated Borda scores.

``tests/reference/exponential_weights.py`` has the pseudo-code, step by step; ``tests/test_catalogue.py`` checks that
the paths are equal.

Only the abstract of the paper was read. The steps and constants come from a single source, an implementation by other
authors; the tests check that its estimates are unbiased.

There is no hold: a self-duel is decided by a fair coin, and its arm learns from it. Late outcomes are weighted by the
probabilities of the last round.

In the high-probability version (``Dexp3Hp``), all scores also grow by β / q in every round, so they grow more for arms
that are drawn rarely. δ = 0.1 is the choice of the same source.
"""

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import draw_arm


@kernel
def mix(scores: Floats, rate: float, gamma: float, p: Floats) -> None:
    """Write ``(1 − γ) exp(rate · scores[i]) / Σ exp(rate · scores) + γ/K`` into ``p``; the rate is not negative.

    Scores may have any size: the largest is subtracted first, so nothing overflows, and underflows are below 10⁻³⁰⁰.
    """
    K = scores.shape[0]
    largest = scores[0]
    for arm in range(1, K):
        largest = max(largest, scores[arm])
    total = 0.0
    for arm in range(K):
        p[arm] = math.exp(rate * (scores[arm] - largest))
        total += p[arm]
    share, uniform = (1.0 - gamma) / total, gamma / K
    for arm in range(K):
        p[arm] = share * p[arm] + uniform


class Dexp3State(NamedTuple):
    """``score[i]`` is s_i, the sum over the rounds of arm i's estimated shifted Borda score.

    ``chance`` is q in the last round; ``course[0].moved`` says whether scores have changed since.
    """

    eta: float
    gamma: float
    beta: float
    score: Floats
    chance: Floats
    course: Record


@kernel
def _credit(state: Dexp3State, first: int, second: int) -> None:
    """Increase the score of the first arm, which has won."""
    q = state.chance
    state.score[first] += 1.0 / (q.shape[0] * q[first] * q[second])
    state.course[0].moved = True


@kernel
def select(state: Dexp3State, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Draw both arms from the same distribution, and add β / q to all scores."""
    if state.course[0].moved:
        mix(state.score, state.eta, state.gamma, state.chance)
        state.course[0].moved = False
    first = draw_arm(state.chance, rng)
    second = draw_arm(state.chance, rng)
    if state.beta > 0.0:
        for arm in range(state.score.shape[0]):
            state.score[arm] += state.beta / state.chance[arm]
        state.course[0].moved = True
    if first == second and rng.random() < 0.5:
        _credit(state, first, second)
    return first, second, 1


@kernel
def update(state: Dexp3State, first: int, second: int, wins: int, count: int) -> None:
    """Credit the first arm if it has won; self-duels are decided in ``select``."""
    if first != second and wins == 1:
        _credit(state, first, second)


class Dexp3(Algorithm):
    """Draw both arms by exponential weights of their Borda scores, for adversarial preferences."""

    name = "dexp3"
    title = "DEXP3"
    citation = "Saha, Koren, Mansour. Adversarial Dueling Bandits. ICML 2021, Algorithm 1"
    assumes = "Borda winner"
    regret_order = "K^(1/3) T^(2/3), of Borda regret"
    uses_horizon = True
    State = Dexp3State
    select = staticmethod(select)
    update = staticmethod(update)

    eta: float | None = Field(None, gt=0, description="learning rate η; (ln K / (T √K))^(2/3) when not given")
    gamma: float | None = Field(
        None, gt=0, le=1, description="share γ of uniform exploration; min(1, √(η K)) when not given"
    )

    def start(self, arms: int, horizon: int) -> Dexp3State:
        """Return the state before the first round."""
        return self.with_bonus(arms, horizon, 0.0)

    def with_bonus(self, arms: int, horizon: int, beta: float) -> Dexp3State:
        """Return the state before the first round; β is the factor of DEXP3-HP's bonus, 0 for DEXP3."""
        eta = self.eta if self.eta is not None else (math.log(arms) / (horizon * math.sqrt(arms))) ** (2 / 3)
        gamma = self.gamma if self.gamma is not None else min(1.0, math.sqrt(eta * arms))
        return Dexp3State(eta, gamma, beta, np.zeros(arms), np.zeros(arms), record(moved=True))


class Dexp3Hp(Dexp3):
    """DEXP3 with a bonus for arms that are rarely drawn, so that its regret is low with high probability."""

    name = "dexp3-hp"
    title = "DEXP3 (high probability)"
    citation = "Saha, Koren, Mansour. Adversarial Dueling Bandits. ICML 2021, Algorithm 2"
    State = Dexp3State

    delta: float = Field(0.1, gt=0, lt=1, description="probability δ that the regret is larger than its bound")
    beta: float | None = Field(None, ge=0, description="factor β of the bonus; √(ln(K/δ) / (K T)) when not given")

    def start(self, arms: int, horizon: int) -> Dexp3State:
        """Return the state before the first round."""
        beta = self.beta if self.beta is not None else math.sqrt(math.log(arms / self.delta) / (arms * horizon))
        return self.with_bonus(arms, horizon, beta)
