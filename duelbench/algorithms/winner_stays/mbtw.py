"""MBtW: Modified Beat the Winner.

Each arm has a strength, 1 at first, which a won race raises and a lost one lowers. The host races to as many wins as it
is strong; opponents are drawn in proportion to their strengths. The paper was not available: the steps are those of one
independent code (Kolpaczki, Bengs and Hüllermeier 2022). They are in ``duelbench/reference/winner_stays.py``;
``tests/test_catalogue.py`` checks that the paths are equal when every answer is one round. Blocks: see ``race``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.winner_stays.race import begin_race, go_on, new_race, outcome
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import below


class MbtwState(NamedTuple):
    """``strength`` of each arm, at least 1. ``host[0].arm``: the next host, −1 at first. ``race``: see ``race``."""

    strength: Ints
    host: Record
    race: Record


@kernel
def opponent(strength: Ints, host: int, rng: np.random.Generator) -> int:
    """Return another arm than the host, with chances in proportion to their strengths."""
    K = strength.shape[0]
    if K == 2:
        return 1 - host
    place = below(strength.sum() - strength[host], rng)
    for arm in range(K):
        if arm != host:
            if place < strength[arm]:
                return arm
            place -= strength[arm]
    return -1  # never


@kernel
def select(state: MbtwState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Go on with the race, or begin the next."""
    if not state.race[0].running:
        host = state.host[0]
        if host.arm < 0:
            host.arm = below(state.strength.shape[0], rng)
        begin_race(state.race, host.arm, opponent(state.strength, host.arm, rng), state.strength[host.arm])
    return go_on(state.race, last - t + 1)


@kernel
def update(state: MbtwState, first: int, second: int, wins: int, count: int) -> None:
    """Learn how the race goes on; its winner is stronger and the next host."""
    race = state.race[0]
    won = outcome(state.race, wins, count)
    if won == 0:
        return
    winner, loser = race.first, race.second
    if won < 0:
        winner, loser = race.second, race.first
    state.strength[winner] += 1
    state.strength[loser] = max(state.strength[loser] - 1, 1)
    state.host[0].arm = winner


class Mbtw(Algorithm):
    """Race the last winner to as many wins as it is strong, against arms drawn by their strengths."""

    name = "mbtw"
    title = "MBtW"
    citation = (
        "Peköz, Ross, Zhang. Dueling Bandit Problems. "
        "Probability in the Engineering and Informational Sciences 2020, Modified Beat the Winner"
    )
    assumes = "Condorcet winner"
    regret_order = "no bound"
    State = MbtwState
    select = staticmethod(select)
    update = staticmethod(update)

    def start(self, arms: int, horizon: int) -> MbtwState:
        """Return the state before the first round."""
        return MbtwState(np.ones(arms, np.int64), record(arm=-1), new_race())
