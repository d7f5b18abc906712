"""The draws of NumPy's generator, which may change with a feature release, and every run with them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

DISTRIBUTIONS: Mapping[str, Callable[[np.random.Generator], Any]] = {
    "beta": lambda rng: [rng.beta(1.0, 1.0, 4), rng.beta(0.5, 0.7, 4), rng.beta(30.0, 4.0, 4)],
    "binomial": lambda rng: [rng.binomial(5, 0.3, 4), rng.binomial(10_000, 0.6, 4)],
    "choice": lambda rng: [rng.choice(100, 5, replace=False), rng.choice(100, 5)],
    "geometric": lambda rng: [rng.geometric(0.5, 4), rng.geometric(0.01, 4)],
    "integers": lambda rng: [rng.integers(5, size=4), rng.integers(2**40, size=4)],
    "normal": lambda rng: [rng.standard_normal(8)],
    "permutation": lambda rng: [rng.permutation(20), rng.permuted(np.arange(20))],
    "random": lambda rng: [rng.random(8)],
}
"""Draws from each distribution in use, with parameters for each of NumPy's methods to draw it."""


@cache
def stream_digest() -> str:
    """Return one digest of all these draws, for the keys of runs."""
    return hashlib.sha256("".join(draws().values()).encode()).hexdigest()[:8]


def draws() -> dict[str, str]:
    """Return the digest of a few draws from each distribution: it changes if and only if the stream does."""
    return {name: _digest(draw(np.random.default_rng(1))) for name, draw in DISTRIBUTIONS.items()}


def _digest(arrays: Any) -> str:
    return hashlib.sha256(b"".join(np.ascontiguousarray(each).tobytes() for each in arrays)).hexdigest()[:8]
