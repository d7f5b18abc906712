"""Compiling before the work begins, so that worker processes only load machine code."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numba.core.errors import NumbaError

from duelbench.algorithms.algorithm import Algorithm
from duelbench.engine.simulate import simulate
from duelbench.errors import UserError
from duelbench.kernels.jit import cache_directory
from duelbench.preferences.matrix import PreferenceMatrix


def warm(algorithms: Iterable[Algorithm], announce: Callable[[str], None]) -> None:
    """Have the loop of every compiled algorithm in the cache; ``announce`` a line before the first that takes time.

    Raises UserError when a user's algorithm does not compile.
    """
    matrix = PreferenceMatrix([[0.5, 0.6], [0.4, 0.5]])
    announced = False
    for algorithm in {type(each).State: each for each in algorithms if each.compiled()}.values():
        state = f"{type(algorithm).__module__}.{type(algorithm).State.__qualname__}"
        mark = cache_directory(algorithm.source_text) / f"{state}.compiled"
        if not mark.exists() and not announced:
            announce("compiling kernels (the first time only)…")
            announced = True
        unused = np.random.default_rng(0)
        try:
            simulate(algorithm, matrix.P, np.zeros((1, 2, 2)), np.array([1]), unused, unused)
        except NumbaError as error:
            if not algorithm.source_text:
                raise
            reason = str(error).strip().splitlines()[0]
            raise UserError(
                f"the kernels of {type(algorithm).__name__} do not compile ({reason}): kernels cannot create arrays "
                "or use Python objects; make arrays in start, or drop @kernel to run interpreted"
            ) from error
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
