"""ASAP: the pairs whose votes are expected to change the beliefs about the strengths most, in batches.

The model is Thurstone's: i beats j if ``x_i − x_j`` plus noise of variance 1 is positive, and x_i has the prior N(0,
1/2). The beliefs about each strength are normal. They are fitted to all votes by expectation propagation: each vote
sends both arms a message, which is a normal factor, and a belief is the product of the prior and all messages to the
arm. Votes on a pair with the same winner send equal messages, so one message is kept for them. When a beats b, let m
and v be the means and variances of the beliefs without this message, ``c² = 1 + v_a + v_b`` and
``x = (m_a − m_b) / c``. With ``ψ = φ(x) / Φ(x)`` and ``λ = ψ (ψ + x)``, the message to a has the precision
``λ / (c² − λ v_a)`` and the mean times precision ``(λ m_a + ψ c) / (c² − λ v_a)``; for the message to b, replace v_a by
v_b, m_a by m_b and ``ψ c`` by ``−ψ c``. Every fit sets all messages to 0 and makes six sweeps over them. A sweep uses
the beliefs after the previous sweep; the first sweep uses the beliefs of the previous fit.

The gain of a pair is the expected Kullback–Leibler divergence of the beliefs after its vote from the beliefs before.
The beliefs after the vote are found either approximately, by one more message with the noise variance 2, or by four
more sweeps over all messages, which costs K² times as much. A batch is a spanning tree with the largest gains
(``gains.py``), and the first tree is random. Alternatively a batch is the single pair with the largest gain, ties at
random.

The reference is ``tests/reference/information.py``; ``tests/test_catalogue.py`` checks that the paths are equal. It
explores only: regret is not its aim, and no arm duels itself. ``ranking`` and ``recommendation`` use the means of the
beliefs. Every answer is a single duel, so there is no hold.
"""

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.active_sampling.bradley_terry import tiers_of
from duelbench.algorithms.active_sampling.gains import (
    Gains,
    grow_random_tree,
    grow_tree,
    in_tree,
    largest_gain,
    new_gains,
    next_of_tree,
)
from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats, Ints, Record, Tiers, record
from duelbench.compiling.jit import kernel

_PRIOR = 2.0
"""The precision of the prior."""
_SWEEPS = 6
_MORE_SWEEPS = 4
_LEAST = 1e-13
"""The smallest gain: smaller values are rounding errors."""
_FAR = -30.0
"""Smaller x are replaced by this, before Φ(x) underflows in double precision."""


class Beliefs(NamedTuple):
    """``precision`` and ``shift``, which is precision times mean, of each strength, and the same for the messages of a
    vote in which i beats j: ``to_winner[i, j]`` and ``to_loser[i, j]``. ``sums`` and ``shift_sums`` are work space.
    """

    precision: Floats
    shift: Floats
    to_winner: Floats
    shift_to_winner: Floats
    to_loser: Floats
    shift_to_loser: Floats
    sums: Floats
    shift_sums: Floats


def _new_beliefs(arms: int) -> Beliefs:
    """Return the prior, and messages of 0."""
    vectors, tables = [np.zeros(arms) for _ in range(3)], [np.zeros((arms, arms)) for _ in range(4)]
    return Beliefs(np.full(arms, _PRIOR), vectors[0], *tables, *vectors[1:])


class AsapState(NamedTuple):
    """``wins[i, j]``: how often i has beaten j. ``changed``: work space. ``counted[0]``: the number of ``votes``, and
    how many there were at the last fit (``fitted``, −1 before the first)."""

    tree: bool
    approximate: bool
    wins: Ints
    beliefs: Beliefs
    changed: Beliefs
    counted: Record
    gains: Gains


@kernel
def chance(x: float) -> float:
    """Return Φ(x)."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


@kernel
def _mills(x: float) -> float:
    """Return ψ = φ(x) / Φ(x)."""
    x = max(x, _FAR)
    return math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi) / chance(x)


@kernel
def sweep(beliefs: Beliefs, wins: Ints) -> None:
    """Recompute all messages from the present beliefs, and then the beliefs from the messages."""
    precision, shift, arms = beliefs.precision, beliefs.shift, wins.shape[0]
    beliefs.sums[:] = _PRIOR
    beliefs.shift_sums[:] = 0.0
    for a in range(arms):
        for b in range(arms):
            if wins[a, b] > 0:
                v = 1.0 / (precision[a] - beliefs.to_winner[a, b])
                w = 1.0 / (precision[b] - beliefs.to_loser[a, b])
                m = v * (shift[a] - beliefs.shift_to_winner[a, b])
                n = w * (shift[b] - beliefs.shift_to_loser[a, b])
                square = 1.0 + v + w
                c = math.sqrt(square)
                x = max((m - n) / c, _FAR)
                ratio = _mills(x)
                slope = ratio * (ratio + x)
                beliefs.to_winner[a, b] = slope / (square - slope * v)
                beliefs.to_loser[a, b] = slope / (square - slope * w)
                beliefs.shift_to_winner[a, b] = (slope * m + ratio * c) / (square - slope * v)
                beliefs.shift_to_loser[a, b] = (slope * n - ratio * c) / (square - slope * w)
                beliefs.sums[a] += wins[a, b] * beliefs.to_winner[a, b]
                beliefs.sums[b] += wins[a, b] * beliefs.to_loser[a, b]
                beliefs.shift_sums[a] += wins[a, b] * beliefs.shift_to_winner[a, b]
                beliefs.shift_sums[b] += wins[a, b] * beliefs.shift_to_loser[a, b]
    for arm in range(arms):
        precision[arm] = beliefs.sums[arm]
        shift[arm] = beliefs.shift_sums[arm]


@kernel(inline=False)
def fit(beliefs: Beliefs, wins: Ints) -> None:
    """Fit the beliefs to all votes."""
    beliefs.to_winner[:] = 0.0
    beliefs.to_loser[:] = 0.0
    beliefs.shift_to_winner[:] = 0.0
    beliefs.shift_to_loser[:] = 0.0
    for _ in range(_SWEEPS):
        sweep(beliefs, wins)


@kernel
def divergence(share: float, moved: float) -> float:
    """Return the divergence of the new belief from the old: ``share`` is the ratio of their variances, and ``moved``
    the squared change of the mean divided by the old variance."""
    return 0.5 * (share - 1.0 - math.log(share) + moved)


@kernel
def _divergence_after_one_message(v: float, w: float, x: float) -> float:
    """Return the divergence after an arm of variance v beats one of variance w, at x and with noise variance 2."""
    square = 2.0 + v + w
    x = max(x, _FAR)
    ratio = _mills(x)
    slope = ratio * (ratio + x)
    return divergence(1.0 - v * slope / square, v * ratio**2 / square) + divergence(
        1.0 - w * slope / square, w * ratio**2 / square
    )


@kernel(inline=False)
def _divergence_after_sweeps(state: AsapState, winner: int, loser: int) -> float:
    """Return the divergence of all beliefs after a vote, fitted by more sweeps."""
    now, then = state.beliefs, state.changed
    for i in range(state.wins.shape[0]):
        then.precision[i] = now.precision[i]
        then.shift[i] = now.shift[i]
        for j in range(state.wins.shape[0]):
            then.to_winner[i, j] = now.to_winner[i, j]
            then.shift_to_winner[i, j] = now.shift_to_winner[i, j]
            then.to_loser[i, j] = now.to_loser[i, j]
            then.shift_to_loser[i, j] = now.shift_to_loser[i, j]
    state.wins[winner, loser] += 1
    for _ in range(_MORE_SWEEPS):
        sweep(then, state.wins)
    state.wins[winner, loser] -= 1
    total = 0.0
    for arm in range(state.wins.shape[0]):
        moved = then.shift[arm] / then.precision[arm] - now.shift[arm] / now.precision[arm]
        total += divergence(now.precision[arm] / then.precision[arm], moved**2 * now.precision[arm])
    return total


@kernel
def _gain_of(state: AsapState, a: int, b: int) -> float:
    """Return the expected divergence after a vote on the pair."""
    beliefs = state.beliefs
    v, w = 1.0 / beliefs.precision[a], 1.0 / beliefs.precision[b]
    difference = v * beliefs.shift[a] - w * beliefs.shift[b]
    p = chance(difference / math.sqrt(1.0 + v + w))
    if state.approximate:
        x = difference / math.sqrt(2.0 + v + w)
        after_win, after_loss = _divergence_after_one_message(v, w, x), _divergence_after_one_message(w, v, -x)
    else:
        after_win, after_loss = _divergence_after_sweeps(state, a, b), _divergence_after_sweeps(state, b, a)
    return max(p * after_win + (1.0 - p) * after_loss, _LEAST)


@kernel(inline=False)
def weigh(state: AsapState) -> None:
    """Fit the beliefs to all votes, and compute the gain of every pair."""
    gain = state.gains.gain
    fit(state.beliefs, state.wins)
    state.counted[0].fitted = state.counted[0].votes
    for i in range(gain.shape[0]):
        for j in range(i + 1, gain.shape[0]):
            gain[i, j] = _gain_of(state, i, j)
            gain[j, i] = gain[i, j]


@kernel
def select(state: AsapState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the next pair of the tree, or the pair with the largest gain."""
    gains, counted = state.gains, state.counted[0]
    if not in_tree(gains):
        random = state.tree and counted.votes < gains.first.shape[0]
        if not random and counted.fitted < counted.votes:
            weigh(state)
        if not state.tree:
            i, j = largest_gain(gains, rng)
            return i, j, 1
        if random:
            grow_random_tree(gains, rng)
        else:
            grow_tree(gains, rng)
    i, j = next_of_tree(gains)
    return i, j, 1


@kernel
def update(state: AsapState, first: int, second: int, wins: int, count: int) -> None:
    """Count the votes."""
    if first != second:
        state.wins[first, second] += wins
        state.wins[second, first] += count - wins
        state.counted[0].votes += count


class Asap(Algorithm):
    """Batches of pairs whose votes change the beliefs most; pure exploration that ignores regret."""

    name = "asap"
    title = "ASAP"
    citation = (
        "Mikhailiuk, Wilmot, Perez-Ortiz, Yue, Mantiuk. Active Sampling for Pairwise Comparisons via Approximate "
        "Message Passing and Information Gain Maximization. ICPR 2020"
    )
    assumes = "Thurstone model"
    finds_order = True
    regret_order = "not its aim: it only explores"
    learns_off_policy = True
    State = AsapState
    select = staticmethod(select)
    update = staticmethod(update)

    mode: Literal["tree", "pair"] = Field("tree", description="what is chosen at a time: K − 1 pairs, or one")
    approximate: bool = Field(True, description="whether gains are approximate; exact ones take K² times as long")

    def start(self, arms: int, horizon: int) -> AsapState:
        """Return the state before the first round."""
        return AsapState(
            tree=self.mode == "tree",
            approximate=self.approximate,
            wins=np.zeros((arms, arms), np.int64),
            beliefs=_new_beliefs(arms),
            changed=_new_beliefs(arms),
            counted=record(votes=0, fitted=-1),
            gains=new_gains(arms),
        )

    def ranking(self, state: AsapState) -> Tiers | None:
        """Return the arms by the means of the beliefs, arms with equal means in one tier; None without votes."""
        if state.counted[0].votes == 0:
            return None
        copies: Any = (each.copy() for each in state.beliefs)
        beliefs = Beliefs(*copies)
        fit(beliefs, state.wins)
        return tiers_of(beliefs.shift / beliefs.precision)

    def recommendation(self, state: AsapState) -> int | None:
        """Return the arm with the largest mean, the first of several; None without votes."""
        tiers = self.ranking(state)
        return None if tiers is None else tiers[0][0]
