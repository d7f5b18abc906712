"""CCB: Copeland confidence bound; literally ``duelbench/literal/ccb.py``.

Everything CCB keeps follows from which pairs are decided for whom (``kernels/confidence.py``), so lines 6–9 and 11
are gone through only when that has changed. In between they would change nothing and draw nothing. 9A: the arms put
into an S^i by 9B beat i with confidence, and still do. 9B: what it removes is gone, and the arms of C, whose upper
scores are largest, are never removed. 9C: where it applies, every S^j is empty or has L + 1 elements already. The one
exception is a round in which 9B empties S and so resets everything *after* the removals: the next round goes through
the lines again.

Coins are tossed only where they matter: that of line 10 if its set is not empty, that of line 11 if S ∩ C is neither
empty nor C, the choice of c if |C| > 1, the coin of line 13 if S^c has an arm for it.

Hold. If line 10 has no pair and all pairs of every arm of C are decided, 9C has put C into S, a round is a self-duel
of a random arm of C, and only log t moves: this repeats until the first decided pair turns undecided. With C = {c}
nothing is drawn and the path is the very one of stepping. Several arms share the rounds of the hold multinomially,
which is stepping in distribution.

Agreement. ``tests/test_algorithms_confidence_ccb.py``: the path of the transcription, draw for draw; with several
winners, holds are compared with stepping in distribution.

Readings. ``Cpld⁻(i)`` counts ``l[i, k] ≥ 1/2``, here ``> 1/2``: they differ when the evidence of a pair equals α log
t exactly. In line 13, "with probability 1/2 the set M is S^c, else all arms"; if S^c has no arm with ``l[j, c] ≤
1/2``, it is all arms. After 9A no arm of S^c has lost to c with confidence, so both maxima are over arms whose pair
with c is undecided. Regret in the paper is twice the Copeland regret used here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Flags, Floats, Ints, Record, record
from duelbench.compiling.jit import kernel, rare_kernel
from duelbench.kernels.challengers import Bounds, highest_bound, no_bounds, renew_bounds, undecided_challenger
from duelbench.kernels.confidence import Comparisons, advance, count_duels, no_comparisons
from duelbench.kernels.draws import below, pick
from duelbench.kernels.extremes import least_place
from duelbench.kernels.shared_hold import allocate, emit


class CcbState(NamedTuple):
    """Counts, the hypotheses, and the lists that follow from both.

    ``shortlist[i]``: i ∈ S. ``beaters[i, j]``: j ∈ S^i, and ``size[i]`` is |S^i|.
    ``contenders`` is C, ``favourites`` is S ∩ C and ``unconfirmed`` the pairs of line 10, as ``i K + j``.
    ``summary[0]`` has ``most_losses``, which is L; the lengths ``n_contenders``, ``n_favourites`` and ``n_unconfirmed``
    of the three lists; ``current``, whether the lists follow from what is decided now; ``self_duels``, whether every
    round is a self-duel of a random contender; and ``shared``, whether of a hold that several arms share something may
    be left, ``pending[a]`` self-duels of a. No round of it is informative: ``p_informative[a]`` is 0, so the arms are
    equally likely.
    """

    comparisons: Comparisons
    bounds: Bounds
    shortlist: Flags
    beaters: Flags
    size: Ints
    contenders: Ints
    favourites: Ints
    unconfirmed: Ints
    summary: Record
    pending: Ints
    p_informative: Floats


@kernel
def clear_beaters(state: CcbState, i: int) -> None:
    """Empty S^i."""
    for j in range(state.size.shape[0]):
        state.beaters[i, j] = False
    state.size[i] = 0


@rare_kernel
def reset(state: CcbState) -> None:
    """Lines 2–4: forget all hypotheses."""
    arms = state.size.shape[0]
    for i in range(arms):
        state.shortlist[i] = True
        clear_beaters(state, i)
    state.summary[0].most_losses = arms


@kernel
def disproven(state: CcbState) -> bool:
    """Line 9A: tell whether some arm has beaten with confidence an arm that was to beat it."""
    arms = state.size.shape[0]
    for i in range(arms):
        if state.size[i] > 0:
            for j in range(arms):
                if state.beaters[i, j] and state.comparisons.sign[i, j] > 0:
                    return True
    return False


@kernel
def remove_losers(state: CcbState) -> bool:
    """Line 9B; tell whether S became empty (and was reset)."""
    losses, sign = state.comparisons.losses, state.comparisons.sign
    arms = losses.shape[0]
    surest = 0  # the largest Cpld⁻
    for i in range(arms):
        wins = 0
        for j in range(arms):
            if sign[i, j] > 0:
                wins += 1
        surest = max(surest, wins)
    empty = True
    for i in range(arms):
        if not state.shortlist[i]:
            continue
        if arms - 1 - losses[i] >= surest:
            empty = False
            continue
        state.shortlist[i] = False
        if state.size[i] != state.summary[0].most_losses + 1:
            for j in range(arms):
                state.beaters[i, j] = sign[i, j] < 0
            state.size[i] = losses[i]
    if empty:
        reset(state)
    return empty


@kernel
def settled(state: CcbState, i: int) -> bool:
    """Tell whether ``Cpld⁺(i) = Cpld⁻(i)``, that is whether all pairs of i are decided."""
    undecided = 0
    for j in range(state.size.shape[0]):
        if j != i and state.comparisons.sign[i, j] == 0:
            undecided += 1
    return undecided == 0


@kernel
def add_winner(state: CcbState, i: int, rng: np.random.Generator) -> None:
    """Line 9C for one arm of C all of whose pairs are decided."""
    arms = state.size.shape[0]
    state.shortlist[i] = True
    clear_beaters(state, i)
    state.summary[0].most_losses = state.comparisons.losses[i]
    kept = state.summary[0].most_losses + 1
    found = state.bounds.found
    for j in range(arms):
        if j == i or state.size[j] == kept:
            continue
        if state.size[j] < kept:
            clear_beaters(state, j)
            continue
        count = 0
        for k in range(arms):
            if state.beaters[j, k]:
                found[count] = k
                count += 1
        clear_beaters(state, j)
        for k in range(kept):
            other = k + below(count - k, rng)
            state.beaters[j, found[other]] = True
            found[other] = found[k]
        state.size[j] = kept


@rare_kernel
def revise(state: CcbState, rng: np.random.Generator) -> None:
    """Lines 7–11: go through the hypotheses and list C, S ∩ C and the unconfirmed pairs."""
    summary = state.summary[0]
    losses, sign = state.comparisons.losses, state.comparisons.sign
    arms = losses.shape[0]
    if disproven(state):
        reset(state)
    summary.current = not remove_losers(state)
    fewest = losses[least_place(losses)]
    summary.self_duels = True
    summary.n_contenders = 0
    for i in range(arms):
        if losses[i] == fewest:
            state.contenders[summary.n_contenders] = i
            summary.n_contenders += 1
            if settled(state, i):
                add_winner(state, i, rng)
            else:
                summary.self_duels = False
    summary.n_favourites = 0
    for k in range(summary.n_contenders):
        if state.shortlist[state.contenders[k]]:
            state.favourites[summary.n_favourites] = state.contenders[k]
            summary.n_favourites += 1
    summary.n_unconfirmed = 0
    for i in range(arms):
        if state.size[i] > 0:
            for j in range(arms):
                if state.beaters[i, j] and sign[i, j] == 0:
                    state.unconfirmed[summary.n_unconfirmed] = i * arms + j
                    summary.n_unconfirmed += 1
    if summary.n_unconfirmed > 0:
        summary.self_duels = False


@kernel
def self_duels(state: CcbState, longest: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Hold for at most ``longest`` rounds, each a self-duel of a random arm of C."""
    contenders = int(state.summary[0].n_contenders)
    count = longest if state.summary[0].current else 1
    if contenders > 1 and count > 1:
        state.summary[0].shared = True
        allocate(state.pending, state.contenders, contenders, state.p_informative, count, rng)
        return emit(state.pending, count)
    c = pick(state.contenders, contenders, rng)
    return c, c, count


@kernel
def opponent(state: CcbState, c: int, t: int, rng: np.random.Generator) -> int:
    """Line 13: the arm most likely to beat c, with probability 1/2 only among those of S^c."""
    comparisons, found = state.comparisons, state.bounds.found
    arms = state.size.shape[0]
    count = 0
    if state.size[c] > 0:
        for j in range(arms):
            if state.beaters[c, j] and comparisons.sign[j, c] == 0:
                found[count] = j
                count += 1
    if count > 0 and rng.random() < 0.5:
        return highest_bound(comparisons, c, t, found, count, rng)
    return undecided_challenger(state.bounds, comparisons, c, t, rng)


@kernel
def select(state: CcbState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Choose an unconfirmed pair, or an optimistic winner and its most likely rival; hold when all is decided."""
    comparisons, summary = state.comparisons, state.summary[0]
    if summary.shared:
        first, second, count = emit(state.pending, last - t + 1)
        if count > 0:
            return first, second, count
        summary.shared = False
    if advance(comparisons, t):
        summary.current = False
    if not summary.current:
        revise(state, rng)
    if summary.self_duels:
        return self_duels(state, min(last, comparisons.clock[0].expiry - 1) - t + 1, rng)
    if summary.n_unconfirmed > 0 and rng.random() < 0.25:
        arms = state.size.shape[0]
        pair = pick(state.unconfirmed, summary.n_unconfirmed, rng)
        return pair // arms, pair % arms, 1
    contenders, favourites = summary.n_contenders, summary.n_favourites
    if 0 < favourites < contenders and rng.random() < 2 / 3:
        c = pick(state.favourites, favourites, rng)
    else:
        c = pick(state.contenders, contenders, rng)
    return c, opponent(state, c, t, rng), 1


@kernel
def update(state: CcbState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome."""
    if first == second:
        return
    before = state.comparisons.sign[first, second]
    count_duels(state.comparisons, first, second, wins, count)
    renew_bounds(state.bounds, state.comparisons, first, second)
    if state.summary[0].shared:  # a duel of which nobody was asked ends the hold
        for a in range(state.pending.shape[0]):
            state.pending[a] = 0
        state.summary[0].shared = False
    if state.comparisons.sign[first, second] != before:
        state.summary[0].current = False


class Ccb(Algorithm):
    """An optimistic Copeland winner, against the arm most likely to discredit it."""

    name = "ccb"
    citation = "Zoghi, Karnin, Whiteson, de Rijke. Copeland Dueling Bandits. NIPS 2015, Algorithm 1"
    regret_order = "K² + K (C + L) log T, C winners that lose to L arms"
    learns_from_any_duel = True
    State = CcbState
    select = staticmethod(select)
    update = staticmethod(update)

    alpha: float = Field(0.51, gt=0, description="confidence constant α of the bounds")

    def start(self, arms: int, horizon: int) -> CcbState:
        """Return the state before the first round."""
        return CcbState(
            comparisons=no_comparisons(arms, self.alpha),
            bounds=no_bounds(arms),
            shortlist=np.ones(arms, np.bool_),
            beaters=np.zeros((arms, arms), np.bool_),
            size=np.zeros(arms, np.int64),
            contenders=np.zeros(arms, np.int64),
            favourites=np.zeros(arms, np.int64),
            unconfirmed=np.zeros(arms * arms, np.int64),
            summary=record(
                most_losses=arms,
                n_contenders=0,
                n_favourites=0,
                n_unconfirmed=0,
                current=False,
                self_duels=False,
                shared=False,
            ),
            pending=np.zeros(arms, np.int64),
            p_informative=np.zeros(arms),
        )
