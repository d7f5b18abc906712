"""Transcriptions of ``duelbench.literal``: their courses, and copies of them with a mistake."""

import inspect
from types import ModuleType

import numpy as np

from duelbench.conformance.paths import engine_course
from duelbench.conformance.rounds import streams
from duelbench.literal.exploration import course


def mistaken(module, old, new):
    """Return a copy of a module of ``duelbench.literal`` in which a text is replaced."""
    text = inspect.getsource(module)
    assert text.count(old) == 1
    copy = ModuleType(module.__name__)
    copy.__package__ = module.__package__
    exec(compile(text.replace(old, new), module.__file__, "exec"), vars(copy))
    return copy


def literal_course(module, matrix, horizon, seed, **parameters):
    """Return the path of a transcription that is told the horizon, and what it declares."""
    environment, policy = streams(seed, 0)
    if not hasattr(module, "explore"):
        return module.run(matrix.P, horizon, policy, environment, **parameters), None
    return course(module.explore(matrix.P, horizon, policy, environment, **parameters), horizon)


def plays_as(module, kind, matrix, horizon, seed, **parameters):
    """Tell whether an algorithm's path and its declaration are those of a transcription."""
    path, declared = literal_course(module, matrix, horizon, seed, **parameters)
    ours, said = engine_course(kind(**parameters), matrix, horizon, seed)
    return np.array_equal(ours, path) and said == declared
