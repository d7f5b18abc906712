"""Relabelling arms changes nothing but labels: regret has the same distribution."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats
from duelbench.engine.rollout import Streams
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.proving.contract import observed


def regret_of(
    algorithm: Algorithm,
    matrix: PreferenceMatrix,
    order: Sequence[int] | None,
    marks: Sequence[int],
    luck: Callable[[int], Streams],
) -> Callable[[int], Floats]:
    """Return a function of the number of a run: its (checkpoints,) Copeland regret, on the arms in this ``order``."""
    played = matrix if order is None else matrix.relabelled(np.asarray(order))
    return lambda run: observed(algorithm, played, marks, luck(run), ("copeland",)).regret[0]
