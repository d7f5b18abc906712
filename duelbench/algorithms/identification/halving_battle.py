"""Halving-Battle: random pairs, the better half of each stays, until one is left.

How its rounds go, and why its hold is exact: ``battles``. Arms with at least the median number of wins stay: with two
arms a duel that is the winner, or both where they won equally often.

The pseudo-code, step by step, is ``duelbench/reference/plackett_luce.py``; ``tests/test_catalogue.py`` checks that the
paths, round by round, are equal.
"""

from __future__ import annotations

import math

from duelbench.algorithms.identification.battles import Battles, BattlesState, before_the_first_round


class HalvingBattle(Battles):
    """Let random pairs meet and who won at least the median stay, with more duels from round to round."""

    name = "halving-battle"
    title = "Halving Battle"
    citation = "Saha, Gopalan. PAC Battling Bandits in the Plackett-Luce Model. ALT 2019, Algorithm 3, two arms a duel"

    def start(self, arms: int, horizon: int) -> BattlesState:
        """Return the state before the first round; the horizon does not matter."""
        return before_the_first_round(
            arms,
            c=4.0,
            epsilon=self.epsilon / 4,
            log_inverse_delta=-math.log(self.delta),
            final_epsilon=0.0,
            final_log_inverse_delta=0.0,
            both_on_a_tie=True,
        )
