"""RMED2FH: RMED2 for a known horizon, by the same kernels (``rmed2.py``); see ``duelbench/reference/rmed.py``.

All pairs are duelled in turn, in ⌈α log log T⌉ passes (at least one); each b*(i) is fixed after them, and no pair is
duelled for its own sake later.

Hold. As RMED1's (``arm_lists.py``), to the end: no number of duels is asked for that could end it.

Agreement. ``tests/test_catalogue.py``: the path of the reference implementation.
"""

from __future__ import annotations

import math

from pydantic import Field

from duelbench.algorithms.divergence.rmed2 import Rmed2, Rmed2State, new_duels


class Rmed2Fh(Rmed2):
    """RMED2 for a known horizon: its opponents are chosen once, after ⌈α log log T⌉ duels of every pair."""

    name = "rmed2fh"
    title = "RMED2FH"
    uses_horizon = True
    State = Rmed2State

    alpha: float = Field(3.0, gt=0, description="every pair is duelled at least α log log T times at the start")

    def start(self, arms: int, horizon: int) -> Rmed2State:
        """Return the state before the first round; the first list holds every arm."""
        passes = math.ceil(self.alpha * math.log(math.log(horizon))) if horizon > 2 else 1
        return new_duels(arms, self.alpha, self.f_scale * arms**self.f_power, max(1, passes), fixed=True)
