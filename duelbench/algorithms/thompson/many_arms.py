"""Rounds of D-TS among many arms: as in ``rounds.py``, but votes are cast a word at a time, and most arms need none.

A poll is that of ``election.py``: contenders cast votes, one word of arms after the other, until they have lost more
votes than another contender has lost in total. While all of 1,000 arms are similar, these are nearly half a million
votes per round.

*Outsiders.* Later a few contenders, the *front*, can expect many more votes than all others. Let X be the number of
votes that an arm wins, and L the largest number for an arm of the front. For any λ > 0

    P(X ≥ L) ≤ E e^(λ (X − L)) = e^(−λ L) · Π over j of (1 − p_j + p_j e^λ),

a product in which a duel changes one factor, so that ``weight`` keeps it. Votes against the front have been cast by
then; counting them as won, on top of their factors, gives a bound b_i for the outsider i, whatever they are. If the sum
b of these is below 1, it is drawn like this whether outsiders lead. With probability b one is *proposed*, i with
probability b_i / b. Its open votes are cast with chances p e^λ / (1 − p + p e^λ); unless X < L they are accepted with
probability P(these votes) / (b_i · P(these votes as they were cast)), which is at most 1. Then the other outsiders
cast theirs, and if n outsiders have X ≥ L, the poll is accepted with probability 1 / n. Any such outcome comes
about by n proposals, each time with its probability over n: so outsiders lead in every way as often as they should. If
nothing is accepted, the front leads.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.thompson.election import Election
from duelbench.algorithms.thompson.words import (
    LANES,
    Words,
    add_losses,
    forget_polled,
    losses_of,
    lowest,
    new_words,
    open_lanes,
    population,
    set_digits,
    won,
)
from duelbench.arrays import Floats, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.confidence import Comparisons
from duelbench.kernels.draws import below, pick
from duelbench.kernels.votes import Votes, value_above_half

MANY = 136
"""With more arms than this D-TS votes by the word. Results that were published are of at most as many arms, the 136
rankers of MSLR, and must stay as they are: by the word other variates of the stream decide."""
WORTH_POLLING = 1 / 500
"""An arm that may lead with a larger probability than this, by its bound, is of the front: to poll it costs a few
hundred times less than to poll everyone."""


class ManyArms(NamedTuple):
    """The state of rounds among many arms; with few arms D-TS has None instead, and a separate loop.

    ``rate`` is λ and ``boost`` e^λ. ``weight[i]``: the product above, times e^(−λ (K − 1) / 2). ``unmet[v]``: the arms
    of word v that the first candidate has not met and that exceed 1/2 against it. ``latest``: how many votes the
    leaders of the latest poll have ``lost``.
    """

    words: Words
    rate: float
    boost: float
    weight: Floats
    unmet: Ints
    latest: Record


def new_rounds(arms: int) -> ManyArms:
    """Return the state before the first round.

    λ is best where K arms that have not met lead, in sum, with probability e⁻³ at most.
    """
    words = new_words(arms)
    rate = math.sqrt(8.0 * (math.log(arms) + 3.0) / (arms - 1))
    return ManyArms(
        words=words,
        rate=rate,
        boost=math.exp(rate),
        weight=np.full(arms, math.cosh(rate / 2.0) ** (arms - 1)),
        unmet=np.zeros(len(words.arms), np.int64),
        latest=record(lost=arms // 2),
    )


@kernel
def cast_votes(words: Words, votes: Votes, i: int, most: int, rng: np.random.Generator) -> int:
    """Cast votes of i until it has lost more than ``most`` or all are cast; return how many it has lost."""
    own, lane = i // LANES, i % LANES
    lost = losses_of(words, own, lane)
    v = 0
    while v < words.arms.shape[0] and lost <= most:
        lanes = open_lanes(words, i, v)
        if lanes != 0:
            wins = won(words, votes, i, v, lanes, rng)
            lost += population(lanes & ~wins)
            add_losses(words, v, wins)
        words.polled[v, own] |= 1 << lane
        v += 1
    return lost


@kernel
def poll_contenders(
    many: ManyArms, election: Election, votes: Votes, start: int, stop: int, rng: np.random.Generator
) -> None:
    """Poll the contenders from place ``start`` to ``stop``, after those before; note who leads."""
    fewest, count = many.latest[0].lost, election.lengths[0].leaders
    for k in range(start, stop):
        i = election.contenders[k]
        lost = cast_votes(many.words, votes, i, fewest, rng)
        if lost < fewest:
            fewest = lost
            count = 0
        if lost == fewest:
            election.leaders[count] = i
            count += 1
    many.latest[0].lost, election.lengths[0].leaders = fewest, count


@kernel(inline=False)
def cast_boosted(many: ManyArms, votes: Votes, i: int, front: int, rng: np.random.Generator) -> tuple[int, float]:
    """Cast the votes of a proposed outsider; return how many it has lost, and the probability to accept that."""
    words, fewest = many.words, many.latest[0].lost
    own, place = i // LANES, i % LANES
    lost = losses_of(words, own, place)
    won_before, density = -lost, 1.0
    for v in range(words.arms.shape[0]):
        lanes, wins = open_lanes(words, i, v), 0
        for j in range(LANES * v, min(LANES * (v + 1), many.weight.shape[0])):
            lane = 1 << (j - LANES * v)
            boosted = many.boost * votes.chance[i, j]
            total = 1.0 - votes.chance[i, j] + boosted
            if lanes & lane == 0:
                if j != i:
                    won_before += 1
                    density /= total
            elif rng.random() * total < boosted:
                wins |= lane
            else:
                lost += 1
        add_losses(words, v, wins)
        words.polled[v, own] |= 1 << place
    if lost > fewest:
        return lost, 0.0
    return lost, density * math.exp(many.rate * (won_before - front + lost - fewest))


@kernel(inline=False)
def propose_outsider(
    many: ManyArms, election: Election, votes: Votes, front: int, left: float, rng: np.random.Generator
) -> None:
    """Draw whether outsiders lead, and which; ``left`` is uniform below the sum of their weights."""
    contenders, count, fewest = election.contenders, election.lengths[0].contenders, many.latest[0].lost
    k = front
    while k < count - 1 and left >= many.weight[contenders[k]]:
        left -= many.weight[contenders[k]]
        k += 1
    i = contenders[k]
    contenders[k] = contenders[front]
    contenders[front] = i
    least, accepted = cast_boosted(many, votes, i, front, rng)
    if rng.random() >= accepted:
        return
    election.found[0] = i
    leaders = reaching = 1
    for k in range(front + 1, count):
        i = contenders[k]
        lost = cast_votes(many.words, votes, i, fewest, rng)
        if lost > fewest:
            continue
        reaching += 1
        if lost < least:
            least = lost
            leaders = 0
        if lost == least:
            election.found[leaders] = i
            leaders += 1
    if rng.random() * reaching >= 1.0:
        return
    before = election.lengths[0].leaders if least == fewest else 0
    for k in range(leaders):
        election.leaders[before + k] = election.found[k]
    many.latest[0].lost, election.lengths[0].leaders = least, before + leaders


@kernel
def poll(many: ManyArms, election: Election, votes: Votes, rng: np.random.Generator) -> None:
    """Lines 7–11: find the leaders of a poll in which no vote has been cast, as ``election.count_votes`` does."""
    contenders, count, latest = election.contenders, election.lengths[0].contenders, many.latest[0]
    arms = many.weight.shape[0]
    half = (arms - 1) / 2.0
    enough = WORTH_POLLING * math.exp(many.rate * (half - latest.lost))
    front, outside = 0, 0.0
    for k in range(count):
        i = contenders[k]
        if k == 0 or many.weight[i] > enough:
            contenders[k] = contenders[front]
            contenders[front] = i
            front += 1
        else:
            outside += many.weight[i]
    forget_polled(many.words)
    latest.lost, election.lengths[0].leaders = arms, 0
    poll_contenders(many, election, votes, 0, front, rng)
    if front < count:
        bound = math.exp(many.rate * (front + latest.lost - half))
        if bound * outside >= 1.0:
            poll_contenders(many, election, votes, front, count, rng)
        else:
            left = rng.random()
            if left < bound * outside:
                propose_outsider(many, election, votes, front, left / bound, rng)
    election.poll[0].favourite = election.leaders[0]


@kernel
def challenger(many: ManyArms, comparisons: Comparisons, votes: Votes, first: int, rng: np.random.Generator) -> int:
    """Lines 13–14: the candidate with the largest θ² against ``first``, the first itself at 1/2.

    θ² is uniform for arms that ``first`` has not met, so the largest of m above 1/2 is one draw, and anyone's.
    """
    words, wins = many.words, comparisons.wins
    best, largest = first, 0.5
    unmet = 0
    for v in range(words.arms.shape[0]):
        lanes = words.arms[v]
        if v == first // LANES:
            lanes &= ~(1 << first % LANES)
        lanes &= ~won(words, votes, first, v, lanes, rng)
        many.unmet[v] = lanes & ~words.met[first, v]
        unmet += population(many.unmet[v])
        lanes &= words.met[first, v]
        while lanes != 0:
            i = LANES * v + lowest(lanes)
            lanes &= lanes - 1
            if comparisons.sign[first, i] < 0:
                continue
            value = value_above_half(wins[i, first], wins[first, i], votes.chance[i, first], votes.mass[i, first], rng)
            if value > largest:
                best, largest = i, value
    if unmet == 0 or 0.5 + 0.5 * rng.random() ** (1.0 / unmet) <= largest:
        return best
    left = below(unmet, rng)
    v = 0
    while left >= population(many.unmet[v]):
        left -= population(many.unmet[v])
        v += 1
    lanes = many.unmet[v]
    for _ in range(left):
        lanes &= lanes - 1
    return LANES * v + lowest(lanes)


@kernel
def round_of_many(
    many: ManyArms, election: Election, comparisons: Comparisons, votes: Votes, rng: np.random.Generator
) -> tuple[int, int]:
    """Lines 4–14: both candidates of an unconditioned round, the contenders being known."""
    first = int(election.contenders[0])
    if election.lengths[0].contenders > 1:
        poll(many, election, votes, rng)
        first = pick(election.leaders, int(election.lengths[0].leaders), rng)
    return first, challenger(many, comparisons, votes, first, rng)


@kernel
def note_chance(many: ManyArms, votes: Votes, i: int, j: int, before: float) -> None:
    """Note that the chance of i against j is no longer ``before``."""
    set_digits(many.words, votes, i, j)
    gain = many.boost - 1.0
    many.weight[i] *= (1.0 + gain * votes.chance[i, j]) / (1.0 + gain * before)


@kernel
def note_chances(many: ManyArms | None, votes: Votes, i: int, j: int, before: float, other: float) -> None:
    """Note that the chances of i against j, and of j against i, are no longer those ``before``."""
    if many is not None:
        note_chance(many, votes, i, j, before)
        note_chance(many, votes, j, i, other)
