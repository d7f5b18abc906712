"""RankEl: rank elicitation, stopped when the Copeland winner is certain; explore then exploit.

The paper elicits a ranking and stops when that ranking is good enough. To stop when the winner is certain is an
adaptation to regret. It samples every undecided pair until then, whether or not its arms may still win.

The pseudo-code, step by step, is ``duelbench/literal/rankel.py``; ``tests/test_algorithms_elimination.py`` checks that
the paths are equal. Hold: see ``racing``.
"""

from __future__ import annotations

import math

from duelbench.algorithms.elimination.racing import Race, RacingState, start


class RankEl(Race):
    """Elicit the Copeland ranking until its first place is certain (the stop rule is ours)."""

    name = "rankel"
    citation = (
        "Busa-Fekete, Szörényi, Hüllermeier. PAC Rank Elicitation through Adaptive Sampling of Stochastic Pairwise "
        "Preferences. AAAI 2014, Copeland ranking"
    )
    in_order = True

    def start(self, arms: int, horizon: int) -> RacingState:
        """Return the state before the first round, for δ = 1/T: log(5 K² n⁴ / (4δ)) = log(5 K² T / 4) + 4 log n."""
        return start(arms, math.log(1.25 * arms**2 * horizon), 4.0, ordered=False, drops_discarded=False)
