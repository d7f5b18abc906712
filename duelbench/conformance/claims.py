"""What a property is asked of, and the two ways in which it may not simply hold."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats, Ints
from duelbench.engine.rollout import Streams
from duelbench.preferences.matrix import PreferenceMatrix

Literal: TypeAlias = Callable[[Floats, int, Streams], tuple[Ints, Any]]
"""A transcription with its parameters, on (K, K) P to a horizon: the (horizon, 2) arms, and what it has declared.

That is a winner and the rounds before, None where there is none yet, and ``...`` where it does not say.
"""


class CheckFailed(Exception):
    """A property does not hold: what was seen, in a sentence."""


class NotApplicable(Exception):
    """A property says nothing about this algorithm: why, in a few words."""


@dataclass(frozen=True)
class Case:
    """An algorithm, the matrices that it is proved on, its transcription if there is one, and how long that may take.

    ``seconds`` of computing are for each sample of runs: seeds are fixed, but a slow algorithm has fewer runs.
    """

    algorithm: Algorithm
    instances: Mapping[str, PreferenceMatrix]
    literal: Literal | None = None
    seconds: float = 4.0

    def size(self, compiled: int) -> int:
        """Return so many rounds, or runs, for kernels, and a tenth for plain Python."""
        return compiled if self.algorithm.compiled() else compiled // 10

    def ends(self, share: float = 1.0) -> float:
        """Return when ``time.process_time()`` reaches the end of this share of the time, if it begins now."""
        return time.process_time() + share * self.seconds
