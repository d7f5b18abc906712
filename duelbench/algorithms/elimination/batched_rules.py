"""Decisions after a batch: which arms are eliminated, whether PCOMP takes over, and which seed is the candidate.

These are lines 5-7 of Algorithm 1, 6-11 of Algorithm 2, 5-6 and 8-13 of Algorithm 3 in Agarwal, Ghuge, Nagarajan (ICML
2022). ``batched`` has the phases, which ask for the batches. Where the paper leaves room:

- The lines that eliminate see all pairs of the batch at once. A batch that would eliminate everyone (a cycle) keeps
  the arm with most wins among the outcomes that it judges by, the lowest one of several.
- ``elimination: kl`` is section 5: i goes when some j has p̂_ij < 1/2 and N_ij · kl(p̂_ij, 1/2) above a threshold.
  N_ij is "the number of times arm i and j are played together", in whatever batch, as in RMED1, and p̂_ij is of the
  same duels. Sections 3.1 and 3.2 define the switch to PCOMP by "b_j eliminates" all seeds, or the candidate: so by the
  same rule. That much is in the text. What is ours:

  - The threshold is log(1/δ), with δ = 1/T if not given: log T. The printed ``log(Tδ)``, δ = 1/(TK²), is negative, so
  that any arm that is behind would be eliminated at once. RMED1, which the rule is taken from, has log t + f(K). -
  Where the pseudo-code asks of an arm that goes on to PCOMP 1 of 3, or 3 of 5 radii, this asks (1/3)² or (3/5)² of
    the threshold, as ``n · kl(p̂, 1/2) ≈ 2 n (p̂ − 1/2)²``.
  - SCOMP2's candidate is chosen by the same p̂.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from duelbench.arrays import Flags, Ints, Record
from duelbench.compiling.jit import kernel
from duelbench.kernels.arithmetic import kl_from_half

BEFORE, ALL_PAIRS, SEEDED, SEEDS, CANDIDATE = range(5)
"""Phases: which pairs a batch has. ALL_PAIRS is PCOMP's, SEEDED is SCOMP's; SEEDS and CANDIDATE are SCOMP2's."""


class BatchedState(NamedTuple):
    """What this batch found so far, and where in it we are.

    ``opening`` is the phase to begin with; δ is computed anew for PCOMP unless ``delta_fixed``. ``sizes[r - 1]``: c_r.
    ``wins[i, j]``: duels that i won against j, in all batches if ``by_divergence``, else in this one. ``seeds`` ⊆
    ``active``. ``lost`` is a buffer for a set of arms. ``declared``: see ``declaration``. ``progress[0]``:

    - ``phase``; ``exponent``, the paper's r; ``log_inverse_delta``, log(1/δ); ``candidate``, an arm
    - ``first`` and ``second``, the pair that is being compared, and ``remaining``, its duels still to be asked for
    - ``used``, the number of batches so far; ``start``, the round before this batch, −1 until it has a pair; ``told``,
      the number of rounds whose outcomes were told
    """

    opening: int
    by_divergence: bool
    horizon: int
    batches: int
    delta_fixed: bool
    sizes: Ints
    wins: Ints
    active: Flags
    seeds: Flags
    lost: Flags
    progress: Record
    declared: Record


@kernel
def mean(state: BatchedState, i: int, j: int) -> float:
    """Return p̂_ij, 1/2 without a duel."""
    n = state.wins[i, j] + state.wins[j, i]
    return state.wins[i, j] / n if n > 0 else 0.5


@kernel
def exceeds(state: BatchedState, i: int, j: int, radii: int) -> bool:
    """Return whether p̂_ij > 1/2 + radii · γ_r."""
    n = state.wins[i, j] + state.wins[j, i]
    if n == 0:
        return False
    return bool(state.wins[i, j] / n > 0.5 + radii * math.sqrt(state.progress[0].log_inverse_delta / (2 * n)))


@kernel
def diverges(state: BatchedState, i: int, j: int, part: float) -> bool:
    """Return whether the evidence that i is better than j is more than this part of log(1/δ)."""
    n = state.wins[i, j] + state.wins[j, i]
    p = mean(state, j, i)
    return p < 0.5 and n * kl_from_half(p) > part * state.progress[0].log_inverse_delta


@kernel
def surpasses(state: BatchedState, i: int, j: int, radii: int, all_radii: int) -> bool:
    """Return whether i is so many radii above j, where ``all_radii`` eliminate."""
    if state.by_divergence:
        return diverges(state, i, j, (radii / all_radii) ** 2)
    return exceeds(state, i, j, radii)


@kernel
def judges(state: BatchedState, i: int) -> bool:
    """Return whether the batch compares i with every active arm: PCOMP all arms, the others seeds or the candidate."""
    phase = state.progress[0].phase
    if phase == ALL_PAIRS:
        return bool(state.active[i])
    if phase == CANDIDATE:
        return bool(i == state.progress[0].candidate)
    return bool(state.seeds[i])


@kernel
def compared(state: BatchedState, i: int, j: int) -> bool:
    """Return whether the batch has the pair."""
    if state.progress[0].phase == SEEDS:
        return bool(state.seeds[i] and state.seeds[j])
    return bool(state.active[i] and state.active[j] and (judges(state, i) or judges(state, j)))


@kernel(inline=False)
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
            if judges(state, i) and surpasses(state, i, j, radii, radii):
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
    """Return whether an active arm beats all that judge; one of them itself never does."""
    for i in range(state.active.shape[0]):
        if judges(state, i) and not surpasses(state, j, i, radii, all_radii):
            return False
    return bool(state.active[j])


@kernel(inline=False)
def outgrown(state: BatchedState, radii: int) -> bool:
    """Return whether PCOMP must take over, and leave it the arms for which it must."""
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


@kernel(inline=False)
def choose_candidate(state: BatchedState) -> None:
    """Make the seed that does best against its hardest opponent among the seeds the candidate."""
    least = 2.0
    for i in range(state.active.shape[0]):
        if not state.seeds[i]:
            continue
        worst = 0.0
        for j in range(state.active.shape[0]):
            if state.seeds[j]:
                worst = max(worst, mean(state, j, i))
        if worst < least:
            least = worst
            state.progress[0].candidate = i
