"""PLPAC finds the best arm and PLPAC-AMPR the order of all, by quicksort in the Plackett–Luce model.

In that model quicksort, even if it is cut short, orders two arms with the same probability as a duel. So each sort
counts as a duel for every two arms that it puts in different classes, even if they never met. Outside this model the
declaration can be wrong, however small δ is. The pseudo-code, step by step, is in ``tests/reference``;
``tests/test_catalogue.py`` checks that the paths are equal.

Each round of PLPAC is one step of quicksort: a random pivot duels every other remaining arm once. The paper leaves
three choices open. Here, arms are visited in a random order, which is drawn once per run. A dropped arm can no longer
drop others, so one arm remains even if they beat each other in a cycle. If several arms could be declared, the one with
the most wins is declared. ``variant: heckel`` is the program of Heckel, Shah, Ramchandran, Wainwright (Annals of
Statistics 2019) behind their figures, which halves the counts in the radius.

PLPAC-AMPR sorts, within a budget, the arms whose ranks are not clear yet. If a pair is at exactly 1/2 and ε = 0, it
goes on to the end of the run.
"""

import math
from typing import Any, Literal

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Program
from duelbench.arrays import Ints, State, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import below, shuffle
from duelbench.kernels.duels import World, duel

# Orders that are counted


@kernel
def bounds(state: State, i: int, j: int) -> tuple[float, float]:
    """Return the ends of the confidence interval for the probability that i beats j."""
    if state.met[i, j] == 0:
        return -0.5, 1.5
    n = state.share * state.met[i, j]
    mean, radius = state.won[i, j] / state.met[i, j], math.sqrt(math.log(state.scale * n * n) / (2.0 * n))
    return mean - radius, mean + radius


@kernel(inline=False)
def partition(
    world: World, state: State, arms: Ints, low: int, high: int, leader: int, rng: np.random.Generator
) -> int:
    """Let a random pivot among the arms at places ``low`` … ``high`` − 1 duel each of the others once; assign classes.

    The class of the winners is ``low``, the class of the losers is ``high``, and the class of the pivot is the place
    after the winners, which is returned. Meanwhile the leader is recommended.
    """
    pivot, middle = arms[low + below(high - low, rng)], low
    for place in range(low, high):
        arm = arms[place]
        if arm != pivot:
            lost = duel(world, pivot, arm, 1) == 1
            state.best[0].arm = leader
            state.classes[arm] = high if lost else low
            middle += not lost
    state.classes[pivot] = middle
    return middle


@kernel(inline=False)
def count_orders(state: State, arms: Ints, low: int, high: int) -> None:
    """Count the order of every two of these arms that are in different classes."""
    for a in range(low, high):
        for b in range(low, high):
            i, j = arms[a], arms[b]
            if state.classes[i] < state.classes[j]:
                state.met[i, j] += 1
                state.met[j, i] += 1
                state.won[i, j] += 1


# PLPAC


@kernel
def is_worse(state: State, i: int, left: int) -> bool:
    """Return whether a remaining arm beats arm i with confidence."""
    for k in range(left):
        j = state.order[k]
        if j != i and bounds(state, i, j)[1] < 0.5:
            return True
    return False


@kernel
def is_good(state: State, i: int, left: int) -> bool:
    """Return whether, with confidence, no remaining arm beats arm i by ε or more."""
    for k in range(left):
        j = state.order[k]
        if j != i and not bounds(state, i, j)[0] > 0.5 - state.epsilon:
            return False
    return True


@kernel(inline=False)
def drop_worse(state: State, left: int) -> int:
    """Drop, one after the other, the arms that a remaining arm beats with confidence; return how many remain."""
    place = 0
    while place < left:
        if is_worse(state, state.order[place], left):
            left -= 1
            for later in range(place, left):
                state.order[later] = state.order[later + 1]
        else:
            place += 1
    return left


@kernel(inline=False)
def good_arm(state: State, left: int) -> int:
    """Return the arm to declare, −1 if there is none yet."""
    best, most = -1, -1
    for a in range(left):
        i = state.order[a]
        if is_good(state, i, left):
            wins = 0
            for b in range(left):
                wins += state.won[i, state.order[b]]
            if wins > most:
                best, most = i, wins
    return best


@kernel(inline=False)
def leading_arm(state: State, left: int) -> int:
    """Return the Copeland winner of the remaining arms by the counted orders, in a tie the one with the most wins."""
    leader, most_beaten, most_wins = -1, 0, 0
    for a in range(left):
        i, beaten, wins = state.order[a], 0, 0
        for b in range(left):
            j = state.order[b]
            beaten += int(state.won[i, j] > state.won[j, i]) - int(state.won[i, j] < state.won[j, i])
            wins += state.won[i, j]
        if leader < 0 or beaten > most_beaten or (beaten == most_beaten and wins > most_wins):
            leader, most_beaten, most_wins = i, beaten, wins
    return leader


@kernel
def find_best(world: World, state: State, rng: np.random.Generator) -> int:
    """PLPAC: partition the remaining arms and drop the worse ones, until one is good enough."""
    order, left, best = state.order, world.arms, -1
    shuffle(order, left, rng)
    while best < 0:
        partition(world, state, order, 0, left, leading_arm(state, left), rng)
        count_orders(state, order, 0, left)
        left = drop_worse(state, left)
        best = good_arm(state, left)
    return best


# PLPAC-AMPR


@kernel(inline=False)
def sort(arms: Ints, low: int, high: int, keys: Ints) -> None:
    """Sort the arms at places ``low`` … ``high`` − 1 by their keys; arms with equal keys keep their order."""
    for place in range(low + 1, high):
        arm, k = arms[place], place
        while k > low and keys[arms[k - 1]] > keys[arm]:
            arms[k] = arms[k - 1]
            k -= 1
        arms[k] = arm


@kernel
def end_of_class(state: State, low: int) -> int:
    """Return the place after the class that begins at place ``low`` of the line."""
    high = low + 1
    while high < state.line.shape[0] and state.classes[state.line[high]] == state.classes[state.line[low]]:
        high += 1
    return high


@kernel(inline=False)
def quicksort(world: World, state: State, low: int, end: int, budget: int, rng: np.random.Generator) -> None:
    """Partition a class, then its winners and its losers and so on, as far as the budget lasts."""
    line = state.line
    while low < end:
        high = end_of_class(state, low)
        if 2 <= high - low <= budget + 1:
            budget -= high - low - 1
            middle = partition(world, state, line, low, high, -1, rng)
            sort(line, low, high, state.classes)
            for place in range(middle + 1, high):
                state.classes[line[place]] = middle + 1
        else:
            low = high


@kernel(inline=False)
def bound_ranks(state: State) -> None:
    """Count for each arm the others that it surely beats and the others that it may beat."""
    arms = state.order.shape[0]
    for i in range(arms):
        state.beaten[i] = 0
        state.reach[i] = 0
        for j in range(arms):
            if i != j:
                low, high = bounds(state, i, j)
                state.beaten[i] += low > 0.5
                state.reach[i] += high >= 0.5


@kernel(inline=False)
def is_clear(state: State) -> bool:
    """Return whether, with confidence, any two arms with overlapping intervals of ranks differ by less than ε."""
    arms = state.order.shape[0]
    for i in range(arms):
        for j in range(arms):
            if i != j and state.beaten[i] <= state.reach[j] and state.beaten[j] <= state.reach[i]:
                low, high = bounds(state, i, j)
                if not (low > 0.5 - state.epsilon and high < 0.5 + state.epsilon):
                    return False
    return True


@kernel(inline=False)
def put_in_components(state: State) -> None:
    """Make each connected set of overlapping intervals of ranks one class, and sort the line by class."""
    line, until, first = state.line, -1, 0
    for place in range(line.shape[0]):
        line[place] = state.order[place]
    sort(line, 0, line.shape[0], state.beaten)
    for place in range(line.shape[0]):
        arm = line[place]
        if state.beaten[arm] > until:
            first = place
        until = max(until, state.reach[arm])
        state.classes[arm] = first
    for place in range(line.shape[0]):
        line[place] = state.order[place]
    sort(line, 0, line.shape[0], state.classes)


@kernel
def find_order(world: World, state: State, rng: np.random.Generator) -> Ints:
    """PLPAC-AMPR: sort the arms with unclear ranks until all are clear; order all by how many they surely beat."""
    order, arms, clear = state.order, world.arms, False
    shuffle(order, arms, rng)
    while not clear:
        put_in_components(state)
        low = 0
        while low < arms:
            high = end_of_class(state, low)
            size = high - low
            if size > 1:
                budget = int(3.0 * (size + 1.0) * math.log(size)) + 1
                quicksort(world, state, low, high, budget, rng)
                count_orders(state, state.line, low, high)
            low = high
        bound_ranks(state)
        clear = is_clear(state)
    shuffle(order, arms, rng)
    for arm in range(arms):
        state.beaten[arm] = -state.beaten[arm]
    sort(order, 0, arms, state.beaten)
    return order  # type: ignore[no-any-return]


class PlPac(Program):
    """Find the best arm up to ε: in each round a random pivot duels all remaining arms once."""

    name = "pl-pac"
    title = "PLPAC"
    citation = (
        "Szörényi, Busa-Fekete, Paul, Hüllermeier. Online Rank Elicitation for Plackett-Luce: A Dueling Bandits "
        "Approach. NeurIPS 2015"
    )
    assumes = "Plackett–Luce model"
    regret_order = "no bound: max Δ⁻² log(K/(Δδ)) rounds of K − 1 duels to a winner"
    supports_delay = False  # a round's orders are counted when all its outcomes are there
    explore = find_best

    epsilon: float = Field(
        0.05,
        ge=0,
        le=0.5,
        description="slack ε: the winner may lose to the best arm with probability up to 1/2 + ε; "
        "with 0 all other arms must be out",
    )
    delta: float = Field(0.1, gt=0, lt=1, description="probability δ that the winner is worse than that")
    variant: Literal["paper", "heckel"] = Field(
        "paper", description="heckel: as the program of Heckel et al. (2019), half of the counts in the radius"
    )

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round.

        ``met[i, j]`` orders of i and j have been counted, ``won[i, j]`` of them with i before j. The radius is
        ``sqrt(log(scale n²) / (2n))`` for n = ``share`` · met. ``order`` begins with the remaining arms, in the order
        in which they are visited. The lower the class of an arm, the better. ``best[0].arm`` is recommended.
        """
        return self.state(
            scale=4 * arms**2 / self.delta,
            share=0.5 if self.variant == "heckel" else 1.0,
            met=np.zeros((arms, arms), np.int64),
            won=np.zeros((arms, arms), np.int64),
            order=np.arange(arms),
            classes=np.zeros(arms, np.int64),
            best=record(arm=-1),
        )

    def recommendation(self, state: Any) -> int | None:
        """Return the Copeland winner of the remaining arms by the counted orders; None before the first outcome."""
        return int(state.best[0].arm) if state.best[0].arm >= 0 else None


class PlpacAmpr(Program):
    """Find the order of all arms up to ε, by quicksorts of the arms whose ranks are not yet clear."""

    name = "plpac-ampr"
    title = "PLPAC-AMPR"
    citation = (
        "Szörényi, Busa-Fekete, Paul, Hüllermeier. Online Rank Elicitation for Plackett-Luce: A Dueling Bandits "
        "Approach. NeurIPS 2015, PLPAC-AMPR"
    )
    assumes = "Plackett–Luce model"
    regret_order = "no bound"
    finds_order = True
    declares_tiers = True
    supports_delay = False  # the orders of a sort are counted when all its outcomes are there
    explore = find_order

    epsilon: float = Field(
        0.0, ge=0, le=0.5, description="slack ε: arms that differ by less may be declared in either order"
    )
    delta: float = Field(0.05, gt=0, lt=1, description="probability δ of declaring an order that is wrong beyond ε")

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round: the state of PLPAC with further fields.

        Arm i surely beats ``beaten[i]`` others, and may beat up to ``reach[i]``. In the ``line`` the arms of a class
        are next to each other: a class is the place where it begins.
        """
        return self.state(
            scale=4 * arms**2 / self.delta,
            share=1.0,
            met=np.zeros((arms, arms), np.int64),
            won=np.zeros((arms, arms), np.int64),
            order=np.arange(arms),
            classes=np.zeros(arms, np.int64),
            beaten=np.zeros(arms, np.int64),
            reach=np.full(arms, arms - 1),
            line=np.arange(arms),
            best=record(arm=-1),
        )
