"""Runs of the reference implementations, ``{name: d-ts, reference: true}`` in a spec: slow, and independent of the
kernels.

They use the same streams as the fast algorithms: one draw from the environment's stream for every duel of different
arms. Where both implementations draw in the same order, their results are the same bytes.
"""

from __future__ import annotations

import copy
import importlib
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from duelbench import reference
from duelbench.algorithms.algorithm import Algorithm, Declared
from duelbench.arrays import Floats, Ints
from duelbench.engine.play import Problem, Rules
from duelbench.engine.problem import regret_of
from duelbench.engine.rollout import Streams, Trajectory


@cache
def reference_of(kind: type[Algorithm]) -> Callable[..., Any]:
    """Return the function of ``duelbench.reference`` with the name of a class: for ``DtsPlus`` it is ``dts_plus``.

    Raises LookupError if there is none, as for a user's algorithm.
    """
    for path in Path(reference.__file__).parent.glob("*.py"):
        for name in re.findall(r"^def (\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE):
            if name.replace("_", "") == kind.__name__.lower() and not kind.source_text:
                return getattr(importlib.import_module(f"{reference.__name__}.{path.stem}"), name)  # type: ignore[no-any-return]
    raise LookupError(f"there is no reference implementation of {kind.__name__}")


def course(exploration: Iterator[Any], horizon: int, asked_once_more: bool = False) -> tuple[Ints, Any]:
    """Return the (horizon, 2) path of an exploration, after which the first arm that it returns duels itself, and what
    is declared with the rounds before it.

    None instead of a declaration that is known only with the last duel, unless it is ``asked_once_more``.
    """
    path: list[tuple[int, int]] = []
    while len(path) < horizon + asked_once_more:
        try:
            path.append(next(exploration))
        except StopIteration as end:
            if isinstance(end.value, list):
                answer, held = tuple(map(tuple, end.value)), end.value[0][0]
            else:
                answer, held = end.value if isinstance(end.value, tuple) else (end.value, end.value)
            declared = answer, len(path)
            path += [(held, held)] * (horizon - len(path))
            return np.array(path, dtype=int).reshape(horizon, 2), declared
    return np.array(path[:horizon], dtype=int), None


class _MatrixOfDuels:
    """A (K, K) matrix that changes while a reference implementation reads it, once per duel of different arms.

    ``until``: the number of duels of different arms before the end of each segment except the last.
    """

    def __init__(self, matrices: list[Floats], until: list[int]) -> None:
        self._matrices, self._until, self._fought = matrices, until, 0

    def __len__(self) -> int:
        return len(self._matrices[0])

    def __getitem__(self, pair: tuple[int, int]) -> float:
        segment = sum(self._fought >= duels for duels in self._until)
        self._fought += 1
        return float(self._matrices[segment][pair])


def changing_course(
    algorithm: Algorithm,
    problem: Problem,
    horizon: int,
    streams: Streams,
    function: Callable[..., Any] | None = None,
) -> tuple[Ints, tuple[Declared, int] | None]:
    """Return the same as ``reference_path``, for changing preferences, by playing once per segment.

    The matrix does not know the round, since a reference implementation does not read it in a self-duel. So the path
    is computed segment by segment. A run on the first matrix alone is correct until the first change, and gives the
    number of duels of different arms until then. A run on the first two matrices, which changes after this number of
    duels, is correct until the second change, and so on.
    """
    matrices = list(problem.P.reshape(-1, problem.arms, problem.arms))
    starts = problem.starts[problem.starts <= horizon + 1]  # a declaring algorithm is asked once more
    until = list[int]()
    while True:
        P: Any = _MatrixOfDuels(matrices, until)
        path, declaration = reference_path(algorithm, P, horizon, copy.deepcopy(streams), function)
        if len(until) == len(starts) - 1:
            return path, declaration
        before = path[: starts[len(until) + 1] - 1]
        until.append(int(np.count_nonzero(before[:, 0] != before[:, 1])))


def reference_path(
    algorithm: Algorithm,
    P: Floats,
    horizon: int,
    streams: Streams,
    function: Callable[..., Any] | None = None,
    T: Floats | None = None,
) -> tuple[Ints, tuple[Declared, int] | None]:
    """Return the (horizon, 2) arms that the reference implementation of ``algorithm`` duels, and its declaration.

    ``function`` replaces the reference implementation, for example by a copy with a deliberate mistake. ``T``: (K, K)
    the probabilities of ties, which an algorithm that does not take them never sees.
    """
    function = function or reference_of(type(algorithm))
    parameters = algorithm.model_dump() | ({"T": T} if algorithm.takes_ties else {})
    played = function(P, horizon, streams.policy, streams.environment, **parameters)
    if not algorithm.declares():
        return played, None
    return course(played, horizon, asked_once_more=not algorithm.uses_horizon)


def play_reference(
    algorithm: Algorithm,
    problem: Problem,
    checkpoints: Ints,
    streams: Streams,
    rules: Rules = Rules(),
    progress: Callable[[int], None] | None = None,
    recommend: str = "",
    order: Ints | None = None,
) -> Trajectory:
    """Play the reference implementation of ``algorithm`` as ``rollout`` plays its kernels.

    The path of all rounds is kept in memory, up to 250 bytes per round while it is computed; where preferences change
    it is computed once for each segment. Delay, votes, recommendations (and ``order``) and holds are not supported.
    ``progress`` receives all rounds at the end.
    """
    assert rules.delay == 1, "a reference implementation learns the outcome of a duel before the next one"
    assert not (rules.votes or recommend), "a reference implementation returns only a path of rounds"
    assert not rules.drop, "a reference implementation receives each tie, or none"
    arms, horizon = problem.arms, int(checkpoints[-1])
    if len(problem.starts) == 1:
        T = problem.T if problem.T.size else None
        path, declaration = reference_path(algorithm, problem.P, horizon, streams, T=T)
    else:
        path, declaration = changing_course(algorithm, problem, horizon, streams)
    pairs = path[:, 0] * arms + path[:, 1]
    duels, begun = np.zeros((2, arms * arms), np.int64)
    regret, past = np.empty((len(problem.regrets), len(checkpoints))), np.zeros(len(problem.regrets))
    changes = problem.starts[1:] - 1
    before = 0
    for t in np.union1d(checkpoints, changes[changes < horizon]):
        duels += np.bincount(pairs[before:t], minlength=arms * arms)
        before = t
        regret_so_far = past + regret_of(problem, t, duels - begun)
        regret[:, checkpoints == t] = regret_so_far[:, None]
        if t in changes:
            past, begun = regret_so_far, duels.copy()
    if progress is not None:
        progress(horizon)
    return Trajectory(checkpoints, regret, duels.reshape(arms, arms), declaration)
