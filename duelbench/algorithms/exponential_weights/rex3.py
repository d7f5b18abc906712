"""REX3: relative exponential weights.

Each round duels two arms drawn by exponential weights of estimated gains. The winner's estimate grows by ψ/p and the
loser's falls by ψ/p, where p is the probability with which the arm was drawn. The steps are in
``tests/reference/exponential_weights.py``. They follow the code behind the published figures; the paper's pseudo-code
has ψ/(2p), half the step.

Hold. A self-duel changes nothing, so with a fixed γ the probabilities p stay the same until two different arms duel.
Let ℓ be the arm with the largest estimate. The number of rounds up to the first that is not (ℓ, ℓ) is geometric with
parameter 1 − p_ℓ². The pair of that round is drawn given that it is not (ℓ, ℓ): with probability 1/(1 + p_ℓ) the first
arm is not ℓ, else only the second is not. The number is drawn once, independently of ``last``, and its remainder is
kept. So a run is a prefix of a longer run, and checkpoints do not change it. If the lead of ℓ is small, every round is
drawn.

An adaptive γ falls from round to round, so p changes too. Consider the rounds from s to e, where e − s is a sixteenth
of s. As γ falls, each of them has

    p_ℓ ≥ (1 − γ_s) / Σ_i exp(γ_e (R_i − R_ℓ)/K) + γ_e/K.

This bounds 1 − p_ℓ² from above in these rounds. Rounds are proposed with the bound as their probability, by a geometric
draw, and a proposed round is accepted with probability (1 − p_ℓ²) / bound, for its own p_ℓ (thinning); then its pair is
drawn as above. All other rounds are (ℓ, ℓ).

Agreement. ``tests/test_exponential_weights.py`` checks that without the hold the path equals the path of the reference,
draw for draw, and that with it regret has the same distribution. Late outcomes are weighted by the probabilities of the
last round whose arms were drawn, which are the right ones if γ is fixed and all outcomes arrive together.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field, model_validator

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.exponential_weights.dexp3 import mix
from duelbench.arrays import Floats, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import draw_arm

_HOLD_FROM = 0.85
"""Hold from this probability of the leader on: a hold then costs less than the rounds it replaces (3.6 on average)."""
_RAREST = 1e-15
"""The smallest probability to draw from: ``geometric`` overflows below 1e-18. So rare a round is never seen."""
_OPEN, _DEVIATING, _PROPOSED, _END = 0, 1, 2, 3


class Rex3State(NamedTuple):
    """``R``: the estimates. ``p``: the probabilities of the arms in the last round in which they mattered.

    ``gamma``: γ if it is fixed. ``scale``: K ln K/(e g), from which γ_t is computed, or 0 if γ is fixed. ``plan[0]``
    has ``due``, the round until which the ``leader`` duels itself (0: none); ``kind``, the kind of that round: OPEN
    (both arms are drawn freely), DEVIATING, PROPOSED, or END (the bound ends); ``rest``, the probability of all arms
    except the leader; ``bound``, on 1 − p_ℓ²; and ``moved``, whether R has changed since p was computed.
    """

    gamma: float
    scale: float
    step: float
    R: Floats
    p: Floats
    plan: Record


@kernel
def _gamma_at(state: Rex3State, t: int) -> float:
    """Return γ in round t."""
    if state.scale > 0.0:
        return min(0.5, math.sqrt(state.scale / t))
    return state.gamma


@kernel
def _weigh(state: Rex3State, t: int) -> None:
    """Compute the probabilities of the arms in round t, the leader, and the probability of the rest."""
    plan = state.plan[0]
    gamma = _gamma_at(state, t)
    K = state.R.shape[0]
    mix(state.R, gamma / K, gamma, state.p)
    leader, rest = 0, 0.0
    for arm in range(1, K):
        if state.R[arm] > state.R[leader]:
            leader = arm
    for arm in range(K):
        if arm != leader:
            rest += state.p[arm]
    plan.leader, plan.rest, plan.moved = leader, rest, False


@kernel
def _bound_until(state: Rex3State, t: int, end: int) -> float:
    """Return an upper bound on 1 − p_ℓ² in the rounds t to ``end``."""
    K = state.R.shape[0]
    leader, low = state.plan[0].leader, _gamma_at(state, end)
    others = 0.0
    for arm in range(K):
        if arm != leader:
            others += math.exp(low / K * (state.R[arm] - state.R[leader]))
    rest: float = min(1.0, (others + _gamma_at(state, t)) / (1.0 + others) - low / K)
    return rest * (2.0 - rest)


@kernel
def look_ahead(state: Rex3State, t: int, rng: np.random.Generator) -> None:
    """Plan the next round, from t on, that may not be the leader's self-duel."""
    plan = state.plan[0]
    adaptive = state.scale > 0.0
    if plan.moved or adaptive:
        _weigh(state, t)
    if plan.rest > 1.0 - _HOLD_FROM:
        plan.due, plan.kind = t, _OPEN
    elif adaptive:
        end = t + t // 16
        plan.bound = _bound_until(state, t, end)
        plan.due, plan.kind = t - 1 + rng.geometric(max(plan.bound, _RAREST)), _PROPOSED
        if plan.due > end:
            plan.due, plan.kind = end + 1, _END
    else:
        plan.due, plan.kind = t - 1 + rng.geometric(max(plan.rest * (2.0 - plan.rest), _RAREST)), _DEVIATING


@kernel
def _draw_other(state: Rex3State, rng: np.random.Generator) -> int:
    """Draw an arm other than the leader, with probabilities proportional to p."""
    plan = state.plan[0]
    left = rng.random() * plan.rest
    found = -1
    for arm in range(state.p.shape[0]):
        if arm != plan.leader and left >= 0.0:
            found = arm
            left -= state.p[arm]
    return found


@kernel
def select(state: Rex3State, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Hold while the leader duels itself, or draw a pair."""
    plan = state.plan[0]
    while plan.due < t or (plan.due == t and plan.kind == _END):
        look_ahead(state, t, rng)
    if plan.due > t:
        return plan.leader, plan.leader, min(last, plan.due - 1) - t + 1
    if plan.kind == _OPEN:
        first = draw_arm(state.p, rng)
        return first, draw_arm(state.p, rng), 1
    if plan.kind == _PROPOSED:
        _weigh(state, t)
        if rng.random() * plan.bound >= plan.rest * (2.0 - plan.rest):
            return plan.leader, plan.leader, 1
    if rng.random() * (2.0 - plan.rest) < 1.0:
        first = _draw_other(state, rng)
        return first, draw_arm(state.p, rng), 1
    return plan.leader, _draw_other(state, rng), 1


@kernel
def update(state: Rex3State, first: int, second: int, wins: int, count: int) -> None:
    """Raise the winner's estimate and lower the loser's; self-duels change nothing."""
    if first == second:
        return
    psi = state.step * (2 * wins - count)
    state.R[first] += psi / state.p[first]
    state.R[second] -= psi / state.p[second]
    plan = state.plan[0]
    plan.moved, plan.due = True, 0


class Rex3(Algorithm):
    """Draw both arms by exponential weights of estimated gains, which rise with wins and fall with losses."""

    name = "rex3"
    title = "REX3"
    citation = (
        "Gajane, Urvoy, Clérot. A Relative Exponential Weighing Algorithm for Adversarial Utility-based Dueling "
        "Bandits. ICML 2015"
    )
    assumes = "utilities, linear link"
    regret_order = "sqrt(K log K · T)"
    uses_horizon = True  # not with `adaptive` or a given `gamma`
    State = Rex3State
    select = staticmethod(select)
    update = staticmethod(update)

    gamma: float | None = Field(
        None, gt=0, le=1, description="exploration γ; min(1/2, sqrt(K ln K/(e g T))) when not given"
    )
    g: float = Field(0.5, gt=0, description="the gain of the best arm is taken to be at most g T")
    adaptive: bool = Field(False, description="γ anew in each round t, with t for T: then the horizon does not matter")
    step: float = Field(1.0, gt=0, description="factor of what a duel changes; 0.5 as in the paper's pseudo-code")

    @model_validator(mode="after")
    def _one_gamma(self) -> Rex3:
        if self.gamma is not None and self.adaptive:
            raise ValueError("gamma is fixed, and adaptive computes it in each round: remove one of them")
        return self

    def start(self, arms: int, horizon: int) -> Rex3State:
        """Return the state before the first round."""
        scale = arms * math.log(arms) / (math.e * self.g)
        return Rex3State(
            gamma=min(0.5, math.sqrt(scale / horizon)) if self.gamma is None else self.gamma,
            scale=scale if self.adaptive else 0.0,
            step=self.step,
            R=np.zeros(arms),
            p=np.zeros(arms),
            plan=record(due=0, kind=_OPEN, leader=0, rest=0.0, bound=0.0, moved=True),
        )
