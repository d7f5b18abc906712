"""The round loop: one for every algorithm, compiled around its kernels or interpreted.

``choose`` and ``learn`` dispatch on the type of the state: in compiled code by ``numba.extending.overload``, which a
cached loop can use (functions passed as arguments cannot be cached), in Python by the same table.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
from numba.extending import overload

from duelbench.algorithms.algorithm import KERNELS, Algorithm
from duelbench.arrays import Floats, Ints, State
from duelbench.compiling.cache import cache_directory, keeping_in
from duelbench.compiling.jit import kernel
from duelbench.compiling.tiers import tier


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


def play(
    state: State,
    P: Floats,
    regrets: Floats,
    checkpoints: Ints,
    cursor: int,
    stop: int,
    t: int,
    stepping: bool,
    late: Ints,
    environment: np.random.Generator,
    policy: np.random.Generator,
    duels: Ints,
    curves: Floats,
) -> int:
    """Play from round ``t`` through ``checkpoints[stop - 1]`` and return the round after it.

    ``P``: (K, K) preference matrix. ``regrets``: (kinds, K, K) regret of one duel. ``checkpoints``: increasing
    rounds, of which those before ``cursor`` are behind t. ``duels``: (K, K) duels of every ordered pair so far, added
    to in place. ``curves``: (kinds, checkpoints) cumulative regret, filled in place. ``stepping`` forbids answers of
    more than one round. ``late``: (n + 1, 4) room for outcomes that the algorithm has not seen yet, where they reach it
    only after every n-th round; the last row begins with their number. Raises ValueError when an algorithm answers out
    of range.

    Regret is summed over pairs from integer counts, so it is the same to the last bit however rounds are grouped.
    """
    arms = P.shape[0]
    delay = late.shape[0] - 1
    while cursor < stop:
        last = checkpoints[cursor]
        reach = t if stepping else last
        waiting = late[delay, 0]
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
                late[waiting, 0] = first
                late[waiting, 1] = second
                late[waiting, 2] = wins
                late[waiting, 3] = count
                waiting += 1
            if (t + count - 1) // delay > (t - 1) // delay:
                for k in range(waiting):
                    learn(state, late[k, 0], late[k, 1], late[k, 2], late[k, 3])
                waiting = 0
            late[delay, 0] = waiting
        t += count
        if t > last:
            for kind in range(regrets.shape[0]):
                total = 0.0
                for i in range(arms):
                    for j in range(arms):
                        total += duels[i, j] * regrets[kind, i, j]
                curves[kind, cursor] = total
            cursor += 1
    return t


def loop_directory(algorithm: type[Algorithm]) -> Path:
    """Return where the machine code of an algorithm's loop is kept, for a user's algorithm under its source text.

    Each has a place of its own: numba's index of one directory is not safe from two processes that compile at once.
    """
    return cache_directory(algorithm.source_text) / f"{algorithm.State.__module__}.{algorithm.State.__qualname__}"


@cache
def _compiled_loop(directory: Path) -> Callable[..., int]:
    _dispatch_in_kernels()
    with keeping_in(directory):
        return kernel(play)


def loop_for(algorithm: type[Algorithm]) -> Callable[..., int]:
    """Return ``play``, compiled if the algorithm's kernels are; plain Python else."""
    return _compiled_loop(loop_directory(algorithm)) if algorithm.compiled() else play
