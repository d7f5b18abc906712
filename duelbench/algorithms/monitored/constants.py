"""The constants of MDB and DETECT, as the authors' code has them. Logarithms are natural; windows are even."""

from __future__ import annotations

import math


def even(least: float) -> int:
    """Return the least even integer, 2 at least, that is not below a number."""
    return max(2, 2 * math.ceil(math.ceil(least) / 2))


def mdb_window(horizon: int, arms: int, segments: int, delta: float) -> int:
    """Return w for M segments, at whose ends some preference changes by δ."""
    return even(8.0 * _mdb_log(horizon, arms, segments) / delta**2)


def mdb_threshold(horizon: int, arms: int, segments: int, window: int) -> float:
    """Return b."""
    return math.sqrt(0.5 * window * _mdb_log(horizon, arms, segments))


def mdb_gamma(horizon: int, arms: int, segments: int, window: int) -> float:
    """Return γ, the share of rounds in which pairs are watched: 1 where the horizon is too short for less."""
    return min(1.0, math.sqrt(segments * window / horizon) * (arms - 1) / 2.0)


def _mdb_log(horizon: int, arms: int, segments: int) -> float:
    return math.log(max(math.e, (4.0 * horizon + 2.0) * math.sqrt(horizon) / (math.sqrt(segments) * arms)))


def detect_explore(horizon: int, arms: int, p_min: float, form: str) -> int:
    """Return T̃, the rounds of exploration; it may be more than the horizon."""
    if form == "root":
        return math.isqrt(horizon)
    q, T = _q(p_min), max(2, horizon)
    return math.floor((math.log(T / (-math.expm1(-q) * math.log(T))) / q + arms - 1) ** 2)


def detect_window(horizon: int, arms: int, p_min: float, delta: float, form: str) -> int:
    """Return w."""
    if form == "root":
        return even(8.0 * _root_log(horizon, arms, p_min) / delta**2)
    return even((16.0 * math.log(horizon) + 6.0) / delta**2)


def detect_threshold(horizon: int, arms: int, p_min: float, window: int, form: str) -> float:
    """Return b."""
    if form == "root":
        return math.sqrt(0.5 * window * _root_log(horizon, arms, p_min))
    return math.sqrt(window * (math.log(horizon) + 0.375))


def _q(p_min: float) -> float:
    return (2.0 * p_min - 1.0) ** 2


def _root_log(horizon: int, arms: int, p_min: float) -> float:
    """Return ln(2T/x), 1 at least: x is the chance to take a wrong arm for the winner after √T rounds."""
    q = _q(p_min)
    log_x = -(horizon**0.25 - arms + 1) * q - math.log(-math.expm1(-q))
    return max(1.0, math.log(2.0 * horizon) - log_x)
