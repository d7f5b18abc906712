"""The rounds after which an algorithm restarted, recorded for the end of the run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel

ROOM = 4096
"""The largest number of recorded rounds; further detections are not recorded."""


class Detections(NamedTuple):
    """``rounds``, of which the first ``count[0].made`` are valid."""

    rounds: Ints
    count: Record


def new_detections() -> Detections:
    """Return the list before the first."""
    return Detections(np.zeros(ROOM, np.int64), record(made=0))


@kernel
def note(detections: Detections, t: int) -> None:
    """Record a restart because of the outcome of round t."""
    made = detections.count[0].made
    if made < detections.rounds.shape[0]:
        detections.rounds[made] = t
        detections.count[0].made = made + 1


def noted(detections: Detections) -> Ints:
    """Return the rounds."""
    return detections.rounds[: detections.count[0].made].copy()
