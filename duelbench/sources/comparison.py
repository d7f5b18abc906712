"""The preference matrix of rankers from judged queries: each pair of rankers is compared on each query.

The set-up of Zoghi, Karnin, Whiteson & de Rijke, Copeland Dueling Bandits (NIPS 2015), for the MSLR matrices: every
feature is a ranker that sorts a query's documents by it, the largest value first; two rankers are compared by
probabilistic interleaving (``duelbench.sources.interleaving``) and a simulated user's clicks. Details that the paper
leaves open: documents with equal values are in random order, drawn once for each query and ranker; every query has the
same weight; no clicks, or equally many clicks, are half a win.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np

from duelbench.arrays import Floats
from duelbench.errors import UserError
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.processes import interrupted_by_parent, start_method
from duelbench.sources.clicks import CLICK_MODELS, TOP_GRADE
from duelbench.sources.interleaving import Query, compare_all
from duelbench.sources.letor import Judged

SOFTMAX_POWER = 3
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
    top_grade: int = TOP_GRADE


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


Batch = list[tuple[int, Judged]]
Sums = tuple[int, Floats, Floats]


def _batches(queries: Iterable[Judged]) -> Iterator[Batch]:
    numbered = enumerate(queries)
    while batch := list(itertools.islice(numbered, BATCH)):
        rankers = batch[0][1].features.shape[1]
        if rankers < 2:
            raise UserError(f"each feature is a ranker, and at least two are needed, not {rankers}")
        yield batch


def _results(batches: Iterator[Batch], simulation: Simulation, jobs: int) -> Iterator[Sums]:
    if jobs == 1:
        for batch in batches:
            yield _compare_batch(batch, simulation)
        return
    first = next(batches)  # compiles the kernels, if necessary, for the other processes too
    yield _compare_batch(first, simulation)
    pool = ProcessPoolExecutor(jobs, start_method(fresh=True), interrupted_by_parent)
    try:
        yield from _in_order(pool, batches, simulation, ahead=2 * jobs)
    finally:
        pool.shutdown(cancel_futures=True)


def _in_order(pool: Executor, batches: Iterator[Batch], simulation: Simulation, ahead: int) -> Iterator[Sums]:
    """Yield results in the order of the batches, of which no more than ``ahead`` are read before."""
    pending: deque[Future[Sums]] = deque()
    for batch in batches:
        pending.append(pool.submit(_compare_batch, batch, simulation))
        if len(pending) >= ahead:
            yield pending.popleft().result()
    while pending:
        yield pending.popleft().result()


def _compare_batch(batch: Batch, simulation: Simulation) -> Sums:
    rankers = batch[0][1].features.shape[1]
    wins, squares, result = (np.zeros((rankers, rankers)) for _ in range(3))
    for number, judged in batch:
        stream = np.random.SeedSequence(simulation.seed, spawn_key=(number,))
        rng = np.random.Generator(np.random.PCG64(stream))
        compare_all(rankings(judged, simulation, rng), simulation.interleavings, result, rng)
        wins += result
        squares += result**2
    return len(batch), wins, squares


def rankings(judged: Judged, simulation: Simulation, rng: np.random.Generator) -> Query:
    """Return the documents of a query, sorted by each ranker; equal values are in random order."""
    documents, rankers = judged.features.shape
    order = np.lexsort((rng.random((rankers, documents)), -judged.features.T))
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(documents)[None, :], axis=1)
    weight = np.arange(1, documents + 1, dtype=np.float64) ** -SOFTMAX_POWER
    model = CLICK_MODELS[simulation.click_model]
    grades = judged.grades * TOP_GRADE // simulation.top_grade
    places = min(simulation.cutoff, documents)
    return Query(
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
