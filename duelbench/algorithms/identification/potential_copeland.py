"""POCOWISTA and TRA-POCOWISTA: pairs are decided for good by a test, until no arm can overtake the best.

TRA-POCOWISTA also counts as decided what follows by transitivity: x ≻ y ≻ z, x ≻ y ~ z and x ~ y ≻ z give x ≻ z, and
x ~ y ~ z gives x ~ z. Then only K − 1 pairs are tested, so the δ' = δ/(K ln K) of the authors' code is enough for
K ≥ 3; for K = 2 it is δ here.

A pair is decided by its most probable outcome: the winner scores 1 or, if that outcome is a tie, both score 1/2. So
with ties the declared arm need not be a Copeland winner of the matrix, where an arm beats another if it wins more often
than it loses. The next pair is the arm with the highest possible score and, among its undecided opponents, the one with
the highest score so far. Ties go to the first in a random order. The pseudo-code is ``tests/reference/pocowista.py``;
``tests/test_catalogue.py`` checks that the paths, duel by duel, are equal.

Test. A prior-posterior ratio (Waudby-Smith, Ramdas, NeurIPS 2020): there are m outcomes, a win of either arm or a tie,
and a ≥ b are the two largest counts. The test stops when ``Beta(a + 1, b + 1)`` has density γ/(m − 1) or less at 1/2.
Then the outcome with count a is the most probable one, with error probability at most γ. The authors use m = 3; without
ties m = 2 suffices.

Blocks. With ``n = a + b`` the density falls with the lead ``a − b ≥ 0``: another duel with the leading outcome
multiplies it by ``(n + 2) / (2 (a + 1)) ≤ 1``. So if the test does not stop when the next s − 1 duels all have this
outcome, then it does not stop within them whatever their outcomes, since a cannot grow by more and b cannot fall. Hence
s duels may be drawn at once, and only the last can stop the test.
"""

import math
from typing import Any, Literal

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Program
from duelbench.arrays import Ints, State
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle
from duelbench.kernels.duels import World, block_limit, duel_with_ties


def ppr_level(gamma: float, outcomes: int) -> float:
    """Return ``log(γ/(outcomes − 1))`` plus a tiny margin, so that equality stops the test despite rounding."""
    return math.log(gamma / (outcomes - 1)) + 1e-9


@kernel(inline=False)
def log_density(ahead: int, duels: int) -> float:
    """Return the log of the density at 1/2 when one of two outcomes has occurred ``ahead`` times in ``duels`` duels."""
    behind = duels - ahead
    wins = math.lgamma(ahead + 1.0) + math.lgamma(behind + 1.0)
    return math.lgamma(duels + 2.0) - wins - duels * math.log(2.0)


@kernel(inline=False)
def ppr_block(ahead: int, duels: int, log_level: float, most: int) -> int:
    """Return the largest number of duels, up to ``most``, of which only the last can decide the pair."""
    safe, step = 1, 1
    while step > 0:
        further = safe + step
        if further <= most and log_density(ahead + further - 1, duels + further - 1) > log_level:
            safe = further
            step *= 2
        else:
            step //= 2
    return safe


@kernel(inline=False)
def ppr(world: World, state: State, i: int, j: int) -> int:
    """Let two arms duel until the most probable outcome is known: 1 is a win of the first, −1 a loss, 0 a tie."""
    wins, losses, ties = 0, 0, 0
    while True:
        ahead = max(wins, losses, ties)
        duels = wins + losses + ties - min(wins, losses, ties)  # with one of the two most frequent outcomes
        if log_density(ahead, duels) <= state.log_level:
            return 0 if ties > max(wins, losses) else 1 if wins > losses else -1
        count = ppr_block(ahead, duels, state.log_level, block_limit(world))
        won, tied = duel_with_ties(world, i, j, count)
        wins += won
        ties += tied
        losses += count - won - tied


@kernel
def is_open(state: State, i: int, j: int) -> bool:
    """Return whether a pair of different arms is undecided."""
    return i != j and not (state.beats[i, j] or state.beats[j, i] or state.tied[i, j])


@kernel(inline=False)
def settle(state: State, better: int, worse: int, tie: bool) -> None:
    """Record that one arm beats another or that they tie; with transitivity, also record what follows.

    An arm that beats or ties with the first also beats any arm that loses to or ties with the second; three ties in a
    row give only a tie.
    """
    for i in state.order:
        above = state.transitive and state.beats[i, better]
        if i == better or above or (state.transitive and state.tied[i, better]):
            for j in state.order:
                below = state.transitive and state.beats[worse, j]
                level = j == worse or (state.transitive and state.tied[worse, j])
                if (level or below) and is_open(state, i, j):
                    if tie and not (above or below):
                        state.tied[i, j] = state.tied[j, i] = True
                        state.score[i] += 1
                        state.score[j] += 1
                        state.potential[i] -= 1
                        state.potential[j] -= 1
                    else:
                        state.beats[i, j] = True
                        state.score[i] += 2
                        state.potential[j] -= 2


@kernel(inline=False)
def leader(order: Ints, score: Ints) -> int:
    """Return the arm with the highest score; the first in ``order`` in a tie."""
    best = order[0]
    for i in order:
        if score[i] > score[best]:
            best = i
    return best  # type: ignore[no-any-return]


@kernel
def can_be_overtaken(state: State, best: int) -> bool:
    """Return whether another arm can still reach a higher score."""
    overtaken = False
    for i in state.order:
        overtaken = overtaken or (i != best and state.potential[i] > state.score[best])
    return overtaken


@kernel
def explore(world: World, state: State, rng: np.random.Generator) -> int:
    """Decide pairs of the potential winner, until no arm can overtake the best."""
    shuffle(state.order, world.arms, rng)
    best = leader(state.order, state.score)
    while can_be_overtaken(state, best):
        i, j = leader(state.order, state.potential), -1
        for other in state.order:
            if is_open(state, i, other) and (j < 0 or state.score[other] > state.score[j]):
                j = other
        verdict = ppr(world, state, i, j)
        if verdict >= 0:
            settle(state, i, j, verdict == 0)
        if verdict <= 0:
            settle(state, j, i, verdict == 0)
        best = leader(state.order, state.score)
    return best


class PotentialCopeland(Program):
    """The base class of the two, which differ in the error probability of a test and in using transitivity."""

    citation = (
        "Bengs, Haddenhorst, Hüllermeier. Identifying Copeland Winners in Dueling Bandits with Indifferences. "
        "AISTATS 2024"
    )
    regret_order = "no bound; declares after O(Σ 1/gap² ln(K/δ · ln 1/gap)) duels, whatever T"
    takes_ties = True
    explore = explore

    delta: float = Field(0.05, gt=0, lt=1, description="probability δ of a wrong winner")
    outcomes: Literal[2, 3] = Field(
        3, description="outcomes of a duel that the test allows for: 3 as published, with ties; 2 is enough without"
    )

    def recommendation(self, state: Any) -> int | None:
        """Return the arm with the highest score, ties by the random order; None until a pair is decided."""
        return int(state.order[np.argmax(state.score[state.order])]) if state.score.any() else None

    def first_state(self, arms: int, delta: float, transitive: bool) -> Any:
        """Return the state before the first round, for tests that err with probability ``delta``.

        ``beats``, ``tied``: the decided pairs. ``score``: twice the score of each arm so far; ``potential``: twice the
        highest score that the arm can still reach.
        """
        return self.state(
            log_level=ppr_level(delta, self.outcomes),
            transitive=transitive,
            order=np.arange(arms),
            beats=np.zeros((arms, arms), np.bool_),
            tied=np.zeros((arms, arms), np.bool_),
            score=np.zeros(arms, np.int64),
            potential=np.full(arms, 2 * (arms - 1)),
        )


class Pocowista(PotentialCopeland):
    """Decide the pairs of the potential Copeland winner, until no other arm can overtake the best."""

    name = "pocowista"
    version = 2
    title = "POCOWISTA"
    assumes = "no pair at 1/2"

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round, for δ' = δ / (K(K − 1)/2)."""
        return self.first_state(arms, self.delta / (arms * (arms - 1) / 2), transitive=False)


class TraPocowista(PotentialCopeland):
    """POCOWISTA for total orders: decided pairs also decide other pairs by transitivity."""

    name = "tra-pocowista"
    version = 2
    title = "TRA-POCOWISTA"
    assumes = "total order, no pair at 1/2"

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round."""
        delta = self.delta / (arms * math.log(arms)) if arms > 2 else self.delta
        return self.first_state(arms, delta, transitive=True)
