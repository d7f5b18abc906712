"""The speed of this machine: the targets of the suite are multiples of the time of a few elementary operations."""

from __future__ import annotations

import time

import numpy as np

from duelbench.arrays import Floats
from duelbench.compiling.jit import kernel

STEP = "a uniform double, a binomial draw and a pass over 64 numbers"
NUMBERS = 64
STEPS, REPEATS = 1_000, 300


@kernel
def play_steps(count: int, numbers: Floats, rng: np.random.Generator) -> float:
    """Play ``count`` steps, each of which depends on the previous one."""
    total = 0.0
    for _ in range(count):
        total += rng.binomial(100, 0.25 + 0.5 * rng.random())
        for k in range(numbers.shape[0]):
            if numbers[k] > total:
                total = numbers[k]
    return total


def seconds_per_step() -> float:
    """Return the processor time of a step in seconds, the minimum of many short measurements."""
    numbers, rng = np.zeros(NUMBERS), np.random.default_rng(1)
    play_steps(1, numbers, rng)  # compiles
    fastest = float("inf")
    for _ in range(REPEATS):
        began = time.process_time()
        play_steps(STEPS, numbers, rng)
        fastest = min(fastest, time.process_time() - began)
    return fastest / STEPS
