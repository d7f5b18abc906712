"""The round loop: one for every algorithm, compiled around its kernels or interpreted.

``choose`` and ``learn`` dispatch on the type of the state: in compiled code by ``numba.extending.overload``, which a
cached loop can use (functions passed as arguments cannot be cached), in Python by the same table.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from duelbench.algorithms.algorithm import KERNELS, Algorithm
from duelbench.arrays import Floats, Ints, Record, State, record
from duelbench.compiling.cache import cache_directory, keeping_in
from duelbench.compiling.choice import tier
from duelbench.compiling.jit import kernel

LATE = np.dtype([("first", np.int64), ("second", np.int64), ("wins", np.int64), ("count", np.int64)], align=True)
"""An outcome on its way."""


def choose(state: State, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Ask the algorithm that owns ``state`` for its next duels."""
    first, second, count = KERNELS[type(state)].select(state, t, last, rng)
    return first, second, count


def learn(state: State, first: int, second: int, wins: int, count: int) -> None:
    """Tell the algorithm that owns ``state`` how its duels ended."""
    KERNELS[type(state)].update(state, first, second, wins, count)


@cache
def _dispatch_in_kernels() -> None:
    """Tell numba what ``choose`` and ``learn`` are in compiled code."""
    options: Any = tier().inlined

    @overload(choose, jit_options=options)
    def _compile_choose(state, t, last, rng):  # type: ignore[no-untyped-def]  # numba compares signatures literally
        select = KERNELS[state.instance_class].select
        return _body(select, "state, t, last, rng") or (lambda state, t, last, rng: select(state, t, last, rng))

    @overload(learn, jit_options=options)
    def _compile_learn(state, first, second, wins, count):  # type: ignore[no-untyped-def]
        update = KERNELS[state.instance_class].update
        return _body(update, "state, first, second, wins, count") or (
            lambda state, first, second, wins, count: update(state, first, second, wins, count)
        )


def _body(function: Any, arguments: str) -> Callable[..., Any] | None:
    """Return what a kernel compiles, without annotations, if it names its arguments so: that saves a layer to compile.

    numba takes for an overload only what has the very signature of the overloaded function.
    """
    code = function.py_func.__code__
    if ", ".join(code.co_varnames[: code.co_argcount]) != arguments or function.py_func.__closure__:
        return None
    return FunctionType(code, function.py_func.__globals__, code.co_name)


class Problem(NamedTuple):
    """What is duelled on, and what a duel costs.

    ``P``: (K, K) preference matrix. ``regrets``: (kinds, K, K) regret of one duel of every ordered pair.
    """

    P: Floats
    regrets: Floats


class Rules(NamedTuple):
    """How the algorithm is asked and told.

    ``delay``: outcomes reach it only after every so many rounds; 1 is at once. ``stepping``: every answer is a single
    round, there are no holds.
    """

    delay: int = 1
    stepping: bool = False


class Ledger(NamedTuple):
    """What the loop writes down.

    ``checkpoints``: increasing rounds at which the regret is recorded. ``regret``: (kinds, checkpoints), cumulative.
    ``duels``: (K, K) duels of every ordered pair so far. ``late``: room for the outcomes that the algorithm has not
    seen yet, records of ``first``, ``second``, ``wins``, ``count``. ``place``: ``t``, the round to be played next;
    ``checkpoint``, the number of checkpoints that are behind it; ``waiting``, the number of outcomes in ``late``.
    """

    checkpoints: Ints
    regret: Floats
    duels: Ints
    late: Record
    place: Record


def new_ledger(checkpoints: Ints, kinds: int, arms: int, delay: int = 1) -> Ledger:
    """Return the ledger of a run that has not begun."""
    return Ledger(
        checkpoints,
        np.zeros((kinds, len(checkpoints))),
        np.zeros((arms, arms), np.int64),
        np.zeros(delay, LATE).view(np.recarray),
        record(t=1, checkpoint=0, waiting=0),
    )


def play(
    state: State,
    problem: Problem,
    rules: Rules,
    ledger: Ledger,
    answers: int,
    environment: np.random.Generator,
    policy: np.random.Generator,
) -> None:
    """Play from round ``ledger.place[0].t``, for that many ``answers`` or to the last checkpoint; keep the ``ledger``.

    Compiled code holds the interpreter's lock: answers are what takes time, so a call ends after some, and then
    signals, threads and timeouts have their turn. One answer may stand for all rounds, so these would not do.

    The two generators are arguments of their own, as compiled code holds on to those that it is given inside of
    another object. Raises ValueError when an algorithm answers out of range; the ledger is then good for nothing.

    Regret is summed over pairs from integer counts, so it is the same to the last bit however rounds are grouped.
    """
    P, regrets, duels, late, place = problem.P, problem.regrets, ledger.duels, ledger.late, ledger.place[0]
    delay, stepping = rules.delay, rules.stepping
    t, checkpoint, waiting = int(place.t), int(place.checkpoint), int(place.waiting)
    arms = P.shape[0]
    while checkpoint < ledger.checkpoints.shape[0] and answers > 0:
        answers -= 1
        last = ledger.checkpoints[checkpoint]
        reach = t if stepping else last
        if waiting > 0:  # an answer stands only until the next outcomes arrive
            reach = min(reach, (t + delay - 1) // delay * delay)
        first, second, count = choose(state, t, reach, policy)
        if not (0 <= first < arms and 0 <= second < arms):
            raise ValueError("select answered with an arm that does not exist")
        if not 1 <= count <= reach - t + 1:
            raise ValueError("select answered with a count outside 1 … last - t + 1")
        if first == second:
            wins = 0
        elif count == 1:
            wins = int(environment.random() < P[first, second])
        else:
            wins = environment.binomial(count, P[first, second])
        duels[first, second] += count
        if delay == 1:
            learn(state, first, second, wins, count)
        else:
            if first != second or count == 1:  # a hold is known to teach nothing
                outcome = late[waiting]
                outcome.first = first
                outcome.second = second
                outcome.wins = wins
                outcome.count = count
                waiting += 1
            if (t + count - 1) // delay > (t - 1) // delay:
                for k in range(waiting):
                    outcome = late[k]
                    learn(state, outcome.first, outcome.second, outcome.wins, outcome.count)
                waiting = 0
        t += count
        if t > last:
            for kind in range(regrets.shape[0]):
                total = 0.0
                for i in range(arms):
                    for j in range(arms):
                        total += duels[i, j] * regrets[kind, i, j]
                ledger.regret[kind, checkpoint] = total
            checkpoint += 1
    place.t, place.checkpoint, place.waiting = t, checkpoint, waiting


def loop_directory(algorithm: type[Algorithm]) -> Path:
    """Return where the machine code of an algorithm's loop is kept, for a user's algorithm under its source text.

    Each has a place of its own: numba's index of one directory is not safe from two processes that compile at once.
    """
    return cache_directory(algorithm.source_text) / f"{algorithm.State.__module__}.{algorithm.State.__qualname__}"


@cache
def _compiled_loop(directory: Path) -> Callable[..., None]:
    _dispatch_in_kernels()
    with keeping_in(directory):
        return kernel(play)


def loop_for(algorithm: type[Algorithm]) -> Callable[..., None]:
    """Return ``play``, compiled if the algorithm's kernels are; plain Python else."""
    return _compiled_loop(loop_directory(algorithm)) if algorithm.compiled() else play
