"""Versatile-DB: two Tsallis-INF players choose an arm each; the one whose arm loses has a loss.

The pseudo-code, step by step, is ``tests/reference/exponential_weights.py``; ``tests/test_catalogue.py``
checks that the paths are equal.

Only the abstract of the paper was read. The steps with ``estimator: iw`` are those of two independent codes; in one of
them a self-duel is a half instead of a fair coin. ``rv`` is Zimmert and Seldin's estimator of reduced variance: the one
code that has it forgets B of arms that are not played, which makes it biased; ours does not. ``shared`` is from one
code, and its combination with ``rv`` is ours.

No hold: a self-duel is a coin from which both players learn. Late outcomes are weighted by the probabilities of the
last round.
"""

import math
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.reductions.tsallis_inf import Players, find_chances, new_players, weigh, weigh_less
from duelbench.arrays import Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import draw_arm


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
    """Two Tsallis-INF bandits choose an arm each, good against adversaries and by chance alike."""

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
