"""The answers of an algorithm in a run, one after the other."""

import contextlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats
from duelbench.engine.play import Ledger, Problem, Rules
from duelbench.engine.rollout import LiveRun, Streams


class Answer(NamedTuple):
    """``duels`` of ``first`` against ``second`` from round ``t`` on."""

    t: int
    first: int
    second: int
    duels: int


class Enough(Exception):
    """The function that watches a run has seen enough of it."""


def answers(
    algorithm: Algorithm,
    problem: Problem | Floats,
    horizon: int,
    rngs: Streams,
    rules: Rules = Rules(),
    look: Callable[[LiveRun, Answer], None] = lambda run, answer: None,
    loop: Callable[..., None] | None = None,
) -> list[Answer]:
    """Play a run and return its answers; for a program, its blocks. ``look`` is called after each, and may end the run.

    ``problem`` may be just a matrix, without regret. ``loop`` replaces the algorithm's own loop.
    """
    if not isinstance(problem, Problem):
        problem = Problem(problem, np.zeros((1, *problem.shape)))
    found, before = list[Answer](), np.zeros((problem.arms, problem.arms), np.int64)

    def watch(ledger: Ledger) -> None:
        nonlocal before
        grown = ledger.duels - before
        if count := int(grown.sum()):
            first, second = np.unravel_index(np.argmax(grown), grown.shape)
            found.append(Answer(int(ledger.place[0].t) - count, int(first), int(second), count))
            before = ledger.duels.copy()
            look(run, found[-1])

    run = LiveRun(algorithm, problem, np.array([horizon]), rngs, rules, watch=watch, loop=loop)
    with contextlib.suppress(Enough):
        run.play()
    return found
