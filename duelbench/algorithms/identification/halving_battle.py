"""Halving-Battle: random pairs, the better half of each stays, until one is left.

How its rounds go, and why its hold is exact: ``battles``. Arms with at least the median number of wins stay: with two
arms a duel that is the winner, or both where they won equally often.

The pseudo-code, step by step, is ``duelbench/literal/halving_battle.py``;
``tests/test_algorithms_elimination.py`` checks that the paths, round by round, are equal.
"""

from __future__ import annotations

import math

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import ExploreThenExploit, nothing_declared
from duelbench.algorithms.identification.battles import BattlesState, select, update
from duelbench.algorithms.identification.matches import no_match
from duelbench.arrays import record


class HalvingBattle(ExploreThenExploit):
    """Let random pairs meet and who won at least the median stay, with more duels from round to round."""

    name = "halving-battle"
    citation = "Saha, Gopalan. PAC Battling Bandits in the Plackett-Luce Model. ALT 2019, Algorithm 3, two arms a duel"
    assumes = "Plackett–Luce model"
    regret_order = "no bound: K log(1/δ) / ε² duels to a winner"
    uses_horizon = False  # δ is its own
    sequential = False  # a match is judged when all its outcomes are there
    State = BattlesState
    select = staticmethod(select)
    update = staticmethod(update)

    epsilon: float = Field(
        0.05, ge=1e-9, le=0.5, description="slack ε: the winner may lose to the best arm with probability up to 1/2 + ε"
    )
    delta: float = Field(0.1, gt=0, lt=1, description="probability δ that the winner is worse than that")

    def start(self, arms: int, horizon: int) -> BattlesState:
        """Return the state before the first round; the horizon does not matter."""
        return BattlesState(
            c=4.0,
            final_epsilon=0.0,
            final_log_inverse_delta=0.0,
            both_on_a_tie=True,
            order=np.arange(arms),
            cursor=record(
                left=arms,
                kept=0,
                position=0,
                duels=0,
                begun=False,
                epsilon=self.epsilon / 4,
                log_inverse_delta=-math.log(self.delta),
            ),
            match=no_match(),
            declared=nothing_declared(),
        )
