"""RUCB: relative upper confidence bounds; literally ``duelbench/literal/rucb.py``.

Hold. ``(c, c)`` is chosen only when every pair of c is decided in its favour. Then every other arm has lost to c with
confidence, so the champions are C = {c}, B = {c}, no coin is tossed, and the challenger is c again: nothing
changes and nothing is drawn until the first decided pair turns undecided, at a round that ``kernels/confidence.py``
knows in advance (``expiry``). The path is the very one of stepping.

Agreement. ``tests/test_algorithms_confidence_rucb.py``: the path of the transcription, draw for draw.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.challengers import Bounds, challenger, no_bounds, renew_bounds
from duelbench.kernels.confidence import Comparisons, advance, count_duels, no_comparisons
from duelbench.kernels.draws import below, pick


class RucbState(NamedTuple):
    """``hypothesis[0].arm`` is the arm of the set B, −1 when B is empty."""

    comparisons: Comparisons
    bounds: Bounds
    hypothesis: Record


@kernel
def champion(state: RucbState, rng: np.random.Generator) -> int:
    """Steps 1 and 2: choose c among the arms that nobody beats with confidence, and update B."""
    losses, found = state.comparisons.losses, state.bounds.found
    arms = losses.shape[0]
    count = 0
    for i in range(arms):
        if losses[i] == 0:
            found[count] = i
            count += 1
    if count == 0:
        state.hypothesis[0].arm = -1
        return below(arms, rng)
    if count == 1:
        state.hypothesis[0].arm = found[0]
        return int(found[0])
    believed = state.hypothesis[0].arm
    if believed >= 0 and losses[believed] > 0:
        believed = -1
        state.hypothesis[0].arm = -1
    if believed < 0:
        return pick(found, count, rng)
    if rng.random() < 0.5:
        return int(believed)
    others = 0
    for k in range(count):
        if found[k] != believed:
            found[others] = found[k]
            others += 1
    return pick(found, others, rng)


@kernel
def select(state: RucbState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Choose champion and challenger; hold when they are the same arm."""
    comparisons = state.comparisons
    advance(comparisons, t)
    c = champion(state, rng)
    d = challenger(state.bounds, comparisons, c, t, rng)
    if c == d:
        return c, c, min(last, comparisons.clock[0].expiry - 1) - t + 1
    return c, d, 1


@kernel
def update(state: RucbState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome."""
    if first != second:
        count_duels(state.comparisons, first, second, wins, count)
        renew_bounds(state.bounds, state.comparisons, first, second)


class Rucb(Algorithm):
    """Champion by upper confidence bounds, against the arm most likely to beat it."""

    name = "rucb"
    citation = (
        "Zoghi, Whiteson, Munos, de Rijke. "
        "Relative Upper Confidence Bound for the K-Armed Dueling Bandit Problem. ICML 2014"
    )
    assumes = "Condorcet winner"
    regret_order = "K log T + K²"
    learns_from_any_duel = True
    State = RucbState
    select = staticmethod(select)
    update = staticmethod(update)

    alpha: float = Field(0.51, gt=0, description="confidence constant α of the bounds")

    def start(self, arms: int, horizon: int) -> RucbState:
        """Return the state before the first round."""
        return RucbState(no_comparisons(arms, self.alpha), no_bounds(arms), record(arm=-1))
