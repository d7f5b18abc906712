"""Paths of the reference implementations in tests/reference, with the streams of the engine."""

import copy
import importlib
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from duelbench.algorithms.algorithm import Algorithm, Declared
from duelbench.arrays import Floats, Ints
from duelbench.conformance.reference import course
from duelbench.conformance.rounds import streams
from duelbench.engine.play import Problem
from duelbench.engine.problem import problem_of
from duelbench.engine.rollout import Streams
from duelbench.preferences.matrix import PreferenceMatrix

FILES = sorted((Path(__file__).parent / "reference").glob("*.py"))
Course = tuple[Ints, tuple[Declared, int] | None]
"""The (horizon, 2) arms of a run, and its declaration."""


@cache
def reference_of(kind: type[Algorithm]) -> Callable[..., Any]:
    """Return the reference implementation of an algorithm; for ``DtsPlus``, the function ``dts_plus`` in any module."""
    for path in FILES:
        for name in re.findall(r"^def (\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE):
            if name.replace("_", "") == kind.__name__.lower():
                return getattr(importlib.import_module(f"tests.reference.{path.stem}"), name)  # type: ignore[no-any-return]
    raise LookupError(f"there is no reference implementation of {kind.__name__}")


def reference_course(
    algorithm: Algorithm,
    matrix: PreferenceMatrix | Problem,
    horizon: int,
    seed: int,
) -> Course:
    """Return the path and declaration of the reference implementation in run 0; compare with ``engine_course``."""
    problem = matrix if isinstance(matrix, Problem) else problem_of(matrix, ("copeland",), ties=True)
    return reference_path(algorithm, problem, horizon, streams(seed, 0))


def reference_path(algorithm: Algorithm, problem: Problem, horizon: int, streams: Streams) -> Course:
    """Return the path that the reference implementation of an algorithm plays, and its declaration.

    A reference implementation reads the matrix only in duels of different arms, so a changing matrix cannot tell which
    round is played. The path is therefore computed segment by segment. A run on the first matrix alone is correct until
    the first change, and shows how many duels of different arms precede it. A run that switches to the second matrix
    after this number of duels is correct until the second change, and so on.
    """
    parameters = algorithm.model_dump()
    if algorithm.takes_ties:
        parameters["T"] = problem.T if problem.T.size else None

    def played(P: Any, streams: Streams) -> Course:
        run = reference_of(type(algorithm))(P, horizon, streams.policy, streams.environment, **parameters)
        path, declaration = course(run, horizon, not algorithm.uses_horizon)
        return path, declaration if algorithm.declares() else None

    if len(problem.starts) == 1:
        return played(problem.P, streams)
    starts = problem.starts[problem.starts <= horizon + 1]  # a declaring algorithm is asked once more
    matrices, until = problem.P.reshape(-1, problem.arms, problem.arms), list[int]()
    while True:
        path, declaration = played(_MatrixOfDuels(matrices, until), copy.deepcopy(streams))
        if len(until) == len(starts) - 1:
            return path, declaration
        before = path[: starts[len(until) + 1] - 1]
        until.append(int(np.count_nonzero(before[:, 0] != before[:, 1])))


class _MatrixOfDuels:
    """A (K, K) matrix that changes after some reads; a reference implementation reads it once per duel of two arms.

    ``until``: the number of duels of different arms before the end of each segment except the last.
    """

    def __init__(self, matrices: Floats, until: list[int]) -> None:
        self._matrices, self._until, self._fought = matrices, until, 0

    def __len__(self) -> int:
        return len(self._matrices[0])

    def __getitem__(self, pair: tuple[int, int]) -> float:
        segment = sum(self._fought >= duels for duels in self._until)
        self._fought += 1
        return float(self._matrices[segment][pair])
