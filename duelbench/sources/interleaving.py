"""Comparing two rankers by probabilistic interleaving and a user's clicks.

Hofmann, Whiteson & de Rijke, A Probabilistic Method for Inferring Preferences from Clicks (CIKM 2011): a fair coin
decides for each position of the list which ranker fills it, from a softmax over the ranks of its documents not shown
yet, with weights rank^-3 (``weight``). Each click counts for the ranker that filled the position; the ranker with more
clicks wins, and equal numbers are half a win. As in that paper the result is averaged over the coins, given the list
and the clicks: a document was placed by the first ranker with probability P1 / (P1 + P2), independently, so its number
of clicks is a sum of independent Bernoulli variables. This reduces the variance and does not change the expectation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.arrays import Floats, Ints
from duelbench.compiling.jit import kernel


class Query(NamedTuple):
    """The documents of a query, ranked by R rankers.

    ``order[r, k]``: the document at position k of ranker r's list, (R, documents); ``rank`` its inverse. ``weight[k]``:
    the softmax weight of position k; ``mass``: their sum. ``click[d]``, ``stop[d]``: the probabilities that a user who
    sees document d clicks it, and then stops. ``shown[d]``: the last list with d; ``lists``: [the number of lists].
    ``credit``: a buffer for the positions of a list, and one more. ``places``: the number of documents in a list.
    """

    order: Ints
    rank: Ints
    weight: Floats
    mass: float
    click: Floats
    stop: Floats
    shown: Ints
    lists: Ints
    credit: Floats
    places: int


@kernel
def draw_document(query: Query, ranker: int, x: float) -> int:
    """Return the first document of a ranker's list at which the cumulative weight of those not shown yet exceeds x."""
    found = -1
    for k in range(query.weight.shape[0]):
        d = query.order[ranker, k]
        if query.shown[d] == query.lists[0]:
            continue
        found = d
        x -= query.weight[k]
        if x < 0.0:
            break
    return found


@kernel
def click_counts(credit: Floats, clicks: int, share: float) -> None:
    """Add a click that counts with probability ``share`` to ``clicks``; ``credit[k]`` = P(k clicks count)."""
    credit[clicks + 1] = 0.0
    for k in range(clicks + 1, 0, -1):
        credit[k] = credit[k] * (1.0 - share) + credit[k - 1] * share
    credit[0] *= 1.0 - share


@kernel(inline=False)
def compare(query: Query, first: int, second: int, rng: np.random.Generator) -> float:
    """Show an interleaved list to a user; return the probability that ``first`` wins, half for equal clicks."""
    query.lists[0] += 1
    query.credit[0] = 1.0
    clicks = 0
    mass1, mass2 = query.mass, query.mass
    for _ in range(query.places):
        coin = 2.0 * rng.random()
        d = (
            draw_document(query, first, coin * mass1)
            if coin < 1.0
            else draw_document(query, second, (coin - 1.0) * mass2)
        )
        query.shown[d] = query.lists[0]
        weight1, weight2 = query.weight[query.rank[first, d]], query.weight[query.rank[second, d]]
        if rng.random() < query.click[d]:
            chance1, chance2 = weight1 * mass2, weight2 * mass1  # P1 and P2, times both masses
            click_counts(query.credit, clicks, chance1 / (chance1 + chance2))
            clicks += 1
            if rng.random() < query.stop[d]:
                break
        mass1 -= weight1
        mass2 -= weight2
    wins = 0.0
    for k in range(clicks + 1):
        if 2 * k > clicks:
            wins += query.credit[k]
        elif 2 * k == clicks:
            wins += 0.5 * query.credit[k]
    return wins


@kernel(inline=False)
def compare_all(query: Query, interleavings: int, wins: Floats, rng: np.random.Generator) -> None:
    """Write to ``wins[i, j]``, i < j, the mean of ``interleavings`` comparisons of rankers i and j."""
    rankers = query.order.shape[0]
    for i in range(rankers):
        for j in range(i + 1, rankers):
            total = 0.0
            for _ in range(interleavings):
                total += compare(query, i, j, rng)
            wins[i, j] = total / interleavings
