"""SAVAGE's independence test by sampling, without a closed form: does the decision depend on a pair?

Urvoy et al. (2013), section 3.1: the test is estimated by "introspective" simulations, a random walk from many starts
(Algorithm 2, parameters m and M); its answer "independent" may be wrong, and the less often the more samples there are.
The listing is not in the text at hand, so the rest is our reading:

- H is the box of the intervals. A start is a uniform point of H. Each of ``steps`` (m) steps of a walk draws the pair's
  x anew from its interval. If that changes the decision, it depends on the pair; else the walk goes on from there, and
  a random parameter is drawn anew. After ``starts`` (M) walks without a change the pair is independent, for good.
- The two points that show a dependence are its *witness*. As H only shrinks, the answer of a new test is known as long
  as both are in H, and none is made; "depends" is never wrong. So the cost grows with what is learned, not with rounds.
- The decision is one arm, the lowest among equals. The score of an arm at a point: see ``score``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.arrays import Flags, Floats, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.arithmetic import most_place
from duelbench.kernels.draws import below

CONDORCET, COPELAND, BORDA, ARGMAX = range(4)


class Sampling(NamedTuple):
    """The tests of N pairs of K arms; the k-th pair is ``pairs[k]`` = i K + j, i < j, and ``place[i, j]`` k.

    ``depends[k]``: the decision depended on pair k when that was last looked at. ``doubtful[k]``: its witness is not in
    H any more; ``doubts[0].count`` such pairs. The witness of pair k is the point ``witness[:, k]``, and the same with
    ``other[k]`` in place k. ``point``, ``scores``: where a walk is, (K, K), and the scores of all arms there.
    """

    starts: int
    steps: int
    pairs: Ints
    place: Ints
    depends: Flags
    doubtful: Flags
    doubts: Record
    witness: Floats
    other: Floats
    point: Floats
    scores: Floats


def new_tests(arms: int) -> Sampling:
    """Return what stands for the tests where there are none."""
    return all_doubtful(arms, np.empty(0, np.int64), 0, 0)


def all_doubtful(arms: int, pairs: Ints, starts: int, steps: int) -> Sampling:
    """Return the state before the first test."""
    place = np.zeros((arms, arms), np.int64)
    place[pairs // arms, pairs % arms] = np.arange(pairs.size)
    return Sampling(
        starts=starts,
        steps=steps,
        pairs=pairs.copy(),
        place=place,
        depends=np.ones(pairs.size, np.bool_),
        doubtful=np.ones(pairs.size, np.bool_),
        doubts=record(count=pairs.size),
        witness=np.zeros((pairs.size, pairs.size)),
        other=np.zeros(pairs.size),
        point=np.full((arms, arms), 0.5),
        scores=np.zeros(arms),
    )


@kernel
def score(variant: int, values: Floats, i: int) -> float:
    """Return the score of arm i: wins (copeland), the sum of its row (borda), or P[i, 0] (argmax; arm 0 has none)."""
    if variant == ARGMAX:
        return float(values[i, 0]) if i > 0 else -np.inf
    total = 0.0
    for j in range(values.shape[0]):
        if j != i and variant == BORDA:
            total += values[i, j]
        elif j != i and values[i, j] > 0.5:
            total += 1.0
    return total


@kernel
def move(sampling: Sampling, variant: int, k: int, value: float) -> None:
    """Go to the point whose k-th parameter has this value."""
    arms = sampling.scores.shape[0]
    i, j = sampling.pairs[k] // arms, sampling.pairs[k] % arms
    sampling.point[i, j], sampling.point[j, i] = value, 1.0 - value
    sampling.scores[i] = score(variant, sampling.point, i)
    sampling.scores[j] = score(variant, sampling.point, j)


@kernel
def draw(sampling: Sampling, low: Floats, high: Floats, k: int, rng: np.random.Generator) -> float:
    """Return a uniform value of the k-th parameter."""
    arms = sampling.scores.shape[0]
    i, j = sampling.pairs[k] // arms, sampling.pairs[k] % arms
    return float(low[i, j] + (high[i, j] - low[i, j]) * rng.random())


@kernel
def keep_witness(sampling: Sampling, k: int, other: float) -> None:
    """Remember the point, and the value in place k with which the decision is another."""
    arms = sampling.scores.shape[0]
    for p in range(sampling.pairs.shape[0]):
        sampling.witness[p, k] = sampling.point[sampling.pairs[p] // arms, sampling.pairs[p] % arms]
    sampling.other[k] = other


@kernel(inline=False)
def finds_dependence(
    sampling: Sampling, variant: int, low: Floats, high: Floats, k: int, rng: np.random.Generator
) -> bool:
    """Walk through H in search of a witness of the k-th pair."""
    arms = sampling.scores.shape[0]
    i, j = sampling.pairs[k] // arms, sampling.pairs[k] % arms
    for _ in range(sampling.starts):
        for p in range(sampling.pairs.shape[0]):
            move(sampling, variant, p, draw(sampling, low, high, p, rng))
        for _ in range(sampling.steps):
            decision, value = most_place(sampling.scores), sampling.point[i, j]
            move(sampling, variant, k, draw(sampling, low, high, k, rng))
            if most_place(sampling.scores) != decision:
                keep_witness(sampling, k, value)
                return True
            p = below(sampling.pairs.shape[0], rng)
            move(sampling, variant, p, draw(sampling, low, high, p, rng))
    return False


@kernel
def settle_doubts(sampling: Sampling, variant: int, low: Floats, high: Floats, rng: np.random.Generator) -> None:
    """Test the pairs whose witness is gone, in order."""
    for k in range(sampling.pairs.shape[0]):
        if sampling.doubts[0].count == 0:
            return
        if sampling.doubtful[k]:
            sampling.doubtful[k] = False
            sampling.doubts[0].count -= 1
            sampling.depends[k] = finds_dependence(sampling, variant, low, high, k, rng)


@kernel
def doubt_witnesses(sampling: Sampling, low: Floats, high: Floats, i: int, j: int) -> None:
    """Find the witnesses that the new interval of the pair leaves out; i < j."""
    p = sampling.place[i, j]
    for k in range(sampling.pairs.shape[0]):
        if not sampling.depends[k] or sampling.doubtful[k]:
            continue
        gone = not low[i, j] <= sampling.witness[p, k] <= high[i, j]
        if gone or (k == p and not low[i, j] <= sampling.other[k] <= high[i, j]):
            sampling.doubtful[k] = True
            sampling.doubts[0].count += 1


@kernel(inline=False)
def central_decision(sampling: Sampling, variant: int, low: Floats, high: Floats) -> int:
    """Return the decision at the centre of H; if the tests are right it is that of all of H."""
    arms = sampling.scores.shape[0]
    for p in range(sampling.pairs.shape[0]):
        i, j = sampling.pairs[p] // arms, sampling.pairs[p] % arms
        move(sampling, variant, p, (low[i, j] + high[i, j]) / 2)
    return most_place(sampling.scores)
