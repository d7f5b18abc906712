"""Which tier serves here: the highest that passes its trial.

There is no upper bound on numba's version, and tiers 2 and 3 may not suit another one. So each is tried on a small
kernel (``trial``), once for each directory of kernels, where the outcome is noted. Where it fails the one below serves,
and a line says so. ``DUELBENCH_TIER`` names the highest that is tried.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from functools import cache

import numba

from duelbench.compiling.cache import cache_directory
from duelbench.compiling.tiers import Tier, tier_of
from duelbench.compiling.trial import trial
from duelbench.errors import UserError

VARIABLE = "DUELBENCH_TIER"
HIGHEST = 3
LOSS = {
    2: "kernels run many times slower than they could (tier 1 of duelbench.compiling.tiers)",
    3: "kernels take half as long again to compile (tier 2 of duelbench.compiling.tiers)",
}
"""What it costs that a tier does not serve."""
TESTED = ((0, 62), (0, 68))
"""The first and the last release of numba whose interior is known not to break down under the trial itself."""


@cache
def tier() -> Tier:
    """Return the tier that serves here: the highest that is not forbidden and has passed its trial.

    Raises UserError when ``DUELBENCH_TIER`` is none.
    """
    wanted = os.environ.get(VARIABLE) or str(HIGHEST)
    if wanted not in ("1", "2", "3"):
        raise UserError(f"{VARIABLE} is {wanted!r}: set it to 1, 2 or 3, or not at all")
    return tier_of(next((number for number in range(int(wanted), 1, -1) if serves(number)), 1))


def serves(number: int) -> bool:
    """Tell whether a tier has passed its trial, which is held if its outcome has not been noted."""
    passed, failed = (cache_directory() / f"tier-{number}.{outcome}" for outcome in ("passed", "failed"))
    if passed.exists():
        return True
    if failed.exists():
        return False
    wrong = _trial(number)
    if wrong:
        print(f"duelbench: numba {numba.__version__} is not as expected ({wrong}): {LOSS[number]}", file=sys.stderr)
    note = failed if wrong else passed
    with contextlib.suppress(OSError):  # as on a full disk: the next process tries again
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(wrong, encoding="utf-8")
    return not wrong


def _trial(number: int) -> str:
    """Return what is wrong with a tier, in a few words; nothing if it serves."""
    release = tuple(int(part) for part in numba.__version__.split(".")[:2] if part.isdecimal())
    if TESTED[0] <= release <= TESTED[1]:
        return trial(number)
    command = [sys.executable, "-m", "duelbench.compiling.trial", str(number)]  # it may not survive
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    except (OSError, subprocess.TimeoutExpired) as error:
        return type(error).__name__
    return "" if done.returncode == 0 else done.stdout.strip() or f"its trial ended with exit code {done.returncode}"
