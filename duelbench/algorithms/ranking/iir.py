"""Iterative-Insertion-Ranking: binary insertion by a noisy walk on the tree of the places where an arm may go.

A walk that finds no place is repeated with half the slack. The pseudo-code, step by step, is
``duelbench/reference/probe_rank.py``; the paths of both are equal, duel by duel (``tests/test_catalogue.py``).
On a pair at exactly 1/2 it goes on to the end of the run.

The places at both ends have a neighbour that is only imagined: it loses to every arm, or beats it, without duels.
``as_published`` is the program of the authors, which plays these comparisons as if duels had certain outcomes, here as
self-duels of the arm; and a misplaced bracket makes the threshold for ending a walk early unreachable there.

Hold. The duels of a pair come in blocks that cannot decide it on the way (``first_passage``). Once it has declared an
order, its first arm duels itself for the rest of the run.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import ExploreThenRank, declare, nothing_declared
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle
from duelbench.kernels.first_passage import answer, begin, boundary, new_test, update

Q = 15 / 16
"""How likely, at least, every step of a walk is in the right direction if the slack is small enough."""
BELOW, ABOVE, MIDDLE = 0, 1, 2
"""What an arm is compared with: the lower end of a node, its upper end, its middle."""


class IirState(NamedTuple):
    """``queue``: the arms in random order. ``line``: those inserted, worst first, from place 1 on.

    The walk is at the node from place ``lows[depth]`` to place ``highs[depth]``, below the nodes on its way from the
    root. ``counters[l]`` is that of the leaf from place l on. ``walk[0]`` has ``depth``; how many arms are
    ``inserted``; the ``arm`` that is; the ``attempt`` t at it; ``steps``, the steps s of its walk that have begun, and
    ``limit``, T; the current ``question``; and ``idle``, the self-duels that come first. ``test``: see
    ``first_passage``; ``order``, ``declared``: see ``declaration``.
    """

    delta: float
    as_published: bool
    queue: Ints
    line: Ints
    lows: Ints
    highs: Ints
    counters: Ints
    walk: Record
    test: Record
    order: Ints
    declared: Record


@kernel
def attempt_delta(state: IirState) -> float:
    """Return δ_t of this attempt."""
    return 6.0 * state.delta / state.queue.shape[0] / (math.pi**2 * state.walk[0].attempt ** 2)  # type: ignore[no-any-return]


@kernel(inline=False)
def begin_attempt(state: IirState) -> None:
    """Begin the next walk of the arm at the root."""
    walk = state.walk[0]
    walk.attempt += 1
    walk.steps = 0
    walk.depth = 0
    state.lows[0] = 0
    state.highs[0] = walk.inserted + 1
    state.counters[:] = 0
    height = 1 + math.ceil(math.log2(1 + walk.inserted))
    walk.limit = math.ceil(max(4.0 * height, 512.0 / 25.0 * math.log(2.0 / attempt_delta(state))))


@kernel
def begin_insertion(state: IirState) -> None:
    """Begin with the next arm."""
    walk = state.walk[0]
    walk.arm = state.queue[walk.inserted]
    walk.attempt = 0
    begin_attempt(state)


@kernel
def begin_step(state: IirState) -> None:
    """Begin the next step: at the root with the middle, elsewhere with the lower end."""
    walk = state.walk[0]
    walk.steps += 1
    walk.question = MIDDLE if walk.depth == 0 else BELOW


@kernel
def is_leaf(state: IirState) -> bool:
    """Return whether the walk is at a leaf."""
    depth = state.walk[0].depth
    return state.highs[depth] - state.lows[depth] == 1  # type: ignore[no-any-return]


@kernel(inline=False)
def insert(state: IirState, place: int, t: int) -> None:
    """Insert the arm after the arm at this place; go on with the next arm, or declare the order."""
    walk, line = state.walk[0], state.line
    arms = state.queue.shape[0]
    for later in range(walk.inserted + 1, place + 1, -1):
        line[later] = line[later - 1]
    line[place + 1] = walk.arm
    walk.inserted += 1
    if walk.inserted < arms:
        begin_insertion(state)
        begin_step(state)
        return
    for k in range(arms):
        state.order[k] = line[arms - k]
    declare(state.declared, state.order[0], t)


@kernel
def early_threshold(state: IirState) -> float:
    """Return what a counter must exceed for its leaf to be taken at this step."""
    s, delta = state.walk[0].steps, attempt_delta(state)
    if state.as_published:
        spread = math.log(math.pi**2 * s**2) / (3.0 * delta)
    else:
        spread = math.log(math.pi**2 * s**2 / (3.0 * delta))
    return 1.0 + s / 2.0 + math.sqrt(s / 2.0 * spread)  # type: ignore[no-any-return]


@kernel(inline=False)
def end_step(state: IirState, t: int) -> None:
    """Begin the next step; after the last one insert the arm at the leaf that is clear, or repeat the walk."""
    walk = state.walk[0]
    if walk.steps == walk.limit:
        for leaf in range(walk.inserted + 1):
            if state.counters[leaf] >= 1.0 + 5.0 * walk.limit / 16.0:
                insert(state, leaf, t)
                return
        begin_attempt(state)
    begin_step(state)


@kernel(inline=False)
def move(state: IirState, won: bool, t: int) -> None:
    """Take the answer to the current question: ask the next one of this step, or make the step."""
    walk, depth = state.walk[0], state.walk[0].depth
    low, high = state.lows[depth], state.highs[depth]
    inside = won == (walk.question == BELOW)  # between the ends of the node, as far as this answer tells
    if walk.question == MIDDLE:
        middle = (low + high) // 2
        walk.depth += 1
        state.lows[depth + 1] = middle if won else low
        state.highs[depth + 1] = high if won else middle
    elif inside and (walk.question == BELOW or not is_leaf(state)):
        walk.question += 1
        return
    elif not is_leaf(state):
        walk.depth -= 1
    elif inside:
        state.counters[low] += 1
        if state.counters[low] > early_threshold(state):
            insert(state, low, t)
            return
    elif state.counters[low] > 0:
        state.counters[low] -= 1
    else:
        walk.depth -= 1
    end_step(state, t)


@kernel(inline=False)
def ask(state: IirState) -> None:
    """Begin the comparison that answers the current question, which may need no duels."""
    walk, test, depth = state.walk[0], state.test[0], state.walk[0].depth
    place = (state.lows[depth], state.highs[depth], (state.lows[depth] + state.highs[depth]) // 2)[walk.question]
    delta = 1.0 - Q if depth == 0 else 1.0 - Q**0.5 if is_leaf(state) else 1.0 - Q ** (1.0 / 3.0)
    scale = math.log(math.pi**2 / (3.0 * delta))
    most = math.ceil(math.log(2.0 / delta) / (2.0 * 2.0 ** (-2.0 * (walk.attempt + 1))))
    if 0 < place <= walk.inserted:
        begin(state.test, walk.arm, state.line[place], scale, most)
        return
    test.verdict = 1 if place == 0 else -1
    if state.as_published:
        walk.idle = 1
        while walk.idle < most and 0.5 * walk.idle <= boundary(scale, walk.idle):
            walk.idle += 1


@kernel(inline=False)
def proceed(state: IirState, t: int, rng: np.random.Generator) -> None:
    """Take the answer of the comparison that is over, and begin the next one unless the order is declared."""
    walk, test = state.walk[0], state.test[0]
    if walk.inserted == 0:
        shuffle(state.queue, state.queue.shape[0], rng)
        state.line[1] = state.queue[0]
        walk.inserted = 1
        begin_insertion(state)
        begin_step(state)
    else:
        won = test.verdict > 0
        if test.verdict == 0:
            won = rng.random() < 0.5
        move(state, won, t)
    if state.declared[0].winner < 0:
        ask(state)


@kernel
def select(state: IirState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the arm that is inserted against another one, or the first arm of the order against itself."""
    walk = state.walk[0]
    while state.declared[0].winner < 0 and walk.idle == 0 and not state.test[0].running:
        proceed(state, t, rng)
    if walk.idle > 0:
        count = min(walk.idle, last - t + 1)
        walk.idle -= count
        return walk.arm, walk.arm, count
    return answer(state, last - t + 1)


class Iir(ExploreThenRank):
    """Find the order of all arms: insert one after the other, by noisy binary search."""

    name = "iir"
    title = "IIR"
    citation = (
        "Ren, Liu, Shroff. On Sample Complexity Upper and Lower Bounds for Exact Ranking from Noisy Comparisons. "
        "NeurIPS 2019"
    )
    assumes = "total order, no ties"
    regret_order = "no bound"
    uses_horizon = False
    State = IirState
    select = staticmethod(select)
    update = staticmethod(update)

    delta: float = Field(0.05, gt=0, lt=1, description="probability δ of declaring another order than that of the arms")
    as_published: bool = Field(
        False, description="as the authors' program, which ends no walk early and plays comparisons with imagined arms"
    )

    def start(self, arms: int, horizon: int) -> IirState:
        """Return the state before the first round."""
        deepest = math.ceil(math.log2(arms)) + 2
        return IirState(
            delta=self.delta,
            as_published=self.as_published,
            queue=np.arange(arms),
            line=np.zeros(arms + 1, np.int64),
            lows=np.zeros(deepest, np.int64),
            highs=np.zeros(deepest, np.int64),
            counters=np.zeros(arms, np.int64),
            walk=record(depth=0, inserted=0, arm=-1, attempt=0, steps=0, limit=0, question=0, idle=0),
            test=new_test(),
            order=np.arange(arms),
            declared=nothing_declared(),
        )
