"""Random streams, named by their purpose: the same numbers in any order, on any worker."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from duelbench.algorithms.algorithm import Algorithm, parameters_of


def stream(seed: int, **axes: object) -> np.random.Generator:
    """Return the stream of ``axes`` under ``seed``: independent of every other one, and always the same.

    ``axes`` are anything JSON can write; their order does not matter. The hash is SHA-256, so the streams do not
    depend on the platform or the process.
    """
    text = json.dumps(axes, sort_keys=True, ensure_ascii=True)
    words = np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype="<u4")
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=tuple(int(word) for word in words)))


def outcomes_stream(seed: int, dataset: dict[str, Any], run: int, **axes: int) -> np.random.Generator:
    """Return the environment stream of a run, the same for all algorithms.

    ``dataset`` is what determines the dataset's numbers, see ``Dataset.identity``. ``axes`` distinguish runs of one
    number, such as those with different horizons.
    """
    return stream(seed, purpose="outcomes", dataset=dataset, run=run, **axes)


def policy_stream(
    seed: int, dataset: dict[str, Any], run: int, algorithm: Algorithm, **axes: int
) -> np.random.Generator:
    """Return the algorithm's own stream in that run: it depends on its name and its parameters, too."""
    choice = {"algorithm": algorithm.name, "parameters": parameters_of(algorithm)}
    return stream(seed, purpose="policy", dataset=dataset, run=run, **choice, **axes)
