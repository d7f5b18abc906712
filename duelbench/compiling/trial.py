"""The trial of a tier: a small kernel must compile, give Python's results, and leave reference counts unchanged."""

from __future__ import annotations

import contextlib
import sys
from typing import Any, NamedTuple

import numpy as np

from duelbench.arrays import Floats, Ints, Record, record
from duelbench.compiling.dispatcher import Kernel
from duelbench.compiling.tiers import tier_of

CALLS = 20
FAR = 1_000_000


class _State(NamedTuple):
    """A small state like that of an algorithm."""

    wins: Ints
    totals: Floats
    cursor: Record


def trial(number: int) -> str:
    """Return what is wrong with a tier, in a few words; empty if it works."""
    try:
        return _wrong(number)
    except Exception as error:
        return f"{type(error).__name__} in tier {number}: {str(error).strip().partition(chr(10))[0][:120]}"


def _wrong(number: int) -> str:
    tier = tier_of(number)
    add = Kernel(_add, lambda: tier, kept=False)
    scale = Kernel(_scale, lambda: tier, inline=False, kept=False)
    compiled = Kernel(_step(add, scale), lambda: tier, kept=False)
    interpreted = _step(_add, _scale)
    state, expected = _start(), _start()
    rng, same = np.random.default_rng(1), np.random.default_rng(1)
    arguments = (*state, rng, rng.bit_generator)
    counted: set[int] = set()
    for t in range(CALLS):
        if compiled(state, t, rng) != interpreted(expected, t, same):
            return f"tier {number} gives a wrong result"
        counted.add(sum(map(sys.getrefcount, arguments)))
    if any((mine != theirs).any() for mine, theirs in zip(state, expected, strict=True)):
        return f"tier {number} gives a wrong state"
    state.cursor[0].position = 2 * FAR
    with contextlib.suppress(ValueError):
        compiled(state, 0, rng)
        return f"tier {number} does not raise exceptions"
    counted.add(sum(map(sys.getrefcount, arguments)))
    return f"tier {number} changes reference counts" if len(counted) > 1 else ""


def _step(add: Any, scale: Any) -> Any:
    """Return a kernel that calls both functions with variables and with literals, draws, and may raise."""

    def step(state, t, rng):  # type: ignore[no-untyped-def]
        arm = int(rng.random() * len(state.wins))
        add(state, arm, 1)
        add(state, 0, t)
        if state.cursor[0].position > FAR:
            raise ValueError("too far")
        return arm, scale(state.totals, 2.0) + scale(state.totals, state.totals[arm])

    return step


def _start() -> _State:
    return _State(np.zeros(3, np.int64), np.ones(3), record(position=0))


def _add(state, arm, count):  # type: ignore[no-untyped-def]
    state.wins[arm] += count
    state.totals[arm] /= 1.0 + count
    state.cursor[0].position += count


def _scale(values, by):  # type: ignore[no-untyped-def]
    total = 0.0
    for value in values:
        total += by * value
    return total


if __name__ == "__main__":
    print(outcome := trial(int(sys.argv[1])))
    sys.exit(bool(outcome))
