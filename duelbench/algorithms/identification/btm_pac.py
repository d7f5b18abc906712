"""BTM-PAC: beat the mean until the arms that are left are good enough, at a confidence of its own.

The arm with the fewest duels meets a random arm, the mean's stand-in; the worst arm is dropped once it is worse than
the best with confidence, and with it all duels against it. When every arm has so many duels that none can be worse by
ε, the best is declared. The pseudo-code, step by step, is ``duelbench/reference/beat_the_mean.py``;
``tests/test_catalogue.py`` checks that the paths are equal. ``btm`` is the same for regret, where the
confidence is the horizon's. ``variant: heckel`` is the practical one in the program of Heckel, Shah, Ramchandran,
Wainwright (Annals of Statistics 2019), a smaller radius and no slack; there is no proof of it.

Hold. Every answer is a single duel until the winner is declared; the rest of the run is its self-duel, in one block,
and nothing more is drawn. The path is the same as with stepping.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import ExploreThenExploit, declare, nothing_declared
from duelbench.arrays import Flags, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.arithmetic import NEVER
from duelbench.kernels.draws import pick


class BtmPacState(NamedTuple):
    """Records against the mean of the active set.

    ``duels[i, j]``, ``wins[i, j]``: duels that i started against j while both were active, and how many i won;
    ``total`` and ``won`` are their sums over j. A radius is ``scale / sqrt(n)``, or with ``practical`` ``sqrt(log(scale
    log n) / n)``, and ``enough`` duels of every arm end the search. ``cursor[0]``: how many arms are ``left``, and
    whether a duel has been counted since the last look for one to drop, ``unjudged``. ``found`` is a buffer for a list
    of arms. ``declared``: see ``declaration``.
    """

    self_duels: bool
    practical: bool
    scale: float
    enough: int
    duels: Ints
    wins: Ints
    total: Ints
    won: Ints
    active: Flags
    found: Ints
    cursor: Record
    declared: Record


@kernel
def mean(state: BtmPacState, i: int) -> float:
    """Return the share of its duels that arm i won, 1/2 before the first."""
    return state.won[i] / state.total[i] if state.total[i] > 0 else 0.5


@kernel
def fewest_duels(state: BtmPacState) -> int:
    """Return the smallest number of duels of an arm that is left."""
    fewest = NEVER
    for i in range(state.total.shape[0]):
        if state.active[i]:
            fewest = min(fewest, state.total[i])
    return fewest


@kernel
def radius(state: BtmPacState, n: int) -> float:
    """Return the radius after n duels, one that drops nobody before there is any."""
    if state.practical:
        return math.sqrt(math.log(state.scale * math.log(n)) / n) if n > 1 else 1.0
    return state.scale / math.sqrt(n) if n > 0 else 1.0


@kernel(inline=False)
def drop(state: BtmPacState, worst: float, rng: np.random.Generator) -> None:
    """Drop a random arm of the worst mean, and forget all duels against it."""
    count = 0
    for i in range(state.total.shape[0]):
        if state.active[i] and mean(state, i) == worst:
            state.found[count] = i
            count += 1
    loser = pick(state.found, count, rng)
    state.active[loser] = False
    state.cursor[0].left -= 1
    for i in range(state.total.shape[0]):
        state.total[i] -= state.duels[i, loser]
        state.won[i] -= state.wins[i, loser]


@kernel
def judge(state: BtmPacState, rng: np.random.Generator) -> None:
    """Drop the worst arm if it is worse than the best with confidence."""
    worst, best = 2.0, -1.0
    for i in range(state.total.shape[0]):
        if state.active[i]:
            p = mean(state, i)
            worst = min(worst, p)
            best = max(best, p)
    enough = radius(state, fewest_duels(state))
    if worst + enough <= best - enough:
        drop(state, worst, rng)


@kernel(inline=False)
def best_arm(state: BtmPacState) -> int:
    """Return the arm with the highest mean of those that are left, the first one in a tie."""
    best = -1
    for i in range(state.total.shape[0]):
        if state.active[i] and (best < 0 or mean(state, i) > mean(state, best)):
            best = i
    return best


@kernel
def choose(state: BtmPacState, rng: np.random.Generator) -> tuple[int, int]:
    """Return the arm with the fewest duels and a random one that is left."""
    fewest, count = fewest_duels(state), 0
    for i in range(state.total.shape[0]):
        if state.active[i] and state.total[i] == fewest:
            state.found[count] = i
            count += 1
    first = pick(state.found, count, rng)
    count = 0
    for i in range(state.total.shape[0]):
        if state.active[i] and (state.self_duels or i != first):
            state.found[count] = i
            count += 1
    return first, pick(state.found, count, rng)


@kernel
def select(state: BtmPacState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the arm with the fewest duels against a random one that is left, or commit to the winner."""
    cursor, declared = state.cursor[0], state.declared[0]
    if declared.winner < 0 and cursor.unjudged:
        judge(state, rng)
        cursor.unjudged = False
        if cursor.left == 1 or fewest_duels(state) >= state.enough:
            declare(state.declared, best_arm(state), t)
    if declared.winner >= 0:
        return declared.winner, declared.winner, last - t + 1
    first, second = choose(state, rng)
    if first == second:
        count_duel(state, first, second, int(rng.random() < 0.5))
    return first, second, 1


@kernel
def count_duel(state: BtmPacState, first: int, second: int, wins: int) -> None:
    """Put a duel on the record of the first arm; the second was only the mean's stand-in."""
    state.duels[first, second] += 1
    state.wins[first, second] += wins
    state.total[first] += 1
    state.won[first] += wins
    state.cursor[0].unjudged = True


@kernel
def update(state: BtmPacState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome; a self-duel's coin was tossed and counted when it was chosen."""
    if first != second:
        count_duel(state, first, second, wins)


class BtmPac(ExploreThenExploit):
    """Beat the mean for a winner that is good enough, at a confidence that is given."""

    name = "btm-pac"
    title = "Beat the Mean (PAC)"
    citation = "Yue, Joachims. Beat the Mean Bandit. ICML 2011, Algorithm 3"
    assumes = "total order, relaxed SST, STI"
    regret_order = "no bound: γ⁶ K log(K/(εδ)) / ε² duels to a winner"
    uses_horizon = False  # δ is its own
    State = BtmPacState
    select = staticmethod(select)
    update = staticmethod(update)

    epsilon: float = Field(
        0.05, ge=1e-9, le=0.5, description="slack ε: the winner may lose to the best arm with probability up to 1/2 + ε"
    )
    delta: float = Field(0.1, gt=0, lt=1, description="probability δ that the winner is worse than that")
    gamma: float = Field(1.0, ge=1, le=1000, description="relaxation γ of strong stochastic transitivity")
    self_duels: bool = Field(
        True, description="whether an arm may be its own random opponent, which is a fair coin and counts as a duel"
    )

    variant: Literal["paper", "heckel"] = Field(
        "paper",
        description="heckel: as the program of Heckel et al. (2019), a smaller radius that no proof covers, and no "
        "slack: whatever `epsilon` and `gamma`, all other arms must be out",
    )

    def start(self, arms: int, horizon: int) -> BtmPacState:
        """Return the state before the first round; the horizon does not matter."""
        square, line = (arms, arms), np.int64
        practical = self.variant == "heckel"
        enough = NEVER if practical else duels_of_every_arm(arms, self.epsilon, self.delta, self.gamma)
        wide = 3 * self.gamma**2 * math.sqrt(math.log(arms**3 * enough) - math.log(self.delta))
        return BtmPacState(
            self_duels=self.self_duels,
            practical=practical,
            scale=2 * arms / self.delta if practical else wide,
            enough=enough,
            duels=np.zeros(square, line),
            wins=np.zeros(square, line),
            total=np.zeros(arms, line),
            won=np.zeros(arms, line),
            active=np.ones(arms, np.bool_),
            found=np.zeros(arms, line),
            cursor=record(left=arms, unjudged=False),
            declared=nothing_declared(),
        )

    def recommendation(self, state: BtmPacState) -> int:
        """Return the arm with the highest mean of those that are left, the first one in a tie."""
        means = np.where(state.total > 0, state.won / np.maximum(state.total, 1), 0.5)
        return int(np.where(state.active, means, -1.0).argmax())


def duels_of_every_arm(arms: int, epsilon: float, delta: float, gamma: float) -> int:
    """Return the smallest N that is ``⌈36γ⁶/ε² · log(K³N/δ)⌉``, found by iterating from 1; NEVER if it is larger."""
    N, after = 0, 1
    while after > N:
        N = after
        after = int(min(math.ceil(36 * gamma**6 / epsilon**2 * (math.log(arms**3 * N) - math.log(delta))), NEVER))
    return N
