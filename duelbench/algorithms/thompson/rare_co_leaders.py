"""How seldom D-TS+ prefers one of several leaders: how often cells of θ¹ are proposed outside of which it does not.

*Regulars* are arms with M likely wins, as many as any contender, of which every vote is sure to fall on its likely
side. *Outsiders*, a few, are other contenders sure to lose K − 1 − M votes: they lead too if they win all the
rest. Everyone else is sure to lose K − M votes. As long as sure votes fall so, the leaders are the regulars and perhaps
outsiders. D-TS+ prefers the least R_i = Σ_j r̃_ij / kl(θ_ij, 1/2). For leaders r̃_ij is the same ℓ_j = (M − n_j) / 2,
with n_j the votes of j: nothing if j leads. If the outsider x leads, ℓ depends on the open votes of x's *others*, those
who are not regulars, on each other; these make up few *cases*.

In every case the side of each θ_ij, i = x or a regular, is known. It is cut into cells (``envelope.py``), in which
terms of R_x are bounded from below, those of regulars from above, in *bins*. From this follow, with the integrals over
cells in the place of chances,

    Q_a(o, n): how often the terms of R_a from the o-th other on reach n bins, 1 if n ≤ 0 and at most;
    H(m, n) = Π_a Q_a(0, n) with m the number of others, and
    H(o, n) = Σ over cells of the o-th other, integral · H(o + 1, n + bins of the term):

how often R_a ≥ R_x for all a if the terms of R_x before the o-th other make up n bins. *Proposed* is x with the rate
H(0, 0) in each case. Values of θ are then drawn, other by other, first those of x: a cell with the weight that it has
in the sum for H, and θ in it. Since its term is known now, and not just bounded, the proposal is kept with the chance
H after / H before; likewise for each regular, with Q. So every θ¹ for which x is preferred is proposed once, with its
density; whether it is preferred is then looked at, with the rest of the values drawn as ever. Cases in which x all but
never leads are proposed whenever it does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.thompson.election import (
    DECIDING,
    Election,
    cast,
    cast_deciding_votes,
    cheapest_leader,
    doubt_of_losses,
    expect_losses,
    expect_record,
    forget_values,
    is_cast,
    open_poll,
    set_value,
)
from duelbench.algorithms.thompson.envelope import CELLS, Cells, cells_at, draw_in_cell, no_cells, set_cells
from duelbench.algorithms.thompson.votes import Votes
from duelbench.arrays import Flags, Floats, Ints
from duelbench.compiling.jit import kernel, rare_kernel
from duelbench.kernels.confidence import Comparisons
from duelbench.kernels.divergence import kl_from_half
from duelbench.kernels.draws import pick_weighted

MOST_OUTSIDERS = 4
MOST_OTHERS = 3
MOST_OPEN = 3
"""Open votes among the others, at most."""
CASES = 2**MOST_OPEN
SLOTS = 4
"""x, in the first slot, and the regulars whose R is looked at, at most."""
KEPT = 4
"""Cases for which Q is kept, at most; others take their turn."""
BINS, LEAST_RESOLUTION = 64, 13.0
"""Bins of R, the last one without end; so many make up the least estimated R of a regular, or up to half as many more.
"""

# Rows of parties: lists of arms with their numbers in the last places.
REGULARS, OUTSIDERS, REST = range(3)
# Values of Outsider.known.
UNKNOWN, REGULARS_KNOWN, KNOWN = range(3)
# Places in Outsider.rates, after those of the cases.
PROPOSAL, UNIT = CASES, CASES + 1


class Outsider(NamedTuple):
    """An outsider, its others, and how often it is proposed.

    ``slots`` has x and some regulars, ``others`` the others; their numbers are in the last places. ``must_win[j]``: x
    leads only if it beats j. ``open_votes`` lists pairs of others, their number is in the last row; in case c the first
    of the v-th pair wins if bit v of c is set. ``loss[c, o]`` is ℓ of the o-th other in case c. ``divided[c]``: case c
    has cells; ``chance[c]`` is that of the case, and ``rates[c]`` how often it is proposed; behind these are how often
    any is to be looked at, and the width of a bin.

    ``cells`` are those of the pairs (slot, other) as seen from the winner of their vote. ``hope[c, o, n]`` is H(o + 1,
    n) in case c, and ``first_hope[c]`` is H(0, 0). ``known[c]``: whether these are known for the cells and losses as
    they are, or Π Q is; in the last place is a number that tells how many slots and others that was for. ``theta`` has
    values of the pairs that were drawn, 0 for others. ``need[p, s, o, n]`` is Q(o, n) of the regular in slot s + 1 in
    case ``need_case[p, s]``, one of those that leave the remainder p, or −1 if there is none yet. Room to work in, for
    all outsiders, are ``padded``, a row of some table with what it has beyond its ends, and ``steps[b]``, the bins of a
    term in cell b.
    """

    slots: Ints
    others: Ints
    must_win: Flags
    open_votes: Ints
    loss: Floats
    divided: Flags
    chance: Floats
    rates: Floats
    cells: Cells
    known: Ints
    first_hope: Floats
    hope: Floats
    theta: Floats
    need: Floats
    need_case: Ints
    padded: Floats
    steps: Ints


def no_outsiders(arms: int) -> Outsider:
    """Return the room for ``MOST_OUTSIDERS`` among ``arms`` arms: the arrays of an outsider with one more axis."""
    return Outsider(
        slots=np.zeros((MOST_OUTSIDERS, SLOTS + 1), np.int64),
        others=np.zeros((MOST_OUTSIDERS, arms + 1), np.int64),
        must_win=np.zeros((MOST_OUTSIDERS, arms), np.bool_),
        open_votes=np.zeros((MOST_OUTSIDERS, MOST_OPEN + 1, 2), np.int64),
        loss=np.zeros((MOST_OUTSIDERS, CASES, MOST_OTHERS)),
        divided=np.zeros((MOST_OUTSIDERS, CASES), np.bool_),
        chance=np.zeros((MOST_OUTSIDERS, CASES)),
        rates=np.zeros((MOST_OUTSIDERS, UNIT + 1)),
        cells=no_cells((MOST_OUTSIDERS, SLOTS, MOST_OTHERS)),
        known=np.zeros((MOST_OUTSIDERS, CASES + 1), np.int64),
        first_hope=np.zeros((MOST_OUTSIDERS, CASES)),
        hope=np.zeros((MOST_OUTSIDERS, CASES, MOST_OTHERS, BINS)),
        theta=np.zeros((MOST_OUTSIDERS, SLOTS, MOST_OTHERS)),
        need=np.zeros((MOST_OUTSIDERS, KEPT, SLOTS - 1, MOST_OTHERS, BINS)),
        need_case=np.full((MOST_OUTSIDERS, KEPT, SLOTS - 1), -1),
        padded=np.zeros(2 * BINS),
        steps=np.zeros(CELLS, np.int64),
    )


@kernel
def outsider_at(outsiders: Outsider, k: int) -> Outsider:
    """Return the k-th outsider."""
    return Outsider(
        outsiders.slots[k],
        outsiders.others[k],
        outsiders.must_win[k],
        outsiders.open_votes[k],
        outsiders.loss[k],
        outsiders.divided[k],
        outsiders.chance[k],
        outsiders.rates[k],
        cells_at(outsiders.cells, k),
        outsiders.known[k],
        outsiders.first_hope[k],
        outsiders.hope[k],
        outsiders.theta[k],
        outsiders.need[k],
        outsiders.need_case[k],
        outsiders.padded,
        outsiders.steps,
    )


@rare_kernel
def divide(parties: Ints, election: Election, votes: Votes, stray: Floats, equal: Flags, limit: float) -> bool:
    """Divide the arms into parties; tell whether there are regulars, with self-duels equal, and outsiders.

    A contender with most likely votes is a regular if ``stray`` of it is below the limit. Of the others those that are
    least certain to be behind are outsiders, unless the doubt is below the limit.
    """
    contenders = election.contenders
    regulars, outsiders, rest = parties[REGULARS], parties[OUTSIDERS], parties[REST]
    arms = votes.ahead.shape[0]
    most = 0
    for k in range(contenders[arms]):
        most = max(most, votes.ahead[contenders[k]])
    regulars[arms] = outsiders[arms] = rest[arms] = 0
    for k in range(contenders[arms]):
        i = contenders[k]
        if votes.ahead[i] == most and stray[i] < limit:
            if regulars[arms] > 0 and not equal[i, regulars[0]]:
                return False
            regulars[regulars[arms]] = i
            regulars[arms] += 1
            continue
        doubt = doubt_of_losses(votes, i, arms - most)
        if doubt <= limit:
            continue
        place = min(int(outsiders[arms]), MOST_OUTSIDERS)
        outsiders[arms] = min(place + 1, MOST_OUTSIDERS)
        while place > 0 and doubt_of_losses(votes, int(outsiders[place - 1]), arms - most) < doubt:
            if place < MOST_OUTSIDERS:
                outsiders[place] = outsiders[place - 1]
            place -= 1
        if place < MOST_OUTSIDERS:
            outsiders[place] = i
    for i in range(arms):
        named = False
        for k in range(regulars[arms]):
            named = named or regulars[k] == i
        for k in range(outsiders[arms]):
            named = named or outsiders[k] == i
        if not named:
            rest[rest[arms]] = i
            rest[arms] += 1
    return regulars[arms] > 0 and outsiders[arms] > 0  # type: ignore[no-any-return]


@rare_kernel
def find_sure_votes(parties: Ints, election: Election, votes: Votes, most_doubt: float) -> float:
    """List the sure votes as the deciding ones of ``election``.

    Return the chance that one of them falls on its unlikely side, 1 when it is above ``most_doubt``, there are no such
    votes, or they leave an outsider no chance to lead.
    """
    regulars, outsiders, rest = parties[REGULARS], parties[OUTSIDERS], parties[REST]
    arms = votes.ahead.shape[0]
    behind = arms - votes.ahead[regulars[0]]  # votes that those who do not lead lose, at least
    open_poll(election)
    election.marks[DECIDING] = 0
    doubt = 0.0
    for k in range(regulars[arms]):
        doubt = expect_record(election, votes, regulars[k], True, doubt)
    for k in range(outsiders[arms] + rest[arms]):
        if doubt > most_doubt:
            return 1.0
        if k < outsiders[arms]:
            doubt = expect_losses(election, votes, int(outsiders[k]), behind - 1, doubt, most_doubt)
        else:
            doubt = expect_losses(election, votes, int(rest[k - outsiders[arms]]), behind, doubt, most_doubt)
    for k in range(outsiders[arms]):
        if election.lost[outsiders[k]] >= behind:
            return 1.0
    return doubt if doubt <= most_doubt else 1.0


@rare_kernel
def gather(
    outsider: Outsider,
    parties: Ints,
    k: int,
    election: Election,
    comparisons: Comparisons,
    votes: Votes,
    stray: float,
    negligible: float,
) -> float:
    """Make this the k-th outsider; return how often it is proposed in rounds that its lead would end.

    ``stray`` is the share of these. Up to ``negligible`` of all rounds a case is proposed without cells.
    """
    arms = votes.ahead.shape[0]
    regulars, outsiders, rest = parties[REGULARS], parties[OUTSIDERS], parties[REST]
    outsider.slots[0] = outsiders[k]
    outsider.slots[SLOTS] = min(SLOTS, int(regulars[arms]) + 1)
    for r in range(outsider.slots[SLOTS] - 1):
        outsider.slots[r + 1] = regulars[r]
    outsider.others[arms] = 0
    for o in range(rest[arms] + outsiders[arms]):
        j = rest[o] if o < rest[arms] else outsiders[o - rest[arms]]
        if j != outsider.slots[0]:
            outsider.others[outsider.others[arms]] = j
            outsider.others[arms] += 1
    rate = bound_outsider(outsider, election, comparisons, votes, negligible / stray if stray > 0.0 else 1.0)
    outsider.rates[PROPOSAL] = stray * rate if rate >= 0.0 else 1.0
    return outsider.rates[PROPOSAL]  # type: ignore[no-any-return]


@kernel
def loses(election: Election, i: int, j: int) -> bool:
    """Tell whether i is sure to lose its vote against j."""
    return is_cast(election, i, j) and election.ballots[i, j] & 1 == 0


@rare_kernel
def find_open_votes(outsider: Outsider, election: Election) -> bool:
    """Find out which votes are open if the sure votes fall as they should and x leads; are they not too many?"""
    arms = outsider.must_win.shape[0]
    x, others = outsider.slots[0], outsider.others
    for j in range(arms):
        outsider.must_win[j] = j != x and not loses(election, x, j)
    count = 0
    for o in range(others[arms]):
        for q in range(o):
            if not is_cast(election, others[o], others[q]):
                if count == MOST_OPEN:
                    return False
                outsider.open_votes[count, 0], outsider.open_votes[count, 1] = others[o], others[q]
                count += 1
    outsider.open_votes[MOST_OPEN, 0] = count
    return True


@kernel
def chance_of_case(outsider: Outsider, votes: Votes, case: int) -> float:
    """Return the chance of a case."""
    chance = 1.0
    for v in range(outsider.open_votes[MOST_OPEN, 0]):
        first, second = outsider.open_votes[v, 0], outsider.open_votes[v, 1]
        chance *= votes.chance[first, second] if case >> v & 1 else votes.chance[second, first]
    return chance


@rare_kernel
def set_losses(outsider: Outsider, election: Election, votes: Votes, case: int) -> None:
    """Work out ℓ of the others in a case."""
    arms = outsider.must_win.shape[0]
    most = votes.ahead[outsider.slots[1]]
    for o in range(outsider.others[arms]):
        j = outsider.others[o]
        lost = election.lost[j]
        if outsider.must_win[j] and not is_cast(election, outsider.slots[0], j):
            lost += 1
        for v in range(outsider.open_votes[MOST_OPEN, 0]):
            if outsider.open_votes[v, case >> v & 1] == j:
                lost += 1
        loss = 0.5 * (most - (arms - 1 - lost))
        if loss != outsider.loss[case, o]:
            outsider.loss[case, o] = loss
            outsider.known[case] = UNKNOWN


@kernel
def pair_of(outsider: Outsider, votes: Votes, slot: int, o: int) -> tuple[int, int]:
    """Return the pair of a slot and the o-th other: who wins their vote if x leads as far as is sure; the loser."""
    i, j = outsider.slots[slot], outsider.others[o]
    wins = outsider.must_win[j] if slot == 0 else votes.chance[i, j] > 0.5
    if wins:
        return i, j
    return j, i


@rare_kernel
def set_all_cells(outsider: Outsider, election: Election, comparisons: Comparisons, votes: Votes, likely: int) -> None:
    """Cut the sides of all pairs, and set the width of the bins by a likely case; find out what is no longer known."""
    arms = outsider.must_win.shape[0]
    wins = comparisons.wins
    least = np.inf
    known = KNOWN
    for s in range(outsider.slots[SLOTS]):
        regret = 0.0
        for o in range(outsider.others[arms]):
            high, low = pair_of(outsider, votes, s, o)
            won, lost = wins[high, low], wins[low, high]
            given = votes.chance[high, low] if is_cast(election, high, low) else 1.0  # sure votes are
            cells = cells_at(cells_at(outsider.cells, s), o)
            if set_cells(cells, won, lost, votes.mass[high, low], given, s == 0):
                known = min(known, REGULARS_KNOWN if s == 0 else UNKNOWN)
            if s > 0:
                regret += max(0.5, outsider.loss[likely, o]) / kl_from_half(won / (won + lost))
        if s > 0:
            least = min(least, regret)
    if not LEAST_RESOLUTION * outsider.rates[UNIT] < least < 1.5 * LEAST_RESOLUTION * outsider.rates[UNIT]:
        outsider.rates[UNIT] = least / (1.25 * LEAST_RESOLUTION)
        known = UNKNOWN
    parties = outsider.slots[SLOTS] * (MOST_OTHERS + 1) + outsider.others[arms]
    if outsider.known[CASES] != parties:
        outsider.known[CASES] = parties
        known = UNKNOWN
    for case in range(CASES):
        outsider.known[case] = min(known, outsider.known[case])


@kernel
def bins_of(term: float, slot: int) -> int:
    """Return how many bins a term of R in some cell makes up: at least for x, at most for a regular."""
    return int(min(term, BINS - 1.0)) + (0 if slot == 0 else 1)


@kernel
def place_terms(outsider: Outsider, case: int, slot: int, o: int) -> None:
    """Note in ``steps`` how many bins the term of the o-th other makes up in each cell."""
    loss = outsider.loss[case, o] / outsider.rates[UNIT]
    inverse = outsider.cells.inverse[slot, o]
    for b in range(CELLS):
        outsider.steps[b] = bins_of(loss * inverse[b], slot)


@kernel
def mix(row: Floats, table: Floats, first: int, direction: int, steps: Ints, mass: Floats) -> None:
    """Fill ``BINS`` places of a row: a table from ``first`` on, shifted by the steps of all cells and weighed."""
    for n in range(BINS):
        row[n] = 0.0
    for b in range(0, CELLS, 4):  # four cells at once take half the time of one by one
        one = table[first + direction * steps[b] :]
        two = table[first + direction * steps[b + 1] :]
        three = table[first + direction * steps[b + 2] :]
        four = table[first + direction * steps[b + 3] :]
        for n in range(BINS):
            row[n] += mass[b] * one[n] + mass[b + 1] * two[n] + mass[b + 2] * three[n] + mass[b + 3] * four[n]


@kernel
def need_at(outsider: Outsider, case: int, slot: int, o: int, n: int) -> float:
    """Return Q(o, n) of a regular."""
    if n <= 0:
        return 1.0
    if o == outsider.others[outsider.must_win.shape[0]]:
        return 0.0
    return outsider.need[case % KEPT, slot - 1, o, n]  # type: ignore[no-any-return]


@rare_kernel
def reach(outsider: Outsider, case: int, slot: int) -> None:
    """Fill Q of a regular."""
    need, padded, steps = outsider.need[case % KEPT, slot - 1], outsider.padded, outsider.steps
    outsider.need_case[case % KEPT, slot - 1] = case
    for n in range(BINS):
        padded[n] = 1.0
        padded[BINS + n] = 1.0 if n == 0 else 0.0
    last = True
    for o in range(outsider.others[outsider.must_win.shape[0]] - 1, -1, -1):
        row = need[o]
        mass = outsider.cells.mass[slot, o]
        if outsider.loss[case, o] > 0.0:
            place_terms(outsider, case, slot, o)
            if last:  # what the lines below do, if it is sure what remains
                for n in range(BINS):
                    row[n] = 0.0
                for b in range(CELLS):
                    row[min(steps[b], BINS - 1)] += mass[b]
                for n in range(BINS - 2, 0, -1):
                    row[n] += row[n + 1]
                last = False
            else:
                mix(row, padded, BINS, -1, steps, mass)
            row[0] = 1.0
            for n in range(BINS):
                padded[BINS + n] = min(row[n], 1.0)
        for n in range(BINS):
            row[n] = padded[BINS + n]


@rare_kernel
def find_hope(outsider: Outsider, case: int) -> None:
    """Fill H in a case, as far as it is not known."""
    steps, mass = outsider.steps, outsider.cells.mass[0]
    others = outsider.others[outsider.must_win.shape[0]]
    if outsider.known[case] == UNKNOWN:
        last = outsider.hope[case, others - 1]
        for n in range(BINS):
            last[n] = 1.0
        for s in range(1, outsider.slots[SLOTS]):
            reach(outsider, case, s)
            for n in range(BINS):
                last[n] *= outsider.need[case % KEPT, s - 1, 0, n]
    if outsider.known[case] < KNOWN:
        padded = outsider.padded
        for o in range(others - 1, 0, -1):
            row, later = outsider.hope[case, o - 1], outsider.hope[case, o]
            if outsider.loss[case, o] == 0.0:
                for n in range(BINS):
                    row[n] = later[n]
            else:
                for n in range(BINS):
                    padded[n] = later[n]
                    padded[BINS + n] = later[BINS - 1]
                place_terms(outsider, case, 0, o)
                mix(row, padded, 0, 1, steps, mass[o])
        first = outsider.hope[case, 0]
        if outsider.loss[case, 0] == 0.0:
            outsider.first_hope[case] = first[0]
        else:
            place_terms(outsider, case, 0, 0)
            outsider.first_hope[case] = 0.0
            for b in range(CELLS):
                outsider.first_hope[case] += mass[0, b] * first[steps[b]]
    outsider.known[case] = KNOWN


@rare_kernel
def bound_outsider(
    outsider: Outsider, election: Election, comparisons: Comparisons, votes: Votes, negligible: float
) -> float:
    """Find how often each case of an outsider is proposed, if sure votes fall as they should; return the sum.

    A case in which x leads in a share ``negligible`` of the rounds at most is not divided into cells. −1 if there are
    too many others or open votes.
    """
    arms = outsider.must_win.shape[0]
    others = outsider.others[arms]
    if not 1 <= others <= MOST_OTHERS or not find_open_votes(outsider, election):
        return -1.0
    leads = 1.0  # the chance that x wins what it must
    for j in range(arms):
        if outsider.must_win[j] and not is_cast(election, outsider.slots[0], j):
            leads *= votes.chance[outsider.slots[0], j]
    cases = 1 << outsider.open_votes[MOST_OPEN, 0]
    likely = 0
    for case in range(cases):
        outsider.chance[case] = chance_of_case(outsider, votes, case)
        outsider.divided[case] = leads * outsider.chance[case] > negligible
        if outsider.divided[case]:
            set_losses(outsider, election, votes, case)
        if outsider.chance[case] > outsider.chance[likely]:
            likely = case
    if outsider.divided[likely]:
        set_all_cells(outsider, election, comparisons, votes, likely)
    total = 0.0
    for case in range(cases):
        hope = leads
        if outsider.divided[case]:
            find_hope(outsider, case)
            hope = outsider.first_hope[case]
        outsider.rates[case] = outsider.chance[case] * hope
        total += outsider.rates[case]
    return total


@kernel
def choose_cell(outsider: Outsider, case: int, slot: int, o: int, at: int, left: float) -> int:
    """Choose a cell of the o-th other, for x by H with ``at`` bins so far, for a regular by Q with ``at`` to go.

    ``left`` is uniform below the sum of their weights.
    """
    chosen = -1
    loss = outsider.loss[case, o] / outsider.rates[UNIT]
    for b in range(CELLS):
        weight = outsider.cells.mass[slot, o, b]
        if weight == 0.0:
            continue
        bins = bins_of(loss * outsider.cells.inverse[slot, o, b], slot)
        if slot == 0:
            weight *= outsider.hope[case, o, min(at + bins, BINS - 1)]
        else:
            weight *= need_at(outsider, case, slot, o + 1, at - bins)
        if weight > 0.0:
            chosen = b
            left -= weight
            if left < 0.0:
                break
    return chosen


@rare_kernel
def draw_values(
    outsider: Outsider,
    comparisons: Comparisons,
    votes: Votes,
    case: int,
    slot: int,
    target: float,
    rng: np.random.Generator,
) -> float:
    """Draw θ of an arm, given that cells allow its R to be small (x) or at least ``target`` (a regular), in bins.

    Return R of x, or 0 for a regular; −1 if the proposal is not kept.
    """
    arms = outsider.must_win.shape[0]
    cells = cells_at(outsider.cells, slot)
    rest = target
    for o in range(outsider.others[arms]):
        loss = outsider.loss[case, o] / outsider.rates[UNIT]
        if loss == 0.0:
            continue
        at = int(min(rest, BINS - 1.0))
        if slot > 0:
            total = need_at(outsider, case, slot, o, at)
            if total == 1.0:  # nothing is asked of the rest
                return 0.0
        elif o > 0:
            total = outsider.hope[case, o - 1, at]
        else:
            total = outsider.first_hope[case]
        high, low = pair_of(outsider, votes, slot, o)
        b = choose_cell(outsider, case, slot, o, at, rng.random() * total)
        if b < 0:  # by rounding
            return -1.0
        value = draw_in_cell(cells_at(cells, o), b, comparisons.wins[high, low], comparisons.wins[low, high], rng)
        if value == 0.0:
            return -1.0
        outsider.theta[slot, o] = value
        bins = bins_of(loss * cells.inverse[o, b], slot)
        term = loss / kl_from_half(value)
        if slot == 0:
            rest += term
            before = outsider.hope[case, o, min(at + bins, BINS - 1)]
            after = outsider.hope[case, o, int(min(rest, BINS - 1.0))]
        else:
            rest = max(min(rest, BINS - 1.0) - term, 0.0)
            before = need_at(outsider, case, slot, o + 1, at - bins)
            after = need_at(outsider, case, slot, o + 1, int(rest))
        if after < before * rng.random():
            return -1.0
    return rest if slot == 0 else 0.0


@kernel
def draw_proposal(
    outsider: Outsider, comparisons: Comparisons, votes: Votes, case: int, rng: np.random.Generator
) -> bool:
    """Draw θ of x and the regulars as far as cells restrict it; tell whether the proposal is kept."""
    regret = draw_values(outsider, comparisons, votes, case, 0, 0.0, rng)
    if regret < 0.0:
        return False
    for s in range(1, outsider.slots[SLOTS]):
        if outsider.need_case[case % KEPT, s - 1] != case:
            reach(outsider, case, s)
        if draw_values(outsider, comparisons, votes, case, s, regret, rng) < 0.0:
            return False
    return True


@rare_kernel
def is_preferred(
    outsider: Outsider, election: Election, comparisons: Comparisons, votes: Votes, rng: np.random.Generator
) -> bool:
    """Play a proposal: tell whether x leads and D-TS+ prefers it, in a poll whose sure votes fall as they should."""
    arms = outsider.must_win.shape[0]
    x = outsider.slots[0]
    case = pick_weighted(outsider.rates, 1 << outsider.open_votes[MOST_OPEN, 0], rng)
    if outsider.rates[case] == 0.0:  # by rounding
        return False
    for s in range(outsider.slots[SLOTS]):
        for o in range(outsider.others[arms]):
            outsider.theta[s, o] = 0.0
    if outsider.divided[case] and not draw_proposal(outsider, comparisons, votes, case, rng):
        return False
    cast_deciding_votes(election, votes, -1.0, rng)
    for j in range(arms):
        if outsider.must_win[j] and not is_cast(election, x, j):
            cast(election, x, j, True)
    for v in range(outsider.open_votes[MOST_OPEN, 0]):
        cast(election, outsider.open_votes[v, 0], outsider.open_votes[v, 1], case >> v & 1 == 1)
    leaders = 0
    behind = arms - votes.ahead[outsider.slots[1]]
    for i in range(arms):
        if election.lost[i] < behind:
            election.leaders[leaders] = i
            leaders += 1
    election.leaders[arms] = leaders
    forget_values(election)
    for s in range(outsider.slots[SLOTS]):
        for o in range(outsider.others[arms]):
            set_value(election, outsider.slots[s], outsider.others[o], outsider.theta[s, o])
    return cheapest_leader(election, comparisons, votes, rng) == x  # type: ignore[no-any-return]
