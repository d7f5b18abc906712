"""Probe-Rank: the order from the top down, by batches of duels whose size doubles twice until they decide a pair.

What two decisions imply is not asked (``inference``), so that the number of duels depends on the gaps of neighbours in
the order alone. The pseudo-code, step by step, is ``duelbench/reference/probe_rank.py``; the paths of both are equal,
duel by duel (``tests/test_catalogue.py``). On a pair at exactly 1/2 it goes on to the end of the run.

Hold. A batch is one block, cut at checkpoints: its size is fixed before. Once it has declared an order, its first arm
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
from duelbench.kernels.first_passage import answer, fixed_test, new_test, update


class ProbeRankState(NamedTuple):
    """``known``: see ``inference``; of its pairs, the first ``cursor[0].length`` are probed now.

    ``cursor[0].position`` is the place of the current pair there, −1 before the first. ``verdicts`` has those of the
    pairs before it, ``probes[i, j]`` how many batches pair (i, j) has had. ``delta`` is 2δ/K². ``test``: see
    ``first_passage``; ``order`` is that of ``known``; ``declared``: see ``declaration``.
    """

    delta: float
    known: Inference
    probes: Ints
    verdicts: Ints
    cursor: Record
    test: Record
    order: Ints
    declared: Record


@kernel
def begin_batch(state: ProbeRankState) -> None:
    """Begin the next batch of the current pair."""
    i, j = state.known.pairs[state.cursor[0].position]
    state.probes[i, j] += 1
    tau = state.probes[i, j]
    epsilon = 2.0**-tau
    delta = 6.0 * state.delta / (math.pi**2 * tau**2)
    fixed_test(state.test, i, j, math.ceil(2.0 / epsilon**2 * math.log(1.0 / delta)), epsilon / 2.0)


@kernel(inline=False)
def keep_least_probed(state: ProbeRankState) -> None:
    """Keep the open pairs that have had the fewest batches."""
    pairs, count = state.known.pairs, state.known.size[0].pairs
    fewest = state.probes[pairs[0, 0], pairs[0, 1]]
    for k in range(1, count):
        fewest = min(fewest, state.probes[pairs[k, 0], pairs[k, 1]])
    length = 0
    for k in range(count):
        i, j = pairs[k]
        if state.probes[i, j] == fewest:
            pairs[length] = i, j
            length += 1
    state.cursor[0].length = length


@kernel(inline=False)
def proceed(state: ProbeRankState, t: int, rng: np.random.Generator) -> None:
    """Note the verdict; begin the next batch, of other pairs once all have had theirs, or declare the order."""
    known, cursor = state.known, state.cursor[0]
    if cursor.position < 0:
        shuffle(known.order, known.order.shape[0], rng)
    else:
        state.verdicts[cursor.position] = state.test[0].verdict
        if cursor.position + 1 < cursor.length:
            cursor.position += 1
            begin_batch(state)
            return
        for k in range(cursor.length):
            i, j = known.pairs[k]
            if state.verdicts[k] > 0:
                infer(known, i, j)
            elif state.verdicts[k] < 0:
                infer(known, j, i)
    if rank_and_open(known):
        keep_least_probed(state)
        cursor.position = 0
        begin_batch(state)
    else:
        declare(state.declared, state.order[0], t)


@kernel
def select(state: ProbeRankState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the current pair, or the first arm of the order against itself."""
    if state.declared[0].winner < 0 and not state.test[0].running:
        proceed(state, t, rng)
    return answer(state, last - t + 1)


class ProbeRank(TopDown):
    """Find the order of all arms from the top down, by batches of duels and by transitivity."""

    name = "probe-rank"
    title = "Probe-Rank"
    citation = (
        "Lou, Jin, Wu, Xu, Gu, Farnoud. Active Ranking without Strong Stochastic Transitivity. NeurIPS 2022, Probe-Rank"
    )
    State = ProbeRankState
    select = staticmethod(select)
    update = staticmethod(update)

    def start(self, arms: int, horizon: int) -> ProbeRankState:
        """Return the state before the first round."""
        known = nothing_inferred(arms)
        return ProbeRankState(
            delta=2 * self.delta / arms**2,
            known=known,
            probes=np.zeros((arms, arms), np.int64),
            verdicts=np.zeros(len(known.pairs), np.int64),
            cursor=record(position=-1, length=0),
            test=new_test(),
            order=known.order,
            declared=nothing_declared(),
        )
