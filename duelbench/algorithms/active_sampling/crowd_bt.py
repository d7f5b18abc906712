"""Crowd-BT without judges: the pair whose vote is expected to change the beliefs about the strengths most.

The strength of each arm has an independent normal distribution with mean m and variance s. When a beats b, which had
the probability ``p = σ(m_a − m_b)``,

    m_a ← m_a + s_a (1 − p),    m_b ← m_b − s_b (1 − p),    s_x ← s_x r_x,    r_x = max(1 − s_x p (1 − p), κ).

The gain of a pair is the expected Kullback–Leibler divergence of the beliefs after its vote from the beliefs before.
Here a wins with probability ``c = p + (s_a + s_b) p (1 − p) (1 − 2 p) / 2``. The variances do not depend on who wins,
so the gain is

    Σ_x (r_x − 1 − ln r_x) / 2  +  (s_a + s_b) (c (1 − p)² + (1 − c) p²) / 2.

It asks for the pair with the largest gain, ties at random. The quality of the judges, which Chen et al. also learn, is
left out: every judge is taken to answer as the model says. The reference is ``tests/reference/information.py``;
``tests/test_catalogue.py`` checks that the paths are equal.

The beliefs depend on the order of the votes. Since votes arrive as counts, those that have arrived since the last
choice are learned in passes, with one vote of each pair per pass.

It explores only: regret is not its aim, and no arm duels itself. ``ranking`` and ``recommendation`` use the means.
Every answer is a single duel, so there is no hold.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.active_sampling.bradley_terry import chance_of_win, tiers_of
from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats, Ints, Record, Tiers, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import pick

_LEAST = 1e-4
"""κ: a vote leaves at least this share of a variance."""
_CLOSE = 1e-12
"""Gains closer than this count as equal."""


class Beliefs(NamedTuple):
    """``mean`` and ``variance`` of the strengths; ``open[i, j]``: wins of i against j that they do not include yet.

    ``queue``: work space. ``counted[0]``: the number of these ``votes``, and the ``winner`` and ``loser`` of the last
    one.
    """

    mean: Floats
    variance: Floats
    open: Ints
    queue: Ints
    counted: Record


class CrowdBtState(NamedTuple):
    """``gain[i, j]``, i < j: the gain of a vote on the pair, −1 before it is known.

    ``found``: a list of pairs ``i K + j``."""

    beliefs: Beliefs
    gain: Floats
    found: Ints


@kernel
def _learn(beliefs: Beliefs, winner: int, loser: int) -> None:
    """Change the beliefs by one vote."""
    mean, variance = beliefs.mean, beliefs.variance
    p = chance_of_win(mean[winner] - mean[loser])
    mean[winner] += variance[winner] * (1.0 - p)
    mean[loser] -= variance[loser] * (1.0 - p)
    variance[winner] *= _remainder(variance[winner], p)
    variance[loser] *= _remainder(variance[loser], p)


@kernel
def _remainder(variance: float, p: float) -> float:
    """Return the share r of a variance that a vote leaves."""
    return max(1.0 - variance * p * (1.0 - p), _LEAST)


@kernel
def _gain_of(beliefs: Beliefs, a: int, b: int) -> float:
    """Return the expected divergence of the beliefs after a vote on the pair from the beliefs before."""
    v, w = beliefs.variance[a], beliefs.variance[b]
    p = chance_of_win(beliefs.mean[a] - beliefs.mean[b])
    c = p + 0.5 * (v + w) * p * (1.0 - p) * (1.0 - 2.0 * p)
    r, s = _remainder(v, p), _remainder(w, p)
    moved = (v + w) * (c * (1.0 - p) ** 2 + (1.0 - c) * p**2)
    gain: float = 0.5 * (r - 1.0 - math.log(r) + s - 1.0 - math.log(s) + moved)
    return gain


@kernel(inline=False)
def _learn_all(beliefs: Beliefs) -> None:
    """Learn all open votes: each pass takes one vote of each pair, for the side with more votes left."""
    votes, queue = beliefs.open, beliefs.queue
    arms, count = votes.shape[0], 0
    for i in range(arms):
        for j in range(i + 1, arms):
            if votes[i, j] + votes[j, i] > 0:
                queue[count] = i * arms + j
                count += 1
    while count > 0:
        left = 0
        for k in range(count):
            i, j = queue[k] // arms, queue[k] % arms
            if votes[i, j] < votes[j, i]:
                i, j = j, i
            votes[i, j] -= 1
            _learn(beliefs, i, j)
            if votes[i, j] + votes[j, i] > 0:
                queue[left] = queue[k]
                left += 1
        count = left
    beliefs.counted[0].votes = 0


@kernel
def _weigh(state: CrowdBtState, arm: int) -> None:
    """Compute the gains of the pairs of an arm."""
    for other in range(state.gain.shape[0]):
        if other != arm:
            i, j = min(arm, other), max(arm, other)
            state.gain[i, j] = _gain_of(state.beliefs, i, j)


@kernel
def _settle(state: CrowdBtState) -> None:
    """Change the beliefs by the open votes, and compute the gains that have changed."""
    counted = state.beliefs.counted[0]
    if counted.votes == 1 and state.gain[0, 1] >= 0.0:
        state.beliefs.open[counted.winner, counted.loser] = 0
        counted.votes = 0
        _learn(state.beliefs, counted.winner, counted.loser)
        _weigh(state, counted.winner)
        _weigh(state, counted.loser)
    elif counted.votes > 0 or state.gain[0, 1] < 0.0:
        _learn_all(state.beliefs)
        for arm in range(state.gain.shape[0]):
            _weigh(state, arm)


@kernel
def select(state: CrowdBtState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the pair with the largest gain, one of several at random."""
    _settle(state)
    gain, arms, most, count = state.gain, state.gain.shape[0], 0.0, 0
    for i in range(arms):
        for j in range(i + 1, arms):
            most = max(most, gain[i, j])
    for i in range(arms):
        for j in range(i + 1, arms):
            if gain[i, j] >= most - _CLOSE:
                state.found[count] = i * arms + j
                count += 1
    place = pick(state.found, count, rng)
    return place // arms, place % arms, 1


@kernel
def update(state: CrowdBtState, first: int, second: int, wins: int, count: int) -> None:
    """Keep the votes until the next choice."""
    if first == second:
        return
    counted = state.beliefs.counted[0]
    state.beliefs.open[first, second] += wins
    state.beliefs.open[second, first] += count - wins
    counted.votes += count
    counted.winner, counted.loser = (first, second) if wins > 0 else (second, first)


class CrowdBt(Algorithm):
    """The pair whose vote is expected to change the beliefs most; pure exploration that ignores regret."""

    name = "crowd-bt"
    title = "Crowd-BT"
    citation = (
        "Chen, Bennett, Collins-Thompson, Horvitz. Pairwise Ranking Aggregation in a Crowdsourced Setting. WSDM 2013, "
        "without the quality of judges"
    )
    assumes = "Bradley–Terry–Luce model"
    finds_order = True
    regret_order = "not its aim: it only explores"
    learns_off_policy = True
    State = CrowdBtState
    select = staticmethod(select)
    update = staticmethod(update)

    prior_variance: float = Field(1.0, gt=0, le=8, description="variance of every strength before the first vote")

    def start(self, arms: int, horizon: int) -> CrowdBtState:
        """Return the state before the first round."""
        pairs = arms * (arms - 1) // 2
        beliefs = Beliefs(
            mean=np.zeros(arms),
            variance=np.full(arms, self.prior_variance),
            open=np.zeros((arms, arms), np.int64),
            queue=np.zeros(pairs, np.int64),
            counted=record(votes=0, winner=0, loser=0),
        )
        return CrowdBtState(beliefs, np.full((arms, arms), -1.0), np.zeros(pairs, np.int64))

    def ranking(self, state: CrowdBtState) -> Tiers | None:
        """Return the arms by their means, arms with equal means in one tier; None without votes."""
        copies: Any = (each.copy() for each in state.beliefs)
        beliefs = Beliefs(*copies)
        _learn_all(beliefs)
        return tiers_of(beliefs.mean) if beliefs.mean.any() else None

    def recommendation(self, state: CrowdBtState) -> int | None:
        """Return the arm with the largest mean, the first of several; None without votes."""
        tiers = self.ranking(state)
        return None if tiers is None else tiers[0][0]
