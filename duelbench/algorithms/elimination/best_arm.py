"""A bandit in search of its best arm, explore then exploit: the "naive" and "wrapped" competitors of SAVAGE.

The paper names them and leaves the details open; here is how they are read. The bandit has N arms, each of them a
duel that is won or lost, and the confidence radius of SAVAGE, ``c(n) = sqrt(log(2NT/δ) / (2n))``.

- *Elimination* plays all arms still in, one after the other, and after each such round drops those with ``p̂ + c``
  below the largest ``p̂ − c`` (Even-Dar, Mannor, Mansour 2002). Exploration ends when one is left.
- *Uniform* plays all arms in turn and drops none; it ends after the round in which elimination would.
- *UCB* plays the largest ``p̂ + sqrt(2 log n / n_k)``, ties at random (UCB1; Auer, Cesa-Bianchi, Fischer 2002). It
  ends when, by the same radius, one arm is above all others.

Hold. Every answer is a single duel until the winner is declared; the rest of the run is its self-duel, in one block,
and nothing more is drawn. The path is the same as with stepping.
"""

from __future__ import annotations

import math
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import ExploreThenExploit, declare, nothing_declared
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import below
from duelbench.kernels.ucb import Bandits, choose_arm, factor_of, reward, unplayed


class BestArmState(NamedTuple):
    """One bandit, over all arms or, ``against_first``, over all but arm 0; ``drops`` those that are worse, or none.

    A radius is ``sqrt(half_log / n)``. ``remaining`` holds the bandit arms that elimination has left,
    ``cursor[0].length`` many; ``cursor[0].position`` is the place of the next one. ``declared``: see ``declaration``.
    """

    arms: int
    against_first: bool
    by_ucb: bool
    drops: bool
    half_log: float
    bandit: Bandits
    remaining: Ints
    cursor: Record
    declared: Record


@kernel
def upper_end(state: BestArmState, k: int) -> float:
    """Return p̂ + c of bandit arm k, infinite before its first play."""
    plays = state.bandit.plays[0, k]
    return np.inf if plays == 0 else state.bandit.mean[0, k] + math.sqrt(state.half_log / plays)


@kernel
def lower_end(state: BestArmState, k: int) -> float:
    """Return p̂ − c of bandit arm k, −infinite before its first play."""
    plays = state.bandit.plays[0, k]
    return -np.inf if plays == 0 else state.bandit.mean[0, k] - math.sqrt(state.half_log / plays)


@kernel
def eliminate(state: BestArmState) -> None:
    """Drop the bandit arms that are below another with confidence; uniform: only if one is left."""
    best = -np.inf
    for place in range(state.cursor[0].length):
        best = max(best, lower_end(state, state.remaining[place]))
    kept = 0
    for place in range(state.cursor[0].length):
        if upper_end(state, state.remaining[place]) >= best:
            state.remaining[kept] = state.remaining[place]
            kept += 1
    if kept > 1 and not state.drops:
        kept = state.remaining.shape[0]
        for k in range(kept):
            state.remaining[k] = k
    state.cursor[0].length = kept
    state.cursor[0].position = 0


@kernel
def above_all(state: BestArmState) -> int:
    """Return the bandit arm that is above all others with confidence, −1 if there is none."""
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


@kernel
def found(state: BestArmState) -> int:
    """Return the bandit arm that exploration ends with, −1 while it goes on."""
    if state.by_ucb:
        return above_all(state)
    if state.cursor[0].position == state.cursor[0].length:
        eliminate(state)
    return int(state.remaining[0]) if state.cursor[0].length == 1 else -1


@kernel
def select(state: BestArmState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Play the bandit's next arm, or commit to the winner."""
    declared, cursor = state.declared[0], state.cursor[0]
    if declared.winner < 0:
        best = found(state)
        if best >= 0:
            declare(state.declared, best + int(state.against_first), t)
    if declared.winner >= 0:
        return declared.winner, declared.winner, last - t + 1
    if state.by_ucb:
        play = choose_arm(state.bandit, 0, factor_of(state.bandit, 0), rng)
    else:
        play = state.remaining[cursor.position]
        cursor.position += 1
    if state.against_first:
        return play + 1, 0, 1
    second = below(state.arms - 1, rng) if state.arms > 2 else 0
    return play, second + (1 if second >= play else 0), 1


@kernel
def update(state: BestArmState, first: int, second: int, wins: int, count: int) -> None:
    """Reward the play."""
    if first != second:
        reward(state.bandit, 0, first - int(state.against_first), wins, count)


class BestArmSearch(ExploreThenExploit):
    """The base class of the two, which differ in what an arm of the bandit is."""

    citation = "Urvoy, Clerot, Féraud, Naamane. Generic Exploration and K-armed Voting Bandits. ICML 2013, competitors"
    State = BestArmState
    select = staticmethod(select)
    update = staticmethod(update)
    against_first: ClassVar[bool]

    rule: Literal["elimination", "ucb", "uniform"] = Field("elimination", description="how the bandit chooses its arm")
    delta: float | None = Field(None, gt=0, lt=1, description="probability δ of a wrong winner; 1/T when not given")

    def start(self, arms: int, horizon: int) -> BestArmState:
        """Return the state before the first round."""
        size = arms - int(self.against_first)
        delta = 1 / horizon if self.delta is None else self.delta
        return BestArmState(
            arms=arms,
            against_first=self.against_first,
            by_ucb=self.rule == "ucb",
            drops=self.rule == "elimination",
            half_log=math.log(2 * size * horizon / delta) / 2,
            bandit=unplayed(1, size, 2.0),
            remaining=np.arange(size),
            cursor=record(position=0, length=size),
            declared=nothing_declared(),
        )
