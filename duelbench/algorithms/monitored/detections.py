"""The rounds after which an algorithm has begun anew: for whoever asks when the run is over."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel

ROOM = 4096
"""Rounds that are remembered; of more detections only the first."""


class Detections(NamedTuple):
    """``rounds``, so many of them as ``count[0].made`` says."""

    rounds: Ints
    count: Record


def new_detections() -> Detections:
    """Return the list before the first."""
    return Detections(np.zeros(ROOM, np.int64), record(made=0))


@kernel
def note(detections: Detections, t: int) -> None:
    """Write down that what came of round t made it begin anew."""
    made = detections.count[0].made
    if made < detections.rounds.shape[0]:
        detections.rounds[made] = t
        detections.count[0].made = made + 1


def noted(detections: Detections) -> Ints:
    """Return the rounds."""
    return detections.rounds[: detections.count[0].made].copy()
