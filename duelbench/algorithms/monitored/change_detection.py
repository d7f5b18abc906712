"""State of algorithms that watch for changes: the last outcomes of each pair, open duels, and detections.

A change of a pair is found by comparing the newer half of its last w outcomes with the older half. Outcomes arrive in
the order of their duels, but possibly late: the algorithm may be in another phase by then, or have restarted. So the
round and the purpose of each duel whose outcome has not arrived are kept; rounds of a hold are uninformative and not in
this list.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Ints, Record, Signs, record
from duelbench.compiling.jit import kernel


class Windows(NamedTuple):
    """``length``: w, even. ``outcomes[k]``: the last outcomes of pair k, 0 or 1; outcome n is at place n modulo w.
    ``seen[k]``: the number of outcomes so far. ``newer[k]``: the sum of the last w/2 outcomes; ``older[k]``: the sum of
    the w/2 before them.
    """

    length: int
    outcomes: Signs
    seen: Ints
    newer: Ints
    older: Ints


def even(least: float) -> int:
    """Return the smallest even integer that is at least 2 and at least ``least``, which is capped at 2⁶²."""
    return max(2, 2 * math.ceil(math.ceil(min(least, 2.0**62)) / 2))


def new_windows(pairs: int, length: int, most: int) -> Windows:
    """Return empty windows; a pair has at most ``most`` outcomes, which limits their size."""
    return Windows(
        length,
        np.zeros((pairs, min(length, most)), np.int8),
        np.zeros(pairs, np.int64),
        np.zeros(pairs, np.int64),
        np.zeros(pairs, np.int64),
    )


@kernel
def empty(windows: Windows) -> None:
    """Forget all outcomes."""
    for k in range(windows.seen.shape[0]):
        windows.seen[k] = 0
        windows.newer[k] = 0
        windows.older[k] = 0


@kernel
def push(windows: Windows, k: int, outcome: int) -> int:
    """Record an outcome of pair k; return how much the sums of both halves differ, or −1 with fewer than w outcomes."""
    w, seen, outcomes = windows.length, windows.seen[k], windows.outcomes[k]
    if seen >= w:
        windows.older[k] -= outcomes[seen % w]
    if seen >= w // 2:
        middle = outcomes[(seen - w // 2) % w]
        windows.newer[k] -= middle
        windows.older[k] += middle
    windows.newer[k] += outcome
    outcomes[seen % w] = outcome
    windows.seen[k] = seen + 1
    return abs(windows.newer[k] - windows.older[k]) if seen + 1 >= w else -1


MOST_OPEN = 1024
"""The largest number of open duels; if there are more, the outcomes of the oldest are ignored."""


class OpenDuels(NamedTuple):
    """The last ``MOST_OPEN`` answers, each at place ``number`` modulo ``MOST_OPEN``: the ``round`` in which it was
    given and its ``purpose``. ``count[0]``: how many were ``asked`` for, and how many ``received``.
    """

    number: Ints
    round: Ints
    purpose: Ints
    count: Record


def new_open_duels() -> OpenDuels:
    """Return the list before the first duel."""
    return OpenDuels(
        np.full(MOST_OPEN, -1),
        np.zeros(MOST_OPEN, np.int64),
        np.zeros(MOST_OPEN, np.int64),
        record(asked=0, received=0),
    )


@kernel
def ask(duels: OpenDuels, t: int, purpose: int) -> None:
    """Record an answer of round t."""
    count = duels.count[0]
    place = count.asked % MOST_OPEN
    duels.number[place] = count.asked
    duels.round[place] = t
    duels.purpose[place] = purpose
    count.asked += 1


@kernel
def received(duels: OpenDuels) -> tuple[int, int]:
    """Remove the oldest open answer and return its round and purpose; round 0 if it was overwritten."""
    count = duels.count[0]
    place = count.received % MOST_OPEN
    known = duels.number[place] == count.received
    count.received += 1
    return (duels.round[place], duels.purpose[place]) if known else (0, 0)


MOST_DETECTIONS = 4096
"""The largest number of recorded rounds; further detections are not recorded."""


class Detections(NamedTuple):
    """``rounds``, of which the first ``count[0].made`` are valid."""

    rounds: Ints
    count: Record


def new_detections() -> Detections:
    """Return an empty list."""
    return Detections(np.zeros(MOST_DETECTIONS, np.int64), record(made=0))


@kernel
def note(detections: Detections, t: int) -> None:
    """Record a restart caused by the outcome of round t."""
    made = detections.count[0].made
    if made < detections.rounds.shape[0]:
        detections.rounds[made] = t
        detections.count[0].made = made + 1


def noted(detections: Detections) -> Ints:
    """Return the recorded rounds."""
    return detections.rounds[: detections.count[0].made].copy()
