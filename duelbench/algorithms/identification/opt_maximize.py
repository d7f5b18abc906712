"""Opt-Maximize: find a good arm, the anchor, among a few; prune arms that are not better; check the rest against it.

The pseudo-code, step by step, is ``duelbench/reference/maxing.py``; the paths of both are equal, duel by duel
(``tests/test_catalogue.py``). Logarithms are natural where the paper names no base. The anchor is not compared with
itself, and stays.

Hold. The duels of a pair come in blocks that cannot decide it on the way (``first_passage``). The declared arm duels
itself for the rest of the run.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import ExploreThenExploit, declare, nothing_declared
from duelbench.algorithms.identification.sequential_elimination import (
    Challenge,
    begin_challenge,
    crown,
    new_challenge,
    next_challenger,
)
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle
from duelbench.kernels.first_passage import answer, compare_2, new_test, update

BEFORE, ANCHOR, PRUNING, CHECKING, FINAL = 0, 1, 2, 3, 4


class OptMaximizeState(NamedTuple):
    """``few``: 2 n', arms that need no pruning. ``passes``: (ln K)². ``sampled``: |Q|, the arms to find an anchor in.

    ``arms``: those of this pass that have stayed so far, ``kept`` many, from ``position`` on those yet to come, up to
    ``length``. ``progress[0]`` has these, the ``phase`` and ``pass_number``, t of Prune. The champion of
    ``challenge`` is the anchor once it is found. ``test``: see ``first_passage``; ``declared``: see ``declaration``.
    """

    epsilon: float
    delta: float
    few: float
    passes: float
    sampled: int
    arms: Ints
    progress: Record
    challenge: Challenge
    test: Record
    declared: Record


@kernel(inline=False)
def open_challenge(state: OptMaximizeState, rng: np.random.Generator) -> None:
    """Step 1, a sequential elimination of all arms if δ is small, or step 2, of some of them for an anchor."""
    arms = state.arms.shape[0]
    if state.delta <= 1.0 / arms:
        begin_challenge(state.challenge, state.arms, arms, state.epsilon, state.delta, rng)
        state.progress[0].phase = FINAL
    else:
        shuffle(state.arms, arms, rng)
        begin_challenge(state.challenge, state.arms, state.sampled, state.epsilon / 3.0, state.delta / 8.0, rng)
        state.progress[0].phase = ANCHOR


@kernel(inline=False)
def next_pruned(state: OptMaximizeState) -> bool:
    """Begin the next test of Prune, of a new pass after the last; tell whether there was one."""
    progress, arms = state.progress[0], state.arms
    anchor, epsilon = state.challenge.cursor[0].champion, state.epsilon
    while True:
        if progress.position == progress.length:
            progress.length = progress.kept
            progress.pass_number += 1
            if not (progress.length > state.few and progress.pass_number < state.passes):
                return False
            progress.position = 0
            progress.kept = 0
        arm = arms[progress.position]
        progress.position += 1
        if arm != anchor:
            delta = state.delta / 4.0 / 2.0 ** (progress.pass_number + 1)
            compare_2(state.test, arm, anchor, epsilon / 3.0, 2.0 * epsilon / 3.0, delta)
            return True
        arms[progress.kept] = arm
        progress.kept += 1


@kernel(inline=False)
def next_checked(state: OptMaximizeState) -> bool:
    """Begin the next test of step 4; tell whether there was one."""
    progress, anchor = state.progress[0], state.challenge.cursor[0].champion
    if progress.position < progress.length and state.arms[progress.position] == anchor:
        progress.position += 1
    if progress.position == progress.length:
        return False
    arm, delta = state.arms[progress.position], state.delta / (4.0 * state.arms.shape[0])
    compare_2(state.test, arm, anchor, 2.0 * state.epsilon / 3.0, state.epsilon, delta)
    progress.position += 1
    return True


@kernel(inline=False)
def learn(state: OptMaximizeState, rng: np.random.Generator) -> None:
    """Evaluate the test that is over."""
    progress, test = state.progress[0], state.test[0]
    if progress.phase == BEFORE:
        open_challenge(state, rng)
    elif progress.phase == PRUNING:
        if test.verdict > 0:
            state.arms[progress.kept] = test.first
            progress.kept += 1
    elif progress.phase == CHECKING:
        if test.verdict > 0:
            begin_challenge(state.challenge, state.arms, progress.length, state.epsilon, state.delta / 4.0, rng)
            progress.phase = FINAL
    else:
        crown(state.challenge, state.test)


@kernel(inline=False)
def proceed(state: OptMaximizeState, t: int, rng: np.random.Generator) -> None:
    """Learn, and begin the next test, of the next phase where this one is over, or declare the winner."""
    learn(state, rng)
    progress = state.progress[0]
    if progress.phase == ANCHOR:
        if next_challenger(state.challenge, state.test):
            return
        progress.phase = PRUNING
    if progress.phase == PRUNING:
        if next_pruned(state):
            return
        shuffle(state.arms, progress.length, rng)
        progress.position = 0
        progress.phase = CHECKING
    going_on = next_checked(state) if progress.phase == CHECKING else next_challenger(state.challenge, state.test)
    if not going_on:
        declare(state.declared, state.challenge.cursor[0].champion, t)


@kernel
def select(state: OptMaximizeState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the current pair, or the winner against itself."""
    if state.declared[0].winner < 0 and not state.test[0].running:
        proceed(state, t, rng)
    return answer(state, last - t + 1)


class OptMaximize(ExploreThenExploit):
    """Find an arm that loses to none by more than ε, against an anchor: for many arms and a large δ."""

    name = "opt-maximize"
    title = "Opt-Maximize"
    citation = (
        "Falahatgar, Hao, Orlitsky, Pichapati, Ravindrakumar. Maxing and Ranking with Few Assumptions. "
        "NeurIPS 2017, Opt-Maximize"
    )
    assumes = "total order, SST"
    regret_order = "no bound"
    uses_horizon = False
    State = OptMaximizeState
    select = staticmethod(select)
    update = staticmethod(update)

    epsilon: float = Field(
        0.05, gt=0, lt=0.5, description="ε: the declared arm beats every other with probability at least 1/2 − ε"
    )
    delta: float = Field(
        0.1, gt=0, lt=1, description="probability δ of declaring another; up to 1/K it is sequential-elimination"
    )

    def start(self, arms: int, horizon: int) -> OptMaximizeState:
        """Return the state before the first round."""
        few = math.sqrt(6 * arms * math.log(arms))
        return OptMaximizeState(
            epsilon=self.epsilon,
            delta=self.delta,
            few=2 * few,
            passes=math.log(arms) ** 2,
            sampled=min(math.ceil(arms / few * math.log(2 / (self.delta / 4))), arms),
            arms=np.arange(arms),
            progress=record(phase=BEFORE, pass_number=0, position=arms, kept=arms, length=arms),
            challenge=new_challenge(arms),
            test=new_test(),
            declared=nothing_declared(),
        )

    def recommendation(self, state: OptMaximizeState) -> int | None:
        """Return the anchor or the present champion of a sequential elimination, once there is one."""
        champion = int(state.challenge.cursor[0].champion)
        return champion if champion >= 0 else None
