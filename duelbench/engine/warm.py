"""Compile all loops in parallel before the runs, so that worker processes only load machine code."""

import contextlib
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property
from hashlib import md5
from itertools import starmap
from pathlib import Path
from typing import Any

import numba
import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.catalogue import texts_of
from duelbench.compiling.choice import tier
from duelbench.engine.complaint import complaint, is_of_numba
from duelbench.engine.loops import loop_directory, loop_for
from duelbench.engine.play import Problem
from duelbench.engine.rollout import Streams, rollout
from duelbench.errors import UserError
from duelbench.processes import Heartbeat, NoWorkerError, Processes, available_cores


@dataclass(frozen=True)
class _Play:
    """An algorithm and the number of arms. The type of the state, and so the loop, may depend on both."""

    algorithm: Algorithm
    arms: int

    @cached_property
    def state(self) -> str:
        """A digest of the type of the state; empty if a user's ``start`` raises."""
        try:
            typeof: Any = numba.typeof
            return md5(str(typeof(self.algorithm.start(self.arms, 1))).encode(), usedforsecurity=False).hexdigest()
        except Exception:
            return ""

    @property
    def loop(self) -> tuple[Callable[..., None], str]:
        """The key of the machine code: plays with the same key share it."""
        return loop_for(type(self.algorithm)), self.state


def warm(plays: Iterable[tuple[Algorithm, int]], announce: Callable[[str], None] = lambda line: None) -> None:
    """Compile the loops of all compiled algorithms into the cache; ``announce`` a line if that takes time.

    ``plays`` are pairs of an algorithm and a number of arms; pass all at once, since missing loops are compiled in
    parallel, with one process per core. Raises UserError if a user's algorithm does not compile.
    """
    by_size = sorted(plays, key=lambda play: play[1], reverse=True)  # a loop is compiled for its fewest arms
    compiled = {play.loop: play for play in starmap(_Play, by_size) if play.algorithm.compiled()}
    missing = {loop: each for loop, each in compiled.items() if (mark := _mark(each)) is None or not mark.exists()}
    if not missing:
        return
    announce("compiling kernels (the first time only)…")
    kept = {loop: each for loop, each in missing.items() if _mark(each) is not None}
    processes = min(available_cores(), len(kept))
    settled = _side_by_side(kept, processes) if processes > 1 else set()
    for loop, play in missing.items():
        if loop not in settled:
            _compile(play)


def _mark(play: _Play) -> Path | None:
    """Return the file that marks a loop as compiled into the cache; None if the loop is not cached."""
    directory = loop_directory(type(play.algorithm))
    return None if directory is None else tier().machine_code(directory) / f"{play.state}.compiled"


def _compile(play: _Play) -> None:
    """Compile the loop of an algorithm and mark it as compiled. Raises UserError as ``warm`` does."""
    algorithm = play.algorithm
    try:
        _one_round(play)
    except Exception as error:
        if not is_of_numba(error):
            return  # it compiles, and fails when it runs: its runs will be recorded as failed
        if not algorithm.source_text:
            raise
        texts = texts_of(type(algorithm))
        sentence, file, line = complaint(error, texts)
        raise UserError(f"this does not compile: {sentence}", source=file or next(iter(texts)), line=line) from error
    mark = _mark(play)
    if mark is None:
        return
    with contextlib.suppress(OSError):  # as on a full disk: the next command compiles again
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()


def _side_by_side(
    plays: Mapping[tuple[Callable[..., None], str], _Play], processes: int
) -> set[tuple[Callable[..., None], str]]:
    """Compile in parallel processes; return the loops that succeeded.

    A loop fails if its process cannot be started, dies, or cannot import the class; the caller then compiles it.
    """
    with Processes(processes) as pool:
        tasks = {loop: pool.submit(_compile_there, play.algorithm, play.arms) for loop, play in plays.items()}
        return {loop for loop, task in tasks.items() if _succeeded(task)}


def _succeeded(task: Future[None]) -> bool:
    try:
        task.result()
    except NoWorkerError:
        return False
    except UserError:
        raise
    except Exception:
        return False
    return True


def _compile_there(algorithm: Algorithm, arms: int, heartbeat: Heartbeat) -> None:
    _compile(_Play(algorithm, arms))


def load(algorithm: Algorithm, arms: int = 2) -> None:
    """Load the compiled loop of an algorithm into this process, so that its first run is as fast as the others."""
    played = type(algorithm), algorithm.model_dump_json(), arms
    if algorithm.compiled() and played not in _loaded:
        _loaded.add(played)
        with contextlib.suppress(Exception):  # its runs will fail as well, and be recorded
            _one_round(_Play(algorithm, arms))


_loaded: set[tuple[type[Algorithm], str, int]] = set()


def _one_round(play: _Play) -> None:
    P = np.full((play.arms, play.arms), 0.5)
    P.flags.writeable = False  # numba has a separate type for read-only arrays, such as preference matrices
    unused = np.random.default_rng(0)
    rollout(play.algorithm, Problem(P, np.zeros((1, *P.shape))), np.array([1]), Streams(unused, unused))
