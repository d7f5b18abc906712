"""Choosing the tier: the second one if it passes a trial, else numba's public options.

numba's version has no upper bound, and tier 2 may not work with another version. In the trial, a small kernel must
compile, give Python's results, and leave reference counts unchanged. The cache directory stores the outcome. A line on
stderr reports a failure. ``DUELBENCH_TIER=1`` disables tier 2.
"""

import contextlib
import os
import subprocess
import sys
from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np

from duelbench.arrays import Floats, Ints, Record, record
from duelbench.compiling.cache import cache_directory
from duelbench.compiling.dispatcher import Kernel
from duelbench.compiling.tiers import Tier, tier_of
from duelbench.errors import UserError

VARIABLE = "DUELBENCH_TIER"
TESTED = ((0, 62), (0, 68))
"""The first and last release of numba in which the trial is known not to crash the process."""
CALLS = 20
FAR = 1_000_000


@cache
def tier() -> Tier:
    """Return tier 2 if it is allowed and passes its trial, else tier 1.

    Raises UserError if ``DUELBENCH_TIER`` is not the number of a tier.
    """
    highest = os.environ.get(VARIABLE) or "2"
    if highest not in ("1", "2"):
        raise UserError(f"{VARIABLE} is {highest!r}: set it to 1 or 2, or not at all")
    return tier_of(2 if highest == "2" and _passes() else 1)


def _passes() -> bool:
    """Return whether tier 2 passes its trial; run the trial if its outcome is not stored."""
    passed, failed = (cache_directory() / f"tier-2.{outcome}" for outcome in ("passed", "failed"))
    if passed.exists() or failed.exists():
        return passed.exists()
    wrong = _try()
    if wrong:
        print(
            f"duelbench: numba {numba.__version__} is not as expected ({wrong}): kernels run many times slower than "
            f"with numba {'.'.join(map(str, TESTED[1]))}",
            file=sys.stderr,
        )
    note = failed if wrong else passed
    with contextlib.suppress(OSError):  # for example a full disk: the next process tries again
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(wrong, encoding="utf-8")
    return not wrong


def _try() -> str:
    """Return the result of ``trial``, run in a separate process since it may crash."""
    release = tuple(int(part) for part in numba.__version__.split(".")[:2] if part.isdecimal())
    if TESTED[0] <= release <= TESTED[1]:
        return trial()
    command = [sys.executable, "-m", __name__]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    except (OSError, subprocess.TimeoutExpired) as error:
        return type(error).__name__
    return "" if done.returncode == 0 else done.stdout.strip() or f"its trial ended with exit code {done.returncode}"


def trial(number: int = 2) -> str:
    """Return a short description of the fault of a tier; empty if it works."""
    try:
        return _wrong(tier_of(number))
    except Exception as error:
        return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0][:120]}"


class _State(NamedTuple):
    """A small state with the types of an algorithm's state."""

    wins: Ints
    totals: Floats
    cursor: Record


def _wrong(tier: Tier) -> str:
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
            return "a wrong result"
        counted.add(sum(map(sys.getrefcount, arguments)))
    if any((mine != theirs).any() for mine, theirs in zip(state, expected, strict=True)):
        return "a wrong state"
    state.cursor[0].position = 2 * FAR
    with contextlib.suppress(ValueError):
        compiled(state, 0, rng)
        return "no exceptions"
    counted.add(sum(map(sys.getrefcount, arguments)))
    return "changed reference counts" if len(counted) > 1 else ""


def _step(add: Any, scale: Any) -> Any:
    """Return a kernel that calls both functions with variables and literals, draws a number, and may raise."""

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
    print(outcome := trial())
    sys.exit(bool(outcome))
