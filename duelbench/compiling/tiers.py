"""The two tiers of options with which numba compiles kernels; both give the same results.

1. numba's public options only.
2. ``linking``: without reference counts, inlined, and with changes in numba's code generator that save compile time.
   D-TS runs 70 times as fast, RUCB 40 times.

Tier 2 uses internals of numba, which may change; ``choice`` tries whether it works here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba.core.config

_config: Any = numba.core.config


@dataclass(frozen=True)
class Tier:
    """Options of ``numba.njit`` for kernels that are inlined, shared by callers, rarely called, or called by Python.

    ``finish`` is called with every dispatcher of the first three kinds.
    """

    number: int
    inlined: dict[str, Any]
    shared: dict[str, Any]
    rare: dict[str, Any]
    for_python: dict[str, Any]
    finish: Callable[[Any], None]

    def machine_code(self, directory: Path) -> Path:
        """Return the subdirectory for the machine code of this tier; code with bounds checks has a separate one."""
        return directory / f"tier-{self.number}{'-checked' if _config.BOUNDSCHECK else ''}"


def tier_of(number: int) -> Tier:
    """Return a tier. For tier 2, raises whatever numba raises if its internals have changed."""
    if number == 1:
        options = {"error_model": "numpy"}
        return Tier(1, options, options, options, options, lambda dispatcher: None)
    from duelbench.compiling import linking

    return Tier(
        2,
        linking.FLAGS | {"pipeline_class": linking.Linked},
        linking.FLAGS | {"pipeline_class": linking.Called},
        linking.FLAGS | {"pipeline_class": linking.Rare},
        linking.FLAGS | {"pipeline_class": linking.ForPython},
        linking.once_for_all_integers,
    )
