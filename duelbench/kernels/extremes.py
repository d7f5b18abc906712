"""Indices of the smallest and largest entries, as plain loops: numba's reductions would allocate (see
``jit.kernel``)."""

from __future__ import annotations

from duelbench.arrays import Floats, Ints
from duelbench.compiling.jit import kernel


@kernel
def least_place(values: Floats | Ints) -> int:
    """Return the index of the smallest entry, the first one in a tie."""
    place = 0
    for k in range(1, values.shape[0]):
        if values[k] < values[place]:
            place = k
    return place


@kernel
def most_place(values: Floats | Ints) -> int:
    """Return the index of the largest entry, the first one in a tie."""
    place = 0
    for k in range(1, values.shape[0]):
        if values[k] > values[place]:
            place = k
    return place
