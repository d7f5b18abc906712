"""Copies of what a run goes on from: the state of an algorithm, and a random stream."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from duelbench.arrays import State


def copied(state: State) -> Any:
    """Return a copy of a state: of a kernel's at once, of another one by whatever means Python has."""
    if isinstance(state, tuple) and hasattr(state, "_fields"):
        return type(state)(*map(copied, state))
    if type(state) in (int, float, bool):
        return state
    if isinstance(state, np.ndarray) and state.dtype != object:
        return state.copy()
    return copy.deepcopy(state)


def generator_at(source: np.random.Generator) -> np.random.Generator:
    """Return another generator that will draw what ``source`` will."""
    other = np.random.default_rng(0)
    other.bit_generator.state = source.bit_generator.state
    return other
