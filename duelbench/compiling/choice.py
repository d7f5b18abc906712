"""Choosing the tier: the highest one that passes its trial.

numba's version has no upper bound, and tiers 2 and 3 may not work with another version. So each tier is tried on a
small kernel (``trial``), once per cache directory, which stores the outcome. If a tier fails, the tier below is used,
and a line on stderr says so. ``DUELBENCH_TIER`` is the highest tier to try.
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
"""The consequence if a tier cannot be used."""
TESTED = ((0, 62), (0, 68))
"""The first and last release of numba in which the trial is known not to crash the process."""


@cache
def tier() -> Tier:
    """Return the highest tier that is allowed and has passed its trial.

    Raises UserError when ``DUELBENCH_TIER`` is not the number of a tier.
    """
    wanted = os.environ.get(VARIABLE) or str(HIGHEST)
    if wanted not in ("1", "2", "3"):
        raise UserError(f"{VARIABLE} is {wanted!r}: set it to 1, 2 or 3, or not at all")
    return tier_of(next((number for number in range(int(wanted), 1, -1) if serves(number)), 1))


def serves(number: int) -> bool:
    """Return whether a tier passes its trial; run the trial if its outcome is not stored."""
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
    """Return what is wrong with a tier, in a few words; empty if it works."""
    release = tuple(int(part) for part in numba.__version__.split(".")[:2] if part.isdecimal())
    if TESTED[0] <= release <= TESTED[1]:
        return trial(number)
    command = [sys.executable, "-m", "duelbench.compiling.trial", str(number)]  # it may crash
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    except (OSError, subprocess.TimeoutExpired) as error:
        return type(error).__name__
    return "" if done.returncode == 0 else done.stdout.strip() or f"its trial ended with exit code {done.returncode}"
