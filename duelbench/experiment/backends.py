"""Backends: where runs are played. In this process, in local worker processes, on a dask cluster, or under MPI.

Each is a context manager that yields a ``Backend``.
"""

from __future__ import annotations

import importlib
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from duelbench.errors import UserError
from duelbench.experiment.worker import Chunk, play_chunk
from duelbench.processes import Heartbeat, Processes
from duelbench.results.run_files import Outcome


@dataclass(frozen=True)
class Backend:
    """An executor, and how to submit work to it.

    The executor calls ``play``. ``window`` returns the largest number of chunks to submit at once, each of about
    ``chunk_seconds`` of work; a crash loses the submitted chunks. ``rounds`` returns the number of rounds of these
    chunks that have been played, where known. ``isolated``: the death of a worker affects no other worker. ``replays``
    replays runs, if not ``executor``: locally this process, whose string hashes differ from those of workers.
    """

    name: str
    executor: Executor
    window: Callable[[], int]
    chunk_seconds: float = 1.0
    play: Callable[[Chunk, float | None], list[Outcome]] = play_chunk
    rounds: Callable[[], int] = int
    isolated: bool = True
    replays: Executor | None = None


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
    pool = Processes(workers)
    try:
        yield Backend(
            f"local, {workers} worker{'' if workers == 1 else 's'}",
            pool,
            lambda: 2 * workers,
            chunk_seconds=0.1,
            rounds=lambda: sum(pool.reports()),
            replays=_Here(),
        )
    finally:
        pool.shutdown(cancel_futures=True)


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
                    n_workers=max(1, workers), threads_per_worker=1, dashboard_address=None
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


@contextmanager
def mpi() -> Iterator[Backend]:
    """Play on MPI ranks: ``mpiexec -n 65 python -m mpi4py.futures -m duelbench …`` gives 64 workers.

    MPI ends all ranks when one dies. Raises UserError when mpi4py is not installed.
    """
    try:
        futures: Any = importlib.import_module("mpi4py.futures")
    except ImportError:
        raise UserError("mpi4py is not installed: pip install 'duelbench[mpi]', or leave out --executor") from None
    with futures.MPIPoolExecutor() as executor:
        try:
            yield Backend(f"{executor.num_workers} ranks of MPI", executor, lambda: 2 * executor.num_workers)
        finally:
            executor.shutdown(wait=False, cancel_futures=True)
