"""The preference matrix of rankers from judged queries: each pair of rankers is compared on each query.

The set-up of Zoghi, Karnin, Whiteson & de Rijke, Copeland Dueling Bandits (NIPS 2015), for the MSLR matrices: every
feature is a ranker that sorts a query's documents by it, the largest value first; two rankers are compared by
probabilistic interleaving and a simulated user's clicks. Details that the paper leaves open: documents with equal
values are in random order, drawn once for each query and ranker; every query has the same weight; no clicks, or equally
many clicks, are half a win.

**Clicks.** A user reads the list from the top, clicks a document with a probability that depends on its grade, and
stops after the click with another one: the dependent click model of Guo, Liu & Wang (WSDM 2009), which the literature
on interleaving calls a cascade. The probabilities are those of Hofmann, Whiteson & de Rijke, Fidelity, Soundness, and
Efficiency of Interleaved Comparison Methods (ACM TOIS 31(4), 2013), for grades 0 (irrelevant) to 4 (perfect).

**Interleaving.** Hofmann, Whiteson & de Rijke, A Probabilistic Method for Inferring Preferences from Clicks (CIKM
2011): a fair coin decides for each position of the list which ranker fills it, from a softmax over the ranks of its
documents not shown yet, with weights rank^-3 (``weight``). Each click counts for the ranker that filled the position;
the ranker with more clicks wins, and equal numbers are half a win. As in that paper the result is averaged over the
coins, given the list and the clicks: a document was placed by the first ranker with probability P1 / (P1 + P2),
independently, so its number of clicks is a sum of independent Bernoulli variables. This reduces the variance and does
not change the expectation.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Floats, Ints
from duelbench.compiling.jit import kernel
from duelbench.errors import UserError
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.processes import Heartbeat, Processes
from duelbench.sources.letor import Judged

_TOP_GRADE = 4


@dataclass(frozen=True)
class _ClickModel:
    """The probability of a ``click`` on an examined document, and of a ``stop`` after the click, by grade 0 … 4."""

    click: tuple[float, float, float, float, float]
    stop: tuple[float, float, float, float, float]


CLICK_MODELS = {
    "perfect": _ClickModel((0.0, 0.2, 0.4, 0.8, 1.0), (0.0, 0.0, 0.0, 0.0, 0.0)),
    "navigational": _ClickModel((0.05, 0.3, 0.5, 0.7, 0.95), (0.2, 0.3, 0.5, 0.7, 0.9)),
    "informational": _ClickModel((0.4, 0.6, 0.7, 0.8, 0.9), (0.1, 0.2, 0.3, 0.4, 0.5)),
}
"""Users who read everything and know what is relevant; who look for one page; and who collect information."""


class _Query(NamedTuple):
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
def _draw_document(query: _Query, ranker: int, x: float) -> int:
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
def _click_counts(credit: Floats, clicks: int, share: float) -> None:
    """Add a click that counts with probability ``share`` to ``clicks``; ``credit[k]`` = P(k clicks count)."""
    credit[clicks + 1] = 0.0
    for k in range(clicks + 1, 0, -1):
        credit[k] = credit[k] * (1.0 - share) + credit[k - 1] * share
    credit[0] *= 1.0 - share


@kernel(inline=False)
def compare(query: _Query, first: int, second: int, rng: np.random.Generator) -> float:
    """Show an interleaved list to a user; return the probability that ``first`` wins, half for equal clicks."""
    query.lists[0] += 1
    query.credit[0] = 1.0
    clicks = 0
    mass1, mass2 = query.mass, query.mass
    for _ in range(query.places):
        coin = 2.0 * rng.random()
        d = (
            _draw_document(query, first, coin * mass1)
            if coin < 1.0
            else _draw_document(query, second, (coin - 1.0) * mass2)
        )
        query.shown[d] = query.lists[0]
        weight1, weight2 = query.weight[query.rank[first, d]], query.weight[query.rank[second, d]]
        if rng.random() < query.click[d]:
            chance1, chance2 = weight1 * mass2, weight2 * mass1  # P1 and P2, times both masses
            _click_counts(query.credit, clicks, chance1 / (chance1 + chance2))
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
def compare_all(query: _Query, interleavings: int, wins: Floats, rng: np.random.Generator) -> None:
    """Write to ``wins[i, j]``, i < j, the mean of ``interleavings`` comparisons of rankers i and j."""
    rankers = query.order.shape[0]
    for i in range(rankers):
        for j in range(i + 1, rankers):
            total = 0.0
            for _ in range(interleavings):
                total += compare(query, i, j, rng)
            wins[i, j] = total / interleavings


_SOFTMAX_POWER = 3
"""Position k of a ranking has weight k^-3, as published."""
BATCH = 16
"""Queries per task. Sums are computed batch by batch, so they do not depend on the number of processes."""


@dataclass(frozen=True)
class Simulation:
    """The parameters of the comparison: users of the ``click_model`` see the first ``cutoff`` documents.

    ``interleavings``: lists per pair of rankers and query; ``top_grade``: the grade of a perfect document, 1, 2 or 4.
    """

    click_model: str
    interleavings: int
    cutoff: int
    seed: int
    top_grade: int = _TOP_GRADE


@dataclass(frozen=True)
class Comparison:
    """The ``matrix`` of the rankers, its number of ``queries``, and the largest ``standard_error`` of an entry.

    The standard error is that of the mean over queries.
    """

    matrix: PreferenceMatrix
    queries: int
    standard_error: float


def compare_rankers(queries: Iterable[Judged], simulation: Simulation, jobs: int = 1) -> Comparison:
    """Compare every pair of rankers on every query. The numbers do not depend on ``jobs``, the number of processes.

    Raises:
        UserError: fewer than two rankers.
    """
    wins = squares = np.zeros((0, 0))
    count = 0
    for some, their_wins, their_squares in _results(_batches(queries), simulation, jobs):
        count += some
        wins, squares = (wins + their_wins, squares + their_squares) if wins.size else (their_wins, their_squares)
    mean: Floats = np.triu(wins / count, 1)
    variance = np.triu(squares / count - mean**2, 1)
    matrix = PreferenceMatrix(mean + np.tril(1 - mean.T, -1) + np.eye(len(mean)) / 2, "the rankers compared")
    return Comparison(matrix, count, math.sqrt(max(0.0, float(variance.max())) / count))


_Batch = list[tuple[int, Judged]]
_Sums = tuple[int, Floats, Floats]


def _batches(queries: Iterable[Judged]) -> Iterator[_Batch]:
    numbered = enumerate(queries)
    while batch := list(itertools.islice(numbered, BATCH)):
        rankers = batch[0][1].features.shape[1]
        if rankers < 2:
            raise UserError(f"each feature is a ranker, and at least two are needed, not {rankers}")
        yield batch


def _results(batches: Iterator[_Batch], simulation: Simulation, jobs: int) -> Iterator[_Sums]:
    if jobs == 1:
        for batch in batches:
            yield _compare_batch(batch, simulation)
        return
    first = next(batches)  # compiles the kernels, if necessary, for the other processes too
    yield _compare_batch(first, simulation)
    with Processes(jobs) as pool:
        yield from _in_order(pool, batches, simulation, ahead=2 * jobs)


def _in_order(pool: Executor, batches: Iterator[_Batch], simulation: Simulation, ahead: int) -> Iterator[_Sums]:
    """Yield results in the order of the batches, of which no more than ``ahead`` are read before."""
    pending: deque[Future[_Sums]] = deque()
    for batch in batches:
        pending.append(pool.submit(_compare_batch, batch, simulation))
        if len(pending) >= ahead:
            yield pending.popleft().result()
    while pending:
        yield pending.popleft().result()


def _compare_batch(batch: _Batch, simulation: Simulation, heartbeat: Heartbeat | None = None) -> _Sums:
    rankers = batch[0][1].features.shape[1]
    wins, squares, result = (np.zeros((rankers, rankers)) for _ in range(3))
    for number, judged in batch:
        stream = np.random.SeedSequence(simulation.seed, spawn_key=(number,))
        rng = np.random.Generator(np.random.PCG64(stream))
        compare_all(rankings(judged, simulation, rng), simulation.interleavings, result, rng)
        wins += result
        squares += result**2
    return len(batch), wins, squares


def rankings(judged: Judged, simulation: Simulation, rng: np.random.Generator) -> _Query:
    """Return the documents of a query, sorted by each ranker; equal values are in random order."""
    documents, rankers = judged.features.shape
    order = np.lexsort((rng.random((rankers, documents)), -judged.features.T))
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(documents)[None, :], axis=1)
    weight = np.arange(1, documents + 1, dtype=np.float64) ** -_SOFTMAX_POWER
    model = CLICK_MODELS[simulation.click_model]
    grades = judged.grades * _TOP_GRADE // simulation.top_grade
    places = min(simulation.cutoff, documents)
    return _Query(
        order,
        rank,
        weight,
        float(weight.sum()),
        np.array(model.click)[grades],
        np.array(model.stop)[grades],
        np.zeros(documents, np.int64),
        np.zeros(1, np.int64),
        np.zeros(places + 1),
        places,
    )
