"""The election of D-TS's first candidate by votes: the contenders, the leaders, and the votes that decide in advance.

Votes are the sides of 1/2 on which posterior draws θ¹ fall (``posteriors.py``). They are independent, so a vote is
drawn only when it is counted. Counting for an arm stops when it has lost more votes than an arm that is counted
completely. The leaders are the same as with all votes, since the other votes cannot change who leads. Line numbers are
those of Algorithm 1 of Wu & Liu (2016).
"""

from typing import NamedTuple

import numpy as np

from duelbench.arrays import Floats, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.arithmetic import kl_from_half, least_place
from duelbench.kernels.confidence import Comparisons
from duelbench.kernels.draws import pick
from duelbench.kernels.posteriors import Posteriors, value_above_half


class Election(NamedTuple):
    """An election of the first candidate.

    ``contenders`` is C; ``leaders``, the contenders with the most votes in the latest poll; ``likely``, the contenders
    that may lead as long as votes fall on their likely sides; ``deciding``, the pairs (likely winner, likely loser) on
    whose votes a hold depends. ``lengths[0]`` has the length of each list under its name. ``ballots[i, j]`` is 2r + 1
    if i won the vote of the pair in the r-th poll and 2r if it lost; ``lost[i]`` counts the votes that i has lost in
    the latest poll. ``theta[i, j]`` is θ¹ of the pair as seen from the winner of its vote, 0 if it has not been drawn.
    ``poll[0]`` has ``number``, of the latest poll, and ``favourite``, the arm to count first. ``found`` is a buffer.
    """

    contenders: Ints
    leaders: Ints
    likely: Ints
    ballots: Ints
    lost: Ints
    deciding: Ints
    lengths: Record
    poll: Record
    found: Ints
    theta: Floats


def new_election(arms: int) -> Election:
    """Return buffers for elections among ``arms`` arms."""
    return Election(
        contenders=np.zeros(arms, np.int64),
        leaders=np.zeros(arms, np.int64),
        likely=np.zeros(arms, np.int64),
        ballots=np.zeros((arms, arms), np.int64),
        lost=np.zeros(arms, np.int64),
        deciding=np.zeros((arms * (arms - 1) // 2, 2), np.int64),
        lengths=record(contenders=0, leaders=0, likely=0, deciding=0),
        poll=record(number=0, favourite=0),
        found=np.zeros(arms, np.int64),
        theta=np.zeros((arms, arms)),
    )


@kernel
def find_contenders(election: Election, losses: Ints) -> int:
    """Lines 4–6: list C, the arms with the highest upper bound on their Copeland score; return their number.

    The last leader comes first, since then probably few votes of the others need counting.
    """
    arms = election.lost.shape[0]
    fewest = losses[least_place(losses)]
    favourite = election.poll[0].favourite
    count = 0
    if losses[favourite] == fewest:
        election.contenders[0] = favourite
        count = 1
    for i in range(arms):
        if losses[i] == fewest and i != favourite:
            election.contenders[count] = i
            count += 1
    election.lengths[0].contenders = count
    return count


@kernel
def open_poll(election: Election) -> None:
    """Begin a poll in which no vote has been cast."""
    election.poll[0].number += 1
    for i in range(election.lost.shape[0]):
        election.lost[i] = 0


@kernel
def _is_cast(election: Election, i: int, j: int) -> bool:
    """Return whether the pair has voted in this poll."""
    return election.ballots[i, j] >> 1 == election.poll[0].number  # type: ignore[no-any-return]


@kernel
def _cast(election: Election, i: int, j: int, i_wins: bool) -> None:
    """Count a vote of the pair."""
    won = 1 if i_wins else 0
    base = 2 * election.poll[0].number
    election.ballots[i, j] = base + won
    election.ballots[j, i] = base + 1 - won
    election.lost[i] += 1 - won
    election.lost[j] += won


@kernel
def count_votes(election: Election, posteriors: Posteriors, rng: np.random.Generator) -> None:
    """Lines 7–11: find the leaders of this poll; cast only votes that matter and have not been cast."""
    arms = election.lost.shape[0]
    lost = election.lost
    fewest = arms
    count = 0
    for k in range(election.lengths[0].contenders):
        i = election.contenders[k]
        j = 0
        while j < arms and lost[i] <= fewest:
            if j != i and not _is_cast(election, i, j):
                _cast(election, i, j, rng.random() < posteriors.chance[i, j])
            j += 1
        if lost[i] < fewest:
            fewest = lost[i]
            count = 0
        if lost[i] == fewest:
            election.leaders[count] = i
            count += 1
    election.lengths[0].leaders = count
    election.poll[0].favourite = election.leaders[0]


@kernel
def find_likely_leaders(election: Election, posteriors: Posteriors) -> int:
    """List the contenders with the most votes, if each falls on its likely side; return their number."""
    most = -1
    count = 0
    for k in range(election.lengths[0].contenders):
        i = election.contenders[k]
        if posteriors.ahead[i] > most:
            most = posteriors.ahead[i]
            count = 0
        if posteriors.ahead[i] == most:
            election.likely[count] = i
            count += 1
    election.lengths[0].likely = count
    return count


@kernel
def failure_bound_of_losses(posteriors: Posteriors, j: int, needed: int) -> float:
    """Return a bound on P(j does not lose ``needed`` votes): the union bound over its most certain losses."""
    arms = posteriors.ahead.shape[0]
    bound = 0.0
    before, at = -1.0, -1  # the last one taken: its probability to fail, its arm
    for _ in range(needed):
        surest = -1
        for i in range(arms):
            chance = posteriors.chance[j, i]
            later = chance > before or (chance == before and i > at)
            if i != j and chance < 0.5 and later and (surest < 0 or chance < posteriors.chance[j, surest]):
                surest = i
        if surest < 0:
            return 1.0
        before, at = posteriors.chance[j, surest], surest
        bound += before
    return bound


@kernel
def _expect(election: Election, posteriors: Posteriors, winner: int, loser: int, p_fail: float) -> float:
    """Add a deciding vote; return ``p_fail``, the probability that any of them falls on its unlikely side."""
    _cast(election, winner, loser, True)
    count = election.lengths[0].deciding
    election.deciding[count, 0] = winner
    election.deciding[count, 1] = loser
    election.lengths[0].deciding = count + 1
    return p_fail + (1.0 - p_fail) * posteriors.chance[loser, winner]  # type: ignore[no-any-return]


@kernel(inline=False)
def expect_record(election: Election, posteriors: Posteriors, a: int, losses: bool, p_fail: float) -> float:
    """Add the votes that a is likely to win and, with ``losses``, all its other votes; return ``p_fail``.

    Return 1 if one of them is even.
    """
    chance = posteriors.chance
    for j in range(election.lost.shape[0]):
        if j == a or _is_cast(election, a, j):
            continue
        if chance[a, j] > 0.5:
            p_fail = _expect(election, posteriors, a, j, p_fail)
        elif losses:
            if chance[a, j] == 0.5:
                return 1.0
            p_fail = _expect(election, posteriors, j, a, p_fail)
    return p_fail


@kernel(inline=False)
def _expect_losses(
    election: Election, posteriors: Posteriors, j: int, enough: int, p_fail: float, limit: float
) -> float:
    """Add the most certain votes that j loses, until it has lost ``enough``; return ``p_fail``.

    Return 1 if it is above ``limit`` or if there are too few such votes.
    """
    chance = posteriors.chance
    while election.lost[j] < enough:
        surest = -1
        for i in range(election.lost.shape[0]):
            if chance[i, j] > 0.5 and not _is_cast(election, i, j) and (surest < 0 or chance[j, i] < chance[j, surest]):
                surest = i
        if surest < 0:
            return 1.0
        p_fail = _expect(election, posteriors, surest, j, p_fail)
        if p_fail > limit:
            return 1.0
    return p_fail


@kernel
def find_deciding_votes(election: Election, posteriors: Posteriors, tie: bool, limit: float) -> float:
    """List votes that, on their likely sides, let only arms of ``likely`` lead.

    With ``tie``, they make all of these arms lead, which must then tie for the most votes on likely sides. Return the
    probability that a listed vote falls on its unlikely side, or 1 if it is above ``limit`` or there are no such votes.

    The deciding votes are the votes that the first of ``likely`` is likely to win or, with ``tie``, all votes of all
    arms of ``likely``. Any other contender must lose one vote more than these arms; its most certain losses are taken.
    """
    arms = election.lost.shape[0]
    open_poll(election)  # with deciding votes only
    election.lengths[0].deciding = 0
    p_fail = 0.0
    for k in range(election.lengths[0].likely if tie else 1):
        p_fail = expect_record(election, posteriors, election.likely[k], tie, p_fail)
        if p_fail > limit:
            return 1.0
    for k in range(election.lengths[0].likely):
        election.lost[election.likely[k]] = arms  # so no further losses are added
    enough = arms - posteriors.ahead[election.likely[0]]
    for k in range(election.lengths[0].contenders):
        p_fail = _expect_losses(election, posteriors, election.contenders[k], enough, p_fail, limit)
        if p_fail > limit:
            return 1.0
    return p_fail


@kernel
def cast_deciding_votes(election: Election, posteriors: Posteriors, left: float, rng: np.random.Generator) -> None:
    """Begin a poll with the deciding votes, given that one of them falls on its unlikely side.

    ``left`` is uniform between 0 and the probability of this. If it is negative, all of them fall on their likely
    sides; rounding has the same effect with a probability of about 1e-16.
    """
    open_poll(election)
    likely_so_far = 1.0
    deviated = False
    conditioned = left >= 0.0
    for k in range(election.lengths[0].deciding):
        winner, loser = election.deciding[k, 0], election.deciding[k, 1]
        p_fail = posteriors.chance[loser, winner]
        unlikely = False
        if deviated:
            unlikely = rng.random() < p_fail
        elif conditioned:
            unlikely = deviated = left < likely_so_far * p_fail
            left -= likely_so_far * p_fail
            likely_so_far *= 1.0 - p_fail
        _cast(election, winner, loser, not unlikely)


@kernel
def forget_values(election: Election) -> None:
    """Begin a round in which no value of θ¹ has been drawn."""
    arms = election.lost.shape[0]
    for i in range(arms):
        for j in range(arms):
            election.theta[i, j] = 0.0


@kernel
def _set_value(election: Election, high: int, low: int, value: float) -> None:
    """Store θ¹ of the pair, as seen from the winner of its vote."""
    election.theta[high, low] = value
    election.theta[low, high] = value  # kl(θ) = kl(1 − θ)


@kernel(inline=False)
def cheapest_leader(
    election: Election, comparisons: Comparisons, posteriors: Posteriors, rng: np.random.Generator
) -> int:
    """D-TS+: return the leader with the smallest estimated regret against all others, ``Σ_j r̃_ij / kl(θ¹_ij)``.

    The scores in r̃ come from the same draws of θ¹, so all pairs vote. Values, given their sides, are drawn only where
    r̃ > 0 and they have not been drawn before, and as long as the sum can be the smallest.
    """
    arms = election.lost.shape[0]
    wins, lost = comparisons.wins, election.lost
    for i in range(arms):
        for j in range(i + 1, arms):
            if not _is_cast(election, i, j):
                _cast(election, i, j, rng.random() < posteriors.chance[i, j])
    fewest = lost[least_place(lost)]
    least = np.inf
    count = 0
    for k in range(election.lengths[0].leaders):
        i = election.leaders[k]
        regret = 0.0
        for j in range(arms):
            loss = 0.5 * (lost[i] + lost[j]) - fewest
            if j == i or loss == 0.0:
                continue
            if election.theta[i, j] == 0.0:
                high, low = (i, j) if election.ballots[i, j] & 1 else (j, i)
                value = value_above_half(
                    wins[high, low], wins[low, high], posteriors.chance[high, low], posteriors.mass[high, low], rng
                )
                _set_value(election, high, low, value)
            divergence = kl_from_half(election.theta[i, j])
            regret += loss / divergence if divergence > 0.0 else np.inf
            if regret > least:
                break
        if regret < least:
            least = regret
            count = 0
        if regret == least:
            election.found[count] = i
            count += 1
    return pick(election.found, count, rng)
