"""Compiling before the work begins, side by side, so that worker processes only load machine code."""

from __future__ import annotations

import contextlib
import inspect
import multiprocessing
import re
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.catalogue import find_text
from duelbench.compiling.choice import tier
from duelbench.cores import available_cores, die_with_parent, start_method
from duelbench.engine.play import Problem, loop_directory
from duelbench.engine.rollout import Streams, rollout
from duelbench.errors import UserError


def warm(algorithms: Iterable[Algorithm], announce: Callable[[str], None]) -> None:
    """Have the loop of every compiled algorithm in the cache; ``announce`` a line if that takes time.

    What is missing is compiled side by side, in as many processes as there are cores; give all that will be played.
    Raises UserError when a user's algorithm does not compile.
    """
    compiled = {type(each).State: each for each in algorithms if each.compiled()}.values()
    missing = [each for each in compiled if not _mark(each).exists()]
    if not missing:
        return
    announce("compiling kernels (the first time only)…")
    processes = min(available_cores(), len(missing))
    settled = _side_by_side(missing, processes) if processes > 1 else set()
    for algorithm in missing:
        if type(algorithm).State not in settled:
            _compile(algorithm)


def _mark(algorithm: Algorithm) -> Path:
    """Return the file that says that the machine code of an algorithm's loop is in the cache."""
    return tier().machine_code(loop_directory(type(algorithm))) / "compiled"


def _compile(algorithm: Algorithm) -> None:
    """Compile the loop of an algorithm and mark it as compiled. Raises UserError as ``warm`` does."""
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
        return  # it compiles, and fails when it runs: its runs will be recorded as failed
    mark = _mark(algorithm)
    with contextlib.suppress(OSError):  # as on a full disk: the next command compiles again
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()


def _side_by_side(algorithms: list[Algorithm], processes: int) -> set[type]:
    """Compile in processes, and return the state types of those that are done with.

    Others remain where a process cannot be started, dies, or does not know a class: they are compiled here.
    """
    settled = set()
    with _pool(processes) as pool, contextlib.suppress(OSError, EOFError, RuntimeError):  # no process, or no pool
        tasks = [(type(each).State, pool.submit(_compile_there, *_reference(each))) for each in algorithms]
        for state, task in tasks:
            if _succeeded(task):
                settled.add(state)
    return settled


@contextlib.contextmanager
def _pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    """Start processes, and stop them at once when they are left by an error or an interrupt."""
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(processes, start_method(), _begin)
    try:
        yield pool
    except BaseException:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _succeeded(task: Future[None]) -> bool:
    try:
        task.result()
    except UserError:
        raise
    except Exception:
        return False
    return True


def _begin() -> None:
    """Let an interrupt end this process without a word, and the end of the parent as well."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    die_with_parent()


def _reference(algorithm: Algorithm) -> tuple[Any, ...]:
    """Return what another process finds an algorithm by: its class, or the text of the file that it comes from."""
    kind = type(algorithm)
    parameters = algorithm.model_dump()
    if not kind.source_text:
        return kind, parameters, None, ""
    return kind.__name__, parameters, Path(inspect.getfile(kind)), kind.source_text


def _compile_there(kind: Any, parameters: dict[str, Any], file: Path | None, text: str) -> None:
    if file is not None:
        kind = find_text(f"{file.name}:{kind}", file.parent, text)
    _compile(kind(**parameters))


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
