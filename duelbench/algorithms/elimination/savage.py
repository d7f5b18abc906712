"""SAVAGE: sensitivity analysis of variables for generic exploration; explore then exploit.

What is known of ``x = P[i, j]`` is an interval, at first [0, 1], intersected after each duel of the pair with
``p̂ ± c(n)``, ``c(n) = sqrt(log(2NT/δ) / (2n))``, N = K(K − 1)/2. An intersection that would be empty, which has
probability below δ, keeps the end of the old interval nearer to the new one; so lower bounds never exceed upper ones
and some arm is always a candidate. The least sampled relevant pair is duelled, the first in lexicographic order.

=========  ====================================  ===========================================================
variant    candidates                            relevant pairs
=========  ====================================  ===========================================================
condorcet  no upper bound below 1/2              both arms are candidates
copeland   upper score ≥ the best lower score    undecided, and at least one arm is a candidate
borda      upper score ≥ the best lower score    at least one arm is a candidate
argmax     upper end ≥ the best lower end        (0, i), i a candidate
=========  ====================================  ===========================================================

Exploration ends when one candidate is left, as then the decision is the same for every matrix within the intervals
(independent of every pair in the paper's sense), or when no pair is relevant. The winner is the candidate with the
largest *margin*, ties at random: its lower score minus the best upper score of the others, or its least lower bound
against another candidate (condorcet). With ε > 0 exploration also ends when the largest margin shows the winner to be
ε-optimal: a margin ≥ −ε (K − 1), that is ε in normalised scores, ≥ −ε (argmax) or ≥ 1/2 − ε (condorcet).

*Argmax* is the paper's ordinary bandit: its arm i ≥ 1, of mean P[i, 0], is played by a duel with arm 0, which is no arm
of the bandit. Its N is K − 1, and the arm with the largest mean is the winner (``naive`` has more on that).

With ``independence: sampled`` the table does not count: a pair is relevant as long as a simulation finds two matrices
within the intervals that differ in this pair and in the decision (``independence``). Exploration ends when no pair is,
and the winner is the decision at the centre of the intervals.

A candidate of the borda variant needs all its pairs, also those with arms that are out: to sample pairs of two
candidates only, as one could read the rule, can leave two of them apart for ever.

Bounds only narrow, so candidates and relevance are only lost, never regained. Hence all relevant pairs have been
duelled equally often up to one, and the least sampled, first in order, is the next of a list that is walked round and
round; a pair is looked at once per walk and dropped for good when it has become irrelevant.

The same, step by step and with nothing kept from round to round, is ``duelbench/reference/savage.py``;
``tests/test_catalogue.py`` checks that the paths are equal.

Hold. Every answer is a single duel until the winner is declared; the rest of the run is its self-duel, in one block,
and nothing more is drawn. The path is the same as with stepping.
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from duelbench.algorithms.declaration import ExploreThenExploit, declare, nothing_declared
from duelbench.algorithms.elimination.independence import (
    ARGMAX,
    BORDA,
    CONDORCET,
    COPELAND,
    Sampling,
    all_doubtful,
    central_decision,
    doubt_witnesses,
    new_tests,
    score,
    settle_doubts,
)
from duelbench.arrays import Flags, Floats, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import pick

VARIANTS = ("condorcet", "copeland", "borda", "argmax")


class SavageState(NamedTuple):
    """Intervals, scores, and the list of pairs.

    ``P[i, j]`` is in [``low[i, j]``, ``high[i, j]``]; ``lower``, ``upper`` bound the scores. ``enough`` is the margin
    that ends exploration, infinite without ε. A radius is ``sqrt(log_term / (2n))``. ``pairs`` holds codes i K + j: the
    first ``kept`` stay for the next walk, those from ``position`` to ``length`` are still to come in this one (fields
    of ``walk[0]``). ``decision[0]``: the number of ``candidates`` (Condorcet only), and whether exploration may end
    because the winner is certain enough, ``accepted``. ``found`` is a buffer for a list of arms. ``sampling``: what
    ``independence: sampled`` needs, ``sampled``. ``declared``: see ``declaration``.
    """

    variant: int
    sampled: bool
    log_term: float
    enough: float
    wins: Ints
    low: Floats
    high: Floats
    lower: Floats
    upper: Floats
    margin: Floats
    candidate: Flags
    pairs: Ints
    walk: Record
    decision: Record
    found: Ints
    sampling: Sampling
    declared: Record


@kernel
def is_relevant(state: SavageState, i: int, j: int) -> bool:
    """Return whether the decision may depend on the pair."""
    if state.sampled:
        return bool(state.sampling.depends[state.sampling.place[i, j]])
    if state.variant == ARGMAX:
        return bool(state.candidate[j])
    if state.variant == CONDORCET:
        return bool(state.candidate[i] and state.candidate[j])
    if state.variant == COPELAND and (state.low[i, j] > 0.5 or state.high[i, j] < 0.5):
        return False
    return bool(state.candidate[i] or state.candidate[j])


@kernel
def next_pair(state: SavageState) -> int:
    """Return the code of the next relevant pair, −1 if there is none."""
    arms = state.candidate.shape[0]
    walk = state.walk[0]
    while True:
        if walk.position == walk.length:
            walk.length = walk.kept
            walk.position = 0
            walk.kept = 0
            if walk.length == 0:
                return -1
        pair = state.pairs[walk.position]
        walk.position += 1
        if is_relevant(state, pair // arms, pair % arms):
            state.pairs[walk.kept] = pair
            walk.kept += 1
            return int(pair)


@kernel
def narrow(state: SavageState, i: int, j: int) -> None:
    """Intersect the interval of the pair with the one its results give now."""
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
def judge_scores(state: SavageState) -> None:
    """Find the candidates and all margins from the bounds of the scores."""
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
def judge_candidate(state: SavageState, i: int) -> None:
    """Condorcet: find the margin of arm i."""
    margin = np.inf
    for j in range(state.candidate.shape[0]):
        if j != i and state.candidate[j]:
            margin = min(margin, state.low[i, j])
    state.margin[i] = margin
    if state.candidate[i] and margin >= state.enough:
        state.decision[0].accepted = True


@kernel(inline=False)
def drop_candidate(state: SavageState, i: int) -> None:
    """Condorcet: arm i has lost to another and is out, unless it is the last one standing."""
    if not state.candidate[i] or state.decision[0].candidates == 1:
        return
    state.candidate[i] = False
    state.decision[0].candidates -= 1
    if state.decision[0].candidates == 1:
        state.decision[0].accepted = True
    for j in range(state.candidate.shape[0]):
        judge_candidate(state, j)


@kernel
def bound_score(state: SavageState, i: int) -> None:
    """Borda and argmax: find the bounds of arm i anew, so that no rounding piles up."""
    state.lower[i] = score(state.variant, state.low, i)
    state.upper[i] = score(state.variant, state.high, i)


@kernel
def winner(state: SavageState, rng: np.random.Generator) -> int:
    """Return the candidate with the largest margin, ties at random."""
    if state.sampled:
        return central_decision(state.sampling, state.variant, state.low, state.high)
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
def select(state: SavageState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the least sampled relevant pair, or commit to the winner."""
    declared = state.declared[0]
    if declared.winner < 0:
        if state.sampled:
            settle_doubts(state.sampling, state.variant, state.low, state.high, rng)
        pair = -1 if state.decision[0].accepted else next_pair(state)
        if pair >= 0:
            arms = state.candidate.shape[0]
            return pair // arms, pair % arms, 1
        declare(state.declared, winner(state, rng), t)
    return declared.winner, declared.winner, last - t + 1


@kernel
def update(state: SavageState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome, narrow the pair's interval, and see what that changes."""
    if first == second:
        return
    state.wins[first, second] += wins
    state.wins[second, first] += count - wins
    open_before = state.low[first, second] <= 0.5 <= state.high[first, second]
    narrow(state, first, second)
    open_now = state.low[first, second] <= 0.5 <= state.high[first, second]
    if state.sampled:
        doubt_witnesses(state.sampling, state.low, state.high, first, second)
    elif state.variant == BORDA or state.variant == ARGMAX:
        bound_score(state, first)
        bound_score(state, second)
        judge_scores(state)
    elif open_before and not open_now:
        better, worse = (first, second) if state.low[first, second] > 0.5 else (second, first)
        if state.variant == COPELAND:
            state.lower[better] += 1
            state.upper[worse] -= 1
            judge_scores(state)
        else:
            drop_candidate(state, worse)
    elif state.variant == CONDORCET and state.enough < np.inf:
        judge_candidate(state, first)
        judge_candidate(state, second)


class Savage(ExploreThenExploit):
    """Sample each pair until the winner no longer depends on it."""

    name = "savage"
    title = "SAVAGE"
    citation = "Urvoy, Clerot, Féraud, Naamane. Generic Exploration and K-armed Voting Bandits. ICML 2013"
    assumes = "depends on the variant"
    regret_order = "K² log T"
    in_order = True
    State = SavageState
    select = staticmethod(select)
    update = staticmethod(update)

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
        """Leave out what means nothing: random streams depend on what is written, and results should not."""
        written: dict[str, Any] = write(self)
        if self.independence == "exact":
            for name in ("independence", "starts", "steps"):
                del written[name]
        return written

    def start(self, arms: int, horizon: int) -> SavageState:
        """Return the state before the first round."""
        square = (arms, arms)
        delta = 1 / horizon if self.delta is None else self.delta
        bandit = self.variant == "argmax"
        pairs = np.array([i * arms + j for i in range(1 if bandit else arms) for j in range(i + 1, arms)], np.int64)
        sampled = self.independence == "sampled"
        if self.epsilon == 0:
            enough = math.inf
        elif bandit:
            enough = -self.epsilon
        else:
            enough = 0.5 - self.epsilon if self.variant == "condorcet" else -self.epsilon * (arms - 1)
        no_score = -math.inf if bandit else 0.0  # of arm 0
        return SavageState(
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
            walk=record(position=0, kept=0, length=len(pairs)),
            decision=record(
                candidates=arms, accepted=(self.variant == "condorcet" and enough <= 0) or (bandit and arms == 2)
            ),
            found=np.zeros(arms, np.int64),
            sampling=all_doubtful(arms, pairs, self.starts, self.steps) if sampled else new_tests(arms),
            declared=nothing_declared(),
        )
