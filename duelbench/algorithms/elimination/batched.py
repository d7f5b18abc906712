"""Batched duels: PCOMP, SCOMP and SCOMP2 decide after a few large batches instead of after every duel.

*PCOMP* compares all pairs of the remaining arms and drops the arms that lost with confidence, until one is left.
*SCOMP* draws about √K seeds at the start and compares them with the remaining arms; when some arm beats all seeds,
PCOMP takes over. In *SCOMP2* the seeds first duel each other, and only the best of them, the candidate, duels the
remaining arms; these are two batches with separate estimates. The pseudo-code, line by line, is
``tests/reference/pcomp.py``; ``tests/test_catalogue.py`` checks that the paths are equal, duel by duel.

Batch r compares each of its pairs ``c_r`` times, where c_r is the largest integer with ``c_r^B ≤ T^r``. The pseudo-code
eliminates by the outcomes of this batch alone, with radius ``γ_r = sqrt(log(1/δ) / (2 c_r))``; the paper's experiments
use the divergence of all outcomes so far. c_B is T, so r never exceeds B. Our choices where
the paper is silent:

- Pairs are i < j in lexicographic order, each once per batch; a self-duel is played only when one arm is left. The
  batch that reaches T ends there and decides nothing. The self-duels of a declared winner are not a batch.
- The lines that eliminate see all pairs of the batch at once. A batch that would eliminate every arm (a cycle) keeps
  the arm with the most wins among the outcomes that the rule uses; ties go to the lowest index.
- The test for the switch to PCOMP sees the seeds and active arms that the elimination has left. If there is no seed,
  at the start or later, PCOMP takes over with the active arms. It starts with the exponent of the batch that triggered
  the switch and the same q; its δ is computed from the numbers of arms and rounds that are left.
- SCOMP2's candidate is the seed with the smallest ``max_j p̂_ji``, whether or not it is below 1/2 + γ_r; ties go to the
  lowest index. A single seed needs no batch among the seeds.
- ``elimination: kl`` is section 5: arm i is eliminated when some j has p̂_ij < 1/2 and N_ij · kl(p̂_ij, 1/2) above a
  threshold. N_ij is "the number of times arm i and j are played together", in all batches, as in RMED1, and p̂_ij is
  the mean of the same duels. Sections 3.1 and 3.2 define the switch to PCOMP by "b_j eliminates" all seeds, or the
  candidate, so it follows the same rule. The paper says no more; the rest is our choice:

  - The threshold is log(1/δ), with δ = 1/T if not given: log T. The printed ``log(Tδ)``, δ = 1/(TK²), is negative and
    would eliminate any arm that is behind at once. RMED1, the source of the rule, has log t + f(K).
  - An arm that goes on to PCOMP needs 1 of 3 radii (SCOMP) or 3 of 5 (SCOMP2) in the pseudo-code. This rule requires
    (1/3)² or (3/5)² of the threshold, because ``n · kl(p̂, 1/2) ≈ 2 n (p̂ − 1/2)²``.
  - SCOMP2's candidate is chosen by the same p̂.
"""

import math
from typing import Any, Literal

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Program
from duelbench.arrays import Flags, Ints, State, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.arithmetic import kl_from_half
from duelbench.kernels.duels import World, duel

# What a batch shows


@kernel
def mean(state: State, i: int, j: int) -> float:
    """Return p̂_ij; 1/2 before the first duel."""
    n = state.wins[i, j] + state.wins[j, i]
    return state.wins[i, j] / n if n > 0 else 0.5


@kernel
def surpasses(state: State, i: int, j: int, radii: int, all_radii: int) -> bool:
    """Return whether i beats j by ``radii`` radii; elimination requires ``all_radii``."""
    n = state.wins[i, j] + state.wins[j, i]
    if n == 0:
        return False
    p, log_inverse_delta = state.wins[j, i] / n, state.course[0].log_inverse_delta
    if state.by_divergence:
        return bool(p < 0.5 and n * kl_from_half(p) > (radii / all_radii) ** 2 * log_inverse_delta)
    return bool(state.wins[i, j] / n > 0.5 + radii * math.sqrt(log_inverse_delta / (2 * n)))


@kernel
def number(marked: Flags) -> int:
    """Count the marked arms."""
    count = 0
    for arm in range(marked.shape[0]):
        count += marked[arm]
    return count


@kernel(inline=False)
def eliminate(state: State, judges: Flags, radii: int) -> None:
    """Drop the arms, including seeds, that lost to a judge; if all did, the arm with the most wins stays active."""
    arms = state.active.shape[0]
    left, most, kept = 0, -1, 0
    for j in range(arms):
        state.lost[j] = False
        if state.active[j]:
            won = 0
            for i in range(arms):
                won += state.wins[j, i]
                if judges[i] and surpasses(state, i, j, radii, radii):
                    state.lost[j] = True
            if won > most:
                most, kept = won, j
            left += int(not state.lost[j])
    for j in range(arms):
        if state.lost[j]:
            state.seeds[j] = False
            state.active[j] = left == 0 and j == kept


@kernel(inline=False)
def tops(state: State, j: int, judges: Flags, radii: int, all_radii: int) -> bool:
    """Return whether arm j is active and beats all judges; a judge never does, since it does not beat itself."""
    for i in range(judges.shape[0]):
        if judges[i] and not surpasses(state, j, i, radii, all_radii):
            return False
    return bool(state.active[j])


@kernel
def outgrown(state: State, judges: Flags, radii: int) -> bool:
    """Return whether PCOMP must take over; if an arm has beaten all judges, keep only the arms that go on to PCOMP."""
    if number(state.seeds) == 0:
        return True
    topped = False
    for j in range(judges.shape[0]):
        topped = topped or tops(state, j, judges, radii, radii)
    if topped:
        for j in range(judges.shape[0]):
            state.lost[j] = not tops(state, j, judges, radii - 2, radii)
        for j in range(judges.shape[0]):
            state.active[j] = state.active[j] and not state.lost[j]
    return topped


@kernel
def choose_candidate(state: State) -> None:
    """Make one seed the candidate: the one that does best against its hardest opponent among the seeds."""
    least, best = 2.0, 0
    for i in range(state.seeds.shape[0]):
        state.candidate[i] = False
        worst = 0.0
        for j in range(state.seeds.shape[0]):
            if state.seeds[j]:
                worst = max(worst, mean(state, j, i))
        if state.seeds[i] and worst < least:
            least, best = worst, i
    state.candidate[best] = True


# Batches


@kernel(inline=False)
def compare(world: World, state: State, members: Flags, judges: Flags, r: int) -> None:
    """Play batch r: compare each pair of members that includes a judge."""
    course = state.course[0]
    if not state.by_divergence:
        state.wins[:] = 0
    begun = course.rounds
    for i in range(world.arms):
        for j in range(i + 1, world.arms):
            if members[i] and members[j] and (judges[i] or judges[j]):
                if course.rounds == begun:
                    course.batches += 1
                count = state.sizes[r - 1]
                wins = duel(world, i, j, count)
                state.wins[i, j] += wins
                state.wins[j, i] += count - wins
                course.rounds += count


@kernel
def pcomp(world: World, state: State, r: int) -> int:
    """Play PCOMP with the active arms, from batch r on; return the winner."""
    active = state.active
    while number(active) > 1:
        compare(world, state, active, active, r)
        eliminate(state, active, 1)
        r += 1
    winner = 0
    while not active[winner]:
        winner += 1
    return winner


@kernel
def compare_all(world: World, state: State, r: int) -> int:
    """Hand over to PCOMP, where K and T are now the numbers of arms and rounds that are left."""
    if not state.delta_fixed:
        arms, rounds = number(state.active), max(1, state.horizon - state.course[0].rounds)
        state.course[0].log_inverse_delta = math.log(6.0 * rounds * arms * arms * state.batches)
    return pcomp(world, state, r)


@kernel
def draw_seeds(state: State, rng: np.random.Generator) -> None:
    """Draw the seed set."""
    for arm in range(state.seeds.shape[0]):
        state.seeds[arm] = rng.random() < 1.0 / math.sqrt(state.seeds.shape[0])


@kernel
def explore_pcomp(world: World, state: State, rng: np.random.Generator) -> int:
    """PCOMP."""
    return pcomp(world, state, 1)


@kernel
def explore_scomp(world: World, state: State, rng: np.random.Generator) -> int:
    """SCOMP."""
    seeds, r = state.seeds, 1
    draw_seeds(state, rng)
    while number(seeds) > 0 and number(state.active) > 1:
        compare(world, state, state.active, seeds, r)
        eliminate(state, seeds, 3)
        if outgrown(state, seeds, 3):
            break
        r += 1
    return compare_all(world, state, r)


@kernel
def explore_scomp2(world: World, state: State, rng: np.random.Generator) -> int:
    """SCOMP2."""
    seeds, candidate, r = state.seeds, state.candidate, 1
    draw_seeds(state, rng)
    while number(seeds) > 0 and number(state.active) > 1:
        compare(world, state, seeds, seeds, r)
        choose_candidate(state)
        compare(world, state, state.active, candidate, r)
        eliminate(state, candidate, 5)
        if outgrown(state, candidate, 5):
            break
        r += 1
    return compare_all(world, state, r)


def batch_sizes(horizon: int, batches: int) -> Ints:
    """Return c_1 … c_B: the largest integers with ``c_r^B ≤ T^r``. Integer arithmetic corrects rounding."""
    sizes = np.empty(batches, np.int64)
    for r in range(1, batches + 1):
        c = round(horizon ** (r / batches))
        while c**batches > horizon**r:
            c -= 1
        while (c + 1) ** batches <= horizon**r:
            c += 1
        sizes[r - 1] = c
    return sizes


class Batched(Program):
    """The base class of the three."""

    citation = "Agarwal, Ghuge, Nagarajan. Batched Dueling Bandits. ICML 2022"
    uses_horizon = True
    supports_delay = False
    in_order = True

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

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round.

        δ is recomputed when PCOMP takes over, unless ``delta_fixed``. ``sizes[r - 1]``: c_r. ``wins[i, j]``: duels that
        i won against j, in all batches if ``by_divergence``, else in the current one. ``seeds`` ⊆ ``active``;
        ``candidate`` marks one arm. ``lost`` is a buffer for a set of arms. ``course``: the ``batches`` and ``rounds``
        so far.
        """
        by_divergence = self.elimination == "kl"
        if self.delta is not None:
            inverse_delta = 1.0 / self.delta
        else:
            inverse_delta = float(horizon) if by_divergence else 6.0 * horizon * arms * arms * self.batches
        return self.state(
            by_divergence=by_divergence,
            horizon=horizon,
            delta_fixed=by_divergence or self.delta is not None,
            sizes=batch_sizes(horizon, self.batches),
            wins=np.zeros((arms, arms), np.int64),
            active=np.ones(arms, np.bool_),
            seeds=np.zeros(arms, np.bool_),
            candidate=np.zeros(arms, np.bool_),
            lost=np.zeros(arms, np.bool_),
            course=record(log_inverse_delta=math.log(inverse_delta), batches=0, rounds=0),
        )


class Pcomp(Batched):
    """Each batch compares all pairs of the remaining arms and drops the arms that lost with confidence."""

    name = "pcomp"
    title = "PCOMP"
    assumes = "Condorcet winner"
    regret_order = "K² T^(1/B) log T"
    explore = explore_pcomp


class Scomp(Batched):
    """Each batch compares about √K seeds with the remaining arms, until some arm beats all seeds."""

    name = "scomp"
    title = "SCOMP"
    assumes = "total order, SST, STI"
    regret_order = "K^(3/2) T^(1/B) log T"
    explore = explore_scomp


class Scomp2(Batched):
    """Each batch compares the best of about √K seeds with the remaining arms, until some arm beats it."""

    name = "scomp2"
    title = "SCOMP2"
    assumes = "total order, SST, STI"
    regret_order = "K B T^(1/B) log T"
    explore = explore_scomp2
