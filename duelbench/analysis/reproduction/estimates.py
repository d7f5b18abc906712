"""Numbers that are estimates: a value with its standard error, and what may be said of it.

A verdict is True or False where two standard errors do not change it, and None where they do. Errors of quotients are
those of the first order, and the two numbers count as independent.
"""

from __future__ import annotations

import math
from typing import NamedTuple

SIGNIFICANT = 2.0
SMALLEST = 1e-9
"""What is smaller is printed with an exponent."""


class Mean(NamedTuple):
    """A mean over runs, or another estimate, and its standard error."""

    value: float
    sem: float

    def __str__(self) -> str:
        return f"{number(self.value)} ± {number(self.sem)}"

    @property
    def ends(self) -> tuple[float, float]:
        """The interval of two standard errors to either side."""
        return self.value - SIGNIFICANT * self.sem, self.value + SIGNIFICANT * self.sem

    @property
    def with_interval(self) -> str:
        """The value and, in brackets, its interval."""
        return f"{number(self.value)} ({number(self.ends[0])} to {number(self.ends[1])})"


def number(value: float) -> str:
    """Print three digits, or all before the point."""
    if value == 0 or abs(value) < SMALLEST or not math.isfinite(value):
        return f"{value:.3g}"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{digits}f}"


def quotient(a: float, b: float) -> float:
    """Return a / b; infinity where b is 0."""
    return a / b if b else math.inf


def ratio(a: Mean, b: Mean) -> Mean:
    """Return a / b."""
    value = quotient(a.value, b.value)
    if not math.isfinite(value) or value == 0:
        return Mean(value, quotient(a.sem, abs(b.value)))
    return Mean(value, abs(value) * math.hypot(a.sem / a.value, b.sem / b.value))


def difference(a: Mean, b: Mean) -> Mean:
    """Return a − b."""
    return Mean(a.value - b.value, math.hypot(a.sem, b.sem))


def inside(estimate: Mean, low: float, high: float) -> bool | None:
    """Tell whether an estimate is between two numbers, ends included: all of its interval, or nothing of it."""
    if math.isnan(estimate.value) or math.isnan(estimate.sem):
        return None
    if not estimate.sem:
        return low <= estimate.value <= high
    first, last = estimate.ends
    if low <= first and last <= high:
        return True
    return False if last < low or first > high else None


def below(a: Mean, b: Mean, factor: float = 1.0) -> bool | None:
    """Tell whether a < factor · b; None within two standard errors of equality."""
    gap, error = a.value - factor * b.value, math.hypot(a.sem, factor * b.sem)
    return None if math.isnan(gap) or abs(gap) <= SIGNIFICANT * error else gap < 0


def together(verdicts: list[bool | None]) -> bool | None:
    """Combine verdicts: one that disagrees decides, then one that cannot tell."""
    return False if False in verdicts else None if None in verdicts else True


def share(hits: float, runs: float) -> Mean:
    """Return a share of runs, of ``hits`` in ``runs``, as Agresti and Coull do: two hits and two misses are added.

    So its error is right for a share near 0 or 1, too.
    """
    n = runs + 4
    p = (hits + 2) / n
    return Mean(p, math.sqrt(p * (1 - p) / n))
