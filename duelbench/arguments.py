"""Check numeric arguments of the functions of ``duelbench``."""

from typing import Any

LARGEST = 2**63 - 1
"""The largest integer of a kernel."""
MAX_HORIZON = 10**12
MAX_DELAY = 10**6
JOBS = 1024
"""The largest number of processes, to catch typing errors."""


def whole_number(name: str, value: object, least: int = 1, most: int = LARGEST) -> int:
    """Return an argument that is a whole number, which may be written as ``1e4``. Raises ValueError if it is not."""
    number = as_python(value)
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    if not isinstance(number, int) or isinstance(number, bool) or not least <= number <= most:
        bounds = f"of at least {least}" if most == LARGEST else f"from {least} to {most:,}"
        raise ValueError(f"{name} must be a whole number {bounds}, not {value!r}")
    return number


def number_between(name: str, value: object, low: float, high: float) -> float:
    """Return an argument that is a number in [low, high]. Raises ValueError if it is not."""
    number = as_python(value)
    if not isinstance(number, int | float) or isinstance(number, bool) or not low <= number <= high:
        raise ValueError(f"{name} must be a number from {low:g} to {high:g}, not {value!r}")
    return float(number)


def as_python(value: object) -> Any:
    """Convert a NumPy scalar to a Python one; return other values unchanged."""
    import numpy as np  # not above, so that commands start sooner

    return value.item() if isinstance(value, np.generic) else value
