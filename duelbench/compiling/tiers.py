"""With which of numba's options kernels compile: three tiers, one result.

1. numba's public options alone.
2. Without reference counts, and inlined (``inlining``): D-TS runs 70 times as fast, RUCB 40 times.
3. With the interior of its code generator changed (``linking``): compile time only.

Tiers 2 and 3 lean on what numba does not promise, and there is no upper bound on its version. So each is tried on a
small kernel, once for each directory of kernels, where the outcome is noted. Where it fails the one below serves, and a
line says so. ``DUELBENCH_TIER`` names the highest that is tried.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numba

from duelbench.compiling.cache import cache_directory
from duelbench.errors import UserError

VARIABLE = "DUELBENCH_TIER"
HIGHEST = 3
LOSS = {
    2: "kernels run many times slower than they could (tier 1 of duelbench.compiling.tiers)",
    3: "kernels take half as long again to compile (tier 2 of duelbench.compiling.tiers)",
}
"""What it costs that a tier does not serve."""
TESTED = ((0, 61), (0, 68))
"""The first and the last release of numba whose interior is known not to break down under the trial itself."""


@dataclass(frozen=True)
class Tier:
    """Options of ``numba.njit``: for a kernel that is compiled into others, one that they share, and one for Python.

    ``finish`` is told every dispatcher of the first two.
    """

    number: int
    inlined: dict[str, Any]
    shared: dict[str, Any]
    for_python: dict[str, Any]
    finish: Callable[[Any], None] = field(default=lambda dispatcher: None)


def tier_of(number: int) -> Tier:
    """Return a tier. Raises what numba's interior raises where it is another than the tier knows."""
    if number == 1:
        options = {"error_model": "numpy"}
        return Tier(1, options, options, options)
    from duelbench.compiling import inlining

    flags = inlining.FLAGS
    if number == 2:
        return Tier(
            2, flags, flags | {"pipeline_class": inlining.Called}, flags | {"pipeline_class": inlining.ForPython}
        )
    from duelbench.compiling import linking

    return Tier(
        3,
        flags | {"pipeline_class": linking.Linked},
        flags | {"pipeline_class": linking.Called},
        flags | {"pipeline_class": linking.ForPython},
        linking.once_for_all_integers,
    )


@cache
def tier() -> Tier:
    """Return the tier that serves here: the highest that is not forbidden and has passed its trial.

    Raises UserError when ``DUELBENCH_TIER`` is none.
    """
    wanted = os.environ.get(VARIABLE) or str(HIGHEST)
    if wanted not in ("1", "2", "3"):
        raise UserError(f"{VARIABLE} is {wanted!r}: set it to 1, 2 or 3, or not at all")
    return tier_of(next((number for number in range(int(wanted), 1, -1) if serves(number)), 1))


def machine_code(directory: Path) -> Path:
    """Return where in a directory the machine code of this process's tier is kept."""
    return directory / f"tier-{tier().number}"


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
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(wrong, encoding="utf-8")
    return not wrong


def _trial(number: int) -> str:
    """Return what is wrong with a tier, in a few words; nothing if it serves."""
    from duelbench.compiling.trial import trial

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
