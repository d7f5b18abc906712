"""EQS, ε-quick-select: the best k arms but for ε, by the comparison of all arms with a random pivot.

Arms are better than the pivot, worse, or about as good. If more than k are better, these are split again in the same
way; if too few are not worse, those that are worse are. The pseudo-code, step by step, is
``duelbench/reference/quick_select.py``; the paths of both are equal, duel by duel (``tests/test_catalogue.py``).

Split. Each split goes on with one part of the last one, and all parts lie one after the other in ``arms``, best first.
So no part needs to be remembered, and in the end the best are in the first places.

Hold. The duels of a pair come in blocks that cannot decide it on the way (``first_passage``). Once it has declared the
best arms, the first of them duels itself for the rest of the run.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import declare, nothing_declared
from duelbench.algorithms.ranking.top_k import TopK, list_others
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import below, shuffle
from duelbench.kernels.first_passage import answer, interval_test, new_test, update


class Choice(NamedTuple):
    """``arms``: the best of some of them are chosen, at the places from ``low`` to ``high`` − 1; they are moved to the
    first of these places. ``sides[place]``: 1, 0, −1 for an arm that is better than the pivot, about as good, worse.

    ``split[0]`` has ``low`` and ``high`` of the part that is split now, of which ``top`` arms are wanted, at ``delta``
    and ``epsilon``; the places of its ``pivot``, −1 before it is drawn, and of the ``next`` arm to be compared; whether
    the comparison of the arm before has ``begun``; and ``sign``, −1 to choose the worst instead. ``spare`` is for
    splits.
    """

    arms: Ints
    sides: Ints
    spare: Ints
    split: Record


def nothing_chosen(arms: int) -> Choice:
    """Return the arms by number, before there is a choice."""
    return Choice(
        arms=np.arange(arms),
        sides=np.zeros(arms, np.int64),
        spare=np.zeros(arms, np.int64),
        split=record(low=0, high=0, top=0, delta=0.0, epsilon=0.0, pivot=-1, next=0, begun=False, sign=1),
    )


@kernel(inline=False)
def choose(choice: Choice, low: int, high: int, top: int, epsilon: float, delta: float, sign: int) -> None:
    """Begin to choose the best ``top`` of the arms at the places from ``low`` to ``high`` − 1."""
    split = choice.split[0]
    split.low = low
    split.high = high
    split.top = top
    split.epsilon = epsilon
    split.delta = delta
    split.pivot = -1
    split.sign = sign


@kernel
def gather(choice: Choice, side: int, filled: int) -> int:
    """Add the arms of one side, without the pivot, to ``spare``; return how many are there."""
    split = choice.split[0]
    for place in range(split.low, split.high):
        if place != split.pivot and choice.sides[place] == side:
            choice.spare[filled] = choice.arms[place]
            filled += 1
    return filled


@kernel(inline=False)
def part(choice: Choice) -> None:
    """Put better arms before the pivot and worse ones last; go on with the part where the choice is still open."""
    split = choice.split[0]
    low, high, arms = split.low, split.high, split.high - split.low
    better = gather(choice, 1, low)
    choice.spare[better] = choice.arms[split.pivot]
    good = gather(choice, 0, better + 1)
    gather(choice, -1, good)
    for place in range(low, high):
        choice.arms[place] = choice.spare[place]
    if better - low > split.top:
        split.high = better
    elif good - low >= split.top:
        split.high = low  # nothing is open
    else:
        split.low = good
        split.top -= good - low
    split.delta = split.delta * (arms - 1) / arms
    split.pivot = -1


@kernel(inline=False)
def next_comparison(choice: Choice, test: Record, rng: np.random.Generator) -> bool:
    """Learn from the comparison that is over, if any; begin the next, and return whether the choice needs one."""
    split = choice.split[0]
    if split.begun:
        choice.sides[split.next - 1] = split.sign * test[0].verdict
        split.begun = False
    while split.high - split.low > split.top:
        arms = split.high - split.low
        if split.pivot < 0:
            split.pivot = split.low + below(arms, rng)
            split.next = split.low
        if split.next == split.pivot:
            split.next += 1
        if split.next < split.high:
            i, v = choice.arms[split.next], choice.arms[split.pivot]
            interval_test(test, i, v, split.epsilon / 2.0, 0.0, 0.0, split.delta / (arms * (arms - 1)))
            split.next += 1
            split.begun = True
            return True
        part(choice)
    return False


class EqsState(NamedTuple):
    """``stage[0].begun``: whether the choice has begun. ``test``: see ``first_passage``; ``order``, ``declared``: see
    ``declaration``.
    """

    top: int
    epsilon: float
    delta: float
    choice: Choice
    stage: Record
    test: Record
    order: Ints
    declared: Record


@kernel(inline=False)
def proceed(state: EqsState, t: int, rng: np.random.Generator) -> None:
    """Begin the next comparison, or declare the best arms."""
    arms, stage = state.choice.arms, state.stage[0]
    if not stage.begun:
        stage.begun = True
        shuffle(arms, arms.shape[0], rng)
        choose(state.choice, 0, arms.shape[0], state.top, state.epsilon, state.delta, 1)
    if not next_comparison(state.choice, state.test, rng):
        for place in range(state.top):
            state.order[place] = arms[place]
        list_others(state.order, state.top)
        declare(state.declared, state.order[0], t)


@kernel
def select(state: EqsState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel an arm against the pivot, or the first of the best arms against itself."""
    if state.declared[0].winner < 0 and not state.test[0].running:
        proceed(state, t, rng)
    return answer(state, last - t + 1)


class Eqs(TopK):
    """Find the best k arms but for ε: split the arms by comparing all of them with a random one."""

    name = "eqs"
    title = "EQS"
    citation = f"{TopK.citation}, EQS"
    assumes = "total order, SST, STI"
    State = EqsState
    select = staticmethod(select)
    update = staticmethod(update)

    epsilon: float = Field(0.05, gt=0, lt=0.5, description="slack ε: no other arm beats a declared one by more")

    def start(self, arms: int, horizon: int) -> EqsState:
        """Return the state before the first round."""
        self.sizes(arms)
        return EqsState(
            top=self.top,
            epsilon=self.epsilon,
            delta=self.delta,
            choice=nothing_chosen(arms),
            stage=record(begun=False),
            test=new_test(),
            order=np.arange(arms),
            declared=nothing_declared(),
        )
