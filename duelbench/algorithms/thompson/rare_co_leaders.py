"""How rarely D-TS+ prefers one of several leaders: an envelope of the rounds in which it does, for rejection sampling.

Claim. Let all arms but two, the *others*, be contenders, one of them x and the rest *sure leaders*, of whom every vote
is *sure*. If each of these contenders loses just half of its sure votes (a circle of three, say), none to the others,
and sure votes fall on their likely sides, then the sure leaders lead, the others cannot, and x does if it beats both:
the *rare co-leader*. All leaders win M votes, and D-TS+ prefers the one with the least

    R_i = Σ_j ℓ_j / kl(θ_ij, 1/2),    ℓ_j = (M − n_j) / 2,    n_j: votes that j wins,

to which only the others contribute. One of them wins a vote, that against the other one: there are two *cases*.

Envelope. The sides θ_ij > 1/2 of leaders against others are cut into cells with an exponential above the density in
each (``envelope.py``). Let m of a pair of cells, one for each other, be the product of the integrals of both
exponentials. R_i is least at their far edges and largest at the near ones, counted in *bins*. Preferred, x has an R_x
below the R_a of every sure leader a, so

    λ = Σ over cases of P(case) · Σ over pairs of cells of x of m · Π over a of Q_a(the bin of the least R_x),
    Q_a(n) = Σ m over pairs of cells of a whose largest R_a is in bin n or beyond

is above the probability that x is preferred.

Proposal. In a share λ of the rounds a case and a pair of cells of x are chosen by their weights in λ, for each a a pair
of cells by its weight in Q_a, and θ of all leaders are drawn from the exponentials of their cells.

Acceptance. Each θ is accepted with the chance density / exponential, so that every θ¹ for which x is preferred comes as
often as it should; and x is preferred if R_x < R_a for all a.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duelbench.algorithms.thompson.election import Election, expect_record, open_poll
from duelbench.algorithms.thompson.envelope import (
    CELLS,
    Envelope,
    envelope_at,
    inverse_divergence,
    new_envelope,
    propose_gap,
    set_envelope,
)
from duelbench.arrays import Flags, Floats, Ints
from duelbench.compiling.jit import kernel
from duelbench.kernels.confidence import Comparisons
from duelbench.kernels.draws import pick_weighted
from duelbench.kernels.votes import Votes

OTHERS, CASES = 2, 2
PAIRS = CELLS**OTHERS
BINS, RESOLUTION = 64, 16.0
"""Bins of R, the last one without end, and how many of them make up a middling R of the sure leader that has least."""


class CoLeader(NamedTuple):
    """A rare co-leader, the others, and how often it is proposed.

    ``order`` has the arms by the votes that they may expect (``expected``): the others, the rare co-leader, the sure
    leaders. In case k the k-th of the others loses to the other one. ``scale`` · R is in bins, ``envelope`` is at
    (leader, rank of the other). Of the pair p = b · CELLS + c of cells b and c ``share[case, p]`` is the part of λ of
    the rare co-leader; ``bins[i, case, p]`` is the bin of the largest R_i there, and of the rare co-leader that of the
    least. ``tail[a, n]`` is Q_a(n) in the latest case, ``rates[case]`` the part of λ that is due to a case. ``allowed``
    is a buffer.
    """

    order: Ints
    expected: Floats
    scale: Floats
    envelope: Envelope
    share: Floats
    bins: NDArray[np.int8]
    tail: Floats
    rates: Floats
    allowed: Floats


def new_co_leader(arms: int) -> CoLeader:
    """Return the room for a rare co-leader among ``arms`` arms."""
    return CoLeader(
        order=np.zeros(arms, np.int64),
        expected=np.zeros(arms),
        scale=np.ones(1),
        envelope=new_envelope((arms, OTHERS)),
        share=np.zeros((CASES, PAIRS)),
        bins=np.zeros((arms, CASES, PAIRS), np.int8),
        tail=np.zeros((arms, BINS)),
        rates=np.zeros(CASES),
        allowed=np.zeros(PAIRS),
    )


# Claim.


@kernel(inline=False)
def find_groups(co: CoLeader, election: Election, comparisons: Comparisons, votes: Votes, equal: Flags) -> bool:
    """Divide the arms by the votes they may expect; tell whether the leaders are enough, equal, and all contenders.

    Those with fewest are the others, the next one is rare, the rest are the sure leaders, whom ``likely`` lists.
    """
    arms = len(co.order)
    sure = arms - OTHERS - 1
    if sure < 2 or election.lengths[0].contenders <= sure:
        return False
    for i in range(arms):
        co.expected[i] = votes.chance[i].sum()
    for i in range(arms):
        rank = 0
        for j in range(arms):
            if co.expected[j] < co.expected[i] or (co.expected[j] == co.expected[i] and j < i):
                rank += 1
        co.order[rank] = i
    x = co.order[OTHERS]
    for i in co.order[OTHERS:]:
        if not equal[i, x] or comparisons.losses[i] != comparisons.losses[election.contenders[0]]:
            return False
    for k in range(sure):
        election.likely[k] = co.order[OTHERS + 1 + k]
    election.lengths[0].likely = sure
    return True


@kernel(inline=False)
def find_sure_votes(co: CoLeader, election: Election, votes: Votes) -> float:
    """Make the votes of sure leaders the deciding ones; return the probability that one falls on its unlikely side.

    1 if a leader does not lose half as many votes as there are sure leaders: all do only if none loses to an other.
    """
    leaders = co.order[OTHERS:]
    open_poll(election)
    election.lengths[0].deciding = 0
    p_fail = 0.0
    for a in leaders[1:]:
        p_fail = expect_record(election, votes, a, True, p_fail)
    for i in leaders:
        if 2 * election.lost[i] != len(leaders) - 1:
            return 1.0
    return p_fail


# Envelope.


@kernel
def loss_of(co: CoLeader, case: int, o: int) -> float:
    """Return ℓ of the o-th other."""
    wins = OTHERS + (len(co.order) - OTHERS) // 2  # M
    return 0.5 * (wins if o == case else wins - 1)


@kernel
def regret_at(co: CoLeader, case: int, i: int, b: int, c: int) -> float:
    """Return R_i with θ at edge b of the first other and edge c of the second one."""
    inverse = co.envelope.inverse[i]
    return loss_of(co, case, 0) * inverse[0, b] + loss_of(co, case, 1) * inverse[1, c]  # type: ignore[no-any-return]


@kernel
def mass_at(co: CoLeader, i: int, p: int) -> float:
    """Return m of a pair of cells of a leader."""
    mass = co.envelope.mass[i]
    return mass[0, p // CELLS] * mass[1, p % CELLS]  # type: ignore[no-any-return]


@kernel(inline=False)
def list_bins(co: CoLeader, case: int, i: int, beyond: int) -> None:
    """List the bin of R_i at the near edges of each pair of cells of a leader, or (``beyond`` = 1) at the far ones."""
    bins = co.bins[i, case]
    for b in range(CELLS):
        for c in range(CELLS):
            bins[b * CELLS + c] = int(min(regret_at(co, case, i, b + beyond, c + beyond) * co.scale[0], BINS - 1.0))


@kernel(inline=False)
def proposal_rate(co: CoLeader, comparisons: Comparisons, votes: Votes) -> float:
    """Return λ, how often the rare co-leader is proposed if sure votes fall on their likely sides."""
    wins, x, sure = comparisons.wins, co.order[OTHERS], co.order[OTHERS + 1 :]
    co.scale[0] = 0.0
    for i in co.order[OTHERS:]:
        for o in range(OTHERS):
            j = co.order[o]
            given = 1.0 if i == x else votes.chance[i, j]
            set_envelope(envelope_at(co.envelope, i, o), wins[i, j], wins[j, i], votes.mass[i, j], given)
        if i != x:
            co.scale[0] = max(co.scale[0], RESOLUTION / regret_at(co, 0, i, CELLS // 2, CELLS // 2))
    co.rates[:] = 0.0
    for case in range(CASES):
        for a in sure:
            list_bins(co, case, a, 0)
            tail, bins = co.tail[a], co.bins[a, case]
            tail[:] = 0.0
            for p in range(PAIRS):
                tail[bins[p]] += mass_at(co, a, p)
            for n in range(BINS - 2, -1, -1):
                tail[n] += tail[n + 1]
        list_bins(co, case, x, 1)
        share, bins = co.share[case], co.bins[x, case]
        for p in range(PAIRS):
            share[p] = mass_at(co, x, p) * votes.chance[co.order[1 - case], co.order[case]]
            for a in sure:
                share[p] *= co.tail[a, bins[p]]
            co.rates[case] += share[p]
    return co.rates.sum()  # type: ignore[no-any-return]


# Proposal, acceptance.


@kernel(inline=False)
def propose_regret(
    co: CoLeader, comparisons: Comparisons, case: int, i: int, p: int, rng: np.random.Generator
) -> float:
    """Return R_i of a leader with θ drawn in a pair of cells; nan if one is not accepted."""
    regret = 0.0
    for o in range(OTHERS):
        j = co.order[o]
        cell = p % CELLS if o else p // CELLS
        gap = propose_gap(envelope_at(co.envelope, i, o), cell, comparisons.wins[i, j], comparisons.wins[j, i], rng)
        if math.isnan(gap):
            return np.nan
        regret += loss_of(co, case, o) * inverse_divergence(gap)
    return regret


@kernel(inline=False)
def is_preferred(co: CoLeader, comparisons: Comparisons, rng: np.random.Generator) -> bool:
    """Play a proposal: tell whether x leads and D-TS+ prefers it."""
    x = co.order[OTHERS]
    case = pick_weighted(co.rates, CASES, rng)
    p = pick_weighted(co.share[case], PAIRS, rng)
    least = co.bins[x, case, p]
    regret = propose_regret(co, comparisons, case, x, p, rng)
    for a in co.order[OTHERS + 1 :]:
        for q in range(PAIRS):
            co.allowed[q] = mass_at(co, a, q) if co.bins[a, case, q] >= least else 0.0
        q = pick_weighted(co.allowed, PAIRS, rng)
        if not propose_regret(co, comparisons, case, a, q, rng) > regret:  # also if one of them is nan
            return False
    return True
