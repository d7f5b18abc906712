"""Beat the mean: BTM for low regret, and BTM-PAC, which finds an ε-optimal arm with a given confidence.

The arm with the fewest duels plays a random arm, which stands for the mean. The worst arm is dropped once it is worse
than the best with confidence, and all duels against it are discarded. BTM's confidence follows from the horizon, and it
ends when a single arm is left. BTM-PAC also ends when every arm has so many duels that none can be worse than the best
by more than ε; the arm with the highest mean is declared. The pseudo-code, step by step, is
``tests/reference/beat_the_mean.py``; ``tests/test_catalogue.py`` checks that the paths, round by round, are equal.

``variant: komiyama`` is what the code of Komiyama, Honda, Kashima, Nakagawa (COLT 2015) plays, with
``confidence_scale: 1``: others have used it for their experiments (Agarwal, Ghuge, Nagarajan, ICML 2022). There an arm
never meets itself until it has won, ties go to the lowest index instead of a random arm, and intervals that just touch
drop nobody. ``variant: heckel`` is the practical BTM-PAC in the program of Heckel, Shah, Ramchandran, Wainwright
(Annals of Statistics 2019). It has a smaller radius and no slack; no proof covers it.

Blocks, of BTM. Suppose that several arms are left, each with at least one and at most n duels. The arm with the fewest
duels always plays next, so every arm reaches n duels unless one is dropped before. Until then no mean is above
``(n − l) / n`` or below ``w / n``, where l and w are the smallest current numbers of losses and wins of any arm, and
the radius is at least ``c / sqrt(n)``. If ``n − l − w < 2 c sqrt(n)``, no arm can be dropped on the way, whatever the
outcomes, so these duels form one block. Each arm's opponents are independent and equally likely, whether or not they
include the arm itself. So its numbers of duels against them are multinomial and its wins binomial, and the state at the
end of the block has the same distribution as with stepping.
"""

import math
from typing import Any, Literal

import numpy as np
from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from duelbench.algorithms.algorithm import Program
from duelbench.arrays import State, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.arithmetic import NEVER
from duelbench.kernels.draws import binomial, pick
from duelbench.kernels.duels import World, block_limit, duel


@kernel
def mean(state: State, i: int) -> float:
    """Return the share of its duels that arm i has won; 1/2 before the first."""
    return state.won[i] / state.total[i] if state.total[i] > 0 else 0.5


@kernel
def fewest_duels(state: State) -> int:
    """Return the smallest number of duels of any remaining arm."""
    fewest = NEVER
    for i in range(state.total.shape[0]):
        if state.active[i]:
            fewest = min(fewest, state.total[i])
    return fewest


@kernel(inline=False)
def best_arm(state: State) -> int:
    """Return the remaining arm with the highest mean; the first one in a tie."""
    best = -1
    for i in range(state.total.shape[0]):
        if state.active[i] and (best < 0 or mean(state, i) > mean(state, best)):
            best = i
    return best


@kernel(inline=False)
def play(world: World, state: State, first: int, second: int, count: int, rng: np.random.Generator) -> None:
    """Play duels and count them for the first arm only; the second stands for the mean. A self-duel is a fair coin."""
    if first != second:
        wins = duel(world, first, second, count)
    else:
        wins = binomial(count, 0.5, rng) if count > 1 else int(rng.random() < 0.5)
        duel(world, first, first, count)
    state.duels[first, second] += count
    state.wins[first, second] += wins
    state.total[first] += count
    state.won[first] += wins


@kernel(inline=False)
def play_one(world: World, state: State, rng: np.random.Generator) -> None:
    """Duel the remaining arm with the fewest duels against a random remaining arm."""
    fewest, count = NEVER, 0
    for i in range(world.arms):
        if state.active[i]:
            if state.total[i] < fewest:
                fewest, count = state.total[i], 0
            if state.total[i] == fewest:
                state.found[count] = i
                count += 1
    first = pick(state.found, 1 if state.in_order else count, rng)
    count = 0
    for i in range(world.arms):
        if state.active[i] and (state.self_duels or i != first):
            state.found[count] = i
            count += 1
    play(world, state, first, pick(state.found, count, rng), 1, rng)


@kernel(inline=False)
def judge(state: State, radius: float, rng: np.random.Generator) -> int:
    """If the worst arm is worse than the best with confidence, drop it and all duels against it.

    Return 1 if an arm was dropped, else 0.
    """
    best, worst, count = -1.0, 2.0, 0
    for i in range(state.total.shape[0]):
        if state.active[i]:
            p = mean(state, i)
            if p > best:
                best = p
                state.ahead[0].arm = i
            if p < worst:
                worst, count = p, 0
            if p == worst:
                state.found[count] = i
                count += 1
    low, high = worst + radius, best - radius
    if low > high or (state.in_order and low == high):
        return 0
    loser = pick(state.found, 1 if state.in_order else count, rng)
    state.active[loser] = False
    for i in range(state.total.shape[0]):
        state.total[i] -= state.duels[i, loser]
        state.won[i] -= state.wins[i, loser]
    return 1


@kernel(inline=False)
def level_without_drop(state: State, left: int, most_rounds: int) -> tuple[int, int]:
    """Return a number of duels that all arms reach before one can be dropped, and the rounds until then (1 if none)."""
    duels, most, fewest, losses, wins = 0, 0, NEVER, NEVER, NEVER
    for i in range(state.total.shape[0]):
        if state.active[i]:
            duels += state.total[i]
            most = max(most, state.total[i])
            fewest = min(fewest, state.total[i])
            losses = min(losses, state.total[i] - state.won[i])
            wins = min(wins, state.won[i])
    c = state.scale * math.sqrt(state.log_inverse_delta)
    safe = (c + math.sqrt(c**2 + losses + wins)) ** 2 - 1.0  # the root of n − l − w = 2 c sqrt(n), and a margin
    level = int(min(safe, (most_rounds + duels) // left))
    return level, left * level - duels if fewest > 0 and level > most else 1


@kernel(inline=False)
def play_block(world: World, state: State, left: int, level: int, rng: np.random.Generator) -> None:
    """Duel every remaining arm against random ones until it has ``level`` duels."""
    arms, planned = world.arms, state.planned
    planned[:] = 0
    for i in range(arms):
        rounds, opponents = level - state.total[i], left if state.self_duels else left - 1
        for j in range(arms):
            if state.active[i] and state.active[j] and (state.self_duels or i != j):
                last = opponents == 1 or rounds == 0
                planned[i, j] = rounds if last else binomial(rounds, 1.0 / opponents, rng)
                rounds -= planned[i, j]
                opponents -= 1
    for i in range(arms):
        for j in range(arms):
            if planned[i, j] > 0:
                play(world, state, i, j, planned[i, j], rng)


@kernel
def explore(world: World, state: State, rng: np.random.Generator) -> int:
    """BTM."""
    left = world.arms
    while left > 1:
        level, rounds, limit = 0, 1, block_limit(world)
        if limit > 1:
            level, rounds = level_without_drop(state, left, limit)
        if rounds >= 2 * left**2:
            play_block(world, state, left, level, rng)
        else:
            for _ in range(rounds):
                play_one(world, state, rng)
        fewest = fewest_duels(state)
        radius = state.scale * math.sqrt(state.log_inverse_delta / fewest) if fewest > 0 else 1.0
        left -= judge(state, radius, rng)
    return best_arm(state)


@kernel
def radius_of_pac(state: State, n: int) -> float:
    """Return the radius after n duels; where it is undefined it is 1, which drops nobody."""
    if state.practical:
        return math.sqrt(math.log(state.scale * math.log(n)) / n) if n > 1 else 1.0
    return state.scale / math.sqrt(n) if n > 0 else 1.0


@kernel
def explore_pac(world: World, state: State, rng: np.random.Generator) -> int:
    """BTM-PAC."""
    left = world.arms
    while left > 1 and fewest_duels(state) < state.enough:
        play_one(world, state, rng)
        left -= judge(state, radius_of_pac(state, fewest_duels(state)), rng)
    return best_arm(state)


class BeatTheMean(Program):
    """The base class of both, which differ in their radius and their stopping rule."""

    def records(self, arms: int, **more: Any) -> Any:
        """Return the state before the first round, with more numbers and arrays.

        ``duels[i, j]``, ``wins[i, j]``: duels that i started against j while both were active, and how many i won;
        ``total`` and ``won`` are their sums over j. ``ahead``: the best arm when arms were last judged, before any was
        dropped. ``found`` is a buffer for a list of arms. ``self_duels``: whether an arm may meet itself; ``in_order``:
        whether ties go to the lowest index, and touching intervals drop nobody.
        """
        square, line = (arms, arms), np.int64
        return self.state(
            duels=np.zeros(square, line),
            wins=np.zeros(square, line),
            total=np.zeros(arms, line),
            won=np.zeros(arms, line),
            active=np.ones(arms, np.bool_),
            found=np.zeros(arms, line),
            ahead=record(arm=0),
            **more,
        )

    def recommendation(self, state: Any) -> int:
        """Return the arm that had the highest mean when arms were last judged; the first one in a tie."""
        return int(state.ahead[0].arm)


class Btm(BeatTheMean):
    """Drop the arm that does worst against the mean of the remaining arms, until one is left."""

    name = "btm"
    ends_blocks_at_checkpoints = True
    title = "Beat the Mean"
    citation = "Yue, Joachims. Beat the Mean Bandit. ICML 2011"
    assumes = "total order, relaxed SST, STI"
    regret_order = "γ⁷ K log T"
    uses_horizon = True
    explore = explore

    gamma: float = Field(1.3, ge=1, description="relaxation γ of strong stochastic transitivity")
    confidence_scale: float = Field(
        3.0, gt=0, description="factor of the radius; 3 is the paper's, 1 that of Komiyama et al.'s code"
    )
    variant: Literal["paper", "komiyama"] = Field(
        "paper",
        description="komiyama: as their code, no self-duels, ties to the lowest index, touching intervals drop nobody",
    )

    @model_serializer(mode="wrap")
    def _parameters(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Omit the default variant: these parameters name random streams, and some results predate the variants."""
        written: dict[str, Any] = handler(self)
        if self.variant == "paper":
            del written["variant"]
        return written

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round, for confidence δ = 1/(2TK).

        A radius is ``scale · sqrt(log_inverse_delta / n)``. ``planned``: the duels of a block.
        """
        return self.records(
            arms,
            self_duels=self.variant == "paper",
            in_order=self.variant == "komiyama",
            scale=self.confidence_scale * self.gamma**2,
            log_inverse_delta=math.log(2 * horizon * arms),
            planned=np.zeros((arms, arms), np.int64),
        )


class BtmPac(BeatTheMean):
    """Beat the mean until an ε-optimal arm is found with a given confidence."""

    name = "btm-pac"
    title = "Beat the Mean (PAC)"
    citation = "Yue, Joachims. Beat the Mean Bandit. ICML 2011, Algorithm 3"
    assumes = "total order, relaxed SST, STI"
    regret_order = "no bound: γ⁶ K log(K/(εδ)) / ε² duels to a winner"
    explore = explore_pac

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

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round; the horizon does not matter.

        A radius is ``scale / sqrt(n)``, or ``sqrt(log(scale log n) / n)`` if ``practical``. The search ends when every
        arm has ``enough`` duels.
        """
        practical = self.variant == "heckel"
        enough = NEVER if practical else duels_of_every_arm(arms, self.epsilon, self.delta, self.gamma)
        wide = 3 * self.gamma**2 * math.sqrt(math.log(arms**3 * enough) - math.log(self.delta))
        scale = 2 * arms / self.delta if practical else wide
        return self.records(arms, in_order=False, practical=practical, scale=scale, enough=enough)


def duels_of_every_arm(arms: int, epsilon: float, delta: float, gamma: float) -> int:
    """Return the smallest N that is ``⌈36γ⁶/ε² · log(K³N/δ)⌉``, found by iterating from 1; at most NEVER."""
    N, after = 0, 1
    while after > N:
        N = after
        after = int(min(math.ceil(36 * gamma**6 / epsilon**2 * (math.log(arms**3 * N) - math.log(delta))), NEVER))
    return N
