"""Knockout: rounds of pairs, whose winners stay.

The pseudo-code, step by step, is ``duelbench/reference/maxing.py``; the paths of both are equal, duel by duel
(``tests/test_catalogue.py``). Before it has declared an arm, it recommends the Copeland winner of its duels, which is
an arm that has won the most pairs.

Hold. The duels of a pair come in blocks that cannot decide it on the way (``first_passage``). Once one arm is left it
duels itself for the rest of the run.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import ExploreThenExploit, declare, nothing_declared
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle
from duelbench.kernels.first_passage import answer, compare_1, new_test, update


class KnockoutState(NamedTuple):
    """``standing``: first the arms that have won in this round, ``kept`` many, from ``place`` on those yet to play.

    ``progress[0]`` has these, ``left``, the number of arms that began the round, and ``rounds``, how many have begun.
    ``test``: see ``first_passage``; ``declared``: see ``declaration``.
    """

    epsilon: float
    delta: float
    gamma: float
    standing: Ints
    progress: Record
    test: Record
    declared: Record


@kernel(inline=False)
def proceed(state: KnockoutState, t: int, rng: np.random.Generator) -> None:
    """Keep the winner of the pair that is decided; go to the next pair, of a new round after the last, or declare."""
    progress, test, standing = state.progress[0], state.test[0], state.standing
    if test.first >= 0:
        standing[progress.kept] = test.first if test.verdict > 0 else test.second
        progress.kept += 1
    if progress.place + 1 >= progress.left:
        if progress.place < progress.left:  # the odd one passes on
            standing[progress.kept] = standing[progress.place]
            progress.kept += 1
        progress.left = progress.kept
        progress.kept = 0
        progress.place = 0
        progress.rounds += 1
        if progress.left == 1:
            declare(state.declared, standing[0], t)
            return
        shuffle(standing, progress.left, rng)
    a, b = standing[progress.place], standing[progress.place + 1]
    progress.place += 2
    slack = (2.0 ** (1.0 / 3.0) - 1.0) * state.epsilon / (state.gamma * 2.0 ** (progress.rounds / 3.0))
    compare_1(state.test, a, b, slack, state.delta / 2.0**progress.rounds)


@kernel
def select(state: KnockoutState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the current pair, or the winner against itself."""
    if state.declared[0].winner < 0 and not state.test[0].running:
        proceed(state, t, rng)
    return answer(state, last - t + 1)


class Knockout(ExploreThenExploit):
    """Find an arm that loses to none by more than ε, in rounds of pairs whose winners stay."""

    name = "knockout"
    title = "Knockout"
    citation = (
        "Falahatgar, Orlitsky, Pichapati, Suresh. Maximum Selection and Ranking under Noisy Comparisons. ICML 2017"
    )
    assumes = "total order, γ-SST, STI"
    regret_order = "no bound"
    uses_horizon = False
    State = KnockoutState
    select = staticmethod(select)
    update = staticmethod(update)

    epsilon: float = Field(
        0.05, gt=0, lt=0.5, description="ε: the declared arm beats every other with probability at least 1/2 − ε"
    )
    delta: float = Field(0.1, gt=0, lt=1, description="probability δ of declaring another")
    gamma: float = Field(
        1.0, ge=1, description="γ of stochastic transitivity: no gap exceeds γ times that of better against worse arms"
    )

    def start(self, arms: int, horizon: int) -> KnockoutState:
        """Return the state before the first round."""
        return KnockoutState(
            epsilon=self.epsilon,
            delta=self.delta,
            gamma=self.gamma,
            standing=np.arange(arms),
            progress=record(left=0, kept=arms, place=0, rounds=0),
            test=new_test(),
            declared=nothing_declared(),
        )
