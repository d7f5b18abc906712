"""Divide-and-Battle: random pairs, the winner of each stays, until one is left.

How its rounds go, and why its hold is exact: ``battles``. Before the match of the last two ε and δ start anew, larger,
as the guarantee has some left. The paper lets a tie end as it may: here the first of the random pair stays.

The pseudo-code, step by step, is ``duelbench/reference/plackett_luce.py``; ``tests/test_catalogue.py`` checks that
the paths, round by round, are equal.
"""

from __future__ import annotations

import math

from duelbench.algorithms.identification.battles import Battles, BattlesState, before_the_first_round


class DivideAndBattle(Battles):
    """Let random pairs meet and the winners stay, with more duels from round to round."""

    name = "divide-and-battle"
    title = "Divide and Battle"
    citation = "Saha, Gopalan. PAC Battling Bandits in the Plackett-Luce Model. ALT 2019, Algorithm 2, two arms a duel"

    def start(self, arms: int, horizon: int) -> BattlesState:
        """Return the state before the first round; the horizon does not matter."""
        return before_the_first_round(
            arms,
            c=2.0,
            epsilon=self.epsilon / 8,
            log_inverse_delta=math.log(2) - math.log(self.delta),
            final_epsilon=2 * self.epsilon / 3,
            final_log_inverse_delta=-math.log(self.delta),
            both_on_a_tie=False,
        )
