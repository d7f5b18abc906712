"""Arena pairs: a pair is drawn in proportion to how much one more vote narrows its confidence interval.

A pair with n votes whose outcomes have the variance v is drawn with probability proportional to
``sqrt(v / n) − sqrt(v / (n + 1))`` (Chiang et al., eq. 9). Here ``v = p (1 − p)``, where p is the share of wins after
one win and one loss are added. At first every pair without votes gets one, in random order. The rule spreads the votes
over all pairs, since it aims at the precision of the win rates, not of the order. The reference is
``tests/reference/uniform.py``; ``tests/test_catalogue.py`` checks that the paths are equal.

A vote changes the weight of one pair, so a binary tree of sums draws a pair in O(log K).

It explores only: regret is not its aim, and no arm duels itself. ``recommendation`` names the strongest arm by a
Bradley–Terry fit. Every answer is a single duel, so there is no hold.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.active_sampling.bradley_terry import Strengths, count_votes, new_strengths, strongest
from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle


class ArenaPairsState(NamedTuple):
    """``strengths`` has the votes. ``queue``: all pairs i < j, as ``i K + j``, for their first duels;
    ``cursor[0].place``: the next of these, −1 before the first round. ``sums[k]`` is the sum of ``sums[2 k]`` and
    ``sums[2 k + 1]``; the second half of ``sums`` holds the weight of each pair at ``i K + j``.
    """

    strengths: Strengths
    queue: Ints
    cursor: Record
    sums: Floats


@kernel
def _pair_weight(wins: int, losses: int) -> float:
    """Return the weight of a pair. Before its first vote arrives, n counts as 1."""
    n = max(1, wins + losses)
    share = (wins + 1.0) / (wins + losses + 2.0)
    return math.sqrt(share * (1.0 - share)) * (math.sqrt(1.0 / n) - math.sqrt(1.0 / (n + 1.0)))


@kernel
def _draw_place(sums: Floats, rng: np.random.Generator) -> int:
    """Return a place with probability proportional to its weight."""
    node, left = 1, rng.random() * sums[1]
    while 2 * node < sums.shape[0]:
        node *= 2
        if left >= sums[node] and sums[node + 1] > 0.0:
            left -= sums[node]
            node += 1
    leaves: int = sums.shape[0] // 2
    return node - leaves


@kernel
def select(state: ArenaPairsState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the next pair without votes, or one drawn by its weight."""
    wins, queue, cursor = state.strengths.wins, state.queue, state.cursor[0]
    arms = wins.shape[0]
    if cursor.place < 0:
        shuffle(queue, queue.shape[0], rng)
        cursor.place = 0
    while cursor.place < queue.shape[0]:
        i, j = queue[cursor.place] // arms, queue[cursor.place] % arms
        cursor.place += 1
        if wins[i, j] + wins[j, i] == 0:
            return i, j, 1
    place = _draw_place(state.sums, rng)
    return place // arms, place % arms, 1


@kernel
def update(state: ArenaPairsState, first: int, second: int, wins: int, count: int) -> None:
    """Count the votes, and recompute the weight of the pair and the sums."""
    if first == second:
        return
    count_votes(state.strengths, first, second, wins, count)
    i, j = min(first, second), max(first, second)
    votes, sums = state.strengths.wins, state.sums
    node = sums.shape[0] // 2 + i * votes.shape[0] + j
    sums[node] = _pair_weight(votes[i, j], votes[j, i])
    while node > 1:
        node //= 2
        sums[node] = sums[2 * node] + sums[2 * node + 1]


class ArenaPairs(Algorithm):
    """Draw pairs by how much a vote narrows their confidence interval; pure exploration that ignores regret."""

    name = "arena-pairs"
    title = "Arena pairs"
    citation = (
        "Chiang et al. Chatbot Arena: An Open Platform for Evaluating LLMs by Human Preference. ICML 2024, equation 9"
    )
    finds_order = True
    regret_order = "not its aim: it only explores"
    learns_off_policy = True
    State = ArenaPairsState
    select = staticmethod(select)
    update = staticmethod(update)

    def start(self, arms: int, horizon: int) -> ArenaPairsState:
        """Return the state before the first round."""
        leaves = 1 << (arms * arms - 1).bit_length()
        queue = np.flatnonzero(np.triu(np.ones((arms, arms), np.bool_), 1))
        sums = np.zeros(2 * leaves)
        sums[leaves + queue] = _pair_weight(0, 0)
        for node in range(leaves - 1, 0, -1):
            sums[node] = sums[2 * node] + sums[2 * node + 1]
        return ArenaPairsState(new_strengths(arms, 1.0), queue, record(place=-1), sums)

    def recommendation(self, state: ArenaPairsState) -> int | None:
        """Return the arm with the largest strength given all votes; None without votes."""
        return strongest(state.strengths)
