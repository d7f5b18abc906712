"""The array types that signatures name."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Signs: TypeAlias = NDArray[np.int8]
Flags: TypeAlias = NDArray[np.bool_]
State: TypeAlias = Any
"""An algorithm's state: a NamedTuple of arrays and numbers for kernels, anything for plain Python."""
