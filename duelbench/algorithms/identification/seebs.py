"""SEEBS: in each stage a tournament finds a good arm, the pivot, and arms that are worse by more than a margin go out.

The margin is halved from stage to stage, until one arm is left. The pseudo-code, step by step, is
``duelbench/reference/quick_select.py``; the paths of both are equal, duel by duel (``tests/test_catalogue.py``). Before
it has declared an arm, it recommends the last pivot.

Hold. The duels of a pair come in blocks that cannot decide it on the way (``first_passage``). The declared arm duels
itself for the rest of the run.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import ExploreThenExploit, declare, nothing_declared
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle
from duelbench.kernels.first_passage import answer, interval_test, new_test, update


class SeebsState(NamedTuple):
    """``remaining``: the arms R of this stage, the first ``progress[0].length`` entries.

    ``playing``: the arms of a tournament's round, first those that have won in it, ``kept`` many, from ``place`` on
    those yet to play, up to ``left``. ``progress[0]`` has these; the ``stage`` t; u, the ``rounds`` of the tournament
    that have begun; whether it is ``sweeping``, comparing the arms of R with the pivot (then ``place`` and ``kept``
    are places in ``remaining``); and the ``pivot``, −1 before the first. ``test``: see ``first_passage``;
    ``declared``: see ``declaration``.
    """

    delta: float
    remaining: Ints
    playing: Ints
    progress: Record
    test: Record
    declared: Record


@kernel(inline=False)
def next_match(state: SeebsState, rng: np.random.Generator) -> bool:
    """Begin the test of the tournament's next pair, of a new round after the last; tell whether there was one."""
    progress, playing = state.progress[0], state.playing
    if progress.place + 1 >= progress.left:
        if progress.place < progress.left:  # the odd one passes on
            playing[progress.kept] = playing[progress.place]
            progress.kept += 1
        progress.left = progress.kept
        progress.kept = 0
        progress.place = 0
        progress.rounds += 1
        if progress.left == 1:
            return False
        shuffle(playing, progress.left, rng)
    stage, u = progress.stage, progress.rounds
    epsilon = 2.0**-stage / 3.0 / 4.0 * 0.8**u
    delta = 6.0 * (2.0 * stage_delta(state) / 3.0) / (math.pi**2 * u**2)
    other, reference = playing[progress.place], playing[progress.place + 1]
    interval_test(state.test, other, reference, epsilon / 2.0, 0.0, 0.0, delta / 2.0)
    progress.place += 2
    return True


@kernel
def stage_delta(state: SeebsState) -> float:
    """Return δ_t of this stage."""
    return 6.0 * state.delta / (math.pi**2 * state.progress[0].stage ** 2)  # type: ignore[no-any-return]


@kernel(inline=False)
def next_swept(state: SeebsState) -> bool:
    """Begin the test of the next arm of R against the pivot; tell whether there was one."""
    progress, remaining = state.progress[0], state.remaining
    if progress.place < progress.length and remaining[progress.place] == progress.pivot:
        remaining[progress.kept] = progress.pivot
        progress.kept += 1
        progress.place += 1
    if progress.place == progress.length:
        return False
    margin = 2.0**-progress.stage / 3.0
    interval_test(state.test, remaining[progress.place], progress.pivot, margin, 0.0, margin, stage_delta(state) / 3.0)
    progress.place += 1
    return True


@kernel(inline=False)
def begin_stage(state: SeebsState) -> None:
    """Let the arms that remain play a tournament for the next pivot."""
    progress = state.progress[0]
    progress.stage += 1
    progress.sweeping = False
    for k in range(progress.length):
        state.playing[k] = state.remaining[k]
    progress.left = 0
    progress.kept = progress.length
    progress.place = 0
    progress.rounds = 0


@kernel(inline=False)
def learn(state: SeebsState) -> None:
    """Evaluate the test that is over."""
    progress, test = state.progress[0], state.test[0]
    if test.first < 0:
        begin_stage(state)
    elif not progress.sweeping:
        state.playing[progress.kept] = test.first if test.verdict > 0 else test.second
        progress.kept += 1
    elif test.verdict >= 0:
        state.remaining[progress.kept] = test.first
        progress.kept += 1


@kernel(inline=False)
def proceed(state: SeebsState, t: int, rng: np.random.Generator) -> None:
    """Learn, and begin the next test, of the next stage where this one is over, or declare the last arm."""
    learn(state)
    progress = state.progress[0]
    while True:
        if not progress.sweeping:
            if next_match(state, rng):
                return
            progress.pivot = state.playing[0]
            progress.sweeping = True
        if next_swept(state):
            return
        progress.length = progress.kept
        if progress.length == 1:
            declare(state.declared, state.remaining[0], t)
            return
        begin_stage(state)


@kernel
def select(state: SeebsState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the current pair, or the winner against itself."""
    if state.declared[0].winner < 0 and not state.test[0].running:
        proceed(state, t, rng)
    return answer(state, last - t + 1)


class Seebs(ExploreThenExploit):
    """Find the best arm without a known gap: stage by stage the arms that are worse than a pivot go out."""

    name = "seebs"
    title = "SEEBS"
    citation = (
        "Ren, Liu, Shroff. The Sample Complexity of Best-k Items Selection from Pairwise Comparisons. ICML 2020, SEEBS"
    )
    in_order = True
    assumes = "total order, SST, STI, no ties"
    regret_order = "no bound"
    uses_horizon = False
    State = SeebsState
    select = staticmethod(select)
    update = staticmethod(update)

    delta: float = Field(0.05, gt=0, lt=1, description="probability δ of declaring another arm than the best")

    def start(self, arms: int, horizon: int) -> SeebsState:
        """Return the state before the first round."""
        return SeebsState(
            delta=self.delta,
            remaining=np.arange(arms),
            playing=np.arange(arms),
            progress=record(length=arms, stage=0, rounds=0, sweeping=False, left=0, kept=0, place=0, pivot=-1),
            test=new_test(),
            declared=nothing_declared(),
        )

    def recommendation(self, state: SeebsState) -> int | None:
        """Return the pivot of the last tournament, once there is one."""
        pivot = int(state.progress[0].pivot)
        return pivot if pivot >= 0 else None
