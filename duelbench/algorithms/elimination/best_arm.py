"""A bandit in search of its best arm, explore then exploit: the "naive" and "wrapped" competitors of SAVAGE.

The paper names them and leaves the details open; this is our reading. The bandit has N arms; each play of an arm is a
duel that is won or lost. The confidence radius is the same as in SAVAGE: ``c(n) = sqrt(log(2NT/δ) / (2n))``.

- *Elimination* plays all remaining arms in turn, and after each such round drops the arms with ``p̂ + c`` below the
  largest ``p̂ − c`` (Even-Dar, Mannor, Mansour 2002). Exploration ends when one is left.
- *Uniform* plays all arms in turn and drops none; it ends after the round in which elimination would.
- *UCB* plays the largest ``p̂ + sqrt(2 log n / n_k)``, ties at random (UCB1; Auer, Cesa-Bianchi, Fischer 2002). It
  ends when, by the same radius, one arm is above all others.

*Naive* bandits are ordinary bandits, expressed as preferences. In the bandit simulations of section 5.1 "naive" rules
see an arm's own reward. Here the mean of arm i ≥ 1 is P[i, 0], its probability of beating arm 0, which serves only as a
yardstick: the bandit plays arm i by a duel with arm 0. So it finds the arm that is most likely to beat arm 0. It is
meant for instances of the generator ``bandit``, in a spec with ``shuffle_arms: false``; otherwise arm 0 is a different
arm in each run.

*Wrapped* bandits have an arm for each of the K arms, and its reward is 1 when that arm beats a random other one. So the
best arm is the Borda winner.

The pseudo-code, step by step, is ``naive`` and ``wrapped`` in ``tests/reference/savage.py``;
``tests/test_catalogue.py`` checks that the paths are equal.
"""

import math
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Program
from duelbench.arrays import State
from duelbench.compiling.jit import kernel
from duelbench.kernels.confidence import choose_arm, factor_of, reward, unplayed
from duelbench.kernels.draws import below
from duelbench.kernels.duels import World, duel


@kernel
def survivors(state: State, left: int) -> int:
    """Drop the bandit arms that are below another one with confidence; return how many are left."""
    remaining, plays, mean = state.remaining, state.bandit.plays, state.bandit.mean
    best = -np.inf
    for place in range(left):
        k = remaining[place]
        best = max(best, mean[0, k] - math.sqrt(state.half_log / plays[0, k]))
    kept = 0
    for place in range(left):
        k = remaining[place]
        if mean[0, k] + math.sqrt(state.half_log / plays[0, k]) >= best:
            remaining[kept] = k
            kept += 1
    return kept


@kernel
def above_all(state: State) -> int:
    """Return the bandit arm that is above all others with confidence; −1 if there is none."""
    mean, width, root = state.bandit.mean, state.bandit.width, math.sqrt(state.half_log)
    if state.remaining.shape[0] == 1:
        return 0
    best, floor = -1, -np.inf
    for k in range(state.remaining.shape[0]):
        if mean[0, k] == np.inf:  # not played yet
            return -1
        if mean[0, k] - root * width[0, k] > floor:
            best, floor = k, mean[0, k] - root * width[0, k]
    for k in range(state.remaining.shape[0]):
        if k != best and mean[0, k] + root * width[0, k] >= floor:
            return -1
    return best


@kernel(inline=False)
def play(world: World, state: State, k: int, rng: np.random.Generator) -> None:
    """Play bandit arm k, by a duel with arm 0 or with a random other arm."""
    if state.against_first:
        wins = duel(world, k + 1, 0, 1)
    else:
        other = below(world.arms - 1, rng) if world.arms > 2 else 0
        wins = duel(world, k, other + int(other >= k), 1)
    reward(state.bandit, 0, k, wins, 1)


@kernel
def best_by_elimination(world: World, state: State, rng: np.random.Generator) -> int:
    """Play the remaining bandit arms in turn, until a single one is left."""
    size = left = state.remaining.shape[0]
    while left > 1:
        for place in range(left):
            play(world, state, state.remaining[place], rng)
        left = survivors(state, left)
        if left > 1 and not state.drops:
            left = size
            for k in range(size):
                state.remaining[k] = k
    return state.remaining[0]  # type: ignore[no-any-return]


@kernel
def best_by_ucb(world: World, state: State, rng: np.random.Generator) -> int:
    """Play the bandit arm with the largest index, until one is above all others."""
    best = above_all(state)
    while best < 0:
        play(world, state, choose_arm(state.bandit, 0, factor_of(state.bandit, 0), rng), rng)
        best = above_all(state)
    return best


@kernel
def explore(world: World, state: State, rng: np.random.Generator) -> int:
    """Find the best arm of the bandit."""
    best = best_by_ucb(world, state, rng) if state.by_ucb else best_by_elimination(world, state, rng)
    return best + int(state.against_first)


class BestArmSearch(Program):
    """The base class of the two, which differ in what an arm of the bandit is."""

    citation = "Urvoy, Clerot, Féraud, Naamane. Generic Exploration and K-armed Voting Bandits. ICML 2013, competitors"
    regret_order = "K log T"
    uses_horizon = True
    in_order = True
    explore = explore
    against_first: ClassVar[bool]

    rule: Literal["elimination", "ucb", "uniform"] = Field("elimination", description="how the bandit chooses its arm")
    delta: float | None = Field(None, gt=0, lt=1, description="probability δ of a wrong winner; 1/T when not given")

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round: one bandit over all arms, or without arm 0 if ``against_first``.

        A radius is ``sqrt(half_log / n)``. ``remaining`` begins with the bandit arms that elimination has left;
        ``drops``: whether the other arms are no longer played.
        """
        size = arms - int(self.against_first)
        delta = 1 / horizon if self.delta is None else self.delta
        return self.state(
            against_first=self.against_first,
            by_ucb=self.rule == "ucb",
            drops=self.rule == "elimination",
            half_log=math.log(2 * size * horizon / delta) / 2,
            bandit=unplayed(1, size, 2.0),
            remaining=np.arange(size),
        )


class Naive(BestArmSearch):
    """An ordinary bandit, whose reward is the outcome of a duel with arm 0."""

    name = "naive"
    title = "Naive"
    assumes = "arm 0 is a baseline"
    against_first = True


class Wrapped(BestArmSearch):
    """A bandit whose reward is the outcome of a duel with a random opponent."""

    name = "wrapped"
    title = "Wrapped elimination"
    assumes = "one Borda winner"
    against_first = False
