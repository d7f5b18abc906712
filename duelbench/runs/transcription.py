"""Runs of the literal transcriptions, ``{name: d-ts, literal: true}`` in a spec: slow, and independent of the kernels.

They are played on the same streams as the fast algorithms: one draw of the environment's for every duel of different
arms. Where both draw alike, their results are equal to the byte.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache

import numpy as np

from duelbench import literal
from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats, Ints
from duelbench.engine.play import Problem, Rules
from duelbench.engine.rollout import Streams, Trajectory


@cache
def transcription(kind: type[Algorithm]) -> str:
    """Return the module of ``duelbench.literal`` that has the name of the class: ``DtsPlus`` is in ``dts_plus``.

    Raises LookupError where there is none, as for an algorithm of a user's.
    """
    for module in pkgutil.iter_modules(literal.__path__, literal.__name__ + "."):
        same = module.name.rpartition(".")[2].replace("_", "") == kind.__name__.lower()
        if same and not kind.source_text:
            return module.name
    raise LookupError(f"there is no literal transcription of {kind.__name__}")


def literal_course(
    algorithm: Algorithm, P: Floats, horizon: int, streams: Streams
) -> tuple[Ints, tuple[int | None, int] | None]:
    """Return the (horizon, 2) arms that the transcription of ``algorithm`` duels, and what it declares."""
    module = importlib.import_module(transcription(type(algorithm)))
    arguments = P, horizon, streams.policy, streams.environment
    parameters = algorithm.model_dump()
    if not algorithm.declares():
        return module.run(*arguments, **parameters), None
    exploration = importlib.import_module(f"{literal.__name__}.exploration")
    path, declaration = exploration.course(
        module.explore(*arguments, **parameters), horizon, asked_once_more=not algorithm.uses_horizon
    )
    return path, declaration


def play_literally(
    algorithm: Algorithm,
    problem: Problem,
    checkpoints: Ints,
    streams: Streams,
    rules: Rules = Rules(),
    progress: Callable[[int], None] | None = None,
    recommend: str = "",
    order: Ints | None = None,
) -> Trajectory:
    """Play the transcription of ``algorithm`` as ``rollout`` plays its kernels.

    The path of all rounds is in memory, up to 250 bytes for each while it is made. Outcomes cannot be delayed, rounds
    are counted and not votes, no arm is recommended, in whatever ``order``, and there are no holds. ``progress`` hears
    of the rounds when all are over.
    """
    assert rules.delay == 1, "a transcription learns how a duel ended before the next"
    assert not (rules.votes or recommend), "a transcription is a path of rounds and nothing else"
    arms, horizon = len(problem.P), int(checkpoints[-1])
    path, declaration = literal_course(algorithm, problem.P, horizon, streams)
    pairs = path[:, 0] * arms + path[:, 1]
    duels = np.zeros(arms * arms, np.int64)
    regret = np.empty((len(problem.regrets), len(checkpoints)))
    for k, (before, t) in enumerate(zip([0, *checkpoints[:-1]], checkpoints, strict=True)):
        duels += np.bincount(pairs[before:t], minlength=arms * arms)
        for kind, table in enumerate(problem.regrets):
            regret[kind, k] = np.cumsum(duels * table.ravel())[-1]  # one after the other, as the round loop adds
    if progress is not None:
        progress(horizon)
    return Trajectory(checkpoints, regret, duels.reshape(arms, arms), declaration)
