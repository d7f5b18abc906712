"""Copies of the state of an algorithm and of a random stream."""

import copy
from typing import Any

import numpy as np

from duelbench.arrays import State


def copied(state: State) -> Any:
    """Return a copy of a state: directly for a state of kernels, with ``copy.deepcopy`` for any other."""
    if isinstance(state, tuple) and hasattr(state, "_fields"):
        return type(state)(*map(copied, state))
    if type(state) in (int, float, bool):
        return state
    if isinstance(state, np.ndarray) and state.dtype != object:
        return state.copy()
    return copy.deepcopy(state)


def generator_at(source: np.random.Generator) -> np.random.Generator:
    """Return a new generator in the same state as ``source``."""
    other = np.random.default_rng(0)
    other.bit_generator.state = source.bit_generator.state
    return other
