"""How rarely D-TS+ prefers one of several leaders: an envelope of the rounds in which it does, for rejection sampling.

Claim. Let M be the most likely wins that a contender has. *Sure leaders* are contenders with M likely wins of whom
every vote is *sure*. The *rare co-leader* x is another contender, sure to lose K − 1 − M votes: it leads too if it wins
all the rest. The *others*, two at most, are sure to lose K − M votes each. So as long as sure votes fall on their
likely sides, the sure leaders lead, with x or without. D-TS+ prefers the leader with the least

    R_i = Σ_j ℓ_j / kl(θ_ij, 1/2),    ℓ_j = (M − n_j) / 2,    n_j: votes that j wins,

to which only the others contribute (ℓ is 0 for leaders). The vote of two others against each other may be *open*: then
there are two *cases*, in which ℓ differs. If x leads, the sides of 1/2 of all θ_ij, i = x or a sure leader, are known.

Envelope. Each of these sides is cut into cells with an exponential above the density in each (``envelope.py``). In a
pair of cells, one for each other, R_x is not below a bound, and R_a of a sure leader a not above one; in multiples of a
unit, *bins*. With m, the product of the integrals of both exponentials, in the place of the probability of a pair,

    Q_a(n) = Σ m over pairs of cells of a that allow R_a to be in bin n or beyond,
    λ = Σ over cases of P(case) · Σ over pairs of cells of x of m · A(n),    A(n) = Π_a Q_a(n),

where n is the bin of the bound on R_x. x is preferred in a share of less than λ of the rounds: *proposed* in just λ.

Proposal. A case and a pair of cells of x are chosen with their weights in λ, and θ is drawn from their exponentials.
Now R_x is known, in bin n′ ≥ n. For each a a pair of cells is chosen among those that allow bin n′, and θ drawn.

Acceptance. Each θ is accepted with the chance density / exponential, R_x with the chance A(n′) / A(n). So every θ¹ for
which x is preferred is accepted with its own density. Whether x is preferred is then looked at.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.thompson.election import (
    Election,
    cast,
    cast_deciding_votes,
    cheapest_leader,
    expect_losses,
    expect_record,
    failure_bound_of_losses,
    forget_values,
    is_cast,
    open_poll,
    set_value,
)
from duelbench.algorithms.thompson.envelope import (
    CELLS,
    Envelope,
    envelope_at,
    inverse_divergence,
    no_envelope,
    propose_gap,
    set_envelope,
)
from duelbench.algorithms.thompson.votes import Votes
from duelbench.arrays import Flags, Floats, Ints, Record, record
from duelbench.compiling.jit import kernel, rare_kernel
from duelbench.kernels.confidence import Comparisons
from duelbench.kernels.divergence import kl_from_half
from duelbench.kernels.draws import pick_weighted

OTHERS, CASES = 2, 2
BINS, RESOLUTION = 64, 16.0
"""Bins of R, the last one without end, and how many of them make up the least estimated R of a sure leader."""


class CoLeader(NamedTuple):
    """A rare co-leader, the others, and how often it is proposed.

    ``group``: the ``rare`` co-leader, how many ``sure`` leaders and ``others`` there are, whether the vote of the
    others is ``open``, and the width of a bin (``unit``). ``sure`` and ``others`` list these arms. In case 1 the first
    other wins the open vote. ``loss[case, o]`` is ℓ of the o-th other, 0 of one that is not there. ``envelope`` is at
    (arm, other), as seen from the winner of their vote. ``tail[case, a, n]`` is Q_a(n), ``acceptance[case, n]`` is
    A(n), ``rates[case]`` how often x is proposed in a case.
    """

    group: Record
    sure: Ints
    others: Ints
    loss: Floats
    envelope: Envelope
    tail: Floats
    acceptance: Floats
    rates: Floats


def no_co_leader(arms: int) -> CoLeader:
    """Return the room for a rare co-leader among ``arms`` arms."""
    return CoLeader(
        group=record(rare=0, sure=0, others=0, open=False, unit=1.0),
        sure=np.zeros(arms, np.int64),
        others=np.zeros(arms, np.int64),
        loss=np.zeros((CASES, OTHERS)),
        envelope=no_envelope((arms, OTHERS)),
        tail=np.zeros((CASES, arms, BINS)),
        acceptance=np.zeros((CASES, BINS)),
        rates=np.zeros(CASES),
    )


# Claim.


@rare_kernel
def find_groups(co: CoLeader, election: Election, votes: Votes, p_informative: Floats, equal: Flags) -> bool:
    """Divide the arms into groups; tell whether there are sure leaders, equal to the rare one, and few enough others.

    Rare is the contender that would do most harm in another group: as a sure leader by making rounds informative, as
    one of the others by winning too much.
    """
    arms = votes.ahead.shape[0]
    group = co.group[0]
    most = 0
    for k in range(election.lengths[0].contenders):
        most = max(most, votes.ahead[election.contenders[k]])
    largest = -1.0
    for k in range(election.lengths[0].contenders):
        i = election.contenders[k]
        harm = p_informative[i] if votes.ahead[i] == most else failure_bound_of_losses(votes, i, arms - most)
        if harm > largest:
            largest = harm
            group.rare = i
    group.sure = group.others = 0
    for k in range(election.lengths[0].contenders):
        i = election.contenders[k]
        if i != group.rare and votes.ahead[i] == most:
            if not equal[i, group.rare]:
                return False
            co.sure[group.sure] = i
            group.sure += 1
    for i in range(arms):
        named = i == group.rare
        for k in range(group.sure):
            named = named or i == co.sure[k]
        if not named:
            co.others[group.others] = i
            group.others += 1
    return group.sure > 0 and 0 < group.others <= OTHERS  # type: ignore[no-any-return]


@rare_kernel
def find_sure_votes(co: CoLeader, election: Election, votes: Votes, limit: float) -> float:
    """List the sure votes as the deciding ones of ``election``.

    Return the probability that one of them falls on its unlikely side, 1 when it is above ``limit``, there are no such
    votes, or they leave the rare co-leader no chance to lead.
    """
    group = co.group[0]
    behind = votes.ahead.shape[0] - votes.ahead[co.sure[0]]  # votes that those who do not lead lose, at least
    open_poll(election)
    election.lengths[0].deciding = 0
    p_fail = 0.0
    for k in range(group.sure):
        p_fail = expect_record(election, votes, co.sure[k], True, p_fail)
    p_fail = expect_losses(election, votes, group.rare, behind - 1, p_fail, limit)
    for o in range(group.others):
        p_fail = expect_losses(election, votes, co.others[o], behind, p_fail, limit)
    return 1.0 if p_fail > limit or election.lost[group.rare] >= behind else p_fail


@kernel
def find_losses(co: CoLeader, election: Election, votes: Votes) -> None:
    """Work out ℓ of the others in all cases, if x leads and sure votes fall on their likely sides."""
    group = co.group[0]
    arms = votes.ahead.shape[0]
    first, second = co.others[0], co.others[1]
    group.open = group.others == OTHERS and not is_cast(election, first, second)
    co.loss[:] = 0.0
    for o in range(group.others):
        wins = arms - 1 - election.lost[co.others[o]]
        if not is_cast(election, group.rare, co.others[o]):
            wins -= 1  # x leads only if it wins this vote
        for case in range(CASES):
            lost = 1 if group.open and case == o else 0
            co.loss[case, o] = 0.5 * (votes.ahead[co.sure[0]] - (wins - lost))


# Envelope.


@kernel
def chance_of_case(co: CoLeader, votes: Votes, case: int) -> float:
    """Return the probability that the open vote falls so; without one there is case 0 alone."""
    if co.group[0].open:
        return votes.chance[co.others[1 - case], co.others[case]]  # type: ignore[no-any-return]
    return 1.0 - case


@kernel
def pair_of(co: CoLeader, election: Election, i: int, o: int) -> tuple[int, int]:
    """Return the pair of a leader i and the o-th other, the winner of their vote first."""
    j = co.others[o]
    if is_cast(election, i, j) and election.ballots[i, j] & 1 == 0:
        return j, i
    return i, j


@rare_kernel
def cut_sides(co: CoLeader, election: Election, comparisons: Comparisons, votes: Votes, i: int) -> None:
    """Cut the sides of a leader against the others."""
    wins = comparisons.wins
    for o in range(OTHERS):
        envelope = envelope_at(co.envelope, i, o)
        if o < co.group[0].others:
            high, low = pair_of(co, election, i, o)
            given = votes.chance[high, low] if is_cast(election, high, low) else 1.0
            set_envelope(envelope, wins[high, low], wins[low, high], votes.mass[high, low], given)
        else:  # a single cell without weight in R
            envelope.mass[:] = 0.0
            envelope.mass[0] = 1.0
            envelope.inverse[:] = 0.0


@kernel
def bin_of(co: CoLeader, regret: float) -> int:
    """Return the bin of a value of R."""
    return int(min(regret / co.group[0].unit, BINS - 1.0))


@kernel
def bound_at(co: CoLeader, case: int, i: int, b: int, c: int) -> float:
    """Return R_i with θ at edge b of the first other and edge c of the second one."""
    inverse = co.envelope.inverse
    return co.loss[case, 0] * inverse[i, 0, b] + co.loss[case, 1] * inverse[i, 1, c]  # type: ignore[no-any-return]


@rare_kernel
def rate_of_case(co: CoLeader, case: int) -> float:
    """Fill Q and A in a case; return how often x is proposed in it."""
    mass, acceptance = co.envelope.mass, co.acceptance[case]
    acceptance[:] = 1.0
    for k in range(co.group[0].sure):
        a = co.sure[k]
        tail = co.tail[case, a]
        tail[:] = 0.0
        for b in range(CELLS):
            for c in range(CELLS):
                tail[bin_of(co, bound_at(co, case, a, b, c))] += mass[a, 0, b] * mass[a, 1, c]
        for n in range(BINS - 2, -1, -1):
            tail[n] += tail[n + 1]
        for n in range(BINS):
            acceptance[n] *= tail[n]
    x = co.group[0].rare
    rate = 0.0
    for b in range(CELLS):
        for c in range(CELLS):
            n = bin_of(co, bound_at(co, case, x, b + 1, c + 1))
            rate += mass[x, 0, b] * mass[x, 1, c] * acceptance[n]
    return rate


@rare_kernel
def proposal_rate(co: CoLeader, election: Election, comparisons: Comparisons, votes: Votes) -> float:
    """Return λ, how often the rare co-leader is proposed if sure votes fall on their likely sides."""
    wins = comparisons.wins
    find_losses(co, election, votes)
    cut_sides(co, election, comparisons, votes, co.group[0].rare)
    least = np.inf
    for k in range(co.group[0].sure):
        a = co.sure[k]
        cut_sides(co, election, comparisons, votes, a)
        estimate = 0.0
        for o in range(co.group[0].others):
            j = co.others[o]
            estimate += co.loss[0, o] / kl_from_half(wins[a, j] / (wins[a, j] + wins[j, a]))
        least = min(least, estimate)
    co.group[0].unit = least / RESOLUTION
    total = 0.0
    for case in range(CASES):
        chance = chance_of_case(co, votes, case)
        co.rates[case] = chance * rate_of_case(co, case) if chance > 0.0 else 0.0
        total += co.rates[case]
    return total


# Proposal.


@kernel
def choose_cells(co: CoLeader, case: int, i: int, least: int, left: float) -> tuple[int, int]:
    """Choose a pair of cells, for x by their weight in λ, for a sure leader among those that allow bin ``least``.

    ``left`` is uniform below the sum of their weights; −1, −1 by rounding.
    """
    mass = co.envelope.mass
    rare = i == co.group[0].rare
    beyond = 1 if rare else 0
    for b in range(CELLS):
        for c in range(CELLS):
            n = bin_of(co, bound_at(co, case, i, b + beyond, c + beyond))
            if n >= least:
                left -= mass[i, 0, b] * mass[i, 1, c] * (co.acceptance[case, n] if rare else 1.0)
                if left < 0.0:
                    return b, c
    return -1, -1


@rare_kernel
def propose_values(
    co: CoLeader,
    election: Election,
    comparisons: Comparisons,
    case: int,
    i: int,
    least: int,
    total: float,
    rng: np.random.Generator,
) -> int:
    """Draw θ of a leader against the others in cells that are chosen with weights of sum ``total``.

    Return the bin of R_i, or −1 if the proposal is rejected.
    """
    wins = comparisons.wins
    cells = choose_cells(co, case, i, least, rng.random() * total)
    if cells[0] < 0:
        return -1
    regret = 0.0
    for o in range(co.group[0].others):
        high, low = pair_of(co, election, i, o)
        gap = propose_gap(envelope_at(co.envelope, i, o), cells[o], wins[high, low], wins[low, high], rng)
        if gap == 0.0:
            return -1
        set_value(election, high, low, 0.5 + gap)
        regret += co.loss[case, o] * inverse_divergence(gap)
    n = bin_of(co, regret)
    if i == co.group[0].rare:
        bound = bin_of(co, bound_at(co, case, i, cells[0] + 1, cells[1] + 1))
        if rng.random() * co.acceptance[case, bound] >= co.acceptance[case, n]:
            return -1
    return n


# Acceptance.


@rare_kernel
def is_preferred(
    co: CoLeader, election: Election, comparisons: Comparisons, votes: Votes, rng: np.random.Generator
) -> bool:
    """Play a proposal: tell whether x leads and D-TS+ prefers it, in a poll whose sure votes fall as they should."""
    group = co.group[0]
    x = group.rare
    case = pick_weighted(co.rates, CASES, rng)
    if co.rates[case] == 0.0:  # by rounding
        return False
    cast_deciding_votes(election, votes, -1.0, rng)
    for o in range(group.others):
        if not is_cast(election, x, co.others[o]):
            cast(election, x, co.others[o], True)
    if group.open:
        cast(election, co.others[0], co.others[1], case == 1)
    forget_values(election)
    rate = co.rates[case] / chance_of_case(co, votes, case)
    n = propose_values(co, election, comparisons, case, x, 0, rate, rng)
    election.leaders[0] = x
    for k in range(group.sure):
        if n < 0:
            return False
        a = co.sure[k]
        if propose_values(co, election, comparisons, case, a, n, co.tail[case, a, n], rng) < 0:
            return False
        election.leaders[k + 1] = a
    election.lengths[0].leaders = group.sure + 1
    return cheapest_leader(election, comparisons, votes, rng) == x  # type: ignore[no-any-return]
