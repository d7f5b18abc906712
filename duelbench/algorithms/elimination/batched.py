"""Batched duels, what PCOMP, SCOMP and SCOMP2 share: a few large batches instead of one decision per duel.

Batch r compares each of its pairs ``c_r`` times, the largest integer with ``c_r^B ≤ T^r``. The pseudo-code judges by
the outcomes of this batch alone, with radius ``γ_r = sqrt(log(1/δ) / (2 c_r))``, the paper's experiments by the
divergence of all outcomes so far. c_B is T, so r never passes B. Here are the phases, which pairs are compared and
when; ``batched_rules`` judges. Where the paper leaves room (more in ``batched_rules``, ``scomp`` and ``scomp2``):

- Pairs are i < j in lexicographic order, each once per batch; a self-duel only when one arm is left.
- The batch that reaches T ends there and decides nothing. The self-duels of a declared winner are not a batch.
- Outcomes that arrive when their batch is over are ignored, and γ is that of the outcomes that did arrive.

Hold. The c_r duels of a pair are one request, cut at the next checkpoint and continued after it. Nothing is drawn or
decided on the way, so the pairs and their order given the outcomes are those of stepping, and a sum of coins is
binomial. Once a winner is declared, its self-duel repeats.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import ExploreThenExploit, declare, nothing_declared
from duelbench.algorithms.elimination.batched_rules import (
    ALL_PAIRS,
    BEFORE,
    CANDIDATE,
    SEEDED,
    SEEDS,
    BatchedState,
    choose_candidate,
    compared,
    eliminate,
    outgrown,
)
from duelbench.arrays import Ints, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.blocks import count_received


@kernel(inline=False)
def next_pair(state: BatchedState, t: int) -> bool:
    """Go to the next pair of the batch; tell whether there was one."""
    progress = state.progress[0]
    arms = state.active.shape[0]
    i, j = progress.first, progress.second + 1
    while i < arms:
        while j < arms:
            if compared(state, i, j):
                progress.first, progress.second = i, j
                progress.remaining = state.sizes[progress.exponent - 1]
                if progress.start < 0:
                    progress.start = t - 1
                    progress.used += 1
                return True
            j += 1
        i += 1
        j = i + 1
    return False


@kernel(inline=False)
def compare_all(state: BatchedState, t: int) -> None:
    """Hand over to PCOMP: K and T are the arms and rounds that are left."""
    state.progress[0].phase = ALL_PAIRS
    if not state.delta_fixed:
        arms = 0
        for j in range(state.active.shape[0]):
            arms += state.active[j]
        state.progress[0].log_inverse_delta = math.log(6.0 * (state.horizon - t + 1) * arms * arms * state.batches)


@kernel(inline=False)
def draw_seeds(state: BatchedState, rng: np.random.Generator) -> bool:
    """Draw the seed set; tell whether it has an arm."""
    arms = state.active.shape[0]
    some = False
    for i in range(arms):
        state.seeds[i] = rng.random() < 1.0 / math.sqrt(arms)
        some = some or state.seeds[i]
    return some


@kernel(inline=False)
def decide(state: BatchedState, t: int) -> None:
    """Evaluate the batch that is over, and go on to the next one or declare the winner."""
    progress = state.progress[0]
    phase = progress.phase
    if phase == SEEDS:
        choose_candidate(state)
        progress.phase = CANDIDATE
    else:
        radii = 1 if phase == ALL_PAIRS else 3 if phase == SEEDED else 5
        eliminate(state, radii)
        if phase != ALL_PAIRS and outgrown(state, radii):
            compare_all(state, t)
        else:
            progress.exponent += 1
            if phase == CANDIDATE:
                progress.phase = SEEDS
    start_batch(state, t)


@kernel(inline=False)
def start_batch(state: BatchedState, t: int) -> None:
    """Forget the outcomes of the batch before, unless all of them count; with one arm left, declare it."""
    arms = state.active.shape[0]
    left, arm = 0, 0
    for i in range(arms):
        if state.active[i]:
            left += 1
            arm = i
    if not state.by_divergence:
        state.wins[:] = 0
    state.progress[0].first = 0
    state.progress[0].second = 0
    state.progress[0].start = -1
    if left == 1:
        declare(state.declared, arm, t)


@kernel(inline=False)
def proceed(state: BatchedState, t: int, rng: np.random.Generator) -> None:
    """Go to the next pair, of the next batch when this one is over, or to the winner."""
    if state.progress[0].phase == BEFORE:
        state.progress[0].phase = state.opening
        if state.opening != ALL_PAIRS and not draw_seeds(state, rng):
            compare_all(state, t)
        start_batch(state, t)
    while state.declared[0].winner < 0 and not next_pair(state, t):
        decide(state, t)


@kernel
def select(state: BatchedState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the current pair for what is left of its c_r duels, or the winner against itself."""
    progress = state.progress[0]
    if progress.remaining == 0:
        if state.declared[0].winner < 0:
            proceed(state, t, rng)
        if state.declared[0].winner >= 0:
            return state.declared[0].winner, state.declared[0].winner, last - t + 1
    count = min(progress.remaining, last - t + 1)
    progress.remaining -= count
    return progress.first, progress.second, count


@kernel
def update(state: BatchedState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcomes if they are of the current batch."""
    if count_received(state.progress, count) and state.progress[0].start >= 0 and first != second:
        state.wins[first, second] += wins
        state.wins[second, first] += count - wins


def batch_sizes(horizon: int, batches: int) -> Ints:
    """Return c_1 … c_B: the largest integers with ``c_r^B ≤ T^r``. The power is a guess, integers decide."""
    sizes = np.empty(batches, np.int64)
    for r in range(1, batches + 1):
        c = round(horizon ** (r / batches))
        while c**batches > horizon**r:
            c -= 1
        while (c + 1) ** batches <= horizon**r:
            c += 1
        sizes[r - 1] = c
    return sizes


class Batched(ExploreThenExploit):
    """The base class of the three, which differ in their first phase."""

    citation = "Agarwal, Ghuge, Nagarajan. Batched Dueling Bandits. ICML 2022"
    supports_delay = False
    opening: ClassVar[int]
    State = BatchedState
    select = staticmethod(select)
    update = staticmethod(update)

    batches: int = Field(16, ge=1, le=1000, description="number B of batches")
    elimination: Literal["hoeffding", "kl"] = Field(
        "hoeffding",
        description="hoeffding: the pseudo-code's rule, by the duels of one batch; kl: that of the paper's "
        "experiments, by the KL divergence of all duels so far, also for the switch to PCOMP",
    )
    delta: float | None = Field(
        None,
        gt=0,
        lt=1,
        description="failure probability δ of a decision; if not given, 1/(6TK²B) with hoeffding, 1/T with kl",
    )

    def start(self, arms: int, horizon: int) -> BatchedState:
        """Return the state before the first round."""
        by_divergence = self.elimination == "kl"
        if self.delta is not None:
            inverse_delta = 1.0 / self.delta
        else:
            inverse_delta = float(horizon) if by_divergence else 6.0 * horizon * arms * arms * self.batches
        return BatchedState(
            opening=self.opening,
            by_divergence=by_divergence,
            horizon=horizon,
            batches=self.batches,
            delta_fixed=by_divergence or self.delta is not None,
            sizes=batch_sizes(horizon, self.batches),
            wins=np.zeros((arms, arms), np.int64),
            active=np.ones(arms, np.bool_),
            seeds=np.zeros(arms, np.bool_),
            lost=np.zeros(arms, np.bool_),
            progress=record(
                phase=BEFORE,
                exponent=1,
                log_inverse_delta=math.log(inverse_delta),
                candidate=0,
                first=0,
                second=0,
                remaining=0,
                used=0,
                start=-1,
                received=0,
            ),
            declared=nothing_declared(),
        )

    def batches_used(self, state: Any) -> int:
        """Return the number of batches so far; PCOMP never uses more than B, SCOMP B + 1, SCOMP2 2B + 1."""
        return int(state.progress[0].used)
