"""Versatile-DB: two Tsallis-INF players choose an arm each; the one whose arm loses the duel incurs a loss.

The pseudo-code, step by step, is ``tests/reference/exponential_weights.py``; ``tests/test_catalogue.py``
checks that the paths are equal.

Only the abstract of the paper was read. The steps with ``estimator: iw`` are the steps of two independent
implementations; one of them counts a self-duel as half a win instead of tossing a fair coin. ``rv`` is Zimmert and
Seldin's estimator of reduced variance. The one published implementation omits B for arms that are not played, which
makes the estimator biased; ours does not. ``shared`` comes from one implementation, and its combination with ``rv`` is
our own.

It never holds: both players learn from the coin of a self-duel. Late outcomes are weighted by the probabilities of the
last round.

Tsallis-INF, the bandit of Zimmert and Seldin, is mirror descent whose regulariser is Tsallis' entropy of order 1/2.
With the estimated losses L and the learning rate η, an arm has the probability ``p_i = 4 / (η (L_i − x))²``, where x <
min L is chosen so that they add up to 1. Adding a number to all losses changes nothing.

How x is found: ``f(x) = Σ 4 / (η (L_i − x))²`` increases, and ``g = f^(−1/2)`` decreases and is concave (a power mean
of order −2 of the distances ``d_i = L_i − x``). g is nearly a straight line where one arm has nearly all of f or all
arms have the same share. So Newton's method for g = 1 needs one or two steps from the x of the last round. A tangent
lies above a concave curve, so a step from anywhere ends at the root or to the right of it. A step is cut at
``min L − 2/η``, which is not to the left of the root either, since one arm alone has p = 1 there. From then on steps go
left, and none passes the root.

Precision: Newton's step for f = 1 is ``h = (f(x) − 1) / f'(x)``, to the left. The search ends when
``u = |h| / min d ≤ SMALL``. Then the probabilities ``p_i(x) (1 − 2 h / d_i)`` are played, which add up to
``f − h f' = 1``. Their relative difference from ``p_i(x − h) = p_i(x) (1 + h / d_i)⁻²`` is at most 3.01 u², and so is
the difference of f(x − h) from 1. All differences between ``p_i(x − h)`` and the true probabilities have the same sign
and add up to f(x − h) − 1. So the played and the true probabilities are at most 3.01 u² = 3 · 10⁻¹² apart in total
variation. Rounding adds about (K + 8) 2⁻⁵³, and the subtraction from L_i adds L_i 2⁻⁵² / d_i ≤ η L_i 2⁻⁵³, which is
10⁻¹² at t = 10⁸. If L or η is so large that rounding hides a step, the search ends after ``MOST_STEPS``.
"""

import math
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import draw_arm

SMALL = 1e-6
MOST_STEPS = 30


class Players(NamedTuple):
    """``loss[m, i]``: L of arm i for player m, up to a number that is the same for all arms. ``root[m]``: the x found
    last, or a smaller start for the next search. ``chance[m, i]``: the probabilities found last.
    """

    loss: Floats
    root: Floats
    chance: Floats


def new_players(players: int, arms: int, eta: float) -> Players:
    """Return new players before their first round, which has the learning rate ``eta``."""
    shape = players, arms
    return Players(np.zeros(shape), np.full(players, -2.0 / eta), np.full(shape, 1.0 / arms))


@kernel
def find_chances(players: Players, m: int, eta: float) -> None:
    """Find the probabilities of player m at the learning rate ``eta``."""
    loss, chance, x = players.loss[m], players.chance[m], players.root[m]
    scale, h = 4.0 / (eta * eta), 0.0
    for _ in range(MOST_STEPS):
        squares, cubes, largest = 0.0, 0.0, 0.0
        for k in range(loss.shape[0]):
            inverse = 1.0 / (loss[k] - x)
            chance[k] = inverse
            square = inverse * inverse
            squares += square
            cubes += square * inverse
            largest = max(largest, inverse)
        f = scale * squares
        h = (f - 1.0) / (2.0 * scale * cubes)
        if abs(h) * largest <= SMALL:
            break
        x = min(x - squares * (math.sqrt(f) - 1.0) / cubes, x + 1.0 / largest - 2.0 / eta)
    players.root[m] = x - h
    for k in range(loss.shape[0]):
        inverse = chance[k]
        chance[k] = scale * inverse * inverse * (1.0 - 2.0 * h * inverse)


@kernel
def weigh(players: Players, m: int, arm: int, loss: float, share: float) -> None:
    """Add ``share`` of the importance-weighted loss of an arm that player m has drawn."""
    players.loss[m, arm] += share * loss / players.chance[m, arm]


@kernel
def weigh_less(players: Players, m: int, arm: int, loss: float, share: float, eta: float) -> None:
    """Add ``share`` of (loss − B) / p for the drawn arm, and of B for all arms: B is 1/2 where p ≥ η², else 0.

    Subtracting 1/2 from all losses changes nothing, so only the arms with B = 0 need to move. Losses may fall here,
    with many late outcomes even below x, so the next search begins below all of them.
    """
    loss_of, chance, x = players.loss[m], players.chance[m], players.root[m]
    bound = 0.5 if chance[arm] >= eta * eta else 0.0
    for k in range(chance.shape[0]):
        if chance[k] < eta * eta:
            loss_of[k] -= 0.5 * share
            x = min(x, loss_of[k] - 2.0 / eta)
    loss_of[arm] += share * (loss - bound) / chance[arm]
    players.root[m] = min(x, loss_of[arm] - 2.0 / eta)


class VersatileDbState(NamedTuple):
    """``players``: two, or one that draws both arms. ``reduced``: whether B is subtracted. ``round[0].eta``: η_t."""

    eta_scale: float
    reduced: bool
    players: Players
    round: Record


@kernel
def learn(state: VersatileDbState, first: int, second: int, won: int) -> None:
    """Give the loss to the player whose arm has lost; a player that drew both arms takes the mean of two estimates."""
    players, eta = state.players, state.round[0].eta
    other = players.loss.shape[0] - 1
    share = 1.0 if other == 1 else 0.5
    if state.reduced:
        weigh_less(players, 0, first, 1.0 - won, share, eta)
        weigh_less(players, other, second, float(won), share, eta)
    elif won == 1:
        weigh(players, other, second, 1.0, share)
    else:
        weigh(players, 0, first, 1.0, share)


@kernel
def select(state: VersatileDbState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Let each player draw an arm."""
    eta = state.eta_scale / math.sqrt(t)
    state.round[0].eta = eta
    other = state.players.loss.shape[0] - 1
    for m in range(other + 1):
        find_chances(state.players, m, eta)
    first = draw_arm(state.players.chance[0], rng)
    second = draw_arm(state.players.chance[other], rng)
    if first == second:
        learn(state, first, second, int(rng.random() < 0.5))
    return first, second, 1


@kernel
def update(state: VersatileDbState, first: int, second: int, wins: int, count: int) -> None:
    """Learn who won."""
    if first != second:
        learn(state, first, second, wins)


class VersatileDb(Algorithm):
    """Two Tsallis-INF bandits choose an arm each; the bounds cover stochastic and adversarial preferences."""

    name = "versatile-db"
    title = "Versatile-DB"
    citation = (
        "Saha, Gaillard. Versatile Dueling Bandits: Best-of-both World Analyses for Learning from Relative "
        "Preferences. ICML 2022"
    )
    assumes = "Condorcet winner"
    regret_order = "K log T, and √(KT) against an adversary"
    State = VersatileDbState
    select = staticmethod(select)
    update = staticmethod(update)

    estimator: Literal["iw", "rv"] = Field(
        "iw", description="of losses: iw, importance-weighted; rv, of reduced variance (Zimmert & Seldin)"
    )
    eta_scale: float | None = Field(
        None,
        gt=0,
        le=1e6,
        description="the learning rate η in round t is eta_scale / √t; when not given 2, and 4 with rv",
    )
    shared: bool = Field(False, description="whether one player draws both arms, each with half of its loss")

    def start(self, arms: int, horizon: int) -> VersatileDbState:
        """Return the state before the first round."""
        scale = self.eta_scale if self.eta_scale is not None else 2.0 if self.estimator == "iw" else 4.0
        players = new_players(1 if self.shared else 2, arms, scale)
        return VersatileDbState(scale, self.estimator == "rv", players, record(eta=scale))
