"""SAVAGE for any decision: sample N unknown means until a function of them is certain (Urvoy et al. 2013, Algorithm 1).

The function returns the right decision for means x, always the same for the same x. Each round samples the mean with
the fewest samples among those that the decision may depend on. The estimate of a mean is an interval, at first [0, 1],
intersected after each sample with ``p̂ ± c(n)``, ``c(n) = sqrt(log(2NT/δ) / (2n))``, as in ``savage``. Whether the
decision depends on a mean is determined by ``independent``, if there is a closed form, or by random walks through the
box of the intervals, as in ``savage`` with ``independence: sampled``: with the same decision and the same streams the
samples are the same (``tests/test_savage.py``). Plain Python, like the decision.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from duelbench.arrays import Floats, Ints

Decision = Callable[[Floats], Any]
"""A function of (N,) means that returns the right decision, comparable by ``==``; it must not change the array."""
Independent = Callable[[Floats, Floats, int], bool]
"""Whether means between (N,) lower and (N,) upper bounds that differ only in the i-th always have one decision."""


class Exploration:
    """The state of the exploration of N means.

    ``low``, ``high``: (N,) the box. ``sums``, ``plays``: (N,) of the samples. ``witnesses``: for each mean that the
    decision may depend on, two points of the box that differ in this mean alone and have different decisions. It is
    None if no such points are known (any more) or none are needed.
    """

    def __init__(
        self,
        decide: Decision,
        size: int,
        horizon: int,
        delta: float,
        starts: int,
        steps: int,
        independent: Independent | None = None,
    ) -> None:
        self.decide = decide
        self.independent = independent
        self.starts, self.steps = starts, steps
        self.log_term = math.log(2 * size * horizon / delta)
        self.low, self.high = np.zeros(size), np.ones(size)
        self.sums: Floats = np.zeros(size)
        self.plays: Ints = np.zeros(size, np.int64)
        self.witnesses: dict[int, tuple[Floats, Floats] | None] = dict.fromkeys(range(size))

    def choose(self, rng: np.random.Generator) -> int | None:
        """Return which mean to sample next; None if the decision no longer depends on any."""
        for i in list(self.witnesses):
            if not self._still_depends(i, rng):
                del self.witnesses[i]
        return min(self.witnesses, key=lambda i: self.plays[i], default=None)

    def learn(self, i: int, total: float, count: int) -> None:
        """Record ``count`` samples of the i-th mean, each in [0, 1]."""
        self.sums[i] += total
        self.plays[i] += count
        mean, radius = self.sums[i] / self.plays[i], math.sqrt(self.log_term / (2 * self.plays[i]))
        low, high = max(self.low[i], mean - radius), min(self.high[i], mean + radius)
        if low > high:  # with a probability below δ: keep the end of the old interval that is nearer to the new one
            low = high = self.high[i] if mean - radius > self.high[i] else self.low[i]
        self.low[i], self.high[i] = low, high
        for k, witness in self.witnesses.items():
            if witness is not None and not (low <= witness[0][i] <= high and low <= witness[1][i] <= high):
                self.witnesses[k] = None

    def decision(self) -> Any:
        """Return the decision at the centre of the box; once it depends on no mean, it is the same in the whole box."""
        return self.decide((self.low + self.high) / 2)

    def _still_depends(self, i: int, rng: np.random.Generator) -> bool:
        if self.independent is not None:
            return not self.independent(self.low, self.high, i)
        if self.witnesses[i] is None:
            self.witnesses[i] = self._search(i, rng)
        return self.witnesses[i] is not None

    def _search(self, i: int, rng: np.random.Generator) -> tuple[Floats, Floats] | None:
        """Walk through the box in search of two points that differ in the i-th mean alone and in their decisions."""
        size = len(self.low)
        for _ in range(self.starts):
            x = self.low + (self.high - self.low) * rng.random(size)
            decision = self.decide(x)
            for _ in range(self.steps):
                y = self._with_another(x, i, rng)
                if self.decide(y) != decision:
                    return x, y
                x = self._with_another(y, int(rng.random() * size), rng)
                decision = self.decide(x)
        return None

    def _with_another(self, x: Floats, i: int, rng: np.random.Generator) -> Floats:
        y = x.copy()
        y[i] = self.low[i] + (self.high[i] - self.low[i]) * rng.random()
        return y
