"""MDB and DETECT: paths on which changes are seen again and again, though the preferences stand still."""

import numpy as np

from duelbench.proving.paths import engine_path, literal_path
from tests.paths import INSTANCES

NAMES = ("mslr5-condorcet", "two arms", "no difference", "certain", "one winner, the rest tied")


def plays_as_written(kind, module, parameters, name, rounds=1500):
    """Tell whether the path on an instance is that of the transcription: a long run, and short ones."""
    matrix = INSTANCES[name]
    return all(
        np.array_equal(
            engine_path(kind(**parameters), matrix, horizon, seed),
            literal_path(module.run, matrix, horizon, seed, **parameters),
        )
        for seed, horizon in ((1, rounds), (2, 300), (3, 1), (4, 2), (5, 40))
    )
