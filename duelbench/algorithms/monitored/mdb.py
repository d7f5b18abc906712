"""MDB: Monitored Dueling Bandits.

It wraps an algorithm for strong regret and also monitors all pairs: in every period each pair is duelled once, in an
order that is drawn at the beginning of the run. When the newer half of the last w outcomes of a pair differs from the
older half by too much, it discards everything except that order, and restarts the inner algorithm. Only the abstract of
the paper was available: the steps and constants are taken from its authors' code, and are listed in
``tests/reference/mdb.py``; ``tests/test_catalogue.py`` checks that the paths are equal when every answer is one
round.

The inner algorithms are this package's WS-S and RUCB. This RUCB has a set B and breaks ties at random; the authors'
version does neither. The inner algorithm counts as rounds t only the rounds that it plays. In the authors' code RUCB
also learns from the watched pairs, and t counts all rounds since the last change: that is ``transfer``. WS-S never
learns from them. For short T the formula gives γ above 1, with which the code would never watch some pairs. Here γ is
at most 1, where every round watches a pair. With K = 10 and δ = 0.3 this happens up to T = 2.6 · 10⁴.

Hold. Between two watched pairs, a hold or a block of the inner algorithm is played unchanged, but cut at the next
watched pair. Nothing is drawn.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.confidence import rucb
from duelbench.algorithms.confidence.rucb import Rucb, RucbState
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
from duelbench.algorithms.monitored.restarting import restart_rucb, restart_ws_s
from duelbench.algorithms.winner_stays import ws
from duelbench.algorithms.winner_stays.ws import WsS, WsSState
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle

INNER = -1
"""The purpose of a duel of the inner algorithm; the purpose of any other duel is the number of its pair."""


def window_of(horizon: int, arms: int, segments: int, delta: float) -> int:
    """Return w for M segments, at whose ends some preference changes by δ."""
    return even(8.0 * _log(horizon, arms, segments) / delta**2)


def threshold_of(horizon: int, arms: int, segments: int, window: int) -> float:
    """Return b."""
    return math.sqrt(0.5 * window * _log(horizon, arms, segments))


def gamma_of(horizon: int, arms: int, segments: int, window: int) -> float:
    """Return γ, the share of rounds in which pairs are watched; 1 if the horizon is too short for less."""
    return min(1.0, math.sqrt(segments * window / horizon) * (arms - 1) / 2.0)


def _log(horizon: int, arms: int, segments: int) -> float:
    return math.log(max(math.e, (4.0 * horizon + 2.0) * math.sqrt(horizon) / (math.sqrt(segments) * arms)))


class MdbState(NamedTuple):
    """The inner algorithm is ``ws_s`` if ``winner_stays``, else ``rucb``, whose initial state is ``rucb_at_first``.
    ``transfer``: whether it also learns from watched pairs.

    ``smaller[k]``, ``larger[k]``: the arms of pair k. ``order``: the order in which the pairs are watched, from the
    first round of every ``period`` on. ``course[0]``: the first round ``since`` the restart, 0 if it is the next; how
    many rounds the inner algorithm has ``played`` since; whether the order is ``drawn``.
    """

    winner_stays: bool
    transfer: bool
    ws_s: WsSState
    rucb: RucbState
    rucb_at_first: RucbState
    smaller: Ints
    larger: Ints
    order: Ints
    period: int
    threshold: float
    windows: Windows
    open_duels: OpenDuels
    detections: Detections
    course: Record


@kernel
def select(state: MdbState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Watch the next pair, or let the inner algorithm choose."""
    course, pairs = state.course[0], state.order.shape[0]
    if not course.drawn:
        course.drawn = True
        shuffle(state.order, pairs, rng)
    if course.since == 0:
        course.since = t
    place = (t - course.since) % state.period
    if place < pairs:
        pair = state.order[place]
        ask(state.open_duels, t, pair)
        return state.smaller[pair], state.larger[pair], 1
    most = min(last - t + 1, state.period - place)
    now = t - course.since + 1 if state.transfer else course.played + 1
    if state.winner_stays:
        first, second, count = ws.select_ws_s(state.ws_s, now, now + most - 1, rng)
    else:
        first, second, count = rucb.select(state.rucb, now, now + most - 1, rng)
    course.played += count
    if first != second:
        ask(state.open_duels, t, INNER)
    return first, second, count


@kernel
def update(state: MdbState, first: int, second: int, wins: int, count: int) -> None:
    """Update the inner algorithm, or check whether the pair has changed. Duels from before a restart are ignored."""
    if first == second:
        return
    course = state.course[0]
    asked, purpose = received(state.open_duels)
    if course.since == 0 or asked < course.since:
        return
    if purpose == INNER or state.transfer:
        if state.winner_stays:
            ws.update_ws_s(state.ws_s, first, second, wins, count)
        else:
            rucb.update(state.rucb, first, second, wins, count)
    if purpose != INNER and push(state.windows, purpose, wins) > state.threshold:
        begin_anew(state, asked)


@kernel(inline=False)
def begin_anew(state: MdbState, t: int) -> None:
    """Restart, caused by the outcome of round t; keep the order of the pairs."""
    course = state.course[0]
    course.since = 0
    course.played = 0
    note(state.detections, t)
    empty(state.windows)
    if state.winner_stays:
        restart_ws_s(state.ws_s)
    else:
        restart_rucb(state.rucb, state.rucb_at_first)


class Mdb(Algorithm):
    """Run an algorithm for strong regret, watch all pairs between its rounds, and restart when a pair has changed."""

    name = "mdb"
    title = "MDB"
    citation = "Kolpaczki, Bengs, Hüllermeier. Non-Stationary Dueling Bandits. arXiv 2202.00935, 2022, MDB"
    assumes = "Condorcet winner"
    regret_order = "no bound read; to watch pairs costs √(M T log T) in M segments"
    uses_horizon = True
    State = MdbState
    select = staticmethod(select)
    update = staticmethod(update)

    inner: Literal["ws-s", "rucb"] = Field("ws-s", description="the algorithm that is wrapped")
    beta: float = Field(1.05, gt=1, description="β of the inner ws-s")
    alpha: float = Field(1.0, gt=0, description="α of the inner rucb")
    transfer: bool = Field(False, description="whether the inner rucb also learns from the watched pairs")
    M: int = Field(1, ge=1, description="segments of a run, from which follow window, threshold and gamma")
    delta: float = Field(0.3, gt=0, le=1, description="δ, by which some preference changes, for the same")
    window: int | None = Field(None, ge=2, multiple_of=2, description="w, even: outcomes of a pair that are compared")
    threshold: float | None = Field(None, ge=0, description="b: more than that between the halves of w is a change")
    gamma: float | None = Field(None, gt=0, le=1, description="γ: share of rounds that watch pairs; all of them at 1")

    @model_validator(mode="after")
    def _transfer_is_for_rucb(self) -> Mdb:
        if self.transfer and self.inner != "rucb":
            raise ValueError("only rucb can learn from the watched pairs: write inner: rucb, or leave out transfer")
        return self

    def start(self, arms: int, horizon: int) -> MdbState:
        """Return the state before the first round."""
        window = self.window or window_of(horizon, arms, self.M, self.delta)
        threshold = self.threshold
        if threshold is None:
            threshold = threshold_of(horizon, arms, self.M, window)
        smaller, larger = np.triu_indices(arms, 1)
        pairs = len(smaller)
        period = int(min(pairs / (self.gamma or gamma_of(horizon, arms, self.M, window)), 2.0**62))
        return MdbState(
            winner_stays=self.inner == "ws-s",
            transfer=self.transfer,
            ws_s=WsS(beta=self.beta).start(arms, horizon),
            rucb=Rucb(alpha=self.alpha).start(arms, horizon),
            rucb_at_first=Rucb(alpha=self.alpha).start(arms, horizon),
            smaller=smaller.astype(np.int64),
            larger=larger.astype(np.int64),
            order=np.arange(pairs),
            period=period,
            threshold=float(threshold),
            windows=new_windows(pairs, window, horizon // pairs + 1),
            open_duels=new_open_duels(),
            detections=new_detections(),
            course=record(since=0, played=0, drawn=False),
        )

    def recommendation(self, state: MdbState) -> int | None:
        """Return the recommendation of the inner ws-s; None with rucb."""
        return WsS().recommendation(state.ws_s) if state.winner_stays else None

    def detections(self, state: MdbState) -> Ints:
        """Return the rounds after which it restarted."""
        return noted(state.detections)
