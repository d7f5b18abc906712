"""BTM: beat the mean, explore then exploit.

The arm with the fewest duels meets a random arm, the mean's stand-in; the worst arm is dropped once it is worse than
the best with confidence, and with it all duels against it. The pseudo-code, step by step, is
``duelbench/reference/beat_the_mean.py``; ``tests/test_catalogue.py`` checks that the paths, round by round, are equal.

``variant: komiyama`` is what the code of Komiyama, Honda, Kashima, Nakagawa (COLT 2015) plays, with ``confidence_scale:
1``: others have used it for their experiments (Agarwal, Ghuge, Nagarajan, ICML 2022). There an arm never meets itself
until it has won, ties go to the lowest index instead of a random arm, and intervals that just touch drop nobody.

Hold. Once a single arm is left the rest of the run is its self-duel, in one block; nothing more is drawn.

Blocks. Let several arms be left, each with one duel at least and n at most. The arm with the fewest duels is next, so
all come to n, unless one is dropped before. Until then no mean is above ``(n − l) / n`` or below ``w / n``, where l and
w are the fewest losses and the fewest wins that any of them has now, and the radius is at least ``c / sqrt(n)``. If ``n
− l − w < 2 c sqrt(n)``, none can be dropped on the way, however the duels end: they are one block
(``kernels/blocks.py``). Each arm's opponents are independent and equally likely, with itself among them or without, so
its numbers of duels against them are multinomial, and a sum of coins is binomial: the law at the end of the block is
that of stepping. With delayed outcomes the choices rest on old counts, and every duel is chosen by itself.
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from duelbench.algorithms.declaration import ExploreThenExploit, declare, nothing_declared
from duelbench.arrays import Flags, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.arithmetic import NEVER
from duelbench.kernels.blocks import Block, allocate_to_pair, emit_block, new_block
from duelbench.kernels.draws import binomial, pick


class BtmState(NamedTuple):
    """Records against the mean of the active set.

    ``duels[i, j]``, ``wins[i, j]``: duels that i started against j while both were active, and how many i won.
    ``total`` and ``won`` are their sums over j. ``komiyama``: play that variant. A radius is ``scale ·
    sqrt(log_inverse_delta / n)``. ``progress[0]``: whether a duel has been counted since the last look for an arm to
    drop, ``unjudged``; how many duels were ``asked`` for and of how many the outcome was ``told``; whether an outcome
    ever came ``late``; and the round before which no arm can be dropped, ``safe_until``. ``block`` has the duels to
    come, ``found`` is a buffer for a list of arms. ``declared``: see ``declaration``.
    """

    komiyama: bool
    scale: float
    log_inverse_delta: float
    duels: Ints
    wins: Ints
    total: Ints
    won: Ints
    active: Flags
    progress: Record
    block: Block
    declared: Record
    found: Ints


@kernel
def mean(state: BtmState, i: int) -> float:
    """Return the share of its duels that arm i won, 1/2 before the first."""
    return state.won[i] / state.total[i] if state.total[i] > 0 else 0.5


@kernel
def drop_worst(state: BtmState, rng: np.random.Generator) -> None:
    """Drop the worst arm if it is worse than the best with confidence, and forget all duels against it."""
    arms = state.total.shape[0]
    fewest = -1
    worst, best = 2.0, -1.0
    count = 0
    for i in range(arms):
        if not state.active[i]:
            continue
        if fewest < 0 or state.total[i] < fewest:
            fewest = state.total[i]
        p = mean(state, i)
        best = max(best, p)
        if p < worst:
            worst = p
            count = 0
        if p == worst:
            state.found[count] = i
            count += 1
    radius = state.scale * math.sqrt(state.log_inverse_delta / fewest) if fewest > 0 else 1.0
    low, high = worst + radius, best - radius
    if low > high or (state.komiyama and low == high):
        return
    loser = pick(state.found, 1 if state.komiyama else count, rng)
    state.active[loser] = False
    for i in range(arms):
        state.total[i] -= state.duels[i, loser]
        state.won[i] -= state.wins[i, loser]


@kernel(inline=False)
def start_block(state: BtmState, t: int, last: int, rng: np.random.Generator) -> None:
    """Allocate the rounds from t, to ``last`` at most, that cannot drop an arm; note them if they are too few."""
    arms = state.total.shape[0]
    active, duels, most = 0, 0, 0
    fewest, losses, wins = NEVER, NEVER, NEVER
    for i in range(arms):
        if state.active[i]:
            active += 1
            duels += state.total[i]
            most = max(most, state.total[i])
            fewest = min(fewest, state.total[i])
            losses = min(losses, state.total[i] - state.won[i])
            wins = min(wins, state.won[i])
    c = state.scale * math.sqrt(state.log_inverse_delta)
    safe = (c + math.sqrt(c**2 + losses + wins)) ** 2 - 1.0  # the root of n − l − w = 2 c sqrt(n), and a margin
    level = int(min(safe, (last - t + 1 + duels) // active))
    rounds = active * level - duels if active > 1 and fewest > 0 and level > most else 0
    state.progress[0].safe_until = t + rounds
    if rounds < 2 * active**2:
        return
    for i in range(arms):
        left, others = level - state.total[i], active - state.komiyama
        for j in range(arms):
            if state.active[i] and state.active[j] and not (state.komiyama and i == j):
                left -= allocate_to_pair(state.block, i, j, left, others, rng)
                others -= 1
            else:
                state.block.pending[i, j] = 0
    state.block.cursor[0].pair = 0


@kernel
def choose(state: BtmState, t: int, rng: np.random.Generator) -> tuple[int, int]:
    """Return the arm with the fewest duels and a random active one, or the declared winner twice."""
    arms = state.total.shape[0]
    count = 0
    fewest = -1
    active = 0
    for i in range(arms):
        if state.active[i]:
            active += 1
            if fewest < 0 or state.total[i] < fewest:
                fewest = state.total[i]
                count = 0
            if state.total[i] == fewest:
                state.found[count] = i
                count += 1
    first = pick(state.found, 1 if state.komiyama else count, rng)
    if active == 1:
        declare(state.declared, first, t)
        return first, first
    count = 0
    for i in range(arms):
        if state.active[i] and not (state.komiyama and i == first):
            state.found[count] = i
            count += 1
    return first, pick(state.found, count, rng)


@kernel
def select(state: BtmState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the arm with the fewest duels against a random active arm; in blocks where it can."""
    progress, declared = state.progress[0], state.declared[0]
    if declared.winner >= 0:
        return declared.winner, declared.winner, last - t + 1
    if progress.asked != progress.told:
        progress.late = True
    if t >= progress.safe_until:
        if progress.unjudged:
            drop_worst(state, rng)
            progress.unjudged = False
        if t < last and not progress.late:
            start_block(state, t, last, rng)
    first, second, count = emit_block(state.block, last - t + 1)
    if count == 0:
        first, second = choose(state, t, rng)
        if declared.winner >= 0:
            return first, second, last - t + 1
        count = 1
    if first == second:
        count_duel(state, first, second, binomial(count, 0.5, rng) if count > 1 else int(rng.random() < 0.5), count)
    progress.asked += count
    return first, second, count


@kernel
def count_duel(state: BtmState, first: int, second: int, wins: int, count: int) -> None:
    """Put duels on the record of the first arm; the second was only the mean's stand-in."""
    state.duels[first, second] += count
    state.wins[first, second] += wins
    state.total[first] += count
    state.won[first] += wins
    state.progress[0].unjudged = True


@kernel
def update(state: BtmState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome; a self-duel's coin was tossed and counted when it was chosen."""
    state.progress[0].told += count
    if first != second:
        count_duel(state, first, second, wins, count)


class Btm(ExploreThenExploit):
    """Drop the arm that does worst against the mean of those still in, until one is left."""

    name = "btm"
    title = "Beat the Mean"
    citation = "Yue, Joachims. Beat the Mean Bandit. ICML 2011"
    assumes = "total order, relaxed SST, STI"
    regret_order = "γ⁷ K log T"
    State = BtmState
    select = staticmethod(select)
    update = staticmethod(update)

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
        """Leave the usual variant out: random streams are named by these, and results are older than the variants."""
        written: dict[str, Any] = handler(self)
        if self.variant == "paper":
            del written["variant"]
        return written

    def start(self, arms: int, horizon: int) -> BtmState:
        """Return the state before the first round, for confidence δ = 1/(2TK)."""
        square, line = (arms, arms), np.int64
        return BtmState(
            komiyama=self.variant == "komiyama",
            scale=self.confidence_scale * self.gamma**2,
            log_inverse_delta=math.log(2 * horizon * arms),
            duels=np.zeros(square, line),
            wins=np.zeros(square, line),
            total=np.zeros(arms, line),
            won=np.zeros(arms, line),
            active=np.ones(arms, np.bool_),
            progress=record(unjudged=False, asked=0, told=0, late=False, safe_until=0),
            block=new_block(arms),
            declared=nothing_declared(),
            found=np.zeros(arms, line),
        )

    def recommendation(self, state: BtmState) -> int:
        """Return the arm with the highest mean of those still in, the first one in a tie."""
        means = np.where(state.total > 0, state.won / np.maximum(state.total, 1), 0.5)
        return int(np.where(state.active, means, -1.0).argmax())
