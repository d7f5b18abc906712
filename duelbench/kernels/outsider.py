"""How seldom D-TS+ prefers one of several leaders: cells of θ¹ outside of which it does not.

*Regulars* are arms with M likely wins, as many as any contender, of which every vote is sure to fall on its likely
side. *Outsiders*, a few, are other contenders sure to lose K − 1 − M votes: they lead too if they win all the
rest. Everyone else is sure to lose K − M votes. As long as sure votes fall so, the leaders are the regulars and perhaps
outsiders. D-TS+ prefers the least R_i = Σ_j r̃_ij / kl(θ_ij, 1/2). For leaders r̃_ij is the same ℓ_j = (M − n_j) / 2,
with n_j the votes of j: nothing if j leads. If the outsider x leads, ℓ depends on the open votes of x's *others*, those
who are not regulars, on each other; these make up few *cases*.

In every case the side of each θ_ij, i = x or a regular, is known. It is cut into cells. Those of x bound R_x from
below, those of a regular a bound R_a from above; x is preferred only if the first bound is below the second for every
a. Such combinations of cells are *proposed* at the rate of the sum of their chances, or rather of what bounds these: a
density proportional to θ^w (1 − θ)^l is log-concave, so below each exponential that touches it, and the integral of one
over a cell takes the place of the cell's chance. Values are then drawn from the exponentials, and kept with the chance
density / exponential. Those of x come first, and R_x tells more than the cells did: the proposal is kept with the
chance of the regulars' bounds to exceed R_x, given that they exceed the bound of R_x. So every θ¹ for which x is
preferred is proposed once, with its density; whether it is preferred is then looked at. There may be three others at
most: combinations of more cells are too many. Cases in which x all but never leads are proposed whenever it does.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Flags, Floats, Ints
from duelbench.kernels.confidence import Comparisons
from duelbench.kernels.divergence import kl_from_half
from duelbench.kernels.election import (
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
from duelbench.kernels.jit import kernel, rare_kernel
from duelbench.kernels.votes import Votes, log_density, value_above_half

MOST_OUTSIDERS = 4
MOST_OTHERS = 3
MOST_OPEN = 3
"""Open votes among the others, at most."""
CASES = 2**MOST_OPEN
SLOTS = 4
"""x, in the first slot, and the regulars whose R is looked at, at most."""
CELLS = 7
"""Cells of a side."""
USUAL, FAR = 3.5, 4.2
"""Standard deviations from its mode in which θ is thought to be, and up to which a side is cut finely."""
BINS, RESOLUTION = 96, 16.0
"""Bounds of R are rounded to ``BINS`` multiples of the least estimated R of a regular over ``RESOLUTION``."""

EVEN = 1e-6
"""Exponentials that vary less over a cell are replaced by a constant above them."""

LARGE = 700.0
"""Of an exponential with a larger logarithm nothing is asked but that it is large."""

# Rows of parties: lists of arms with their numbers in the last places.
REGULARS, OUTSIDERS, REST = range(3)
# Places in Outsider.cells.
EDGE, DIVERGENCE, TOUCH, SLOPE, MASS, TERM, CHANCE = range(7)
# Places in Outsider.rates, after those of the cases.
PROPOSAL, UNIT = CASES, CASES + 1


class Outsider(NamedTuple):
    """An outsider, its others, and cells of θ.

    ``slots`` has x and some regulars, ``others`` the others; their numbers are in the last places. ``must_win[j]``: x
    leads only if it beats j. ``open_votes`` lists pairs of others, their number is in the last row; in case c the first
    of the v-th pair wins if bit v of c is set. ``loss[o]`` is ℓ of the o-th other in the case looked at last.
    ``divided[c]``: case c has cells; ``rates[c]``: how often it and a combination of them are proposed, or just the
    case; behind these are how often any is to be looked at, and the width of a bin.

    For the arm in slot s and the o-th other, as seen from the winner of their vote: cell b reaches from ``EDGE`` of
    ``cells[s, o, b]`` to that of b + 1 above 1/2, where kl(θ, 1/2) is at most (x) or at least ``DIVERGENCE``. Its
    exponential touches the density at ``TOUCH``, has the rate ``SLOPE`` and the integral ``MASS``; infinite ``SLOPE``:
    the whole side serves, and ``MASS`` is its chance. ``TERM`` is a bound of its term of R, in bins, and ``CHANCE`` is
    ``MASS``, or 1 where ℓ = 0, in the case combined last.

    ``weight[c, k]`` is the chance of the k-th combination of cells of x in case c, and of R of the regulars to exceed
    its bound, in bin ``bins[c, k]``; behind the cases is room for another arm. ``reach[c, s, r]`` is the
    chance that R of the arm in slot s is in bin r or above.
    """

    slots: Ints
    others: Ints
    must_win: Flags
    open_votes: Ints
    loss: Floats
    divided: Flags
    rates: Floats
    cells: Floats
    weight: Floats
    bins: Ints
    reach: Floats


def no_outsiders(arms: int) -> Outsider:
    """Return the room for ``MOST_OUTSIDERS`` among ``arms`` arms: the arrays of an outsider with one more axis."""
    most = CELLS**MOST_OTHERS
    return Outsider(
        slots=np.zeros((MOST_OUTSIDERS, SLOTS + 1), np.int64),
        others=np.zeros((MOST_OUTSIDERS, arms + 1), np.int64),
        must_win=np.zeros((MOST_OUTSIDERS, arms), np.bool_),
        open_votes=np.zeros((MOST_OUTSIDERS, MOST_OPEN + 1, 2), np.int64),
        loss=np.zeros((MOST_OUTSIDERS, MOST_OTHERS)),
        divided=np.zeros((MOST_OUTSIDERS, CASES), np.bool_),
        rates=np.zeros((MOST_OUTSIDERS, UNIT + 1)),
        cells=np.zeros((MOST_OUTSIDERS, SLOTS, MOST_OTHERS, CELLS + 1, CHANCE + 1)),
        weight=np.zeros((MOST_OUTSIDERS, CASES + 1, most)),
        bins=np.zeros((MOST_OUTSIDERS, CASES + 1, most), np.int64),
        reach=np.zeros((MOST_OUTSIDERS, CASES, SLOTS, BINS)),
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
        outsiders.rates[k],
        outsiders.cells[k],
        outsiders.weight[k],
        outsiders.bins[k],
        outsiders.reach[k],
    )


@rare_kernel
def divide(parties: Ints, election: Election, votes: Votes, stray: Floats, alike: Flags, limit: float) -> bool:
    """Divide the arms into parties; tell whether there are regulars, with self-duels alike, and outsiders.

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
            if regulars[arms] > 0 and not alike[i, regulars[0]]:
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


@rare_kernel
def enter_case(outsider: Outsider, election: Election, votes: Votes, case: int) -> float:
    """Work out ℓ of the others in a case; return the chance of the case."""
    arms = outsider.must_win.shape[0]
    most = votes.ahead[outsider.slots[1]]
    chance = 1.0
    for o in range(outsider.others[arms]):
        j = outsider.others[o]
        lost = election.lost[j]
        if outsider.must_win[j] and not is_cast(election, outsider.slots[0], j):
            lost += 1
        for v in range(outsider.open_votes[MOST_OPEN, 0]):
            if outsider.open_votes[v, case >> v & 1] == j:
                lost += 1
        outsider.loss[o] = 0.5 * (most - (arms - 1 - lost))
    for v in range(outsider.open_votes[MOST_OPEN, 0]):
        first, second = outsider.open_votes[v, 0], outsider.open_votes[v, 1]
        chance *= votes.chance[first, second] if case >> v & 1 else votes.chance[second, first]
    return chance


@kernel
def wins_vote(outsider: Outsider, votes: Votes, i: int, j: int) -> bool:
    """Tell whether i = x or a regular wins its vote against j, if x leads and sure votes fall as they should."""
    if i == outsider.slots[0]:
        return outsider.must_win[j]  # type: ignore[no-any-return]
    return votes.chance[i, j] > 0.5  # type: ignore[no-any-return]


@kernel
def pair_of(outsider: Outsider, votes: Votes, slot: int, o: int) -> tuple[int, int]:
    """Return the pair of a slot and the o-th other: who wins their vote, and who loses it."""
    i, j = outsider.slots[slot], outsider.others[o]
    if wins_vote(outsider, votes, i, j):
        return i, j
    return j, i


@rare_kernel
def usual_extreme(outsider: Outsider, comparisons: Comparisons, votes: Votes, slot: int, without: int) -> float:
    """Return about how small R_x, or how large R of a regular, usually is, without the term of one of the others."""
    total = 0.0
    for o in range(outsider.others[outsider.must_win.shape[0]]):
        if o == without or outsider.loss[o] == 0.0:
            continue
        high, low = pair_of(outsider, votes, slot, o)
        won, lost = comparisons.wins[high, low], comparisons.wins[low, high]
        aside = 0.5 * USUAL / math.sqrt(won + lost + 3.0)
        gap = 0.5 * (won - lost) / (won + lost + 2.0) + (aside if slot == 0 else -aside)
        total += outsider.loss[o] / (2.0 * gap * gap) if gap > 0.0 else np.inf
    return total


@rare_kernel
def set_cells(
    outsider: Outsider, election: Election, comparisons: Comparisons, votes: Votes, slot: int, o: int, bound: float
) -> None:
    """Cut the side of a pair into cells, about the mode but no further than where ``bound`` makes it worth while."""
    high, low = pair_of(outsider, votes, slot, o)
    won, lost = comparisons.wins[high, low], comparisons.wins[low, high]
    side = votes.chance[high, low]
    given = side if is_cast(election, high, low) else 1.0  # sure votes are
    mode = 0.5 * (won - lost) / (won + lost + 2.0)
    deviation = 0.5 / math.sqrt(won + lost + 3.0)
    at_half = log_density(won, lost, votes.mass[high, low], 0.0)
    cell = outsider.cells[slot, o]
    cell[0, EDGE], cell[CELLS, EDGE] = 0.0, 0.5
    if slot == 0:
        least, largest = min(max(mode - deviation, bound), mode + 3.0 * deviation), mode + FAR * deviation
    else:
        least, largest = mode - FAR * deviation, max(min(mode + deviation, bound), mode - 3.0 * deviation)
    for b in range(1, CELLS):
        cell[b, EDGE] = min(max(least + (largest - least) * (b - 1) / (CELLS - 2), 0.0), 0.5)
    for b in range(CELLS + 1):
        # kl(1/2 + d, 1/2) = 2d² (1 + 2/3 d² + …) is convex in d², and log 2 at 1/2
        square = cell[b, EDGE] * cell[b, EDGE]
        cell[b, DIVERGENCE] = 2.0 * square * (1.0 + (1.5452 if slot == 0 else 2.0 / 3.0) * square)
    for b in range(CELLS):
        start, end = cell[b, EDGE], cell[b + 1, EDGE]
        touch = end if b == 0 else (start if b == CELLS - 1 else 0.5 * (start + end))
        mass, slope = 0.0, np.inf
        if end > start:
            mass = side
            if touch < 0.5:
                steep = won / (0.5 + touch) - lost / (0.5 - touch)
                top = at_half + won * math.log1p(2.0 * touch) + lost * math.log1p(-2.0 * touch)
                if abs(steep) * (end - start) < EVEN:
                    bound, steep = (end - start) * math.exp(top + EVEN), 0.0
                else:
                    ends = math.exp(min(LARGE, top + steep * (end - touch)))
                    bound = (ends - math.exp(min(LARGE, top + steep * (start - touch)))) / steep
                if bound < side:
                    mass, slope = bound, steep
        cell[b, TOUCH], cell[b, SLOPE], cell[b, MASS] = touch, slope, mass / given


@kernel
def cells_in(outsider: Outsider, o: int) -> int:
    """Return how many cells against the o-th other there are to combine: it counts if its ℓ is not 0."""
    return CELLS if outsider.loss[o] > 0.0 else 1


@rare_kernel
def combine(outsider: Outsider, slot: int, weight: Floats, bins: Ints) -> int:
    """Fill the chances of all combinations of cells of an arm, and the bins of its R; return their number.

    Every term of R is bounded from below for x, from above for a regular.
    """
    cells = outsider.cells[slot]
    for o in range(MOST_OTHERS):
        loss = outsider.loss[o] / outsider.rates[UNIT]
        for b in range(cells_in(outsider, o)):
            cells[o, b, TERM] = 0.0
            cells[o, b, CHANCE] = 1.0
            if loss > 0.0:
                divergence = cells[o, b + 1 if slot == 0 else b, DIVERGENCE]
                cells[o, b, TERM] = loss / divergence if divergence > 0.0 else BINS
                cells[o, b, CHANCE] = cells[o, b, MASS]
    third = cells_in(outsider, 2)
    count = 0
    for b in range(cells_in(outsider, 0)):
        for c in range(cells_in(outsider, 1)):
            both = cells[0, b, CHANCE] * cells[1, c, CHANCE]
            regret = cells[0, b, TERM] + cells[1, c, TERM]
            for d in range(third):
                weight[count] = both * cells[2, d, CHANCE]
                bins[count] = int(min(regret + cells[2, d, TERM], BINS - 1.0))
                count += 1
    return count


@rare_kernel
def combine_all(outsider: Outsider, case: int) -> float:
    """Combine cells in a case; return how often a combination is proposed in it."""
    for s in range(1, outsider.slots[SLOTS]):
        reach = outsider.reach[case, s]
        for r in range(BINS):
            reach[r] = 0.0
        for k in range(combine(outsider, s, outsider.weight[CASES], outsider.bins[CASES])):
            reach[outsider.bins[CASES][k]] += outsider.weight[CASES][k]
        for r in range(BINS - 2, -1, -1):
            reach[r] += reach[r + 1]
    weight, bins = outsider.weight[case], outsider.bins[case]
    rate = 0.0
    for k in range(combine(outsider, 0, weight, bins)):
        for s in range(1, outsider.slots[SLOTS]):
            weight[k] *= outsider.reach[case, s, bins[k]]
        rate += weight[k]
    return rate


@kernel
def choose(weight: Floats, bins: Ints, count: int, least: int, left: float) -> int:
    """Choose a combination in bin ``least`` or above, by weight; ``left`` is uniform below the sum of these."""
    chosen = -1
    for k in range(count):
        if bins[k] >= least and weight[k] > 0.0:
            chosen = k
            left -= weight[k]
            if left < 0.0:
                break
    return chosen


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
    for o in range(MOST_OTHERS):
        outsider.loss[o] = 0.0
    leads = 1.0  # the chance that x wins what it must
    for j in range(arms):
        if outsider.must_win[j] and not is_cast(election, outsider.slots[0], j):
            leads *= votes.chance[outsider.slots[0], j]
    cases = 1 << outsider.open_votes[MOST_OPEN, 0]
    likely = 0
    for case in range(cases):
        outsider.rates[case] = leads * enter_case(outsider, election, votes, case)
        outsider.divided[case] = outsider.rates[case] > negligible
        if outsider.rates[case] > outsider.rates[likely]:
            likely = case
    if outsider.divided[likely]:
        enter_case(outsider, election, votes, likely)
        set_all_cells(outsider, election, comparisons, votes)
    total = 0.0
    for case in range(cases):
        if outsider.divided[case]:
            outsider.rates[case] = enter_case(outsider, election, votes, case) * combine_all(outsider, case)
        total += outsider.rates[case]
    return total


@rare_kernel
def set_all_cells(outsider: Outsider, election: Election, comparisons: Comparisons, votes: Votes) -> None:
    """Cut the sides of all pairs, where R_x may be below R of the regulars in the case looked at; set the bins' width.

    Any cells serve; these make proposals few.
    """
    arms = outsider.must_win.shape[0]
    estimate = np.inf  # of R of the regulars, the least
    ceiling = np.inf  # of that
    floor = usual_extreme(outsider, comparisons, votes, 0, -1)
    for s in range(1, outsider.slots[SLOTS]):
        regret = 0.0
        for o in range(outsider.others[arms]):
            i, j = outsider.slots[s], outsider.others[o]
            n = comparisons.wins[i, j] + comparisons.wins[j, i]
            regret += max(0.5, outsider.loss[o]) / kl_from_half(comparisons.wins[i, j] / n)
        estimate = min(estimate, regret)
        ceiling = min(ceiling, usual_extreme(outsider, comparisons, votes, s, -1))
    outsider.rates[UNIT] = estimate / RESOLUTION
    for s in range(outsider.slots[SLOTS]):
        for o in range(outsider.others[arms]):
            term = (ceiling if s == 0 else floor) - usual_extreme(outsider, comparisons, votes, s, o)
            bound = math.sqrt(max(0.5, outsider.loss[o]) / (2.0 * term)) if term > 0.0 else np.inf
            set_cells(outsider, election, comparisons, votes, s, o, bound)


@rare_kernel
def draw_in_cell(
    outsider: Outsider,
    election: Election,
    comparisons: Comparisons,
    votes: Votes,
    slot: int,
    o: int,
    b: int,
    rng: np.random.Generator,
) -> bool:
    """Draw θ of a pair in cell b; return whether it is kept."""
    i, j = outsider.slots[slot], outsider.others[o]
    high, low = (i, j) if wins_vote(outsider, votes, i, j) else (j, i)
    won, lost = comparisons.wins[high, low], comparisons.wins[low, high]
    start, end = outsider.cells[slot, o, b, EDGE], outsider.cells[slot, o, b + 1, EDGE]
    touch, slope = outsider.cells[slot, o, b, TOUCH], outsider.cells[slot, o, b, SLOPE]
    if slope == np.inf:
        value = value_above_half(won, lost, votes.chance[high, low], votes.mass[high, low], rng)
        set_value(election, high, low, value)
        return start <= value - 0.5 < end  # type: ignore[no-any-return]
    u = rng.random()
    gap = start + u * (end - start)
    if slope != 0.0:
        rest = math.exp(-abs(slope) * (end - start))
        gap = (end if slope > 0.0 else start) + math.log(1.0 - u * (1.0 - rest)) / slope
    if not 0.0 < gap < 0.5:
        return False
    set_value(election, high, low, 0.5 + gap)
    density = won * math.log((0.5 + gap) / (0.5 + touch)) + lost * math.log((0.5 - gap) / (0.5 - touch))
    if slope == 0.0:
        density -= EVEN
    return rng.random() < math.exp(density - slope * (gap - touch))


@kernel
def draw_cells(
    outsider: Outsider,
    election: Election,
    comparisons: Comparisons,
    votes: Votes,
    slot: int,
    k: int,
    rng: np.random.Generator,
) -> bool:
    """Draw θ of an arm in the k-th combination of cells; return whether all are kept."""
    second, third = cells_in(outsider, 1), cells_in(outsider, 2)
    for o in range(outsider.others[outsider.must_win.shape[0]]):
        b = k // (second * third) if o == 0 else (k // third % second if o == 1 else k % third)
        if outsider.loss[o] > 0.0 and not draw_in_cell(outsider, election, comparisons, votes, slot, o, b, rng):
            return False
    return True


@kernel
def bin_of_regret(outsider: Outsider, election: Election) -> int:
    """Return the bin of R_x."""
    x = outsider.slots[0]
    regret = 0.0
    for o in range(outsider.others[outsider.must_win.shape[0]]):
        if outsider.loss[o] > 0.0:
            divergence = kl_from_half(election.theta[x, outsider.others[o]])
            regret += outsider.loss[o] / divergence if divergence > 0.0 else np.inf
    return int(min(regret / outsider.rates[UNIT], BINS - 1.0))


@kernel
def draw_combination(
    outsider: Outsider,
    election: Election,
    comparisons: Comparisons,
    votes: Votes,
    case: int,
    rate: float,
    rng: np.random.Generator,
) -> bool:
    """Propose cells, and draw θ of x and the regulars in them; return whether all are kept."""
    combinations = cells_in(outsider, 0) * cells_in(outsider, 1) * cells_in(outsider, 2)
    k = choose(outsider.weight[case], outsider.bins[case], combinations, 0, rng.random() * rate)
    if not draw_cells(outsider, election, comparisons, votes, 0, k, rng):
        return False
    least = max(bin_of_regret(outsider, election), int(outsider.bins[case, k]))
    kept = 1.0
    for s in range(1, outsider.slots[SLOTS]):
        kept *= outsider.reach[case, s, least] / outsider.reach[case, s, outsider.bins[case, k]]
    if rng.random() >= kept:
        return False
    for s in range(1, outsider.slots[SLOTS]):
        combine(outsider, s, outsider.weight[CASES], outsider.bins[CASES])
        left = rng.random() * outsider.reach[case, s, least]
        k = choose(outsider.weight[CASES], outsider.bins[CASES], combinations, least, left)
        if not draw_cells(outsider, election, comparisons, votes, s, k, rng):
            return False
    return True


@rare_kernel
def is_preferred(
    outsider: Outsider, election: Election, comparisons: Comparisons, votes: Votes, rng: np.random.Generator
) -> bool:
    """Play a proposal: tell whether x leads and D-TS+ prefers it, in a poll whose sure votes fall as they should."""
    arms = outsider.must_win.shape[0]
    x = outsider.slots[0]
    count = outsider.open_votes[MOST_OPEN, 0]
    total = 0.0
    for c in range(1 << count):
        total += outsider.rates[c]
    left = rng.random() * total
    case = 0
    while left >= outsider.rates[case] and case < (1 << count) - 1:
        left -= outsider.rates[case]
        case += 1
    if outsider.rates[case] == 0.0:  # by rounding
        return False
    cast_deciding_votes(election, votes, -1.0, rng)
    chance = enter_case(outsider, election, votes, case)
    forget_values(election)
    if outsider.divided[case] and not draw_combination(
        outsider, election, comparisons, votes, case, outsider.rates[case] / chance, rng
    ):
        return False
    for j in range(arms):
        if outsider.must_win[j] and not is_cast(election, x, j):
            cast(election, x, j, True)
    for v in range(count):
        cast(election, outsider.open_votes[v, 0], outsider.open_votes[v, 1], case >> v & 1 == 1)
    leaders = 0
    behind = arms - votes.ahead[outsider.slots[1]]
    for i in range(arms):
        if election.lost[i] < behind:
            election.leaders[leaders] = i
            leaders += 1
    election.leaders[arms] = leaders
    return cheapest_leader(election, comparisons, votes, rng) == x  # type: ignore[no-any-return]
