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

Of the state (``savage``), ``listed[k]`` = i K + j is the k-th of N pairs, i < j. ``depends[k]``: the decision depended
on it when that was last looked at. ``doubtful[k]``: its witness is not in H any more; ``doubts[0].count`` such pairs.
The witness of pair k is the point ``witness[:, k]``, and the same with ``other[k]`` in place k. ``point``, ``scores``:
where a walk is, (K, K), and the scores of all arms there.
"""

import numpy as np

from duelbench.arrays import Floats, State
from duelbench.compiling.jit import kernel
from duelbench.kernels.arithmetic import most_place
from duelbench.kernels.draws import below

CONDORCET, COPELAND, BORDA, ARGMAX = range(4)


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
def place_of(i: int, j: int, arms: int) -> int:
    """Return k, the place of a pair i < j in the list."""
    return i * (2 * arms - i - 1) // 2 + j - i - 1


@kernel
def move(state: State, k: int, value: float) -> None:
    """Go to the point whose k-th parameter has this value."""
    arms = state.scores.shape[0]
    i, j = state.listed[k] // arms, state.listed[k] % arms
    state.point[i, j], state.point[j, i] = value, 1.0 - value
    state.scores[i] = score(state.variant, state.point, i)
    state.scores[j] = score(state.variant, state.point, j)


@kernel(inline=False)
def redraw(state: State, k: int, rng: np.random.Generator) -> None:
    """Go to a random point of H that differs in the k-th parameter alone."""
    arms = state.scores.shape[0]
    i, j = state.listed[k] // arms, state.listed[k] % arms
    move(state, k, state.low[i, j] + (state.high[i, j] - state.low[i, j]) * rng.random())


@kernel
def parameter(state: State, k: int) -> float:
    """Return the k-th parameter of the point."""
    arms = state.scores.shape[0]
    return state.point[state.listed[k] // arms, state.listed[k] % arms]  # type: ignore[no-any-return]


@kernel(inline=False)
def finds_dependence(state: State, k: int, rng: np.random.Generator) -> bool:
    """Walk through H in search of a witness of the k-th pair."""
    size = state.listed.shape[0]
    for _ in range(state.starts):
        for p in range(size):
            redraw(state, p, rng)
        for _ in range(state.steps):
            decision, value = most_place(state.scores), parameter(state, k)
            redraw(state, k, rng)
            if most_place(state.scores) != decision:
                state.other[k] = value
                for p in range(size):
                    state.witness[p, k] = parameter(state, p)
                return True
            redraw(state, below(size, rng), rng)
    return False


@kernel
def settle_doubts(state: State, rng: np.random.Generator) -> None:
    """Test the pairs whose witness is gone, in order."""
    for k in range(state.listed.shape[0]):
        if state.doubts[0].count == 0:
            return
        if state.doubtful[k]:
            state.doubtful[k] = False
            state.doubts[0].count -= 1
            state.depends[k] = finds_dependence(state, k, rng)


@kernel
def doubt_witnesses(state: State, i: int, j: int) -> None:
    """Find the witnesses that the new interval of the pair leaves out; i < j."""
    low, high, p = state.low[i, j], state.high[i, j], place_of(i, j, state.scores.shape[0])
    for k in range(state.listed.shape[0]):
        gone = not low <= state.witness[p, k] <= high or (k == p and not low <= state.other[k] <= high)
        if gone and state.depends[k] and not state.doubtful[k]:
            state.doubtful[k] = True
            state.doubts[0].count += 1


@kernel(inline=False)
def central_decision(state: State) -> int:
    """Return the decision at the centre of H; if the tests are right it is that of all of H."""
    arms = state.scores.shape[0]
    for p in range(state.listed.shape[0]):
        i, j = state.listed[p] // arms, state.listed[p] % arms
        move(state, p, (state.low[i, j] + state.high[i, j]) / 2)
    return most_place(state.scores)
