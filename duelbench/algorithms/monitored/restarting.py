"""Wrapped algorithms begin anew: their states as they were before the first round."""

from __future__ import annotations

import math

import numpy as np

from duelbench.algorithms.confidence.rucb import RucbState
from duelbench.algorithms.winner_stays.mbtw import MbtwState
from duelbench.algorithms.winner_stays.standing import Standing
from duelbench.algorithms.winner_stays.waiting import Line
from duelbench.algorithms.winner_stays.ws_s import WsSState
from duelbench.arrays import Record
from duelbench.compiling.jit import rare_kernel
from duelbench.kernels.challengers import Bounds
from duelbench.kernels.confidence import Comparisons
from duelbench.kernels.thresholds import NEVER


@rare_kernel
def restart_standing(standing: Standing) -> None:
    """Make it that of ``no_standing``."""
    for arm in range(standing.net.shape[0]):
        standing.net[arm] = 0
    duel = standing.duel[0]
    duel.first, duel.second = -1, -1
    duel.asked, duel.told = 0, 0
    duel.late = False


@rare_kernel
def restart_ws_s(state: WsSState) -> None:
    """Make it that of ``WsS.start``."""
    restart_standing(state.standing)
    course = state.course[0]
    course.number = 1
    course.winner = -1
    course.left = 0


@rare_kernel
def restart_race(race: Record) -> None:
    """Make it that of ``no_race``."""
    this = race[0]
    this.first, this.second = -1, -1
    this.goal = 1
    this.won, this.lost = 0, 0
    this.running = False
    this.asked, this.told = 0, 0
    this.start = 0
    this.late = False


@rare_kernel
def restart_line(line: Line) -> None:
    """Make it that of ``no_line``."""
    for arm in range(line.order.shape[0]):
        line.order[arm] = arm
    line.head[0].place = 2
    restart_race(line.race)


@rare_kernel
def restart_mbtw(state: MbtwState) -> None:
    """Make it that of ``Mbtw.start``."""
    for arm in range(state.strength.shape[0]):
        state.strength[arm] = 1
    state.host[0].arm = -1
    restart_race(state.race)


@rare_kernel
def restart_comparisons(comparisons: Comparisons) -> None:
    """Make them those of ``no_comparisons``."""
    arms = comparisons.losses.shape[0]
    for i in range(arms):
        for j in range(arms):
            comparisons.wins[i, j] = 0
            comparisons.sign[i, j] = 0
            comparisons.evidence[i, j] = 0.0
        comparisons.losses[i] = 0
        comparisons.weakest[i] = np.inf
    clock = comparisons.clock[0]
    clock.now = 1
    clock.level = 0.0
    clock.expiry = NEVER
    clock.expiry_level = comparisons.alpha * math.log(NEVER)


@rare_kernel
def restart_bounds(bounds: Bounds) -> None:
    """Make them those of ``no_bounds``."""
    arms = bounds.found.shape[0]
    for i in range(arms):
        for j in range(arms):
            bounds.rate[i, j] = 0.5 if i == j else 2.0
            bounds.width[i, j] = 0.0
        bounds.found[i] = 0


@rare_kernel
def restart_rucb(state: RucbState) -> None:
    """Make it that of ``Rucb.start``."""
    restart_comparisons(state.comparisons)
    restart_bounds(state.bounds)
    state.hypothesis[0].arm = -1
