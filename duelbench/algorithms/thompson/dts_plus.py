"""D-TS+: D-TS with ties for the first candidate broken by the smallest estimated regret.

``select_plus`` returns both candidates or a hold, as in D-TS, and adds holds with a rare co-leader. The pseudo-code is
``tests/reference/dts.py``. ``tests/test_thompson.py`` compares whole runs and rounds with it,
``tests/test_thompson_rare_co_leaders.py`` rounds with a rare co-leader. Holds are those of D-TS (``dts.py``), except
that rounds are played one by one if several arms tie for the most votes on likely sides and their self-duels are
distinguishable: which of them leads depends on the values of θ¹, so their shares are unknown.

Rare co-leaders. Holds are short if an arm leads with others but is almost never preferred: rounds in which some arm may
exceed 1/2 against it then end a hold without an informative duel. After several such rounds, this *rare co-leader* x is
treated separately. G is then the *sure leaders*, and all their votes are deciding. x may lead, but it is preferred only
in rounds in which it is *proposed*, a share λ of all rounds:

    P(uninformative) = Π(1 − ε) · Π over a in G of (1 − ε_a) · (1 − ε_x λ).

An uninformative round is a self-duel of a sure leader, or of x if nobody exceeds 1/2 against it. The round that ends
the hold has three cases. A deciding vote deviates; or S is not empty, and nothing is known of x; or x is proposed and
someone exceeds 1/2 against it. In the last case, the round is a self-duel if it turns out that x is not preferred.

The search for such an arm costs as much as several rounds, so it is made only after several rounds. When it is made
does not depend on future draws.

Claim. Let all arms except two, the *others*, be contenders: x and the *sure leaders*. All votes of sure leaders are
*sure*. Suppose that each contender loses exactly half of its sure votes against the other contenders (as in a cycle of
three) and none against the others, and that sure votes fall on their likely sides. Then the sure leaders lead, the
others cannot, and x, the *rare co-leader*, leads if it beats both others. All leaders win M votes, and D-TS+ prefers
the leader with the least

    R_i = Σ_j ℓ_j / kl(θ_ij, 1/2),    ℓ_j = (M − n_j) / 2,    n_j: votes that j wins,

to which only the others contribute. One of them wins one vote, against the other one, so there are two *cases*.

Envelope. The sides θ_ij > 1/2 of leaders against others are cut into cells, with an exponential above the density in
each. For a pair of cells, one for each other, m is the product of the integrals of both exponentials. R_i is smallest
at their far edges and largest at the near ones; it is counted in *bins*. If x is preferred, R_x is below the R_a of
every sure leader a, so

    λ = Σ over cases of P(case) · Σ over pairs of cells of x of m · Π over a of Q_a(the bin of the least R_x),
    Q_a(n) = Σ m over pairs of cells of a whose largest R_a is in bin n or beyond

is an upper bound on the probability that x is preferred.

Proposal. In a share λ of the rounds, a case and a pair of cells of x are drawn by their weights in λ, a pair of cells
of each a by its weight in Q_a, and θ of all leaders from the exponentials of their cells.

Acceptance. Each θ is accepted with probability density / exponential, so every θ¹ for which x is preferred occurs as
often as it should. x is preferred if R_x < R_a for all a.

Cells. The log density of θ ~ Beta(w + 1, l + 1) is concave, so it lies below each of its tangents, and the density lies
below the exponential of each tangent (Gilks & Wild, Adaptive rejection sampling, 1992). The side θ > 1/2 is cut into
cells of ``_WIDTH`` posterior standard deviations, each with its own tangent. The accepted share of the proposals,
P(θ > 1/2) / (sum of the integrals), is hardly less than 1.

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
"""Where the second cell begins, in standard deviations from the mean, or at θ = 1/2 if that is higher."""
_FLAT = 1e-300
"""The least steepness of a tangent, since the formulas divide by it."""
OTHERS, CASES = 2, 2
PAIRS = CELLS**OTHERS
BINS, RESOLUTION = 64, 16.0
"""How many bins R has (the last is unbounded), and how many of them the smallest middling R of a sure leader spans."""


# An envelope of one posterior.


class Envelope(NamedTuple):
    """The cells of posteriors' sides; the first axes of all arrays say which posterior.

    Cell b reaches from gap ``edge[…, b]`` to the next edge; ``mass[…, b]`` is the integral of its exponential;
    ``inverse[…, b]`` is 1 / kl(θ, 1/2) at the edge, which falls from one edge to the next.
    """

    edge: Floats
    mass: Floats
    inverse: Floats


def new_envelope(shape: tuple[int, ...]) -> Envelope:
    """Return buffers for an array of envelopes of this shape."""
    return Envelope(np.zeros((*shape, CELLS + 1)), np.zeros((*shape, CELLS)), np.zeros((*shape, CELLS + 1)))


@kernel
def _envelope_at(envelope: Envelope, i: int, j: int) -> Envelope:
    """Return the envelope at position (i, j) of the first two axes."""
    return Envelope(envelope.edge[i, j], envelope.mass[i, j], envelope.inverse[i, j])


@kernel
def _inverse_divergence(gap: float) -> float:
    """Return 1 / kl(1/2 + gap, 1/2), or infinity if the divergence is 0 or rounded to 0."""
    divergence = kl_from_half(0.5 + gap)
    return np.inf if divergence <= 0.0 else 1.0 / divergence


@kernel
def _tangent_of(envelope: Envelope, b: int, won: int, lost: int) -> tuple[float, float, float]:
    """Return where the tangent of cell b touches, its slope, and the edge at which it is highest.

    It touches where most of the cell's mass is: in the middle or, for the long first and last cells, at the inner edge.
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
    """Draw a gap from the exponential of cell b; return nan if it is not accepted."""
    touch, slope, highest = _tangent_of(envelope, b, won, lost)
    steepness = max(abs(slope), _FLAT)
    length = envelope.edge[b + 1] - envelope.edge[b]
    down = -math.log1p(rng.random() * math.expm1(-steepness * length)) / steepness
    gap = highest - down if slope > 0.0 else highest + down
    below = log_density(won, lost, 1.0, gap) - log_density(won, lost, 1.0, touch) - slope * (gap - touch)
    return gap if rng.random() < math.exp(below) else np.nan


class CoLeader(NamedTuple):
    """A rare co-leader, the others, and how often it is proposed.

    ``order`` lists the arms by ``expected``, their expected numbers of votes: the others, the rare co-leader, the sure
    leaders. In case k, the k-th of the others loses to the other one. ``scale[0]`` · R is in bins. ``envelope`` is
    indexed by leader and rank of the other. The pair of cells b and c has the number p = b · CELLS + c.
    ``share[case, p]`` is its part of λ, for the rare co-leader. ``bins[i, case, p]`` is the bin of the largest R_i
    there, or of the smallest for the rare co-leader. ``tail[a, n]`` is Q_a(n) in the latest case, and ``rates[case]``
    is the part of λ that is due to a case. ``allowed`` is a buffer.
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
    """Group the arms by expected votes; return whether the leaders are enough, equal, and all contenders.

    The two arms with the fewest are the others, the next one is the rare co-leader, and the rest are the sure leaders,
    whom ``likely`` lists.
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

    Return 1 unless each leader loses half as many votes as there are sure leaders; a loss to an other rules this out.
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
    """List the bin of R_i at the near edges (``beyond`` = 0) or far edges (1) of each pair of cells of a leader."""
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
    """Return R_i of a leader with θ drawn in a pair of cells; return nan if one is not accepted."""
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
    """Play a proposal; return whether x leads and D-TS+ prefers it."""
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

    ``apart[0]`` has ``vain``, the number of self-duels played outside holds since the last look ahead; ``current``,
    whether a rare co-leader is treated separately; and, if so, ``p_informative``, the probability that a round is
    informative or proposes x.
    """

    dts: DtsState
    co_leader: CoLeader
    apart: Record


@kernel(inline=False)
def set_apart(state: DtsPlusState, limit: float) -> bool:
    """Prepare holds of the sure leaders, and of a rare co-leader as long as it is not proposed.

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
    """Choose both candidates of the round that ends a hold with a rare co-leader."""
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
"""After this many self-duels outside holds, a rare co-leader is searched for, which costs as much as they do."""


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
    """D-TS that breaks ties for the first arm by the smallest estimated regret."""

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
        """Allow holds of several leaders whose self-duels are indistinguishable."""
        state.dts.equal[:] = equal
