"""Single elimination: a bracket of pairs whose winners advance, and optionally a verification of the last arm.

SELECT decides a pair of the bracket by the majority of a fixed number of duels, NTS by an SPRT. In every round as many
pairs as possible play, in order, and an arm that is left over advances. In the first round of NTS only so many pairs
play that the number of arms that advance is a power of two. In NTS and SELECT-then-verify the last arm then plays the
others, by SPRTs, until it loses or has beaten all. If it loses, every arm has lost: the algorithm declares that there
is no Condorcet winner, and plays and recommends the arm that has won most pairs.

The pseudo-code, step by step, is in ``tests/reference``: ``select.py``, ``nts.py`` and ``select_then_verify.py``;
``tests/test_catalogue.py`` checks that the paths, duel by duel, are equal.

Blocks. The duels of a pair that is decided by majority are one draw, since their number is fixed. With ``early_stop`` a
pair ends when one arm has won more than half of its m duels. If the arm that is ahead has won w, the next ⌊m/2⌋ + 1 − w
duels, or as many as are left, may be drawn at once, since only the last can end the pair. The boundary c of an SPRT
does not depend on the number of duels, and a duel changes the lead by one: with a lead of L none of the next c − L
duels can decide, so c + 1 − L may be drawn at once.

SPRT: Wald's sequential probability ratio test. The pair duels until one arm is more than a boundary of wins ahead. If
|P − 1/2| > h, the test errs with probability at most γ.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from pydantic import Field, model_validator

from duelbench.algorithms.algorithm import Program
from duelbench.arrays import State, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle
from duelbench.kernels.duels import World, block_limit, duel, no_winner


def duels_for_gap(arms: int, delta: float, gap: float) -> int:
    """Return ``m = ⌈ln(log2(K)/δ) / (2 gap²)⌉``: the best arm wins all its pairs with probability at least 1 − δ."""
    return math.ceil(min(math.log(math.log2(arms) / delta) / (2 * gap**2), 2.0**62))


def sprt_boundary(h: float, gamma: float) -> int:
    """Return ``⌈ln((1 − γ)/γ) / ln((1/2 + h)/(1/2 − h))⌉``, at least 1: the largest lead that does not decide yet."""
    return math.ceil(math.log((1 - gamma) / gamma) / max(math.log((0.5 + h) / (0.5 - h)), 1e-18))


@kernel(inline=False)
def winner_of(world: World, state: State, i: int, j: int, duels_per_pair: int, leads: bool) -> int:
    """Let a pair play ``duels_per_pair`` duels, or an SPRT if this is 0. Return the winner; i after a draw.

    If the pair ``leads``, the arm that is ahead is recommended.
    """
    wins, duels, ahead = 0, 0, state.ahead[0]
    while True:
        if duels_per_pair == 0:
            left = state.boundary + 1 - abs(2 * wins - duels)
        else:
            left = duels_per_pair - duels
            if state.early_stop:
                left = min(left, duels_per_pair // 2 + 1 - max(wins, duels - wins))
        if left <= 0:
            break
        count = min(left, block_limit(world))
        ahead.open, ahead.lead = leads, 2 * wins - duels
        wins += duel(world, i, j, count)
        duels += count
        if leads:
            ahead.arm = i if 2 * wins >= duels else j
    ahead.open = False
    winner, loser = (i, j) if 2 * wins >= duels else (j, i)
    state.won[winner] += 1
    if duels_per_pair == 0:
        state.met[winner, loser] = True
    return winner


@kernel(inline=False)
def bracket(world: World, state: State, duels_per_pair: int, rng: np.random.Generator) -> int:
    """Let the arms play in random order; the winner of each pair advances. Return the last arm."""
    order, left, remaining, pairs = state.order, state.left, world.arms, state.opening_pairs
    shuffle(order, world.arms, rng)
    for place in range(world.arms):
        left[place] = order[place]
    while remaining > 1:
        for k in range(pairs):
            left[k] = winner_of(world, state, left[2 * k], left[2 * k + 1], duels_per_pair, k == 0)
        for k in range(2 * pairs, remaining):
            left[k - pairs] = left[k]
        remaining -= pairs
        pairs = remaining // 2
    return left[0]  # type: ignore[no-any-return]


@kernel(inline=False)
def verified(world: World, state: State, champion: int) -> int:
    """Declare the champion if it beats all others that it has not met; else declare that there is no winner."""
    for other in state.order:
        if other == champion or state.met[champion, other]:
            continue
        if winner_of(world, state, champion, other, 0, False) != champion:
            most = state.order[0]
            for arm in state.order:
                if state.won[arm] > state.won[most]:
                    most = arm
            state.ahead[0].arm = most
            return no_winner(world, most)
    return champion


@kernel
def explore_select(world: World, state: State, rng: np.random.Generator) -> int:
    """SELECT."""
    return bracket(world, state, state.duels_per_pair, rng)


@kernel
def explore_and_verify(world: World, state: State, rng: np.random.Generator) -> int:
    """NTS and SELECT-then-verify."""
    return verified(world, state, bracket(world, state, state.duels_per_pair, rng))


class SingleElimination(Program):
    """The base class of the three, which differ in how pairs are decided and whether the last arm is verified."""

    def bracket(
        self, arms: int, opening_pairs: int, duels_per_pair: int = 0, early_stop: bool = False, boundary: int = 0
    ) -> Any:
        """Return the state before the first round; ``duels_per_pair`` is 0 for SPRTs with a ``boundary``.

        ``ahead``: the ``arm`` to recommend; ``open``: whether the current pair leads; ``lead``: the lead of its first
        arm before the current block.
        """
        return self.state(
            opening_pairs=opening_pairs,
            duels_per_pair=duels_per_pair,
            early_stop=early_stop,
            boundary=boundary,
            order=np.arange(arms),
            left=np.arange(arms),
            won=np.zeros(arms, np.int64),
            met=np.zeros((arms, arms), np.bool_),
            ahead=record(arm=-1, open=False, lead=0),
        )

    def recommendation(self, state: Any) -> int | None:
        """Return the arm that has come furthest: the bracket's winner, or the first winner of the current round.

        Before the round has a winner, it is the arm that is ahead in the first pair; None before the first outcome.
        """
        return int(state.ahead[0].arm) if state.ahead[0].arm >= 0 else None

    @classmethod
    def learn_part(cls, state: Any, first: int, second: int, wins: int, ties: int, count: int) -> None:
        """Update the recommendation while the leading pair plays."""
        ahead = state.ahead[0]
        if ahead.open:
            ahead.arm = first if ahead.lead + 2 * wins >= count else second


class Select(SingleElimination):
    """Single elimination by the majority of a fixed number of duels of each pair."""

    name = "select"
    title = "SELECT"
    citation = "Mohajer, Suh, Elmahdy. Active Learning for Top-K Rank Aggregation from Noisy Comparisons. ICML 2017"
    assumes = "Condorcet winner by a known gap"
    regret_order = "no bound; declares after (K − 1) m duels, m = ln(log2(K)/δ)/(2 gap²), whatever T"
    explore = explore_select

    delta: float = Field(0.05, gt=0, lt=1, description="probability δ of a wrong winner, if `gap` is right")
    gap: float = Field(
        0.05, gt=0, le=0.5, description="the least by which the winner's probabilities to beat others exceed 1/2"
    )
    duels_per_pair: int | None = Field(None, ge=1, description="duels m of each pair, whatever `delta` and `gap`")
    budget: int | None = Field(
        None, ge=1, description="duels B in all, shared evenly: m = ⌊B/(K − 1)⌋, 1 at least, whatever `delta` and `gap`"
    )
    early_stop: bool = Field(False, description="end a pair when one arm has won more than m/2 of its duels")

    @model_validator(mode="after")
    def _one_number_of_duels(self) -> Select:
        if self.duels_per_pair is not None and self.budget is not None:
            raise ValueError("duels_per_pair and budget both say how often a pair duels: remove one of them")
        return self

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round."""
        if self.duels_per_pair is not None:
            duels = self.duels_per_pair
        elif self.budget is not None:
            duels = max(1, self.budget // (arms - 1))
        else:
            duels = duels_for_gap(arms, self.delta, self.gap)
        return self.bracket(arms, arms // 2, duels, self.early_stop)


class Nts(SingleElimination):
    """Find the Condorcet winner by sequential tests, or declare that there is none.

    If it declares that there is none, it holds and recommends the arm that has won most pairs.
    """

    name = "nts"
    title = "NTS"
    citation = (
        "Haddenhorst, Bengs, Brandt, Hüllermeier. Testification of Condorcet Winners in Dueling Bandits. UAI 2021"
    )
    assumes = "no pair within h of 1/2"
    may_declare_no_winner = True
    regret_order = "no bound; decides after O(K ln(K) / h²) duels, whatever T"
    explore = explore_and_verify

    h: float = Field(0.05, gt=0, lt=0.5, description="the least distance h of any P[i, j] from 1/2")
    alpha: float = Field(
        0.05, gt=0, lt=1, description="probability α of an error when there is a Condorcet winner: another arm, or none"
    )
    beta: float = Field(0.05, gt=0, lt=1, description="probability β of an error, declaring one, when there is none")

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round."""
        boundary = sprt_boundary(self.h, min(self.alpha / arms, self.beta / (arms - 1)))
        power = 1 << (arms - 1).bit_length()  # the least power of two that is K or more
        return self.bracket(arms, arms - power // 2, boundary=boundary)


class SelectThenVerify(Nts):
    """Find the arm that must be the Condorcet winner if there is one, and test whether it is.

    If not, it declares that there is none, and holds and recommends the arm that has won most pairs.
    """

    name = "select-then-verify"
    title = "SELECT then verify"
    citation = (
        "Haddenhorst, Bengs, Brandt, Hüllermeier. Testification of Condorcet Winners in Dueling Bandits. UAI 2021, "
        "baseline"
    )

    beta: float = Field(
        0.05, gt=0, lt=1, description="probability β of an error, declaring one, when there is none; γ is the smaller"
    )

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round."""
        gamma = min(self.alpha, self.beta)
        boundary = sprt_boundary(self.h, gamma / (2 * (arms - 1)))
        duels = duels_for_gap(arms, gamma / 2, self.h)
        return self.bracket(arms, arms // 2, duels, boundary=boundary)
