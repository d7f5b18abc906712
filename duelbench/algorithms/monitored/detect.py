"""DETECT: explore, then exploit and watch for changes at the same time.

It wraps an algorithm for weak regret. After T̃ rounds of exploration, the arm that this algorithm suspects of being the
Condorcet winner duels all others in turn, which costs no weak regret if the suspicion is right. When the newer half of
the last w outcomes against one of them differs from the older half by too much, it restarts with exploration. Only the
abstract of the paper was available: the steps and constants are taken from its authors' code, and are listed in
``tests/reference/mdb.py``; ``tests/test_catalogue.py`` checks that the paths are equal when every answer is one round.

The code has two forms of the constants, "root" and "log". "log" is meant for BtW: with p_min = 0.55 its exploration has
2.5 · 10⁶ rounds at T = 10⁶, so "root" is the default. A third form, for WS-W, explores for more than T rounds, and is
left out.

No hold: the opponent changes in every round, and outcomes are compared in their order. Blocks of the inner algorithm
are cut at the end of exploration.
"""

import math
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.monitored.change_detection import (
    Detections,
    OpenDuels,
    Windows,
    ask,
    empty,
    even,
    new_detections,
    new_open_duels,
    new_windows,
    note,
    noted,
    push,
    received,
)
from duelbench.algorithms.monitored.restarting import (
    WsWRounds,
    learn_of_round,
    new_rounds,
    next_of_round,
    restart_line,
    restart_mbtw,
    restart_rounds,
)
from duelbench.algorithms.winner_stays import btw
from duelbench.algorithms.winner_stays.btw import Btw, BtwState, Mbtw, MbtwState
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel

INNER = -1
"""The purpose of a duel of the inner algorithm; the purpose of any other duel is its opponent."""
_INNERS = ("ws-w", "btw", "mbtw")


def _explore_of(horizon: int, arms: int, p_min: float, form: str) -> int:
    """Return T̃, the rounds of exploration; it may be more than the horizon."""
    if form == "root":
        return math.isqrt(horizon)
    q, T = _q(p_min), max(2, horizon)
    return math.floor((math.log(T / (-math.expm1(-q) * math.log(T))) / q + arms - 1) ** 2)


def window_of(horizon: int, arms: int, p_min: float, delta: float, form: str) -> int:
    """Return w."""
    if form == "root":
        return even(8.0 * _root_log(horizon, arms, p_min) / delta**2)
    return even((16.0 * math.log(horizon) + 6.0) / delta**2)


def threshold_of(horizon: int, arms: int, p_min: float, window: int, form: str) -> float:
    """Return b."""
    if form == "root":
        return math.sqrt(0.5 * window * _root_log(horizon, arms, p_min))
    return math.sqrt(window * (math.log(horizon) + 0.375))


def _q(p_min: float) -> float:
    return float((2.0 * p_min - 1.0) ** 2)


def _root_log(horizon: int, arms: int, p_min: float) -> float:
    """Return max(1, ln(2T/x)), where x is the probability of suspecting a wrong arm after √T rounds."""
    q = _q(p_min)
    log_x = -(horizon**0.25 - arms + 1) * q - math.log(-math.expm1(-q))
    return float(max(1.0, math.log(2.0 * horizon) - log_x))


class DetectState(NamedTuple):
    """``inner``: the index in ``_INNERS`` of the wrapped algorithm. ``explore``: T̃. ``threshold``: b.

    ``course[0]``: the first round ``since`` the restart, 0 if it is the next; the ``suspect`` that is played, −1 while
    it explores.
    """

    inner: int
    ws_w: WsWRounds
    btw: BtwState
    mbtw: MbtwState
    explore: int
    threshold: float
    windows: Windows
    open_duels: OpenDuels
    detections: Detections
    course: Record


@kernel
def _suspected(state: DetectState) -> int:
    """Return the arm that the inner algorithm suspects of being the winner."""
    if state.inner == 0:
        return state.ws_w.course[0].suspect  # type: ignore[no-any-return]
    if state.inner == 1:
        return state.btw.line.race[0].first  # type: ignore[no-any-return]
    return state.mbtw.host[0].arm  # type: ignore[no-any-return]


@kernel
def select(state: DetectState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Explore, or duel the suspect with the next opponent."""
    course = state.course[0]
    if course.since == 0:
        course.since = t
    played = t - course.since
    if played < state.explore:
        most = min(last - t + 1, state.explore - played)
        if state.inner == 0:
            first, second, count = next_of_round(state.ws_w, most, rng)
        elif state.inner == 1:
            first, second, count = btw.select(state.btw, played + 1, played + most, rng)
        else:
            first, second, count = btw.select_mbtw(state.mbtw, played + 1, played + most, rng)
        ask(state.open_duels, t, INNER)
        return first, second, count
    if course.suspect < 0:
        course.suspect = _suspected(state)
    opponent = (played - state.explore) % (state.windows.seen.shape[0] - 1)
    if opponent >= course.suspect:
        opponent += 1
    ask(state.open_duels, t, opponent)
    return course.suspect, opponent, 1


@kernel
def update(state: DetectState, first: int, second: int, wins: int, count: int) -> None:
    """Update the inner algorithm, or check whether the pair has changed. Duels from before a restart are ignored."""
    course = state.course[0]
    asked, purpose = received(state.open_duels)
    if course.since == 0 or asked < course.since:
        return
    if purpose != INNER:
        if push(state.windows, purpose, wins) > state.threshold:
            begin_anew(state, asked)
    elif course.suspect < 0:  # otherwise the outcome is too late for exploration
        if state.inner == 0:
            learn_of_round(state.ws_w, first, second, wins, count)
        elif state.inner == 1:
            btw.update(state.btw, first, second, wins, count)
        else:
            btw.update_mbtw(state.mbtw, first, second, wins, count)


@kernel(inline=False)
def begin_anew(state: DetectState, t: int) -> None:
    """Restart, caused by the outcome of round t."""
    course = state.course[0]
    course.since = 0
    course.suspect = -1
    note(state.detections, t)
    empty(state.windows)
    if state.inner == 0:
        restart_rounds(state.ws_w)
    elif state.inner == 1:
        restart_line(state.btw.line)
    else:
        restart_mbtw(state.mbtw)


class Detect(Algorithm):
    """Explore, then duel the suspected winner with all others in turn; restart when one of these pairs changes."""

    name = "detect"
    title = "DETECT"
    citation = "Kolpaczki, Bengs, Hüllermeier. Non-Stationary Dueling Bandits. arXiv 2202.00935, 2022, DETECT"
    assumes = "Condorcet winner"
    regret_order = "no bound read; to explore costs M √T in M segments"
    uses_horizon = True
    in_order = True
    State = DetectState
    select = staticmethod(select)
    update = staticmethod(update)

    inner: Literal["ws-w", "btw", "mbtw"] = Field("ws-w", description="the algorithm that is wrapped")
    form: Literal["root", "log"] = Field("root", description="the formulas for explore, window and threshold")
    p_min: float = Field(0.55, gt=0.5, le=1, description="least probability that a winner wins, for the same")
    delta: float = Field(0.3, gt=0, le=1, description="δ, by which some preference changes, for the same")
    explore: int | None = Field(None, ge=1, description="T̃, rounds of exploration")
    window: int | None = Field(None, ge=2, multiple_of=2, description="w, even: outcomes of a pair that are compared")
    threshold: float | None = Field(None, ge=0, description="b: more than that between the halves of w is a change")

    def start(self, arms: int, horizon: int) -> DetectState:
        """Return the state before the first round."""
        window = self.window or window_of(horizon, arms, self.p_min, self.delta, self.form)
        threshold = self.threshold
        if threshold is None:
            threshold = threshold_of(horizon, arms, self.p_min, window, self.form)
        return DetectState(
            inner=_INNERS.index(self.inner),
            ws_w=new_rounds(arms),
            btw=Btw().start(arms, horizon),
            mbtw=Mbtw().start(arms, horizon),
            explore=self.explore or _explore_of(horizon, arms, self.p_min, self.form),
            threshold=float(threshold),
            windows=new_windows(arms, window, horizon // (arms - 1) + 1),
            open_duels=new_open_duels(),
            detections=new_detections(),
            course=record(since=0, suspect=-1),
        )

    def recommendation(self, state: DetectState) -> int | None:
        """Return the suspected arm, once there is one."""
        suspect = int(state.course[0].suspect)
        suspect = suspect if suspect >= 0 else int(_suspected(state))
        return suspect if suspect >= 0 else None

    def detections(self, state: DetectState) -> Ints:
        """Return the rounds after which it restarted."""
        return noted(state.detections)
