"""Random streams, and copies of streams and states.

Each stream is derived from its purpose, so it does not depend on the order of runs or on the worker.
"""

import copy
import hashlib
import json
from typing import Any

import numpy as np

from duelbench.algorithms.algorithm import Algorithm, parameters_of
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


def stream(seed: int, **axes: object) -> np.random.Generator:
    """Return the stream of ``axes`` and ``seed``. It is reproducible and independent of all other streams.

    The values of ``axes`` must be serialisable as JSON; their order does not matter. The seed sequence is derived with
    SHA-256, so the streams do not depend on the platform or the process.
    """
    text = json.dumps(axes, sort_keys=True, ensure_ascii=True)
    words = np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype="<u4")
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=tuple(int(word) for word in words)))


def outcomes_stream(seed: int, dataset: dict[str, Any], run: int, **axes: int) -> np.random.Generator:
    """Return the environment stream of a run, the same for all algorithms.

    ``dataset`` determines the dataset's numbers, see ``Dataset.identity``. ``axes`` distinguish runs with the same
    number, for example with different horizons.
    """
    return stream(seed, purpose="outcomes", dataset=dataset, run=run, **axes)


def policy_stream(
    seed: int, dataset: dict[str, Any], run: int, algorithm: Algorithm, **axes: int
) -> np.random.Generator:
    """Return the policy stream of a run, which also depends on the algorithm's name and parameters."""
    choice = {"algorithm": algorithm.name, "parameters": parameters_of(algorithm)}
    return stream(seed, purpose="policy", dataset=dataset, run=run, **choice, **axes)
