"""Compiling before the work begins, so that worker processes only load machine code."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from numba.core.errors import NumbaError

from duelbench.algorithms.algorithm import Algorithm
from duelbench.compiling.jit import KERNEL_SOURCES, PACKAGE
from duelbench.engine.play import Problem, loop_directory
from duelbench.engine.rollout import Streams, rollout
from duelbench.errors import UserError


def warm(algorithms: Iterable[Algorithm], announce: Callable[[str], None]) -> None:
    """Have the loop of every compiled algorithm in the cache; ``announce`` a line before the first that takes time.

    Raises UserError when a user's algorithm does not compile.
    """
    announced = False
    for algorithm in {type(each).State: each for each in algorithms if each.compiled()}.values():
        mark = loop_directory(type(algorithm)) / f"{_place(algorithm)}.compiled"
        if mark.exists():
            continue
        if not announced:
            announce("compiling kernels (the first time only)…")
            announced = True
        try:
            _one_round(algorithm)
        except NumbaError as error:
            if not algorithm.source_text:
                raise
            file = inspect.getfile(type(algorithm))
            raise UserError(
                "this does not compile: a kernel cannot create arrays or use Python objects, nor fields that its state "
                "lacks; make arrays in start, or drop @kernel to run interpreted",
                source=file,
                line=_line_in(str(error), file),
            ) from error
        except Exception:
            if not algorithm.source_text:
                raise
            continue  # it compiles, and fails when it runs: its runs will be recorded as failed
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()


def _place(algorithm: Algorithm) -> str:
    """Return a digest of where the kernels' sources lie and how old they are, by which numba tells its files apart."""
    files = {file for pattern in KERNEL_SOURCES for file in PACKAGE.glob(pattern)}
    files.add(Path(inspect.getfile(type(algorithm))))
    known = sorted(f"{file} {file.stat().st_mtime_ns}" for file in files if file.exists())
    return hashlib.sha256("\n".join(known).encode()).hexdigest()[:8]


def load(algorithm: Algorithm) -> None:
    """Have the compiled loop of an algorithm in this process, so that its first run takes no longer than the others."""
    state = type(algorithm).State
    if algorithm.compiled() and state not in _loaded:
        _loaded.add(state)
        with contextlib.suppress(Exception):  # its runs will fail as well, and be recorded
            _one_round(algorithm)


_loaded: set[type] = set()


def _one_round(algorithm: Algorithm) -> None:
    P = np.array([[0.5, 0.6], [0.4, 0.5]])
    P.flags.writeable = False  # a type of its own for numba: that of a preference matrix
    unused = np.random.default_rng(0)
    rollout(algorithm, Problem(P, np.zeros((1, 2, 2))), np.array([1]), Streams(unused, unused))


def _line_in(message: str, file: str) -> int | None:
    """Return the innermost line of ``file`` that numba's message names."""
    lines = re.findall(rf'File "[^"]*{re.escape(Path(file).name)}", line (\d+)', message)
    return int(lines[-1]) if lines else None
