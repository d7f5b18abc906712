"""SAVAGE: sensitivity analysis of variables for generic exploration; explore then exploit.

Each pair has an interval for ``x = P[i, j]``: at first [0, 1], and intersected after each duel of the pair with
``p̂ ± c(n)``, ``c(n) = sqrt(log(2NT/δ) / (2n))``, N = K(K − 1)/2. An intersection that would be empty, which has
probability below δ, is replaced by the end of the old interval that is nearer to the new one. So lower bounds never
exceed upper ones, and some arm is always a candidate. Each round duels the relevant pair with the fewest duels, the
first of several in lexicographic order.

=========  ====================================  ===========================================================
variant    candidates                            relevant pairs
=========  ====================================  ===========================================================
condorcet  no upper bound below 1/2              both arms are candidates
copeland   upper score ≥ the best lower score    undecided, and at least one arm is a candidate
borda      upper score ≥ the best lower score    at least one arm is a candidate
argmax     upper end ≥ the best lower end        (0, i), i a candidate
=========  ====================================  ===========================================================

Exploration ends when one candidate is left, since the decision is then the same for every matrix within the intervals
(independent of every pair in the paper's sense), or when no pair is relevant. The winner is the candidate with the
largest *margin*, ties at random: its lower score minus the best upper score of the others, or its least lower bound
against another candidate (condorcet). With ε > 0 exploration also ends when the largest margin shows the winner to be
ε-optimal: a margin ≥ −ε (K − 1), that is ε in normalised scores, ≥ −ε (argmax) or ≥ 1/2 − ε (condorcet).

*Argmax* is the paper's ordinary bandit: its arm i ≥ 1 has mean P[i, 0] and is played by a duel with arm 0, which is not
an arm of the bandit. Its N is K − 1, and the arm with the largest mean wins (for more see ``naive``).

With ``independence: sampled`` the table does not apply: a pair is relevant as long as a simulation finds two matrices
within the intervals that differ only in this pair and have different decisions. Exploration ends when no pair is
relevant, and the winner is the decision at the centre of the intervals.

The borda variant samples all pairs of a candidate, including those with arms that are no longer candidates. One could
read the rule as sampling pairs of two candidates only, but that may never separate two candidates.

Bounds only narrow, so candidates and relevance are only lost, never regained. Hence the numbers of duels of all
relevant pairs differ by at most one, and the next pair to duel is the next one in a list that is walked in a circle. A
pair is checked once per walk and dropped for good when it has become irrelevant.

The reference, which computes everything anew in each round, is ``tests/reference/savage.py``;
``tests/test_catalogue.py`` checks that the paths are equal.

The sampled independence test decides without a closed form whether the decision depends on a pair. In Urvoy et al.
(2013), section 3.1, "introspective" simulations estimate the test by random walks from many starts (Algorithm 2,
parameters m and M). The answer "independent" may be wrong, but less often with more samples. The listing was not
available to us, so the rest is our reading:

- H is the box of the intervals. A start is a uniform point of H. Each of ``steps`` (m) steps of a walk draws the pair's
  x anew from its interval. If that changes the decision, the decision depends on the pair. Otherwise the walk goes on
  from there, and a random parameter is drawn anew. After ``starts`` (M) walks without a change the pair is independent,
  for good.
- The two points that show a dependence are its *witness*. As long as both points are in H, which only shrinks, the
  decision still depends on the pair and no new test is made; the answer "depends" is never wrong. So the cost grows
  with what is learned, not with the number of rounds.
- The decision is one arm; ties go to the lowest index. For the score of an arm at a point see ``score``.

In the state ``listed[k]`` = i K + j is the k-th of N pairs, i < j. ``depends[k]``: whether the decision depended on
pair k when it was last tested. ``doubtful[k]``: whether pair k has no witness in H and must be tested (again);
``doubts[0].count`` pairs are doubtful. The witness of pair k consists of the point ``witness[:, k]`` and of the same
point with ``other[k]`` in place k. ``point``, (K, K): the current point of a walk; ``scores``: all scores there.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from duelbench.algorithms.algorithm import Program
from duelbench.arrays import Floats, State, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.arithmetic import most_place
from duelbench.kernels.draws import below, pick
from duelbench.kernels.duels import World, duel

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
    """Test the doubtful pairs, in order."""
    for k in range(state.listed.shape[0]):
        if state.doubts[0].count == 0:
            return
        if state.doubtful[k]:
            state.doubtful[k] = False
            state.doubts[0].count -= 1
            state.depends[k] = finds_dependence(state, k, rng)


@kernel
def doubt_witnesses(state: State, i: int, j: int) -> None:
    """Mark the pairs whose witness lies outside the new interval of pair i < j."""
    low, high, p = state.low[i, j], state.high[i, j], place_of(i, j, state.scores.shape[0])
    for k in range(state.listed.shape[0]):
        gone = not low <= state.witness[p, k] <= high or (k == p and not low <= state.other[k] <= high)
        if gone and state.depends[k] and not state.doubtful[k]:
            state.doubtful[k] = True
            state.doubts[0].count += 1


@kernel(inline=False)
def central_decision(state: State) -> int:
    """Return the decision at the centre of H; if the tests are right, it is the decision everywhere in H."""
    arms = state.scores.shape[0]
    for p in range(state.listed.shape[0]):
        i, j = state.listed[p] // arms, state.listed[p] % arms
        move(state, p, (state.low[i, j] + state.high[i, j]) / 2)
    return most_place(state.scores)


VARIANTS = ("condorcet", "copeland", "borda", "argmax")


@kernel
def is_relevant(state: State, i: int, j: int) -> bool:
    """Return whether the decision may depend on the pair."""
    if state.sampled:
        return bool(state.depends[place_of(i, j, state.scores.shape[0])])
    if state.variant == ARGMAX:
        return bool(state.candidate[j])
    if state.variant == CONDORCET:
        return bool(state.candidate[i] and state.candidate[j])
    if state.variant == COPELAND and (state.low[i, j] > 0.5 or state.high[i, j] < 0.5):
        return False
    return bool(state.candidate[i] or state.candidate[j])


@kernel
def narrow(state: State, i: int, j: int) -> None:
    """Intersect the interval of the pair with the confidence interval of its current results."""
    n = state.wins[i, j] + state.wins[j, i]
    p = state.wins[i, j] / n
    radius = math.sqrt(state.log_term / (2 * n))
    low, high = max(state.low[i, j], p - radius), min(state.high[i, j], p + radius)
    if low > high:
        low = state.high[i, j] if p - radius > state.high[i, j] else state.low[i, j]
        high = low
    state.low[i, j], state.high[i, j] = low, high
    state.low[j, i], state.high[j, i] = 1.0 - high, 1.0 - low


@kernel
def judge_scores(state: State) -> None:
    """Update the candidates and all margins from the score bounds."""
    best, highest, second = -1.0, -1.0, -1.0
    for i in range(state.lower.shape[0]):
        best = max(best, state.lower[i])
        if state.upper[i] > highest:
            second = highest
            highest = state.upper[i]
        else:
            second = max(second, state.upper[i])
    candidates = 0
    for i in range(state.lower.shape[0]):
        state.candidate[i] = state.upper[i] >= best
        candidates += int(state.candidate[i])
        state.margin[i] = state.lower[i] - (second if state.upper[i] == highest else highest)
        if state.margin[i] >= state.enough:
            state.decision[0].accepted = True
    if candidates == 1:
        state.decision[0].accepted = True


@kernel
def judge_candidate(state: State, i: int) -> None:
    """Condorcet: update the margin of arm i."""
    margin = np.inf
    for j in range(state.candidate.shape[0]):
        if j != i and state.candidate[j]:
            margin = min(margin, state.low[i, j])
    state.margin[i] = margin
    if state.candidate[i] and margin >= state.enough:
        state.decision[0].accepted = True


@kernel(inline=False)
def drop_candidate(state: State, i: int) -> None:
    """Condorcet: drop arm i, which has lost to another, unless it is the last candidate."""
    if not state.candidate[i] or state.decision[0].candidates == 1:
        return
    state.candidate[i] = False
    state.decision[0].candidates -= 1
    if state.decision[0].candidates == 1:
        state.decision[0].accepted = True
    for j in range(state.candidate.shape[0]):
        judge_candidate(state, j)


@kernel
def bound_score(state: State, i: int) -> None:
    """Borda and argmax: recompute the score bounds of arm i, so that rounding errors do not accumulate."""
    state.lower[i] = score(state.variant, state.low, i)
    state.upper[i] = score(state.variant, state.high, i)


@kernel
def winner(state: State, rng: np.random.Generator) -> int:
    """Return the candidate with the largest margin, ties at random."""
    if state.sampled:
        return central_decision(state)
    largest = -np.inf
    count = 0
    for i in range(state.candidate.shape[0]):
        if not state.candidate[i]:
            continue
        if state.margin[i] > largest:
            largest = state.margin[i]
            count = 0
        if state.margin[i] == largest:
            state.found[count] = i
            count += 1
    return pick(state.found, count, rng)


@kernel
def learn(state: State, i: int, j: int, wins: int) -> None:
    """Count the outcome of a duel, narrow the pair's interval, and update what depends on it."""
    state.wins[i, j] += wins
    state.wins[j, i] += 1 - wins
    open_before = state.low[i, j] <= 0.5 <= state.high[i, j]
    narrow(state, i, j)
    decided = open_before and not state.low[i, j] <= 0.5 <= state.high[i, j]
    better, worse = (i, j) if state.low[i, j] > 0.5 else (j, i)
    if state.sampled:
        doubt_witnesses(state, i, j)
    elif state.variant == CONDORCET:
        if decided:
            drop_candidate(state, worse)
        elif state.enough < np.inf:
            judge_candidate(state, i)
            judge_candidate(state, j)
    elif state.variant != COPELAND:
        bound_score(state, i)
        bound_score(state, j)
        judge_scores(state)
    elif decided:
        state.lower[better] += 1
        state.upper[worse] -= 1
        judge_scores(state)


@kernel
def explore(world: World, state: State, rng: np.random.Generator) -> int:
    """Walk round the list of pairs, duel the relevant ones, and keep them for the next walk."""
    pairs, kept = state.pairs, state.pairs.shape[0]
    while kept > 0 and not state.decision[0].accepted:
        left, kept = kept, 0
        for k in range(left):
            if state.sampled:
                settle_doubts(state, rng)
            i, j = pairs[k] // world.arms, pairs[k] % world.arms
            if is_relevant(state, i, j) and not state.decision[0].accepted:
                pairs[kept] = pairs[k]
                kept += 1
                learn(state, i, j, duel(world, i, j, 1))
    return winner(state, rng)


class Savage(Program):
    """Sample each pair until the winner no longer depends on it."""

    name = "savage"
    title = "SAVAGE"
    citation = "Urvoy, Clerot, Féraud, Naamane. Generic Exploration and K-armed Voting Bandits. ICML 2013"
    assumes = "depends on the variant"
    regret_order = "K² log T"
    in_order = True
    uses_horizon = True
    explore = explore

    variant: Literal["condorcet", "copeland", "borda", "argmax"] = Field(
        "copeland",
        description="the winner to find; condorcet assumes that there is one, and argmax finds the arm with the "
        "largest probability of beating arm 0, the baseline",
    )
    delta: float | None = Field(None, gt=0, lt=1, description="probability δ of a wrong winner; 1/T when not given")
    epsilon: float = Field(
        0.0,
        ge=0,
        lt=1,
        description="stop at a winner this close to the best: in P against it (condorcet), in mean (argmax), in score",
    )
    independence: Literal["exact", "sampled"] = Field(
        "exact", description="how it tells that the winner depends on a pair: by the variant's rule, or by simulations"
    )
    starts: int = Field(20, ge=1, le=10_000, description="random walks of a simulation, M (independence: sampled)")
    steps: int = Field(50, ge=1, le=10_000, description="steps of each walk, m (independence: sampled)")

    @model_validator(mode="after")
    def _consistent(self) -> Savage:
        if self.independence == "exact":
            return self
        if self.variant == "condorcet":
            raise ValueError("matrices with a Condorcet winner are too rare to be sampled: choose another variant")
        if self.epsilon > 0:
            raise ValueError("sampled tests know no epsilon: remove it, or choose independence: exact")
        return self

    @model_serializer(mode="wrap")
    def _written(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Omit parameters that have no effect, since random streams depend on the parameters that are written."""
        written: dict[str, Any] = write(self)
        if self.independence == "exact":
            for name in ("independence", "starts", "steps"):
                del written[name]
        return written

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round.

        ``P[i, j]`` is in [``low[i, j]``, ``high[i, j]``]; ``lower``, ``upper`` bound the scores. ``enough`` is the
        margin that ends exploration, infinite without ε. A radius is ``sqrt(log_term / (2n))``. ``pairs`` begins with
        the codes i K + j of the pairs that are walked round. ``decision``: the number of ``candidates`` (Condorcet
        only), and ``accepted``, whether exploration may end because the winner is certain enough. ``found`` is a buffer
        for a list of arms. The remaining entries, from ``listed``, are for ``independence: sampled`` (``sampled``).
        """
        square = (arms, arms)
        delta = 1 / horizon if self.delta is None else self.delta
        bandit = self.variant == "argmax"
        pairs = np.array([i * arms + j for i in range(1 if bandit else arms) for j in range(i + 1, arms)], np.int64)
        sampled = self.independence == "sampled"
        tests = len(pairs) if sampled else 0
        if self.epsilon == 0:
            enough = math.inf
        elif bandit:
            enough = -self.epsilon
        else:
            enough = 0.5 - self.epsilon if self.variant == "condorcet" else -self.epsilon * (arms - 1)
        no_score = -math.inf if bandit else 0.0  # of arm 0
        return self.state(
            variant=VARIANTS.index(self.variant),
            sampled=sampled,
            log_term=math.log(2 * len(pairs) * horizon / delta),
            enough=enough,
            wins=np.zeros(square, np.int64),
            low=np.zeros(square),
            high=np.ones(square),
            lower=np.append(no_score, np.zeros(arms - 1)),
            upper=np.full(arms, arms - 1.0) if not bandit else np.append(no_score, np.ones(arms - 1)),
            margin=np.zeros(arms),
            candidate=np.arange(arms) >= int(bandit),
            pairs=pairs,
            decision=record(
                candidates=arms, accepted=(self.variant == "condorcet" and enough <= 0) or (bandit and arms == 2)
            ),
            found=np.zeros(arms, np.int64),
            listed=pairs[:tests].copy(),
            depends=np.ones(tests, np.bool_),
            doubtful=np.ones(tests, np.bool_),
            doubts=record(count=tests),
            witness=np.zeros((tests, tests)),
            other=np.zeros(tests),
            point=np.full(square, 0.5),
            scores=np.zeros(arms),
        )
