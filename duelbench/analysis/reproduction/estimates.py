"""Estimates: values with standard errors, and verdicts on them.

A verdict is True or False if a change by two standard errors does not reverse it, else None. Standard errors of
quotients are first-order approximations, and assume that the two numbers are independent.
"""

from __future__ import annotations

import math
from typing import NamedTuple

SIGNIFICANT = 2.0
SMALLEST = 1e-9
"""Smaller numbers are printed with an exponent."""


class Mean(NamedTuple):
    """A mean over runs, or another estimate, and its standard error."""

    value: float
    sem: float

    def __str__(self) -> str:
        return f"{number(self.value)} ± {number(self.sem)}"

    @property
    def ends(self) -> tuple[float, float]:
        """The interval that extends two standard errors to either side."""
        return self.value - SIGNIFICANT * self.sem, self.value + SIGNIFICANT * self.sem

    @property
    def with_interval(self) -> str:
        """The value and, in brackets, its interval."""
        return f"{number(self.value)} ({number(self.ends[0])} to {number(self.ends[1])})"


def number(value: float) -> str:
    """Return a number with three significant digits, or with all digits before the point."""
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
    """Return whether an estimate is between two numbers, inclusive; None if only part of its interval is."""
    if math.isnan(estimate.value) or math.isnan(estimate.sem):
        return None
    if not estimate.sem:
        return low <= estimate.value <= high
    first, last = estimate.ends
    if low <= first and last <= high:
        return True
    return False if last < low or first > high else None


def below(a: Mean, b: Mean, factor: float = 1.0) -> bool | None:
    """Return whether a < factor · b; None within two standard errors of equality."""
    gap, error = a.value - factor * b.value, math.hypot(a.sem, factor * b.sem)
    return None if math.isnan(gap) or abs(gap) <= SIGNIFICANT * error else gap < 0


def together(verdicts: list[bool | None]) -> bool | None:
    """Return the combined verdict: False if any is False, else None if any is None, else True."""
    return False if False in verdicts else None if None in verdicts else True


def share(hits: float, runs: float) -> Mean:
    """Return the share ``hits / runs`` by the method of Agresti and Coull, which adds two hits and two misses.

    So its standard error is also adequate for a share near 0 or 1.
    """
    n = runs + 4
    p = (hits + 2) / n
    return Mean(p, math.sqrt(p * (1 - p) / n))
