"""Comparing two rankers by probabilistic interleaving and a user's clicks.

Hofmann, Whiteson & de Rijke, A Probabilistic Method for Inferring Preferences from Clicks (CIKM 2011): a fair coin for
each place of the list says which ranker fills it, from a softmax over the ranks of its documents not shown yet, with
weights rank^-3 (``weight``). Each click counts for the ranker whose coin it was; more clicks win, equal ones are half a
win. As in that paper the coins are averaged over given list and clicks: a document shown was the first ranker's with
probability P1 / (P1 + P2), independently, so the number of clicks that count for it is a sum of independent coins.
That leaves the expectation as it is and takes out noise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.arrays import Floats, Ints
from duelbench.compiling.jit import kernel


class Query(NamedTuple):
    """A query's documents, as seen by R rankers.

    ``order[r, k]``: the document at place k of ranker r's own list, (R, documents); ``rank`` its inverse.
    ``weight[k]``: the softmax's weight of place k; ``mass``: their sum. ``click[d]``, ``stop[d]``: what a user does who
    sees document d. ``shown[d]``: the last list that d was in; ``lists``: [how many there were]. ``credit``: room for
    the places of a list, and one more. ``places``: how many documents a list shows, at most all.
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
    """Return the document at which the weights of ranker's documents not shown yet, summed from its top, exceed x."""
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
    """Let one more click, after ``clicks``, count with probability ``share``: ``credit[k]`` = P(k clicks count)."""
    credit[clicks + 1] = 0.0
    for k in range(clicks + 1, 0, -1):
        credit[k] = credit[k] * (1.0 - share) + credit[k - 1] * share
    credit[0] *= 1.0 - share


@kernel(inline=False)
def compare(query: Query, first: int, second: int, rng: np.random.Generator) -> float:
    """Show one interleaved list to one user; return the probability that ``first`` wins, equal clicks being half."""
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
    """Write into ``wins[i, j]``, i < j, the mean of so many comparisons of rankers i and j."""
    rankers = query.order.shape[0]
    for i in range(rankers):
        for j in range(i + 1, rankers):
            total = 0.0
            for _ in range(interleavings):
                total += compare(query, i, j, rng)
            wins[i, j] = total / interleavings
