"""D-TS+: D-TS with ties for the first candidate broken by the smallest estimated regret; holds with a rare co-leader.

The pseudo-code is ``tests/reference/dts.py``. Tests compare the two: whole runs and rounds in
``tests/test_thompson.py``, rounds with a rare co-leader in ``tests/test_thompson_rare_co_leaders.py``. Holds are those
of D-TS (``dts.py``), except that several arms with most likely votes whose self-duels are distinguishable are played
round by round: which of them leads depends on the values of θ¹, so their shares are unknown.

Rare co-leaders. Holds are short if an arm leads with others but is almost never preferred: rounds in which some arm may
exceed 1/2 against it then end a hold without an informative duel. After several such rounds, this *rare co-leader* x is
treated separately. G is then the *sure leaders*, and all their votes are deciding. x may lead, but is preferred only in
rounds in which it is *proposed*, a share λ of all:

    P(uninformative) = Π(1 − ε) · Π over a in G of (1 − ε_a) · (1 − ε_x λ).

An uninformative round is a self-duel of a sure leader, or of x if nobody exceeds 1/2 against it. In the round that ends
the hold either a deciding vote deviates; or S is not empty, and nothing is known of x; or else x is proposed and
someone exceeds 1/2 against it, and the round is a self-duel if it turns out that x is not preferred.

The search for such an arm is made only after some rounds, since it costs as much as they do; when it is made does not
depend on future draws.

Claim. Let all arms but two, the *others*, be contenders, one of them x and the rest *sure leaders*, of whom every vote
is *sure*. If each of these contenders loses just half of its sure votes (a circle of three, say), none to the others,
and sure votes fall on their likely sides, then the sure leaders lead, the others cannot, and x does if it beats both:
the *rare co-leader*. All leaders win M votes, and D-TS+ prefers the one with the least

    R_i = Σ_j ℓ_j / kl(θ_ij, 1/2),    ℓ_j = (M − n_j) / 2,    n_j: votes that j wins,

to which only the others contribute. One of them wins a vote, that against the other one: there are two *cases*.

Envelope. The sides θ_ij > 1/2 of leaders against others are cut into cells with an exponential above the density in
each. Let m of a pair of cells, one for each other, be the product of the integrals of both exponentials. R_i is least
at their far edges and largest at the near ones, counted in *bins*. Preferred, x has an R_x below the R_a of every sure
leader a, so

    λ = Σ over cases of P(case) · Σ over pairs of cells of x of m · Π over a of Q_a(the bin of the least R_x),
    Q_a(n) = Σ m over pairs of cells of a whose largest R_a is in bin n or beyond

is above the probability that x is preferred.

Proposal. In a share λ of the rounds a case and a pair of cells of x are chosen by their weights in λ, for each a a pair
of cells by its weight in Q_a, and θ of all leaders are drawn from the exponentials of their cells.

Acceptance. Each θ is accepted with the chance density / exponential, so that every θ¹ for which x is preferred comes as
often as it should; and x is preferred if R_x < R_a for all a.

Cells. The log density of θ ~ Beta(w + 1, l + 1) is concave, so it lies below each of its tangents, and the density lies
below the exponential of each tangent (Gilks & Wild, Adaptive rejection sampling, 1992). Cells of ``_WIDTH`` posterior
standard deviations cut the side θ > 1/2, each with a tangent of its own. Of all proposals 1 in (sum of the integrals) /
P(θ > 1/2) is accepted, hardly less than 1.

θ is stored as the gap θ − 1/2, which stays accurate when the arms are nearly equal.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.thompson.dts import (
    DtsState,
    chance_of_rival,
    deviating_round,
    foresee,
    free_round,
    hold,
    is_free,
    look_ahead,
    second,
    start,
    update,
)
from duelbench.algorithms.thompson.election import Election, expect_record, open_poll
from duelbench.arrays import Flags, Floats, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.arithmetic import kl_from_half
from duelbench.kernels.confidence import Comparisons, advance
from duelbench.kernels.draws import pick_weighted
from duelbench.kernels.posteriors import Posteriors, log_density

_WORTHWHILE = 0.8
"""A rare co-leader is treated separately only if at most this share of the informative rounds remains."""
CELLS, _WIDTH = 16, 0.52
_LOWEST = -4.0
"""The second cell begins so many standard deviations from the mean, or at θ = 1/2 if that is higher."""
_FLAT = 1e-300
"""The slope of a tangent without one, for the formulas of a sloping one."""
OTHERS, CASES = 2, 2
PAIRS = CELLS**OTHERS
BINS, RESOLUTION = 64, 16.0
"""Bins of R, the last one without end, and how many of them make up a middling R of the sure leader that has least."""


# An envelope of one posterior.


class Envelope(NamedTuple):
    """Cells of sides of posteriors, whose places are the first axes of all arrays.

    Cell b reaches from gap ``edge[…, b]`` to the next one; ``mass[…, b]`` is the integral of its exponential;
    ``inverse[…, b]`` is 1 / kl(θ, 1/2) at the edge, which falls from one edge to the next.
    """

    edge: Floats
    mass: Floats
    inverse: Floats


def new_envelope(shape: tuple[int, ...]) -> Envelope:
    """Return the buffers for envelopes at places of this shape."""
    return Envelope(np.zeros((*shape, CELLS + 1)), np.zeros((*shape, CELLS)), np.zeros((*shape, CELLS + 1)))


@kernel
def _envelope_at(envelope: Envelope, i: int, j: int) -> Envelope:
    """Return the envelope at a place of the first two axes."""
    return Envelope(envelope.edge[i, j], envelope.mass[i, j], envelope.inverse[i, j])


@kernel
def _inverse_divergence(gap: float) -> float:
    """Return 1 / kl(1/2 + gap, 1/2); infinite at 0, and so near it that the divergence is rounded to nothing."""
    divergence = kl_from_half(0.5 + gap)
    return np.inf if divergence <= 0.0 else 1.0 / divergence


@kernel
def _tangent_of(envelope: Envelope, b: int, won: int, lost: int) -> tuple[float, float, float]:
    """Return where the tangent of cell b touches, its slope, and at which edge it is highest.

    It touches where most of the cell's mass is: in the middle, but of the long first and last cells at the inner edge.
    """
    low, high = envelope.edge[b], envelope.edge[b + 1]
    touch = min(max(0.5 * (low + high), envelope.edge[1]), envelope.edge[CELLS - 1])
    slope = won / (0.5 + touch) - lost / (0.5 - touch)
    return touch, slope, high if slope > 0.0 else low


@kernel(inline=False)
def set_envelope(envelope: Envelope, won: int, lost: int, mass: float, given: float) -> None:
    """Compute the cells for θ > 1/2 of an arm that has ``won`` and ``lost`` duels of a pair; ``mass = g(won, lost)``.

    Integrals are divided by ``given``, the probability of the event that is conditioned on.
    """
    edge = envelope.edge
    duels = won + lost
    deviation = math.sqrt((won + 1.0) * (lost + 1.0) / (duels + 3.0)) / (duels + 2.0)
    start = max(0.0, 0.5 * (won - lost) / (duels + 2.0) + _LOWEST * deviation)
    width = min(_WIDTH * deviation, (0.5 - start) / CELLS)
    for b in range(1, CELLS + 1):
        edge[b] = start + (b - 1) * width if b < CELLS else 0.5
    for b in range(CELLS + 1):
        envelope.inverse[b] = _inverse_divergence(edge[b])
    for b in range(CELLS):
        touch, slope, highest = _tangent_of(envelope, b, won, lost)
        steepness = max(abs(slope), _FLAT)
        top = math.exp(log_density(won, lost, mass, touch) + slope * (highest - touch)) / given
        envelope.mass[b] = top * -math.expm1(-steepness * (edge[b + 1] - edge[b])) / steepness


@kernel(inline=False)
def propose_gap(envelope: Envelope, b: int, won: int, lost: int, rng: np.random.Generator) -> float:
    """Draw a gap from the exponential of cell b; nan if it is not accepted."""
    touch, slope, highest = _tangent_of(envelope, b, won, lost)
    steepness = max(abs(slope), _FLAT)
    length = envelope.edge[b + 1] - envelope.edge[b]
    down = -math.log1p(rng.random() * math.expm1(-steepness * length)) / steepness
    gap = highest - down if slope > 0.0 else highest + down
    below = log_density(won, lost, 1.0, gap) - log_density(won, lost, 1.0, touch) - slope * (gap - touch)
    return gap if rng.random() < math.exp(below) else np.nan


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


def _new_co_leader(arms: int) -> CoLeader:
    """Return the initial state of a rare co-leader among ``arms`` arms."""
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
def _find_groups(
    co: CoLeader, election: Election, comparisons: Comparisons, posteriors: Posteriors, equal: Flags
) -> bool:
    """Divide the arms by the votes they may expect; tell whether the leaders are enough, equal, and all contenders.

    Those with fewest are the others, the next one is rare, the rest are the sure leaders, whom ``likely`` lists.
    """
    arms = len(co.order)
    sure = arms - OTHERS - 1
    if sure < 2 or election.lengths[0].contenders <= sure:
        return False
    for i in range(arms):
        co.expected[i] = posteriors.chance[i].sum()
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
def _find_sure_votes(co: CoLeader, election: Election, posteriors: Posteriors) -> float:
    """Make the votes of sure leaders the deciding ones; return the probability that one falls on its unlikely side.

    1 if a leader does not lose half as many votes as there are sure leaders: all do only if none loses to an other.
    """
    leaders = co.order[OTHERS:]
    open_poll(election)
    election.lengths[0].deciding = 0
    p_fail = 0.0
    for a in leaders[1:]:
        p_fail = expect_record(election, posteriors, a, True, p_fail)
    for i in leaders:
        if 2 * election.lost[i] != len(leaders) - 1:
            return 1.0
    return p_fail


# Envelopes of all leaders.


@kernel
def loss_of(co: CoLeader, case: int, o: int) -> float:
    """Return ℓ of the o-th other."""
    wins = OTHERS + (len(co.order) - OTHERS) // 2  # M
    return 0.5 * (wins if o == case else wins - 1)


@kernel
def _regret_at(co: CoLeader, case: int, i: int, b: int, c: int) -> float:
    """Return R_i with θ at edge b of the first other and edge c of the second one."""
    inverse = co.envelope.inverse[i]
    return loss_of(co, case, 0) * inverse[0, b] + loss_of(co, case, 1) * inverse[1, c]  # type: ignore[no-any-return]


@kernel
def mass_at(co: CoLeader, i: int, p: int) -> float:
    """Return m of a pair of cells of a leader."""
    mass = co.envelope.mass[i]
    return mass[0, p // CELLS] * mass[1, p % CELLS]  # type: ignore[no-any-return]


@kernel(inline=False)
def _list_bins(co: CoLeader, case: int, i: int, beyond: int) -> None:
    """List the bin of R_i at the near edges of each pair of cells of a leader, or (``beyond`` = 1) at the far ones."""
    bins = co.bins[i, case]
    for b in range(CELLS):
        for c in range(CELLS):
            bins[b * CELLS + c] = int(min(_regret_at(co, case, i, b + beyond, c + beyond) * co.scale[0], BINS - 1.0))


@kernel(inline=False)
def _proposal_rate(co: CoLeader, comparisons: Comparisons, posteriors: Posteriors) -> float:
    """Return λ, how often the rare co-leader is proposed if sure votes fall on their likely sides."""
    wins, x, sure = comparisons.wins, co.order[OTHERS], co.order[OTHERS + 1 :]
    co.scale[0] = 0.0
    for i in co.order[OTHERS:]:
        for o in range(OTHERS):
            j = co.order[o]
            given = 1.0 if i == x else posteriors.chance[i, j]
            set_envelope(_envelope_at(co.envelope, i, o), wins[i, j], wins[j, i], posteriors.mass[i, j], given)
        if i != x:
            co.scale[0] = max(co.scale[0], RESOLUTION / _regret_at(co, 0, i, CELLS // 2, CELLS // 2))
    co.rates[:] = 0.0
    for case in range(CASES):
        for a in sure:
            _list_bins(co, case, a, 0)
            tail, bins = co.tail[a], co.bins[a, case]
            tail[:] = 0.0
            for p in range(PAIRS):
                tail[bins[p]] += mass_at(co, a, p)
            for n in range(BINS - 2, -1, -1):
                tail[n] += tail[n + 1]
        _list_bins(co, case, x, 1)
        share, bins = co.share[case], co.bins[x, case]
        for p in range(PAIRS):
            share[p] = mass_at(co, x, p) * posteriors.chance[co.order[1 - case], co.order[case]]
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
        gap = propose_gap(_envelope_at(co.envelope, i, o), cell, comparisons.wins[i, j], comparisons.wins[j, i], rng)
        if math.isnan(gap):
            return np.nan
        regret += loss_of(co, case, o) * _inverse_divergence(gap)
    return regret


@kernel(inline=False)
def _is_preferred(co: CoLeader, comparisons: Comparisons, rng: np.random.Generator) -> bool:
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


# The hold, and the round that ends it.


class DtsPlusState(NamedTuple):
    """The state of D-TS, and a rare co-leader.

    ``apart``: the number of uninformative rounds that ended a hold (``vain``); whether a rare co-leader is treated
    separately (``current``) and, if so, the probability that a round is informative or proposes x
    (``p_informative``).
    """

    dts: DtsState
    co_leader: CoLeader
    apart: Record


@kernel(inline=False)
def set_apart(state: DtsPlusState, limit: float) -> bool:
    """Hold for the sure leaders, and for a rare co-leader as long as it is not proposed.

    Return whether at most a share ``limit`` of the rounds is then informative; if not, the deciding votes are lost.
    """
    dts, co = state.dts, state.co_leader
    election, p_informative = dts.election, dts.p_informative
    if not _find_groups(co, election, dts.comparisons, dts.posteriors, dts.equal):
        return False
    for i in co.order[OTHERS:]:
        p_informative[i] = chance_of_rival(dts.comparisons, dts.posteriors, i)
    p_vote = _find_sure_votes(co, election, dts.posteriors)
    p_rival = 0.0
    for a in co.order[OTHERS + 1 :]:
        p_rival += (1.0 - p_rival) * p_informative[a]
    if p_vote + p_rival > limit:
        return False
    p_proposed = p_informative[co.order[OTHERS]] * _proposal_rate(co, dts.comparisons, dts.posteriors)
    if p_vote + p_rival + p_proposed > limit:
        return False
    foresee(dts.forecast, p_vote, p_rival)
    forecast = dts.forecast[0]
    forecast.log_uninformative += math.log1p(-p_proposed)
    state.apart[0].p_informative = forecast.p_informative + (1.0 - forecast.p_informative) * p_proposed
    state.apart[0].current = dts.status[0].current = True
    return True


@kernel(inline=False)
def _apart_round(state: DtsPlusState, rng: np.random.Generator) -> tuple[int, int]:
    """Play the round that ends a hold with a rare co-leader."""
    dts, co = state.dts, state.co_leader
    rare = co.order[OTHERS]
    if rng.random() * state.apart[0].p_informative < dts.forecast[0].p_informative:
        dts.challenged[rare] = rng.random() < dts.p_informative[rare]
        return deviating_round(dts, rng)
    if _is_preferred(co, dts.comparisons, rng):
        exceeded = rng.random() * dts.p_informative[rare]
        return rare, second(dts.comparisons, dts.posteriors, dts.found, rare, exceeded, rng)
    return dts.election.likely[0], dts.election.likely[0]


_PATIENCE = 8
"""Uninformative rounds that end a hold before a rare co-leader is treated separately, which costs as much."""


@kernel
def select_plus(state: DtsPlusState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Choose both candidates, or hold while rounds are uninformative."""
    dts, apart = state.dts, state.apart[0]
    if advance(dts.comparisons, t):
        dts.status[0].current = False
    if not dts.status[0].current:
        apart.current = False
        apart.vain = 0
    first, other, count = hold(dts, t, last, rng)
    if count == 0:
        if apart.current:
            first, other = _apart_round(state, rng)
        elif is_free(dts.forecast):
            first, other = free_round(dts, rng)
        else:
            first, other = deviating_round(dts, rng)
    if first == other and count == 0:
        apart.vain += 1
        if apart.vain == _PATIENCE and not set_apart(state, _WORTHWHILE * dts.forecast[0].p_informative):
            look_ahead(dts)
    return first, other, max(1, count)


@kernel
def update_plus(state: DtsPlusState, first: int, second: int, wins: int, count: int) -> None:
    """Line 17: count the outcome."""
    update(state.dts, first, second, wins, count)


class DtsPlus(Algorithm):
    """D-TS with ties for the first arm broken by the smallest estimated regret."""

    name = "d-ts+"
    title = "D-TS+"
    citation = "Wu, Liu. Double Thompson Sampling for Dueling Bandits. NIPS 2016, section 4.3"
    regret_order = "K² log T; K log T + K² log log T with a Condorcet winner"
    learns_off_policy = True
    State = DtsPlusState
    select = staticmethod(select_plus)
    update = staticmethod(update_plus)

    alpha: float = Field(0.51, gt=0, description="confidence constant α of the bounds")

    def start(self, arms: int, horizon: int) -> DtsPlusState:
        """Return the state before the first round."""
        return DtsPlusState(
            dts=start(arms, self.alpha, plus=True),
            co_leader=_new_co_leader(arms),
            apart=record(vain=0, current=False, p_informative=1.0),
        )

    def merge_equal_self_duels(self, state: DtsPlusState, equal: Flags) -> None:
        """Hold for several leaders if they are equal."""
        state.dts.equal[:] = equal
