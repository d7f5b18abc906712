"""Detections of changes: their number and delay, missed changes, and false alarms.

The digest of this module is part of the key of runs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from duelbench.results.run_files import Noticed


def noticed(starts: Sequence[int], detections: Sequence[int], t: int, horizon: int) -> Noticed:
    """Return the detections until round ``t`` of a run of ``horizon`` rounds.

    ``starts``: the first rounds of the segments; the first segment is not a change. ``detections``: the rounds whose
    outcomes made the algorithm detect a change.
    """
    seen = [each for each in detections if each <= t]
    changes = [begin for begin in starts[1:] if begin <= t]
    delays, missed = list[int](), 0
    for begin, end in pairwise([*changes, t + 1]):
        place = bisect_right(seen, begin - 1)
        if place < len(seen) and seen[place] < end:
            delays.append(seen[place] - begin + 1)
        elif end <= t or t == horizon:
            missed += 1
    mean = sum(delays) / len(delays) if delays else None
    return Noticed(len(delays), missed, len(seen) - len(delays), mean)
