"""Electing the first candidate of D-TS by votes: who contends, how the pairs vote, who leads.

Votes are sides of 1/2 on which posterior draws θ¹ fall (``kernels/votes.py``). Line numbers are those of Algorithm 1 of
Wu & Liu (2016).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.arrays import Flags, Floats, Ints
from duelbench.kernels.confidence import Comparisons
from duelbench.kernels.divergence import kl_from_half
from duelbench.kernels.draws import pick
from duelbench.kernels.extremes import least_place, most_place
from duelbench.kernels.jit import kernel, rare_kernel
from duelbench.kernels.votes import Votes, value_above_half


class Election(NamedTuple):
    """An election of the first candidate.

    ``contenders`` is C and ``leaders`` those of C with most votes, each with its length in the last place.
    ``ballots[i, j]`` says that θ¹_ij > 1/2 in this round, ``deciding[i, j]`` that a hold rests on this vote.
    ``scores``, ``found`` and ``theta`` are room to work in.
    """

    contenders: Ints
    leaders: Ints
    ballots: Flags
    deciding: Flags
    scores: Ints
    found: Ints
    theta: Floats


def no_election(arms: int) -> Election:
    """Return the room for elections among ``arms`` arms."""
    return Election(
        contenders=np.zeros(arms + 1, np.int64),
        leaders=np.zeros(arms + 1, np.int64),
        ballots=np.zeros((arms, arms), np.bool_),
        deciding=np.zeros((arms, arms), np.bool_),
        scores=np.zeros(arms, np.int64),
        found=np.zeros(arms, np.int64),
        theta=np.zeros((arms, arms)),
    )


@kernel
def find_contenders(election: Election, losses: Ints) -> int:
    """Lines 4–6: C, the arms with the highest upper confidence bound of their Copeland score."""
    arms = election.found.shape[0]
    fewest = losses[least_place(losses)]
    count = 0
    for i in range(arms):
        if losses[i] == fewest:
            election.contenders[count] = i
            count += 1
    election.contenders[arms] = count
    return count


@kernel
def touches_contender(election: Election, losses: Ints, i: int, j: int) -> bool:
    """Tell whether the vote of the pair can matter to the score of a contender."""
    fewest = losses[election.contenders[0]]
    return losses[i] == fewest or losses[j] == fewest  # type: ignore[no-any-return]


@kernel
def elect_leaders(election: Election) -> None:
    """Line 11: the contenders with most votes in ``ballots``, in order."""
    arms = election.found.shape[0]
    most = -1
    count = 0
    for k in range(election.contenders[arms]):
        i = election.contenders[k]
        score = 0
        for j in range(arms):
            if j != i and election.ballots[i, j]:
                score += 1
        if score > most:
            most = score
            count = 0
        if score == most:
            election.leaders[count] = i
            count += 1
    election.leaders[arms] = count


@kernel
def cast_ballots(election: Election, losses: Ints, votes: Votes, everyone: bool, rng: np.random.Generator) -> None:
    """Lines 7–10: vote on the pairs that touch C, or on all others."""
    arms = election.found.shape[0]
    for i in range(arms):
        for j in range(i + 1, arms):
            if touches_contender(election, losses, i, j) != everyone:
                election.ballots[i, j] = rng.random() < votes.chance[i, j]
                election.ballots[j, i] = not election.ballots[i, j]


@kernel
def cast_likely_ballots(election: Election, losses: Ints, votes: Votes) -> None:
    """Let every vote that touches C fall on its likely side."""
    arms = election.found.shape[0]
    for i in range(arms):
        for j in range(i + 1, arms):
            if touches_contender(election, losses, i, j):
                election.ballots[i, j] = votes.chance[i, j] > 0.5
                election.ballots[j, i] = not election.ballots[i, j]


@kernel
def cast_deviating_ballots(
    election: Election, losses: Ints, votes: Votes, deviation: float, rng: np.random.Generator
) -> None:
    """Vote on the pairs that touch C given that some deciding vote falls on its unlikely side.

    ``deviation`` is the chance of that. A remainder of rounding, of probability about 1e-16, leaves all of them on
    their likely sides.
    """
    arms = election.found.shape[0]
    chance = votes.chance
    left = rng.random() * deviation
    so_far = 1.0
    deviated = False
    for i in range(arms):
        for j in range(i + 1, arms):
            if not touches_contender(election, losses, i, j):
                continue
            if deviated or not election.deciding[i, j]:
                election.ballots[i, j] = rng.random() < chance[i, j]
            else:
                likely = chance[i, j] > 0.5
                doubt = min(chance[i, j], chance[j, i])
                deviated = left < so_far * doubt
                left -= so_far * doubt
                so_far *= 1.0 - doubt
                election.ballots[i, j] = likely != deviated
            election.ballots[j, i] = not election.ballots[i, j]


@kernel
def find_deciding_votes(election: Election, votes: Votes, most_doubt: float) -> bool:
    """Mark votes that force the leaders as long as they fall on their likely sides; False if they are too doubtful.

    They are when the chances of their unlikely sides add up to more than ``most_doubt``. All votes of every leader are
    deciding, if there are several; of a single one only those it is likely to win. Any other
    contender must lose one vote more than the leaders: the most certain ones are taken.
    """
    arms = election.found.shape[0]
    chance, deciding = votes.chance, election.deciding
    for i in range(arms):
        for j in range(arms):
            deciding[i, j] = False
    leaders = election.leaders[arms]
    allowed = -1  # votes that a leader loses
    doubt = 0.0
    for k in range(leaders):
        a = election.leaders[k]
        allowed = 0
        for j in range(arms):
            if j == a:
                continue
            if not election.ballots[a, j]:
                allowed += 1
                if leaders == 1:
                    continue
            if not deciding[a, j]:
                doubt += min(chance[a, j], chance[j, a])
                deciding[a, j] = True
                deciding[j, a] = True
        if doubt > most_doubt:
            return False
    for k in range(election.contenders[arms]):
        j = election.contenders[k]
        leading = False
        for m in range(leaders):
            leading = leading or election.leaders[m] == j
        needed = allowed + 1
        for i in range(arms):
            if i != j and deciding[i, j] and election.ballots[i, j]:
                needed -= 1
        while needed > 0 and not leading:
            surest = -1
            for i in range(arms):
                if (
                    i != j
                    and election.ballots[i, j]
                    and not deciding[i, j]
                    and (surest < 0 or chance[j, i] < chance[j, surest])
                ):
                    surest = i
            if surest < 0:
                return False
            doubt += chance[j, surest]
            if doubt > most_doubt:
                return False
            deciding[surest, j] = True
            deciding[j, surest] = True
            needed -= 1
    return True


@rare_kernel
def cheapest_leader(election: Election, comparisons: Comparisons, votes: Votes, rng: np.random.Generator) -> int:
    """D-TS+: the leader with the smallest estimated regret ``Σ_j r̃_ij / kl(θ¹_ij)`` of comparing it with all others.

    The scores are those of the same draws of θ¹, so the pairs that no contender touches vote too; values, given
    their sides, are drawn only where r̃ > 0.
    """
    arms = election.found.shape[0]
    wins = comparisons.wins
    cast_ballots(election, comparisons.losses, votes, True, rng)
    for i in range(arms):
        election.scores[i] = 0
        for j in range(arms):
            if j != i and election.ballots[i, j]:
                election.scores[i] += 1
    highest = election.scores[most_place(election.scores)]
    for k in range(election.leaders[arms]):
        i = election.leaders[k]
        for j in range(arms):
            election.theta[i, j] = 0.0
            election.theta[j, i] = 0.0
    least = np.inf
    count = 0
    for k in range(election.leaders[arms]):
        i = election.leaders[k]
        regret = 0.0
        for j in range(arms):
            loss = highest - 0.5 * (election.scores[i] + election.scores[j])
            if j == i or loss == 0.0:
                continue
            if election.theta[i, j] == 0.0:
                high, low = (i, j) if election.ballots[i, j] else (j, i)
                value = value_above_half(
                    wins[high, low], wins[low, high], votes.chance[high, low], votes.mass[high, low], rng
                )
                election.theta[high, low] = value
                election.theta[low, high] = value  # kl(θ) = kl(1 − θ)
            divergence = kl_from_half(election.theta[i, j])
            regret += loss / divergence if divergence > 0.0 else np.inf
        if regret < least:
            least = regret
            count = 0
        if regret == least:
            election.found[count] = i
            count += 1
    return pick(election.found, count, rng)
