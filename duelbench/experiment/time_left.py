"""Estimating how long the rest of an execution takes, from the seconds of runs so far.

Rounds are no measure of time: a run of one algorithm may take a thousand times as long as a run of another.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from duelbench.results.identity import Labels


@dataclass
class Pace:
    """The number of runs of a series played so far and the seconds that they took; how many are ``left``."""

    runs: int = 0
    seconds: float = 0.0
    left: int = 0
    begun: float = math.nan


class TimeLeft:
    """Estimates the seconds until all runs are played.

    ``earlier``: the seconds of a run of each series in earlier executions, perhaps on another machine.
    """

    def __init__(self, earlier: Mapping[Labels, float], clock: Callable[[], float] = time.monotonic) -> None:
        self.paces: defaultdict[Labels, Pace] = defaultdict(Pace)
        self._earlier, self._clock = earlier, clock
        self._start = math.nan

    def ask(self, labels: Labels, runs: int) -> None:
        """Add runs of a series that are to be played."""
        self.paces[labels].left += runs

    def begin(self, labels: Labels) -> None:
        """Record that a series is being played now."""
        self.paces[labels].begun = self._clock()

    def played(self, labels: Labels, runs: int, seconds: float) -> None:
        """Record runs and the seconds that they took."""
        if math.isnan(self._start):  # not before, since processes start and kernels are compiled first
            self._start = self._clock() - seconds
        pace = self.paces[labels]
        pace.runs += runs
        pace.seconds += seconds
        pace.left = max(0, pace.left - runs)

    def seconds(self) -> float:
        """Return the estimate; NaN before any run has ended.

        Earlier seconds count in the proportion of those measured now. A series of which nothing is known takes as long
        as the mean of the others, or as long as it has taken so far.
        """
        now = self._clock()
        known = {labels: pace.seconds / pace.runs for labels, pace in self.paces.items() if pace.runs}
        busy, passed = sum(pace.seconds for pace in self.paces.values()), now - self._start
        if not busy or not passed > 0:
            return math.nan
        both = [labels for labels in known if self._earlier.get(labels)]
        scale = sum(known[labels] for labels in both) / sum(self._earlier[labels] for labels in both) if both else 1.0
        for labels in self.paces.keys() & self._earlier.keys() - known.keys():
            known[labels] = scale * self._earlier[labels]
        mean = sum(known.values()) / len(known)
        work = 0.0
        for labels, pace in self.paces.items():
            at_least = 0.0 if pace.runs or math.isnan(pace.begun) else now - pace.begun
            work += pace.left * max(known.get(labels, mean), at_least)
        return work * passed / busy
