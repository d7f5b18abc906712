"""EQS, TKS and SEEKS find the best k arms, without an order among them: the first two up to a slack ε, SEEKS exactly.

EQS (ε-quick-select) compares all arms with a random pivot and finds them better, worse or about as good. If more than k
are better, it splits these again in the same way; if fewer than k are better or as good, it splits the worse ones. TKS
(tournament k-selection) lets EQS halve groups of 2k arms, round by round. In each stage, SEEKS accepts the arms that
are clearly better than a good pivot and rejects the arms that are clearly worse. The pivot is the worst arm of a set
that TKS or EQS chooses. The margin is halved from stage to stage. The program of the authors also ends when it has
accepted as many arms as were missing at the start of a stage, and then declares wrong sets.

The pseudo-code, step by step, is in ``tests/reference``; ``tests/test_catalogue.py`` checks that the paths are equal.
The duels of a pair come in blocks; only the last duel of a block can decide it (``kernels/pair_tests.py``).
"""

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Program
from duelbench.arrays import Ints, State
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import below, shuffle
from duelbench.kernels.duels import World
from duelbench.kernels.pair_tests import interval_test

BETTER, PIVOT, EQUAL, WORSE = 3, 2, 0, -3


@kernel
def copy(source: Ints, count: int, target: Ints) -> None:
    """Copy the first ``count`` arms."""
    for place in range(count):
        target[place] = source[place]


@kernel
def gather(state: State, low: int, high: int, side: int, filled: int) -> int:
    """Add the arms of one side at places ``low`` … ``high`` − 1 to ``spare``; return the first free place in it."""
    for place in range(low, high):
        if state.sides[place] == side:
            state.spare[filled] = state.arms[place]
            filled += 1
    return filled


@kernel(inline=False)
def quick_select(
    world: World,
    state: State,
    low: int,
    high: int,
    top: int,
    epsilon: float,
    delta: float,
    sign: int,
    rng: np.random.Generator,
) -> None:
    """EQS: move the best ``top`` arms at places ``low`` … ``high`` − 1 to the front; if ``sign`` is −1, the worst."""
    arms, sides = state.arms, state.sides
    while high - low > top:
        n = high - low
        pivot = low + below(n, rng)
        for place in range(low, high):
            if place != pivot:
                level = delta / (n * (n - 1))
                verdict = interval_test(world, arms[place], arms[pivot], epsilon / 2.0, 0.0, 0.0, level)
                sides[place] = sign * BETTER * verdict
        sides[pivot] = PIVOT
        better = gather(state, low, high, BETTER, low)
        good = gather(state, low, high, EQUAL, gather(state, low, high, PIVOT, better))
        gather(state, low, high, WORSE, good)
        for place in range(low, high):
            arms[place] = state.spare[place]
        delta = delta * (n - 1) / n
        if better - low > top:
            high = better
        elif good - low >= top:
            break
        else:
            top -= good - low
            low = good


@kernel(inline=False)
def tournament(
    world: World, state: State, left: int, top: int, epsilon: float, delta: float, sign: int, rng: np.random.Generator
) -> None:
    """TKS: move the best ``top`` of the first ``left`` arms to the front; if ``sign`` is −1, the worst."""
    arms, rounds = state.arms, 0
    while left > top:
        rounds += 1
        shuffle(arms, left, rng)
        slack = epsilon / 4.0 * 0.8**rounds
        level = 6.0 * delta / (math.pi**2 * rounds**2) / top
        passed = 0
        for low in range(0, left, 2 * top):
            high = min(low + 2 * top, left)
            quick_select(world, state, low, high, top, slack, level, sign, rng)
            for place in range(low, min(low + top, high)):
                arms[passed] = arms[place]
                passed += 1
        left = passed


@kernel(inline=False)
def with_others(state: State, listed: int) -> Ints:
    """Return the first ``listed`` arms of the order, followed by the others in the order of their numbers."""
    order, place = state.order, listed
    for arm in range(order.shape[0]):
        is_listed = False
        for k in range(listed):
            is_listed = is_listed or order[k] == arm
        if not is_listed:
            order[place] = arm
            place += 1
    return order  # type: ignore[no-any-return]


@kernel
def explore_eqs(world: World, state: State, rng: np.random.Generator) -> Ints:
    """EQS on all arms, in random order."""
    shuffle(state.arms, world.arms, rng)
    quick_select(world, state, 0, world.arms, state.top, state.epsilon, state.delta, 1, rng)
    copy(state.arms, state.top, state.order)
    return with_others(state, state.top)


@kernel
def explore_tks(world: World, state: State, rng: np.random.Generator) -> Ints:
    """TKS on all arms."""
    tournament(world, state, world.arms, state.top, state.epsilon, state.delta, 1, rng)
    copy(state.arms, state.top, state.order)
    return with_others(state, state.top)


@kernel
def explore_seeks(world: World, state: State, rng: np.random.Generator) -> Ints:
    """SEEKS: compare the arms that remain with a good pivot, stage by stage, until the best are known."""
    arms, remaining, order = state.arms, state.remaining, state.order
    left, accepted, stage = world.arms, 0, 0
    shuffle(arms, left, rng)
    while accepted < state.top < accepted + left:
        stage += 1
        slack = 2.0**-stage / 3.0
        level = 6.0 * state.delta / (math.pi**2 * stage**2) / 3.0
        missing = state.top - accepted
        copy(arms, left, remaining)
        if state.quick:
            quick_select(world, state, 0, left, missing, slack, level, 1, rng)
        else:
            tournament(world, state, left, missing, slack, level, 1, rng)
        tournament(world, state, missing, 1, slack, level, -1, rng)
        pivot, kept = arms[0], 1
        for k in range(left):
            i = remaining[k]
            if i != pivot:
                verdict = interval_test(world, i, pivot, slack, slack, slack, level / (left - 1))
                if verdict > 0:
                    order[accepted] = i
                    accepted += 1
                elif verdict == 0:
                    arms[kept] = i
                    kept += 1
        left = kept
    if accepted < state.top:
        copy(arms, left, order[accepted:])
        accepted += left
    return with_others(state, accepted)


class TopK(Program):
    """The base class of algorithms that declare the best ``top`` arms and the others."""

    citation = "Ren, Liu, Shroff. The Sample Complexity of Best-k Items Selection from Pairwise Comparisons. ICML 2020"
    regret_order = "no bound"
    finds_order = True
    declares_tiers = True

    top: int = Field(1, ge=1, description="how many of the best arms to find")
    delta: float = Field(0.1, gt=0, lt=1, description="probability δ of declaring a wrong set of arms")

    def sizes(self, arms: int) -> Sequence[int]:
        """Return the sizes of the two tiers."""
        if self.top >= arms:
            raise ValueError(f"top is {self.top}, and there are {arms} arms: choose a smaller top")
        return self.top, arms - self.top

    def selection(self, arms: int, **more: Any) -> Any:
        """Return the state before the first round.

        The selections reorder ``arms``. ``sides`` tells for each place how its arm compares with the pivot, and
        ``spare`` is a buffer for sorting the arms by side. ``order``: the declared order.
        """
        self.sizes(arms)
        return self.state(
            arms=np.arange(arms),
            sides=np.zeros(arms, np.int64),
            spare=np.zeros(arms, np.int64),
            order=np.arange(arms),
            **more,
        )


class Eqs(TopK):
    """Find the best k arms up to ε, by splitting the arms around a random pivot."""

    name = "eqs"
    title = "EQS"
    citation = f"{TopK.citation}, EQS"
    assumes = "total order, SST, STI"
    explore = explore_eqs

    epsilon: float = Field(0.05, gt=0, lt=0.5, description="slack ε: no other arm beats a declared one by more")

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round."""
        return self.selection(arms)


class Tks(TopK):
    """Find the best k arms up to ε, by a tournament: in groups of 2k arms the best k advance."""

    name = "tks"
    title = "TKS"
    citation = f"{TopK.citation}, TKS"
    assumes = "total order, SST, STI"
    explore = explore_tks

    epsilon: float = Field(0.05, gt=0, lt=0.5, description="slack ε: no other arm beats a declared one by more")

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round."""
        return self.selection(arms)


class Seeks(TopK):
    """Find the best k arms, in stages that accept or reject the arms clearly better or worse than a pivot."""

    name = "seeks"
    title = "SEEKS"
    citation = f"{TopK.citation}, SEEKS"
    assumes = "total order, SST, STI, no ties"
    explore = explore_seeks

    inner: Literal["tks", "eqs"] = Field("tks", description="what chooses the arms whose worst one is the pivot")

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round; ``remaining``: the arms of this stage, in their order."""
        return self.selection(arms, quick=self.inner == "eqs", remaining=np.arange(arms))
