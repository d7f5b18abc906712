"""Uniform exploration: the baseline that SAVAGE was compared with, explore then exploit.

All pairs are sampled alike, decided ones too, until the Copeland winner is known; the radius is SAVAGE's.

The pseudo-code, step by step, is ``duelbench/reference/savage.py``; ``tests/test_catalogue.py``
checks that the paths are equal. Hold: see ``racing``.
"""

from __future__ import annotations

import math

from duelbench.algorithms.elimination.racing import Race, RacingState, start


class UniformExploration(Race):
    """Sample all pairs alike until the Copeland winner is known."""

    name = "uniform-exploration"
    title = "Uniform exploration"
    citation = "Urvoy, Clerot, Féraud, Naamane. Generic Exploration and K-armed Voting Bandits. ICML 2013, baseline"
    in_order = True

    def start(self, arms: int, horizon: int) -> RacingState:
        """Return the state before the first round, for δ = 1/T and N pairs: log(2NT/δ) = log(K (K − 1) T²)."""
        log_scale = math.log(arms * (arms - 1) * horizon**2)
        return start(arms, log_scale, 0.0, ordered=False, drops_discarded=False, drops_decided=False)
