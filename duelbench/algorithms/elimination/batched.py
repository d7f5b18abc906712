"""PCOMP, SCOMP, SCOMP2: a few large batches of duels instead of one decision per duel.

Batch r compares each of its pairs ``c_r`` times, the largest integer with ``c_r^B ≤ T^r``, and judges by the outcomes
of this batch alone, with radius ``γ_r = sqrt(log(1/δ) / (2 c_r))``. c_B is T, so r never passes B. Where the paper
leaves room:

- Pairs are i < j in lexicographic order, each once per batch; a self-duel only when one arm is left.
- The lines that eliminate see all pairs of the batch at once. A batch that would eliminate everyone (a cycle) keeps
  the arm with most wins in it, the lowest one of several.
- SCOMP's test for the switch to PCOMP sees seeds and active arms as the elimination left them. Without a seed, at
  first or later, PCOMP goes on with the active arms. It starts with the exponent of the batch that switched and the
  same q; its δ is that of the arms and rounds that are left.
- SCOMP2's r(1) and r(2) are two batches with estimates of their own; r(1) of a single seed is none. The candidate is
  the seed with the smallest ``max_j p̂_ji``, the lowest one of several, whether or not it is below 1/2 + γ_r.
- Section 5 eliminates by divergence with the threshold ``log(Tδ)``, negative for its δ = 1/(TK²). ``elimination: kl``
  with ``delta: experiments`` reads it as ``log(1/δ)``: i goes when n · kl(p̂_ij, 1/2) is more, n the duels of this
  batch. It replaces the lines that eliminate and no other.
- ``elimination: kl-total`` is another reading, one of many that are possible: n and every p̂_ij are of all duels of the
  pair so far, as in RMED1, and the switch obeys the rule, too. Where the pseudo-code asks of an arm that goes on to
  PCOMP 1 of 3, or 3 of 5 radii, it asks (1/3)² or (3/5)² of the threshold, as ``n · kl(p̂, 1/2) ≈ 2 n (p̂ − 1/2)²``.
  With ``delta: 1/K^2`` the printed threshold lost its sign only: ``−log(Tδ) = log(K²)``.
- The batch that reaches T ends there and decides nothing. The self-duels of a declared winner are not a batch.
- Outcomes that arrive when their batch is over are ignored, and γ is that of the outcomes that did arrive.

Hold. The c_r duels of a pair are one request, cut at the next checkpoint and continued after it. Nothing is drawn or
decided on the way, so the pairs and their order given the outcomes are those of stepping, and a sum of coins is
binomial. Once a winner is declared, its self-duel repeats.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.elimination.declaration import declaration_of, declare, nothing_declared
from duelbench.arrays import Flags, Floats, Ints
from duelbench.compiling.jit import kernel, rare_kernel
from duelbench.kernels.divergence import kl_from_half

# Phases: which pairs a batch has. SEEDS and CANDIDATE are SCOMP2's r(1) and r(2).
BEFORE, ALL_PAIRS, SEEDED, SEEDS, CANDIDATE = range(5)

# Places in BatchedState.cursor.
PHASE, EXPONENT, FIRST, SECOND, LEFT, CHOSEN, USED, START, TOLD = range(9)


class BatchedState(NamedTuple):
    """What this batch found so far, and where in it we are.

    ``opening`` is the phase to begin with. ``log_inverse_delta[0]`` is log(1/δ), of the given δ if ``delta_given``.
    ``sizes[r - 1]`` is c_r. ``wins[i, j]``: duels that i won against j, in all batches if ``total``, else in this one.
    ``seeds`` ⊆ ``active``. ``lost`` is room for a set of arms. ``cursor``: phase, r, the current pair, its duels still
    to be asked for, the candidate, batches used, the round before this batch (−1 until it has a pair), and how many
    rounds' outcomes were told.
    ``declared``: the winner, −1 before, and the rounds played before its declaration.
    """

    opening: int
    by_divergence: bool
    total: bool
    horizon: int
    batches: int
    delta_given: bool
    log_inverse_delta: Floats
    sizes: Ints
    wins: Ints
    active: Flags
    seeds: Flags
    lost: Flags
    cursor: Ints
    declared: Ints


@kernel
def share(state: BatchedState, i: int, j: int) -> float:
    """Return p̂_ij, 1/2 without a duel."""
    n = state.wins[i, j] + state.wins[j, i]
    return state.wins[i, j] / n if n > 0 else 0.5


@kernel
def exceeds(state: BatchedState, i: int, j: int, radii: int) -> bool:
    """Tell whether p̂_ij > 1/2 + radii · γ_r."""
    n = state.wins[i, j] + state.wins[j, i]
    if n == 0:
        return False
    return bool(state.wins[i, j] / n > 0.5 + radii * math.sqrt(state.log_inverse_delta[0] / (2 * n)))


@kernel
def diverges(state: BatchedState, i: int, j: int, part: float) -> bool:
    """Tell whether the evidence that i is better than j is more than this part of log(1/δ)."""
    n = state.wins[i, j] + state.wins[j, i]
    p = share(state, j, i)
    return p < 0.5 and n * kl_from_half(p) > part * state.log_inverse_delta[0]


@kernel
def eliminates(state: BatchedState, i: int, j: int, radii: int) -> bool:
    """Tell whether i throws j out."""
    return diverges(state, i, j, 1.0) if state.by_divergence else exceeds(state, i, j, radii)


@kernel
def surpasses(state: BatchedState, i: int, j: int, radii: int, all_radii: int) -> bool:
    """Tell whether i is as far above j as the switch asks; ``all_radii`` eliminate."""
    return diverges(state, i, j, (radii / all_radii) ** 2) if state.total else exceeds(state, i, j, radii)


@kernel
def judges(state: BatchedState, i: int) -> bool:
    """Tell whether the batch compares i with every active arm: PCOMP all arms, the others seeds or the candidate."""
    phase = state.cursor[PHASE]
    if phase == ALL_PAIRS:
        return bool(state.active[i])
    if phase == CANDIDATE:
        return bool(i == state.cursor[CHOSEN])
    return bool(state.seeds[i])


@kernel
def compared(state: BatchedState, i: int, j: int) -> bool:
    """Tell whether the batch has the pair."""
    if state.cursor[PHASE] == SEEDS:
        return bool(state.seeds[i] and state.seeds[j])
    return bool(state.active[i] and state.active[j] and (judges(state, i) or judges(state, j)))


@rare_kernel
def next_pair(state: BatchedState, t: int) -> bool:
    """Go to the next pair of the batch; tell whether there was one."""
    cursor = state.cursor
    arms = state.active.shape[0]
    i, j = cursor[FIRST], cursor[SECOND] + 1
    while i < arms:
        while j < arms:
            if compared(state, i, j):
                cursor[FIRST], cursor[SECOND] = i, j
                cursor[LEFT] = state.sizes[cursor[EXPONENT] - 1]
                if cursor[START] < 0:
                    cursor[START] = t - 1
                    cursor[USED] += 1
                return True
            j += 1
        i += 1
        j = i + 1
    return False


@rare_kernel
def eliminate(state: BatchedState, radii: int) -> None:
    """Drop the arms, seeds among them, that lost to one that judges, but never all."""
    arms = state.active.shape[0]
    left = 0
    most, kept = -1, 0
    for j in range(arms):
        state.lost[j] = False
        if not state.active[j]:
            continue
        won = 0
        for i in range(arms):
            won += state.wins[j, i]
            if judges(state, i) and eliminates(state, i, j, radii):
                state.lost[j] = True
        if won > most:
            most, kept = won, j
        if not state.lost[j]:
            left += 1
    for j in range(arms):
        if state.lost[j]:
            state.seeds[j] = False
            state.active[j] = left == 0 and j == kept


@kernel
def tops(state: BatchedState, j: int, radii: int, all_radii: int) -> bool:
    """Tell whether an active arm beats all that judge; one of them itself never does."""
    for i in range(state.active.shape[0]):
        if judges(state, i) and not surpasses(state, j, i, radii, all_radii):
            return False
    return bool(state.active[j])


@rare_kernel
def outgrown(state: BatchedState, radii: int) -> bool:
    """Tell whether PCOMP must take over, and leave it the arms for which it must."""
    arms = state.active.shape[0]
    seeds = False
    topped = False
    for j in range(arms):
        seeds = seeds or state.seeds[j]
        topped = topped or tops(state, j, radii, radii)
    if seeds and topped:
        for j in range(arms):
            state.lost[j] = not tops(state, j, radii - 2, radii)
        for j in range(arms):
            if state.lost[j]:
                state.active[j] = False
    return topped or not seeds


@rare_kernel
def compare_all(state: BatchedState, t: int) -> None:
    """Hand over to PCOMP: K and T are the arms and rounds that are left."""
    state.cursor[PHASE] = ALL_PAIRS
    if not state.delta_given:
        arms = 0
        for j in range(state.active.shape[0]):
            arms += state.active[j]
        state.log_inverse_delta[0] = math.log(6.0 * (state.horizon - t + 1) * arms * arms * state.batches)


@rare_kernel
def choose_candidate(state: BatchedState) -> None:
    """Make the seed that does best against its hardest opponent among the seeds the candidate."""
    least = 2.0
    for i in range(state.active.shape[0]):
        if not state.seeds[i]:
            continue
        worst = 0.0
        for j in range(state.active.shape[0]):
            if state.seeds[j]:
                worst = max(worst, share(state, j, i))
        if worst < least:
            least = worst
            state.cursor[CHOSEN] = i


@rare_kernel
def sow(state: BatchedState, rng: np.random.Generator) -> bool:
    """Draw the seed set; tell whether it has an arm."""
    arms = state.active.shape[0]
    some = False
    for i in range(arms):
        state.seeds[i] = rng.random() < 1.0 / math.sqrt(arms)
        some = some or state.seeds[i]
    return some


@rare_kernel
def decide(state: BatchedState, t: int) -> None:
    """Draw the conclusions of the batch that is over, and go on to the next one or declare the winner."""
    cursor = state.cursor
    phase = cursor[PHASE]
    if phase == SEEDS:
        choose_candidate(state)
        cursor[PHASE] = CANDIDATE
    else:
        radii = 1 if phase == ALL_PAIRS else 3 if phase == SEEDED else 5
        eliminate(state, radii)
        if phase != ALL_PAIRS and outgrown(state, radii):
            compare_all(state, t)
        else:
            cursor[EXPONENT] += 1
            if phase == CANDIDATE:
                cursor[PHASE] = SEEDS
    start_batch(state, t)


@rare_kernel
def start_batch(state: BatchedState, t: int) -> None:
    """Forget the outcomes of the batch before, unless all count; with one arm left, declare it."""
    arms = state.active.shape[0]
    left, arm = 0, 0
    for i in range(arms):
        if state.active[i]:
            left += 1
            arm = i
    if not state.total:
        state.wins[:] = 0
    state.cursor[FIRST] = 0
    state.cursor[SECOND] = 0
    state.cursor[START] = -1
    if left == 1:
        declare(state.declared, arm, t)


@rare_kernel
def proceed(state: BatchedState, t: int, rng: np.random.Generator) -> None:
    """Go to the next pair, of the next batch when this one is over, or to the winner."""
    if state.cursor[PHASE] == BEFORE:
        state.cursor[PHASE] = state.opening
        if state.opening != ALL_PAIRS and not sow(state, rng):
            compare_all(state, t)
        start_batch(state, t)
    while state.declared[0] < 0 and not next_pair(state, t):
        decide(state, t)


@kernel
def select(state: BatchedState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the current pair for what is left of its c_r duels, or the winner against itself."""
    cursor = state.cursor
    if cursor[LEFT] == 0:
        if state.declared[0] < 0:
            proceed(state, t, rng)
        if state.declared[0] >= 0:
            return state.declared[0], state.declared[0], last - t + 1
    count = min(cursor[LEFT], last - t + 1)
    cursor[LEFT] -= count
    return cursor[FIRST], cursor[SECOND], count


@kernel
def update(state: BatchedState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcomes if they are of the current batch."""
    in_time = 0 <= state.cursor[START] <= state.cursor[TOLD]
    state.cursor[TOLD] += count
    if first != second and in_time:
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


class Batched(Algorithm):
    """What the three have in common: all but the phase to begin with."""

    citation = "Agarwal, Ghuge, Nagarajan. Batched Dueling Bandits. ICML 2022"
    uses_horizon = True
    sequential = False
    opening: ClassVar[int]
    State = BatchedState
    select = staticmethod(select)
    update = staticmethod(update)

    batches: int = Field(16, ge=1, le=1000, description="number B of batches")
    elimination: Literal["hoeffding", "kl", "kl-total"] = Field(
        "hoeffding",
        description="hoeffding: the pseudo-code's rule; kl: that of the paper's experiments; kl-total: another reading "
        "of it, by all duels so far, also for the switch to PCOMP",
    )
    delta: Annotated[float, Field(gt=0, lt=1)] | Literal["experiments", "1/K^2"] | None = Field(
        None, description="failure probability δ; 1/(6TK²B) if not given, 1/(TK²) for `experiments`, the paper's"
    )

    def start(self, arms: int, horizon: int) -> BatchedState:
        """Return the state before the first round."""
        match self.delta:
            case None:
                inverse_delta = 6.0 * horizon * arms * arms * self.batches
            case "experiments":
                inverse_delta = float(horizon * arms * arms)
            case "1/K^2":
                inverse_delta = float(arms * arms)
            case delta:
                inverse_delta = 1.0 / delta
        return BatchedState(
            opening=self.opening,
            by_divergence=self.elimination != "hoeffding",
            total=self.elimination == "kl-total",
            horizon=horizon,
            batches=self.batches,
            delta_given=self.delta is not None,
            log_inverse_delta=np.array([math.log(inverse_delta)]),
            sizes=batch_sizes(horizon, self.batches),
            wins=np.zeros((arms, arms), np.int64),
            active=np.ones(arms, np.bool_),
            seeds=np.zeros(arms, np.bool_),
            lost=np.zeros(arms, np.bool_),
            cursor=np.array([BEFORE, 1, 0, 0, 0, 0, 0, -1, 0], np.int64),
            declared=nothing_declared(),
        )

    def declaration(self, state: Any) -> tuple[int, int] | None:
        """Return the arm that was left and the number of rounds before that; None while there are several."""
        return declaration_of(state.declared)

    def batches_used(self, state: Any) -> int:
        """Return the number of batches so far; PCOMP never uses more than B, SCOMP B + 1, SCOMP2 2B + 1."""
        return int(state.cursor[USED])


class Pcomp(Batched):
    """Each batch compares all pairs of the arms still in, and drops those that lost with confidence."""

    name = "pcomp"
    assumes = "Condorcet winner"
    regret_order = "K² T^(1/B) log T"
    opening = ALL_PAIRS


class Scomp(Batched):
    """Each batch compares about √K seeds with the arms still in, until some arm beats all seeds."""

    name = "scomp"
    assumes = "total order, SST, STI"
    regret_order = "K^(3/2) T^(1/B) log T"
    opening = SEEDED


class Scomp2(Batched):
    """Each batch compares the best of about √K seeds with the arms still in, until some arm beats it."""

    name = "scomp2"
    assumes = "total order, SST, STI"
    regret_order = "K B T^(1/B) log T"
    opening = SEEDS
