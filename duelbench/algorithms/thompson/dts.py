"""D-TS: double Thompson sampling.

The pseudo-code, literally, is ``duelbench/literal/dts.py``; what is here is equal to it in distribution, and fast.
Tests hold one against the other: whole runs in ``tests/test_thompson_runs.py``, single rounds against the
exact distribution of their choice in ``tests/test_thompson.py``, and those among many arms in
``tests/test_thompson_many_arms.py``. The argument is this.

The first candidate needs only the side of 1/2 on which each θ¹ falls, and the second is the first itself unless some
θ² exceeds 1/2. So what is drawn are votes (``votes.py``), as few as settle who leads (``election.py``),
and values of θ, given their side, only where two arms exceed 1/2 in the second phase, or where D-TS+ (``dts_plus.py``)
breaks a tie. With a single contender in C its votes cannot matter and are not drawn.

Hold. Let G be the contenders with most votes if every vote falls on its likely side, so far as nobody tells their
self-duels apart (``merge_equal_self_duels``; always true of a single arm); equal others may be counted in. A few
*deciding* votes, on their likely sides, leave only G to lead: those that one arm of G wins, and for every contender
outside G so many that it loses that it must fall behind. Let every round have second votes against *all* of G, of
which only those against the first candidate are real. Call a round *uninformative* when the deciding votes fall on
their likely sides and nobody exceeds 1/2 against any arm of G: it is a self-duel of some arm of G and changes nothing.
(An informative one may turn out to be a self-duel, too.) Rounds are independent while the counts and the confidence
sets stand still, so the number of uninformative rounds in a row is geometric,

    P(uninformative) = Π(1 − ε) · Π over a in G of (1 − ε_a),

    ε: a deciding vote falls on its unlikely side,      ε_a: someone exceeds 1/2 against a,

drawn without looking at how many rounds are left and cut where a decided pair turns undecided (after a cut it is
drawn again: the geometric distribution has no memory). In the round that ends the hold, either a deciding vote
deviates, with its conditional probability, and the first deviating one is drawn by its own, the later ones and all
others freely. Or they are all on their likely sides and the set S of arms of G against whom someone exceeds 1/2, who
are *challenged*, is not empty: S is drawn so, then the first candidate is elected, in which those second votes have no
part; only if it is in S someone exceeds 1/2 against it, else the round is a self-duel of an arm of G after all. So if
no leader is in S it need not be known which of them D-TS+ prefers.

If several arms have most likely votes and their self-duels are told apart, D-TS (whose ties are broken uniformly) holds
differently: all votes of these arms are deciding, so that they are elected together, and each has its share of the
uninformative rounds. Now ``P(uninformative) = Π(1 − ε) · mean of (1 − ε_a)``, given that the first is a with
probability proportional to 1 − ε_a, so the rounds of a hold are divided multinomially, and in the round that ends it,
if no deciding vote deviates, a is the first with probability proportional to ε_a.

Among many arms rounds without a hold are drawn otherwise (``many_arms.py``), with the same distribution.

Looking ahead costs as much as a few rounds, so after it was in vain some rounds are played before it is tried again;
that depends on nothing that is yet to be drawn.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.thompson.many_arms import MANY, ManyArms, no_rounds, note_chances, round_of_many
from duelbench.algorithms.thompson.rounds import (
    DtsState,
    deviating_round,
    free_round,
    hold,
    is_free,
    start,
    update,
)
from duelbench.arrays import Flags
from duelbench.compiling.jit import kernel


@kernel
def select(state: DtsState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Choose both candidates, or hold while rounds are uninformative."""
    first, other, count = hold(state, t, last, rng)
    if count > 0:
        return first, other, count
    if not is_free(state.forecast):
        first, other = deviating_round(state, rng)
    else:
        first, other = unheld_round(state.many, state, rng)
    return first, other, 1


@kernel
def unheld_round(many: ManyArms | None, state: DtsState, rng: np.random.Generator) -> tuple[int, int]:
    """Play an unconditioned round, by the word among ``many`` arms."""
    if many is None:  # an argument of its own, as numba then compiles only one of the two
        return free_round(state, rng)
    return round_of_many(many, state.election, state.comparisons, state.votes, rng)


@kernel
def update_dts(state: DtsState, first: int, second: int, wins: int, count: int) -> None:
    """Line 17: count the outcome."""
    chance = state.votes.chance
    before, other = chance[first, second], chance[second, first]
    update(state, first, second, wins, count)
    if first != second:
        note_chances(state.many, state.votes, first, second, before, other)


class Dts(Algorithm):
    """Both arms by Thompson sampling, among those that confidence bounds leave."""

    name = "d-ts"
    citation = "Wu, Liu. Double Thompson Sampling for Dueling Bandits. NIPS 2016, Algorithm 1"
    regret_order = "K² log T; K log T + K² log log T with a Condorcet winner"
    learns_from_any_duel = True
    State = DtsState
    select = staticmethod(select)
    update = staticmethod(update_dts)

    alpha: float = Field(0.51, gt=0, description="confidence constant α of the bounds")

    def start(self, arms: int, horizon: int) -> DtsState:
        """Return the state before the first round."""
        return start(arms, self.alpha, plus=False, many=no_rounds(arms) if arms > MANY else None)

    def merge_equal_self_duels(self, state: DtsState, equal: Flags) -> None:
        """Let any of several equal leaders answer for a hold that they share."""
        state.equal[:] = equal
