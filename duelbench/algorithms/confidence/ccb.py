"""CCB: Copeland confidence bounds.

CCB duels an arm that may be a Copeland winner against the arm most likely to beat it. ``select`` returns the next pair,
or a hold when every round is a self-duel. ``tests/reference/ccb.py`` has the steps; line numbers are the paper's.

All sets of CCB follow from which pairs are decided and for whom (``kernels/confidence.py``), so lines 6–9 and 11 run
only after this has changed. In other rounds they would change nothing and draw nothing. 9A: 9B puts only arms into S^i
that beat i with confidence, and they still do. 9B: the arms that it would remove are already gone, and it never removes
an arm of C, since these have the highest upper scores. 9C: where it applies, every S^j is already empty or has L + 1
elements. There is one exception: if 9B empties S, it resets everything *after* the removals, so the next round runs the
lines again. The counts that the lines compare are updated whenever a pair becomes decided or undecided
(``Hypotheses``). So the lines take K steps instead of K², and checking whether a hypothesis is refuted or doubtful
costs nothing.

Random numbers are drawn only where they matter: for line 10 if its set is not empty, for line 11 if S ∩ C is neither
empty nor C, for the choice of c if |C| > 1, and for line 13 if S^c contains an arm that may be chosen there.

Hold. Suppose that line 10 finds no pair and that all pairs of every arm of C are decided. Then 9C has put C into S,
each round is a self-duel of a random arm of C, and only log t changes, until the first decided pair becomes undecided.
If C = {c}, nothing is drawn, and the path is the same as with stepping. If C has several arms, they share the rounds of
the hold multinomially, which has the same distribution as stepping.

Agreement. ``tests/test_catalogue.py`` checks that the path equals the path of the reference implementation, draw for
draw; with several winners, it compares holds with stepping in distribution.

Readings. The paper's ``Cpld⁻(i)`` counts ``l[i, k] ≥ 1/2``, ours ``> 1/2``; they differ only if the evidence of a pair
equals α log t exactly. In line 13, "with probability 1/2 the set M is S^c, else all arms"; if S^c has no arm with
``l[j, c] ≤ 1/2``, M is all arms. After 9A no arm of S^c has lost to c with confidence, so both maxima are over arms
whose pair with c is undecided. Regret in the paper is twice the Copeland regret used here.
"""

from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Flags, Floats, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.blocks import allocate, new_shares
from duelbench.kernels.confidence import (
    Bounds,
    Comparisons,
    advance,
    challenger,
    count_duels,
    highest_bound,
    new_bounds,
    new_comparisons,
    renew_bounds,
)
from duelbench.kernels.draws import below, pick


class Hypotheses(NamedTuple):
    """The sets S and S^i, the number L, and how the decided pairs agree with them.

    ``shortlist[i]``: i ∈ S. ``beaters[i, j]``: j ∈ S^i. ``size[i]`` is |S^i|. ``victories[i]`` is Cpld⁻(i), the number
    of arms that i beats with confidence. Among the arms of S^i, ``doubtful[i]`` counts the arms whose pair with i is
    undecided, and ``refuted[i]`` the arms that i has beaten with confidence. ``totals[0]`` has ``most_losses``, which
    is L, and the sums of ``doubtful`` and ``refuted``.
    """

    shortlist: Flags
    beaters: Flags
    size: Ints
    victories: Ints
    doubtful: Ints
    refuted: Ints
    totals: Record


def new_hypotheses(arms: int) -> Hypotheses:
    """Return the hypotheses before the first duel."""
    return Hypotheses(
        shortlist=np.ones(arms, np.bool_),
        beaters=np.zeros((arms, arms), np.bool_),
        size=np.zeros(arms, np.int64),
        victories=np.zeros(arms, np.int64),
        doubtful=np.zeros(arms, np.int64),
        refuted=np.zeros(arms, np.int64),
        totals=record(most_losses=arms, doubtful=0, refuted=0),
    )


@kernel
def follow(hypotheses: Hypotheses, i: int, j: int, before: int, now: int) -> None:
    """Update the counts after the sign of the pair, seen from i, has changed from ``before`` to ``now``."""
    hypotheses.victories[i] += int(now > 0) - int(before > 0)
    if hypotheses.beaters[i, j]:
        totals = hypotheses.totals[0]
        doubtful, refuted = int(now == 0) - int(before == 0), int(now > 0) - int(before > 0)
        hypotheses.doubtful[i] += doubtful
        hypotheses.refuted[i] += refuted
        totals.doubtful += doubtful
        totals.refuted += refuted


@kernel(inline=False)
def count_again(hypotheses: Hypotheses, comparisons: Comparisons, i: int) -> None:
    """Recompute the counts of i after S^i or the signs of some of its pairs have changed."""
    sign, beaters = comparisons.sign, hypotheses.beaters
    victories, doubtful, refuted = 0, 0, 0
    for j in range(hypotheses.size.shape[0]):
        victories += int(sign[i, j] > 0)
        doubtful += int(beaters[i, j] and sign[i, j] == 0)
        refuted += int(beaters[i, j] and sign[i, j] > 0)
    totals = hypotheses.totals[0]
    totals.doubtful += doubtful - hypotheses.doubtful[i]
    totals.refuted += refuted - hypotheses.refuted[i]
    hypotheses.victories[i] = victories
    hypotheses.doubtful[i] = doubtful
    hypotheses.refuted[i] = refuted


@kernel
def clear_beaters(hypotheses: Hypotheses, i: int) -> None:
    """Empty S^i."""
    if hypotheses.size[i] == 0:
        return
    for j in range(hypotheses.size.shape[0]):
        hypotheses.beaters[i, j] = False
    hypotheses.size[i] = 0
    hypotheses.totals[0].doubtful -= hypotheses.doubtful[i]
    hypotheses.totals[0].refuted -= hypotheses.refuted[i]
    hypotheses.doubtful[i] = 0
    hypotheses.refuted[i] = 0


@kernel(inline=False)
def reset(hypotheses: Hypotheses) -> None:
    """Lines 2–4: forget all hypotheses."""
    arms = hypotheses.size.shape[0]
    for i in range(arms):
        hypotheses.shortlist[i] = True
        clear_beaters(hypotheses, i)
    hypotheses.totals[0].most_losses = arms


@kernel
def _remove_losers(hypotheses: Hypotheses, comparisons: Comparisons) -> bool:
    """Run line 9B; return whether S became empty, in which case everything has been reset."""
    losses, sign = comparisons.losses, comparisons.sign
    arms = losses.shape[0]
    surest = 0  # the largest Cpld⁻
    for i in range(arms):
        surest = max(surest, hypotheses.victories[i])
    empty = True
    for i in range(arms):
        if not hypotheses.shortlist[i]:
            continue
        if arms - 1 - losses[i] >= surest:
            empty = False
            continue
        hypotheses.shortlist[i] = False
        if hypotheses.size[i] != hypotheses.totals[0].most_losses + 1:
            clear_beaters(hypotheses, i)
            for j in range(arms):
                hypotheses.beaters[i, j] = sign[i, j] < 0
            hypotheses.size[i] = losses[i]  # none of them is doubtful or refuted
    if empty:
        reset(hypotheses)
    return empty


@kernel
def _add_winner(
    hypotheses: Hypotheses, comparisons: Comparisons, i: int, found: Ints, rng: np.random.Generator
) -> None:
    """Run line 9C for an arm of C whose pairs are all decided; ``found`` is a buffer for a list of arms."""
    arms = hypotheses.size.shape[0]
    hypotheses.shortlist[i] = True
    clear_beaters(hypotheses, i)
    hypotheses.totals[0].most_losses = comparisons.losses[i]
    kept = comparisons.losses[i] + 1
    for j in range(arms):
        if j == i or hypotheses.size[j] == kept:
            continue
        if hypotheses.size[j] < kept:
            clear_beaters(hypotheses, j)
            continue
        count = 0
        for k in range(arms):
            if hypotheses.beaters[j, k]:
                found[count] = k
                count += 1
        clear_beaters(hypotheses, j)
        for k in range(kept):
            other = k + below(count - k, rng)
            hypotheses.beaters[j, found[other]] = True
            found[other] = found[k]
        hypotheses.size[j] = kept
        count_again(hypotheses, comparisons, j)


@kernel(inline=False)
def doubtful_pair(hypotheses: Hypotheses, comparisons: Comparisons, rng: np.random.Generator) -> tuple[int, int]:
    """Return a random undecided pair (i, j) with j ∈ S^i (there must be one); a single one needs no draw."""
    total = int(hypotheses.totals[0].doubtful)
    left = below(total, rng) if total > 1 else 0  # how many such pairs come before it
    i = 0
    while left >= hypotheses.doubtful[i]:
        left -= hypotheses.doubtful[i]
        i += 1
    j = -1
    while left >= 0:
        j += 1
        left -= int(hypotheses.beaters[i, j] and comparisons.sign[i, j] == 0)
    return i, j


class CcbState(NamedTuple):
    """Counts, the hypotheses, and the lists that follow from both.

    ``contenders`` is C and ``favourites`` is S ∩ C. ``summary[0]`` has ``n_contenders`` and ``n_favourites``, the
    lengths of the two lists; ``current``, whether both are up to date; and ``self_duels``, whether every round is a
    self-duel of a random contender. ``shares`` has the number of rounds of each arm in a hold (see ``blocks``). No
    round of a hold is informative: every ``p_informative[a]`` is 0, so the arms are equally likely.
    """

    comparisons: Comparisons
    bounds: Bounds
    hypotheses: Hypotheses
    contenders: Ints
    favourites: Ints
    summary: Record
    shares: Ints
    p_informative: Floats


@kernel(inline=False)
def _revise(state: CcbState, rng: np.random.Generator) -> None:
    """Run lines 7–9 and 11: revise the hypotheses, and list C and S ∩ C."""
    summary, hypotheses, comparisons = state.summary[0], state.hypotheses, state.comparisons
    losses = comparisons.losses
    arms = losses.shape[0]
    if hypotheses.totals[0].refuted > 0:  # 9A
        reset(hypotheses)
    summary.current = not _remove_losers(hypotheses, comparisons)
    fewest = arms
    for i in range(arms):
        fewest = min(fewest, losses[i])
    summary.n_contenders = 0
    settled = True
    for i in range(arms):
        if losses[i] == fewest:
            state.contenders[summary.n_contenders] = i
            summary.n_contenders += 1
            if losses[i] + hypotheses.victories[i] == arms - 1:  # Cpld⁺ = Cpld⁻
                _add_winner(hypotheses, comparisons, i, state.bounds.found, rng)
            else:
                settled = False
    summary.n_favourites = 0
    for k in range(summary.n_contenders):
        if hypotheses.shortlist[state.contenders[k]]:
            state.favourites[summary.n_favourites] = state.contenders[k]
            summary.n_favourites += 1
    summary.self_duels = settled and hypotheses.totals[0].doubtful == 0


@kernel
def _self_duels(state: CcbState, longest: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Hold for at most ``longest`` rounds, each a self-duel of a random arm of C."""
    contenders = int(state.summary[0].n_contenders)
    count = longest if state.summary[0].current else 1
    if contenders > 1 and count > 1:
        allocate(state.shares, state.contenders, contenders, state.p_informative, count, rng)
        return state.contenders[0], state.contenders[0], count
    c = pick(state.contenders, contenders, rng)
    return c, c, count


@kernel
def _opponent(state: CcbState, c: int, t: int, rng: np.random.Generator) -> int:
    """Line 13: return the arm most likely to beat c; with probability 1/2, consider only the arms of S^c."""
    comparisons, hypotheses, found = state.comparisons, state.hypotheses, state.bounds.found
    if hypotheses.doubtful[c] == 0 or rng.random() >= 0.5:
        return challenger(state.bounds, comparisons, c, t, True, rng)
    count = 0
    for j in range(found.shape[0]):
        if hypotheses.beaters[c, j] and comparisons.sign[c, j] == 0:
            found[count] = j
            count += 1
    return highest_bound(comparisons, c, t, found, count, rng)


@kernel
def select(state: CcbState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Choose a doubtful pair, or an optimistic winner and its most likely rival; hold if only self-duels remain."""
    comparisons, hypotheses, summary = state.comparisons, state.hypotheses, state.summary[0]
    if advance(comparisons, t):
        for i in range(comparisons.expired.shape[0]):
            if comparisons.expired[i]:
                count_again(hypotheses, comparisons, i)
        summary.current = False
    if not summary.current:
        _revise(state, rng)
    if summary.self_duels:
        return _self_duels(state, min(last, comparisons.clock[0].expiry - 1) - t + 1, rng)
    if hypotheses.totals[0].doubtful > 0 and rng.random() < 0.25:
        first, second = doubtful_pair(hypotheses, comparisons, rng)
        return first, second, 1
    contenders, favourites = summary.n_contenders, summary.n_favourites
    if 0 < favourites < contenders and rng.random() < 2 / 3:
        c = pick(state.favourites, favourites, rng)
    else:
        c = pick(state.contenders, contenders, rng)
    return c, _opponent(state, c, t, rng), 1


@kernel
def update(state: CcbState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome."""
    if first == second:
        return
    before = state.comparisons.sign[first, second]
    count_duels(state.comparisons, first, second, wins, count)
    renew_bounds(state.bounds, state.comparisons, first, second)
    now = state.comparisons.sign[first, second]
    if now != before:
        follow(state.hypotheses, first, second, before, now)
        follow(state.hypotheses, second, first, -before, -now)
        state.summary[0].current = False


class Ccb(Algorithm):
    """Duel an arm that may be a Copeland winner against the arm most likely to beat it."""

    name = "ccb"
    title = "CCB"
    citation = "Zoghi, Karnin, Whiteson, de Rijke. Copeland Dueling Bandits. NIPS 2015, Algorithm 1"
    regret_order = "K² + K (C + L) log T, C winners that lose to L arms"
    learns_off_policy = True
    State = CcbState
    select = staticmethod(select)
    update = staticmethod(update)

    alpha: float = Field(0.51, gt=0, description="confidence constant α of the bounds")

    def start(self, arms: int, horizon: int) -> CcbState:
        """Return the state before the first round."""
        return CcbState(
            comparisons=new_comparisons(arms, self.alpha),
            bounds=new_bounds(arms),
            hypotheses=new_hypotheses(arms),
            contenders=np.zeros(arms, np.int64),
            favourites=np.zeros(arms, np.int64),
            summary=record(n_contenders=0, n_favourites=0, current=False, self_duels=False),
            shares=new_shares(arms),
            p_informative=np.zeros(arms),
        )

    def hold_shares(self, state: CcbState) -> Ints:
        """Return the shares of a hold."""
        return state.shares
