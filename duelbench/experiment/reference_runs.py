"""Runs of the reference implementations, ``{name: d-ts, reference: true}`` in a spec: slow, and independent of the
kernels.

They are played on the same streams as the fast algorithms: one draw of the environment's for every duel of different
arms. Where both draw alike, their results are equal to the byte.
"""

from __future__ import annotations

import copy
import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from duelbench import reference
from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats, Ints
from duelbench.engine.play import Problem, Rules
from duelbench.engine.problem import regret_of
from duelbench.engine.rollout import Streams, Trajectory


@cache
def reference_module(kind: type[Algorithm]) -> str:
    """Return the module of ``duelbench.reference`` that has the name of the class: ``DtsPlus`` is in ``dts_plus``.

    Raises LookupError where there is none, as for an algorithm of a user's.
    """
    for module in pkgutil.iter_modules(reference.__path__, reference.__name__ + "."):
        same = module.name.rpartition(".")[2].replace("_", "") == kind.__name__.lower()
        if same and not kind.source_text:
            return module.name
    raise LookupError(f"there is no reference implementation of {kind.__name__}")


class _MatrixOfDuels:
    """A (K, K) matrix that changes under a reference implementation, which reads it once per duel of different arms.

    ``until``: the number of duels of different arms before the end of each segment but the last.
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
    algorithm: Algorithm, problem: Problem, horizon: int, streams: Streams, module: ModuleType | None = None
) -> tuple[Ints, tuple[int | None, int] | None]:
    """Return the same as ``reference_path`` on what changes, from as many courses as there are segments.

    A reference implementation knows its rounds, and who gives it a matrix does not: nothing is to be seen of a
    self-duel. So the course is found segment by segment. That on the first matrix alone is right until the first
    change, and says how many duels of different arms were fought by then; one on the first two changes after so many,
    and is right until the second change.
    """
    matrices = list(problem.P.reshape(-1, problem.arms, problem.arms))
    starts = problem.starts[problem.starts <= horizon + 1]  # what declares is asked once more
    until = list[int]()
    while True:
        P: Any = _MatrixOfDuels(matrices, until)
        luck = copy.deepcopy(streams)
        path, declaration = reference_path(algorithm, P, horizon, luck, module)
        if len(until) == len(starts) - 1:
            return path, declaration
        before = path[: starts[len(until) + 1] - 1]
        until.append(int(np.count_nonzero(before[:, 0] != before[:, 1])))


def reference_path(
    algorithm: Algorithm, P: Floats, horizon: int, streams: Streams, module: ModuleType | None = None
) -> tuple[Ints, tuple[int | None, int] | None]:
    """Return the (horizon, 2) arms that the reference implementation of ``algorithm`` duels, and what it declares.

    ``module`` stands in for the reference implementation, such as a copy of it with a mistake.
    """
    module = module or importlib.import_module(reference_module(type(algorithm)))
    arguments = P, horizon, streams.policy, streams.environment
    parameters = algorithm.model_dump()
    if not algorithm.declares():
        return module.run(*arguments, **parameters), None
    exploration = importlib.import_module(f"{reference.__name__}.exploration")
    path, declaration = exploration.course(
        module.explore(*arguments, **parameters), horizon, asked_once_more=not algorithm.uses_horizon
    )
    return path, declaration


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

    The path of all rounds is in memory, up to 250 bytes for each while it is made; where preferences change it is made
    once for each segment. Delay, votes, recommendations (and ``order``) and holds are not supported. ``progress``
    receives all rounds at the end.
    """
    assert rules.delay == 1, "a reference implementation learns how a duel ended before the next"
    assert not (rules.votes or recommend), "a reference implementation is a path of rounds and nothing else"
    arms, horizon = problem.arms, int(checkpoints[-1])
    if len(problem.starts) == 1:
        path, declaration = reference_path(algorithm, problem.P, horizon, streams)
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
