"""Runs of the reference implementations, ``{name: d-ts, reference: true}`` in a spec: slow, and independent of the
kernels.

They use the same streams as the fast algorithms: one draw from the environment's stream for every duel of different
arms. Where both implementations draw in the same order, their results are the same bytes.
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
from duelbench.algorithms.algorithm import Algorithm, Declared
from duelbench.arrays import Floats, Ints
from duelbench.engine.play import Problem, Rules
from duelbench.engine.problem import regret_of
from duelbench.engine.rollout import Streams, Trajectory


@cache
def reference_module(kind: type[Algorithm]) -> str:
    """Return the name of the module of ``duelbench.reference`` for a class: for ``DtsPlus`` it is ``dts_plus``.

    Raises LookupError if there is none, as for a user's algorithm.
    """
    for module in pkgutil.iter_modules(reference.__path__, reference.__name__ + "."):
        same = module.name.rpartition(".")[2].replace("_", "") == kind.__name__.lower()
        if same and not kind.source_text:
            return module.name
    raise LookupError(f"there is no reference implementation of {kind.__name__}")


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
    algorithm: Algorithm, problem: Problem, horizon: int, streams: Streams, module: ModuleType | None = None
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
        luck = copy.deepcopy(streams)
        path, declaration = reference_path(algorithm, P, horizon, luck, module)
        if len(until) == len(starts) - 1:
            return path, declaration
        before = path[: starts[len(until) + 1] - 1]
        until.append(int(np.count_nonzero(before[:, 0] != before[:, 1])))


def reference_path(
    algorithm: Algorithm,
    P: Floats,
    horizon: int,
    streams: Streams,
    module: ModuleType | None = None,
    T: Floats | None = None,
) -> tuple[Ints, tuple[Declared, int] | None]:
    """Return the (horizon, 2) arms that the reference implementation of ``algorithm`` duels, and its declaration.

    ``module`` replaces the reference implementation, for example by a copy with a deliberate mistake. ``T``: (K, K) the
    probabilities of ties, which an algorithm that does not take them never sees.
    """
    module = module or importlib.import_module(reference_module(type(algorithm)))
    arguments = P, horizon, streams.policy, streams.environment
    parameters = algorithm.model_dump() | ({"T": T} if algorithm.takes_ties else {})
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
