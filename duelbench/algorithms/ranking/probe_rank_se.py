"""Probe-Rank-SE: as Probe-Rank, but all duels of a pair count, and it may be decided whenever their number doubles.

The pseudo-code, step by step, is ``duelbench/reference/probe_rank.py``; the paths of both are equal, duel by duel
(``tests/test_catalogue.py``). On a pair at exactly 1/2 it goes on to the end of the run.

Hold. A pass duels every open pair once (``inference``). Passes up to the next one after which a pair may be decided are
the same, so they are played pair by pair, in a block each, if all of them end by the next checkpoint: there every pair
has as many duels and as many wins, in distribution, as round by round. Once it has declared an order, its first arm
duels itself for the rest of the run.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.declaration import declare, nothing_declared
from duelbench.algorithms.ranking.inference import Inference, TopDown, infer, nothing_inferred, rank_and_open
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle


class ProbeRankSeState(NamedTuple):
    """``known``: see ``inference``. ``duels[i, j]`` and ``wins[i, j]``: those of its pair (i, j), and of i.

    ``cursor[0].position`` is the current pair of the pass, −1 before the first pass, ``passes`` the number of passes
    that are played together, ``left`` the duels that the pair still has in them. ``scale`` is π²/(3δ') with δ' = 2δ/K².
    ``order`` is that of ``known``; ``declared``: see ``declaration``.
    """

    scale: float
    known: Inference
    duels: Ints
    wins: Ints
    cursor: Record
    order: Ints
    declared: Record


@kernel(inline=False)
def judge(state: ProbeRankSeState) -> bool:
    """Decide open pairs whose number of duels is a power of two, if they are clear; tell whether any is new."""
    known, decided = state.known, False
    for k in range(known.size[0].pairs):
        i, j = known.pairs[k]
        n = state.duels[i, j]
        if n < 2 or n & (n - 1):
            continue
        lead = state.wins[i, j] / n - 0.5
        if abs(lead) > math.sqrt(math.log(state.scale * math.log2(n) ** 2) / (2.0 * n)):
            decided = True
            if lead > 0:
                infer(known, i, j)
            else:
                infer(known, j, i)
    return decided


@kernel(inline=False)
def passes_ahead(state: ProbeRankSeState, rounds: int) -> int:
    """Return how many passes to play together: none of them but the last decides a pair, and all fit in the rounds."""
    pairs, count = state.known.pairs, state.known.size[0].pairs
    passes = max(1, rounds // count)
    for k in range(count):
        n, due = state.duels[pairs[k, 0], pairs[k, 1]], 2
        while due <= n:
            due *= 2
        passes = min(passes, due - n)
    return passes  # type: ignore[no-any-return]


@kernel(inline=False)
def next_passes(state: ProbeRankSeState, t: int, last: int, rng: np.random.Generator) -> None:
    """Evaluate the passes that are over; begin the next ones, or declare the order."""
    known, cursor = state.known, state.cursor[0]
    if cursor.position < 0:
        shuffle(known.order, known.order.shape[0], rng)
    if (cursor.position < 0 or judge(state)) and not rank_and_open(known):
        declare(state.declared, state.order[0], t)
        return
    cursor.position = 0
    cursor.passes = passes_ahead(state, last - t + 1)
    cursor.left = cursor.passes


@kernel
def select(state: ProbeRankSeState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the next pair, or the first arm of the order against itself."""
    known, cursor, declared = state.known, state.cursor[0], state.declared[0]
    if declared.winner < 0 and (cursor.position < 0 or cursor.position == known.size[0].pairs):
        next_passes(state, t, last, rng)
    if declared.winner >= 0:
        return declared.winner, declared.winner, last - t + 1
    i, j = known.pairs[cursor.position]
    count = min(cursor.left, last - t + 1)
    cursor.left -= count
    if cursor.left == 0:
        cursor.position += 1
        cursor.left = cursor.passes
    return i, j, count


@kernel
def update(state: ProbeRankSeState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcomes."""
    if first != second:
        state.duels[first, second] += count
        state.wins[first, second] += wins


class ProbeRankSe(TopDown):
    """Find the order of all arms from the top down, by duels of open pairs in turn and by transitivity."""

    name = "probe-rank-se"
    title = "Probe-Rank-SE"
    citation = (
        "Lou, Jin, Wu, Xu, Gu, Farnoud. Active Ranking without Strong Stochastic Transitivity. NeurIPS 2022, "
        "Probe-Rank-SE"
    )
    supports_delay = False  # a pass is evaluated when all its outcomes are there
    State = ProbeRankSeState
    select = staticmethod(select)
    update = staticmethod(update)

    def start(self, arms: int, horizon: int) -> ProbeRankSeState:
        """Return the state before the first round."""
        known, square = nothing_inferred(arms), (arms, arms)
        return ProbeRankSeState(
            scale=math.pi**2 / (3 * (2 * self.delta / arms**2)),
            known=known,
            duels=np.zeros(square, np.int64),
            wins=np.zeros(square, np.int64),
            cursor=record(position=-1, passes=0, left=0),
            order=known.order,
            declared=nothing_declared(),
        )
