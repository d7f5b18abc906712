"""The three tiers of numba's options with which kernels compile; all give the same result.

1. numba's public options alone.
2. Without reference counts, and inlined (``inlining``): D-TS runs 70 times as fast, RUCB 40 times.
3. With the interior of its code generator changed (``linking``): compile time only.

Tiers 2 and 3 lean on what numba does not promise; which of them serves here, ``choice`` finds out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numba.core.config

_config: Any = numba.core.config


@dataclass(frozen=True)
class Tier:
    """Options of ``numba.njit``: for a kernel that is compiled into others, one that they share, and one for Python.

    ``finish`` receives every dispatcher of the first two.
    """

    number: int
    inlined: dict[str, Any]
    shared: dict[str, Any]
    for_python: dict[str, Any]
    finish: Callable[[Any], None] = field(default=lambda dispatcher: None)

    def machine_code(self, directory: Path) -> Path:
        """Return where in a directory the machine code of this tier is kept, apart if it checks bounds of arrays."""
        return directory / f"tier-{self.number}{'-checked' if _config.BOUNDSCHECK else ''}"


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
