"""Hybrid-MST: the pairs whose votes say most about the difference of two strengths, later in batches.

The model is Bradley–Terry; each arm has also won half a duel against each other arm. g are the most likely strengths, C
is their covariance in the normal approximation. The gain of a pair is the mutual information of its next vote and the
difference x of its strengths, which is normal with mean ``g_i − g_j`` and the variance that C gives:

    H(E σ(x)) − E H(σ(x)),    H(q) = −q ln q − (1 − q) ln(1 − q),

computed by Gauss–Hermite quadrature with 30 nodes. Each of the first K (K − 1) / 2 votes is on the pair with the
largest gain, ties at random. Later votes come in batches, each a spanning tree with the largest gains (``gains.py``).
The reference is ``tests/reference/information.py``; ``tests/test_catalogue.py`` checks that the paths are equal.

The likelihood depends only on differences of strengths. Adding 1 to every entry of its negative Hessian keeps the sum
of the strengths at 0 and changes no variance of a difference.

It explores only: regret is not its aim, and no arm duels itself. ``recommendation`` names the strongest arm. Every
answer is a single duel, so there is no hold.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.active_sampling.bradley_terry import (
    FITTED,
    STEPS,
    TIED,
    StrengthPosterior,
    chance_of_win,
    derive,
    difference_variance,
    invert,
    move,
    new_strength_posterior,
)
from duelbench.algorithms.active_sampling.gains import (
    Gains,
    grow_tree,
    in_tree,
    largest_gain,
    new_gains,
    next_of_tree,
)
from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats, Record, record
from duelbench.compiling.jit import kernel

_NODES = 30
_LEAST = 1e-13
"""The smallest gain: smaller values are rounding errors."""


class HybridMstState(NamedTuple):
    """``won[i, j]``: how often i has beaten j, plus 1/2. ``counted[0]``: the number of ``votes``, and how many there
    were at the last fit (``fitted``, −1 before the first). ``nodes`` and ``weights`` of the quadrature are for N(0,
    1)."""

    won: Floats
    posterior: StrengthPosterior
    counted: Record
    gains: Gains
    nodes: Floats
    weights: Floats


@kernel(inline=False)
def fit(posterior: StrengthPosterior, won: Floats) -> None:
    """Fit the strengths by maximum likelihood, starting at their present values, whose sum is 0."""
    covariance = posterior.covariance
    for _ in range(STEPS):
        derive(posterior, won, 0.0)
        for i in range(covariance.shape[0]):
            for j in range(covariance.shape[0]):
                covariance[i, j] += 1.0
        invert(covariance)
        if move(posterior) <= FITTED:
            break


@kernel
def _entropy_of_vote(difference: float) -> float:
    """Return H(σ(x)), in nats."""
    odds = math.exp(-abs(difference))
    return math.log1p(odds) + abs(difference) * odds / (1.0 + odds)


@kernel
def _mutual_information(mean: float, deviation: float, nodes: Floats, weights: Floats) -> float:
    """Return the mutual information of a vote and the difference of the strengths."""
    share, entropy = 0.0, 0.0
    for k in range(nodes.shape[0]):
        x = mean + deviation * nodes[k]
        share += weights[k] * chance_of_win(x)
        entropy += weights[k] * _entropy_of_vote(x)
    rest = 1.0 - share
    if share <= 0.0 or rest <= 0.0:
        return _LEAST
    return max(-share * math.log(share) - rest * math.log(rest) - entropy, _LEAST)


@kernel(inline=False)
def _weigh(state: HybridMstState) -> None:
    """Fit the strengths to all votes, and compute the gain of every pair."""
    posterior, gain = state.posterior, state.gains.gain
    fit(posterior, state.won)
    state.counted[0].fitted = state.counted[0].votes
    for i in range(gain.shape[0]):
        for j in range(i + 1, gain.shape[0]):
            mean = posterior.strength[i] - posterior.strength[j]
            deviation = math.sqrt(difference_variance(posterior.covariance, i, j))
            gain[i, j] = _mutual_information(mean, deviation, state.nodes, state.weights)
            gain[j, i] = gain[i, j]


@kernel
def select(state: HybridMstState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the next pair of the tree, or at first the pair with the largest gain."""
    gains, counted = state.gains, state.counted[0]
    if not in_tree(gains):
        if counted.fitted < counted.votes:
            _weigh(state)
        if counted.votes < gains.found.shape[0]:
            i, j = largest_gain(gains, rng)
            return i, j, 1
        grow_tree(gains, rng)
    i, j = next_of_tree(gains)
    return i, j, 1


@kernel
def update(state: HybridMstState, first: int, second: int, wins: int, count: int) -> None:
    """Count the votes."""
    if first != second:
        state.won[first, second] += wins
        state.won[second, first] += count - wins
        state.counted[0].votes += count


class HybridMst(Algorithm):
    """Pairs whose votes say most about the strengths, later in batches; pure exploration that ignores regret."""

    name = "hybrid-mst"
    title = "Hybrid-MST"
    citation = (
        "Li, Mantiuk, Wang, Ling, Le Callet. Hybrid-MST: A Hybrid Active Sampling Strategy for Pairwise Preference "
        "Aggregation. NeurIPS 2018"
    )
    assumes = "Bradley–Terry–Luce model"
    finds_order = True
    regret_order = "not its aim: it only explores"
    learns_off_policy = True
    State = HybridMstState
    select = staticmethod(select)
    update = staticmethod(update)

    def start(self, arms: int, horizon: int) -> HybridMstState:
        """Return the state before the first round."""
        nodes, weights = np.polynomial.hermite.hermgauss(_NODES)
        return HybridMstState(
            won=0.5 * (1.0 - np.eye(arms)),
            posterior=new_strength_posterior(arms),
            counted=record(votes=0, fitted=-1),
            gains=new_gains(arms),
            nodes=nodes * math.sqrt(2.0),
            weights=weights / math.sqrt(math.pi),
        )

    def recommendation(self, state: HybridMstState) -> int | None:
        """Return the arm with the largest strength given all votes, the first of several; None without votes."""
        if state.counted[0].votes == 0:
            return None
        posterior = new_strength_posterior(len(state.won))
        fit(posterior, state.won)
        return int(np.argmax(posterior.strength >= posterior.strength.max() - TIED))
