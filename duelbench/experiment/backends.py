"""Where runs are played: in this process, in local worker processes, or on a dask cluster.

Each backend is a context manager that yields a ``Backend``. Its workers play runs of one series and return the text of
their result files.
"""

import importlib
import logging
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from duelbench.engine.warm import load
from duelbench.errors import UserError
from duelbench.experiment.code import code_of
from duelbench.experiment.run import play_run
from duelbench.processes import Heartbeat, Processes
from duelbench.results.runs import Outcome, failure_text, run_text
from duelbench.spec.resolved import Series
from duelbench.versions.record import Subject

_REPORT_EVERY = 0.1
"""Seconds between two progress reports."""
_LOADING = 300.0
"""The time limit for loading or compiling the kernels, in seconds."""
_GRACE = 1.0
"""Seconds after the time limit in which a run can stop by itself before its worker is killed."""


@dataclass(frozen=True)
class Chunk:
    """Runs of one series that a worker plays as one task.

    ``again``: a worker has already died during this run, so it is played alone.
    """

    series: Series
    numbers: tuple[int, ...]
    again: bool = False


def play_chunk(chunk: Chunk, timeout: float | None = None, heartbeat: Heartbeat | None = None) -> list[Outcome]:
    """Play the runs of a chunk; a run that fails, or takes longer than ``timeout`` seconds, does not stop the others.

    The time limit is checked at each progress report. If a run never reports progress, its worker is killed, if there
    is a ``heartbeat``.

    Raises UserError if this process has other code than the command.
    """
    series = chunk.series
    _check_code(series)
    outcomes = []
    rounds, reported, began = 0, time.monotonic(), 0.0

    def count(more: int) -> None:
        nonlocal rounds, reported
        rounds += more
        now = time.monotonic()
        if timeout is not None and now - began > timeout:
            raise TimeoutError(f"the run took longer than run_timeout = {timeout:g} seconds")
        if heartbeat is not None and now - reported > _REPORT_EVERY:
            heartbeat.report(rounds)
            reported = now

    if heartbeat is not None:
        heartbeat.begin(str(chunk.numbers[0]), None if timeout is None else timeout + _LOADING)
    load(series.build(), series.dataset.arms)
    for number in chunk.numbers:
        began = time.monotonic()
        if heartbeat is not None:
            heartbeat.begin(str(number), None if timeout is None else timeout + _GRACE)
        try:
            rows = play_run(series, *series.spec.seed_of(number), count)
            text, failed = run_text(series.key(number), series.columns, rows), False
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and heartbeat is None:  # Ctrl-C, which workers ignore
                raise
            text, failed = failure_text(series.key(number), traceback.format_exc()), True
        if heartbeat is not None:
            heartbeat.end()
        outcomes.append(Outcome(number, text, failed, time.monotonic() - began))
    return outcomes


def _check_code(series: Series) -> None:
    """Raise UserError if this process has other code than the command, whose code determined the keys."""
    what = series.algorithm.kind, series.dataset.source.drawn_by
    if what in _checked:
        return
    here, there = code_of(*what), {**series.dataset.code, **series.algorithm.code}  # sent with the series
    if here != there:
        different = [name for name in sorted({*here, *there}) if here.get(name) != there.get(name)]
        raise UserError(
            f"a worker has another version of {', '.join(different)} than the command: update it, if it is on another "
            "machine, and repeat the command"
        )
    _checked.add(what)


_checked: set[tuple[type, tuple[Subject, ...]]] = set()


@dataclass(frozen=True)
class Backend:
    """An executor, and how to submit work to it.

    The executor calls ``play``. ``window`` returns the largest number of chunks to submit at once, each of about
    ``chunk_seconds`` of work; a crash loses the submitted chunks. ``rounds`` returns the number of rounds of these
    chunks that have been played, where known. ``isolated``: the death of a worker affects no other worker.
    """

    name: str
    executor: Executor
    window: Callable[[], int]
    chunk_seconds: float = 1.0
    play: Callable[[Chunk, float | None], list[Outcome]] = play_chunk
    rounds: Callable[[], int] = int
    isolated: bool = True


class _Here(Executor):
    """Calls each function immediately."""

    def submit(self, function, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        """Call the function; see ``Executor.submit``."""
        future: Future[Any] = Future()
        future.set_result(function(*args, **kwargs))
        return future


@contextmanager
def local(workers: int) -> Iterator[Backend]:
    """Play in this many local worker processes; with 0 in this process, for debuggers and profilers."""
    if not workers:
        yield Backend("this process", _Here(), lambda: 1, chunk_seconds=0.1)
        return
    with Processes(workers) as pool:
        yield Backend(
            f"local, {workers} worker{'' if workers == 1 else 's'}",
            pool,
            lambda: 2 * workers,
            chunk_seconds=0.1,
            rounds=pool.rounds,
        )


@contextmanager
def dask(scheduler: str | None, workers: int, announce: Callable[[str], None]) -> Iterator[Backend]:
    """Play on the workers of a dask ``scheduler`` (``tcp://host:8786``), or of a local dask cluster.

    The workers need the same version of duelbench; the user's files are sent to them. Workers may join and leave.

    Raises UserError when dask is not installed or the scheduler does not answer.
    """
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise UserError("dask is not installed: pip install 'duelbench[dask]', or leave out --executor") from None
    with ExitStack() as stack:
        if scheduler is None:
            config = importlib.import_module("dask").config
            stack.enter_context(config.set({"distributed.scheduler.allowed-failures": 1}))
            with _children_ignore_interrupts():
                cluster = distributed.LocalCluster(
                    n_workers=max(1, workers),
                    threads_per_worker=1,
                    dashboard_address=None,
                    silence_logs=logging.CRITICAL,  # the death of a worker is reported with its runs
                )
            scheduler = stack.enter_context(cluster)
        try:
            client = stack.enter_context(distributed.Client(scheduler, timeout=10))
        except (OSError, ValueError, TypeError, RuntimeError) as error:  # the last two for an invalid address
            raise UserError(f"cannot reach a dask scheduler at {scheduler} ({error}): check --scheduler") from None
        if not client.nthreads():
            announce(f"waiting for workers at {client.scheduler.address}…")
        executor = client.get_executor(pure=False, retries=2)
        try:
            yield Backend(
                f"dask at {client.scheduler.address}",
                executor,
                lambda: max(2, 2 * sum(client.nthreads().values())),
                play=_play_on_dask,
                isolated=False,  # any chunk queued at a worker may have caused its death
            )
        except (OSError, RuntimeError) as error:
            if client.status == "running" and not isinstance(error, OSError):
                raise
            raise UserError(f"the dask scheduler is gone ({error}): repeat the command to continue") from None
        finally:
            executor.shutdown(wait=False)


@contextmanager
def _children_ignore_interrupts() -> Iterator[None]:
    """Make processes that start inside this block ignore Ctrl-C; this process handles it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _play_on_dask(chunk: Chunk, timeout: float | None) -> list[Outcome]:
    distributed: Any = importlib.import_module("distributed")
    alone = distributed.get_worker().state.nthreads == 1
    return play_chunk(chunk, timeout, Heartbeat() if alone and timeout is not None else None)
