"""RUCB: relative upper confidence bounds.

RUCB duels a champion, an arm that no arm beats with confidence, against the arm most likely to beat it. ``select``
returns this pair, or a hold if the two are the same arm. The steps are in ``tests/reference/rucb.py``.

Hold. ``(c, c)`` is chosen only if every pair of c is decided in its favour. Then every other arm has lost to c with
confidence, so the champions are C = {c}, B = {c}, no coin is tossed, and the challenger is c again. Nothing changes and
nothing is drawn until the first decided pair becomes undecided, in a round that ``kernels/confidence.py`` knows in
advance (``expiry``). The path is the same as with stepping.

Cost. C changes only when a pair becomes decided or undecided, and only then is it listed again. The search for the
challenger goes through the distinct records that arms have against c (``kernels/confidence.py``).

Agreement. ``tests/test_catalogue.py`` checks that the path equals the path of the reference, draw for draw.
"""

from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.confidence import (
    Bounds,
    Comparisons,
    advance,
    challenger,
    count_duels,
    new_bounds,
    new_comparisons,
    renew_bounds,
)
from duelbench.kernels.draws import below, pick


class RucbState(NamedTuple):
    """The first ``n_champions`` of ``champions`` are C, the arms that no arm beats with confidence, in order.

    ``summary[0]`` has ``n_champions``; ``current``, whether it and the list are up to date; and ``believed``, the arm
    in the set B, or −1 if B is empty.
    """

    comparisons: Comparisons
    bounds: Bounds
    champions: Ints
    summary: Record


@kernel(inline=False)
def _list_champions(state: RucbState) -> None:
    """Run step 1 and the part of step 2 that depends only on C."""
    losses, summary = state.comparisons.losses, state.summary[0]
    count = 0
    for i in range(losses.shape[0]):
        if losses[i] == 0:
            state.champions[count] = i
            count += 1
    summary.n_champions = count
    summary.current = True
    if count == 1:
        summary.believed = state.champions[0]
    elif summary.believed >= 0 and losses[summary.believed] > 0:
        summary.believed = -1


@kernel
def champion(state: RucbState, rng: np.random.Generator) -> int:
    """Step 2: choose c."""
    champions, summary = state.champions, state.summary[0]
    count, believed = int(summary.n_champions), int(summary.believed)
    if count == 0:
        return below(state.champions.shape[0], rng)
    if count == 1 or believed < 0:
        return pick(champions, count, rng)
    if rng.random() < 0.5:
        return believed
    k = below(count - 1, rng) if count > 2 else 0  # among the others
    return int(champions[k] if champions[k] < believed else champions[k + 1])


@kernel
def select(state: RucbState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Choose champion and challenger; hold if they are the same arm."""
    comparisons = state.comparisons
    if advance(comparisons, t):
        state.summary[0].current = False
    if not state.summary[0].current:
        _list_champions(state)
    c = champion(state, rng)
    d = challenger(state.bounds, comparisons, c, t, False, rng)
    if c == d:
        return c, c, min(last, comparisons.clock[0].expiry - 1) - t + 1
    return c, d, 1


@kernel
def update(state: RucbState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome."""
    if first == second:
        return
    before = state.comparisons.sign[first, second]
    count_duels(state.comparisons, first, second, wins, count)
    renew_bounds(state.bounds, state.comparisons, first, second)
    if state.comparisons.sign[first, second] != before:
        state.summary[0].current = False


class Rucb(Algorithm):
    """Duel a champion, chosen by upper confidence bounds, against the arm most likely to beat it."""

    name = "rucb"
    title = "RUCB"
    citation = (
        "Zoghi, Whiteson, Munos, de Rijke. "
        "Relative Upper Confidence Bound for the K-Armed Dueling Bandit Problem. ICML 2014"
    )
    assumes = "Condorcet winner"
    regret_order = "K log T + K²"
    learns_off_policy = True
    State = RucbState
    select = staticmethod(select)
    update = staticmethod(update)

    alpha: float = Field(0.51, gt=0, description="confidence constant α of the bounds")

    def start(self, arms: int, horizon: int) -> RucbState:
        """Return the state before the first round."""
        return RucbState(
            comparisons=new_comparisons(arms, self.alpha),
            bounds=new_bounds(arms),
            champions=np.zeros(arms, np.int64),
            summary=record(n_champions=0, believed=-1, current=False),
        )
