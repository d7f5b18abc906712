"""RankEl: rank elicitation, stopped when a Copeland winner is certain; explore then exploit.

It samples every undecided pair until then, whether or not its arms may still win.

Readings. The paper elicits a ranking and stops when that is good enough; to stop for a winner is an adaptation to
regret, where Zoghi et al. (2015) play a "Copeland variant" and say no more of it. *Winner*: an arm that nobody can
exceed any more is a Copeland winner, perhaps one of several, and all that regret asks for. *Sole winner*: an arm that
exceeds all others, or all pairs are decided, as by the ranking itself. With several winners only the latter ever ends
that, and the closest pair costs most even if its arms have long lost: on the rankers of Zoghi's Fig. 1 5.9e6 in its
unit, where the axis ends at 1.2e6 and, according to the paper, cuts only RUCB's curve. *Winner* costs 0.4e6 there.

The pseudo-code, step by step, is ``duelbench/reference/pbr.py``; ``tests/test_catalogue.py`` checks that the paths
are equal. Hold: see ``racing``.
"""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field

from duelbench.algorithms.elimination.racing import Race, RacingState, start


class RankEl(Race):
    """Elicit the Copeland ranking until its first place is certain (the stop rule is ours)."""

    name = "rankel"
    title = "RankEl"
    citation = (
        "Busa-Fekete, Szörényi, Hüllermeier. PAC Rank Elicitation through Adaptive Sampling of Stochastic Pairwise "
        "Preferences. AAAI 2014, Copeland ranking"
    )
    in_order = True

    until: Literal["winner", "sole-winner"] = Field(
        "winner", description="what ends it: an arm that none can exceed, or one that exceeds all (or nothing is open)"
    )

    def start(self, arms: int, horizon: int) -> RacingState:
        """Return the state before the first round, for δ = 1/T: log(5 K² n⁴ / (4δ)) = log(5 K² T / 4) + 4 log n."""
        several = self.until == "winner"
        return start(arms, math.log(1.25 * arms**2 * horizon), 4.0, False, drops_discarded=False, several=several)
