"""An executor of worker processes: if one dies, only its task fails, and no process outlives the command.

When a process of ``concurrent.futures.ProcessPoolExecutor`` dies, all pending tasks fail, and nothing says which task
caused the death. Here each process has its own pipe and a thread in the parent, which sends a task and waits for the
result. If the pipe breaks, this task ends with ``WorkerDiedError``, and the next task gets a new process.
"""

from __future__ import annotations

import contextlib
import faulthandler
import multiprocessing
import multiprocessing.forkserver
import multiprocessing.resource_tracker
import multiprocessing.spawn
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from duelbench.errors import UserError

if sys.platform == "linux":
    import fcntl

_FORKS = sys.platform == "linux"
"""Whether workers fork from a server that has imported their modules, so that they start at once and share memory."""
_PLAYING = ("duelbench.experiment.forked", "duelbench.experiment.trial")
"""The modules that play runs in workers."""


def available_cores() -> int:
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def start_fork_server(modules: Iterable[str] = _PLAYING) -> None:
    """Start the server from which workers fork, unless it runs. It imports these modules in the background."""
    if not _FORKS:
        return
    multiprocessing.forkserver.set_forkserver_preload(list(modules))
    multiprocessing.resource_tracker.ensure_running()  # first, since it unblocks SIGINT at its end
    with _isolated():
        multiprocessing.forkserver.ensure_running()


@contextlib.contextmanager
def _isolated() -> Iterator[None]:
    """Shield processes started in this block from Ctrl-C, the main module and modules in the working directory.

    The main module may be a script without ``if __name__ == "__main__"``, which would start workers again. A file in
    the working directory may have the name of a module of Python, which ``python -c`` would import instead.
    """
    prepared: Any = multiprocessing.spawn.get_preparation_data
    with _isolating:
        safe_path = os.environ.get("PYTHONSAFEPATH")
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if os.name == "posix" else ()
        multiprocessing.spawn.get_preparation_data = lambda name: {
            key: value for key, value in prepared(name).items() if not key.startswith("init_main")
        }
        os.environ["PYTHONSAFEPATH"] = "1"
        try:
            yield
        finally:
            multiprocessing.spawn.get_preparation_data = prepared
            if safe_path is None:
                del os.environ["PYTHONSAFEPATH"]
            else:
                os.environ["PYTHONSAFEPATH"] = safe_path
            if os.name == "posix":
                signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


_isolating = threading.Lock()


def _end_with_parent() -> None:
    """Make this process end when its parent ends; on Linux also in compiled code that never returns to Python."""
    parent: Any = multiprocessing.parent_process()
    if sys.platform == "linux":
        # The sentinel is a pipe that the parent keeps open; the system kills this process when the pipe breaks.
        fcntl.fcntl(parent.sentinel, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(parent.sentinel, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(parent.sentinel, fcntl.F_SETFL, fcntl.fcntl(parent.sentinel, fcntl.F_GETFL) | os.O_ASYNC)
        if not parent.is_alive():
            os._exit(1)
    else:
        threading.Thread(target=_exit_after, args=(parent,), daemon=True).start()


def _exit_after(parent: Any) -> None:
    parent.join()
    os._exit(1)


T = TypeVar("T")


class NoWorkerError(UserError):
    """A worker process cannot be started."""


class WorkerDiedError(Exception):
    """The process that worked on a task has died.

    ``note`` is the last note of the task; ``traceback`` is Python's, after a fault such as a segmentation violation or
    when the time limit was reached (``timed_out``).
    """

    def __init__(self, exit_code: int | None, note: str = "", traceback: str = "") -> None:
        self.note, self.traceback = note, traceback
        self.timed_out = traceback.startswith("Timeout (")
        super().__init__(f"the worker process {'was out of time' if self.timed_out else _ending(exit_code)}")


def _ending(exit_code: int | None) -> str:
    if exit_code is None:
        return "was stopped"
    if exit_code >= 0:
        return f"ended with exit code {exit_code}"
    return f"was killed by {signal.Signals(-exit_code).name}"


class Processes(Executor):
    """Up to ``workers`` processes, started as tasks arrive. A task also gets the keyword argument ``heartbeat``.

    At the end of a ``with`` block the processes end immediately.
    """

    def __init__(self, workers: int) -> None:
        self._threads = ThreadPoolExecutor(workers, "worker")
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._starting = threading.Lock()
        self._stopped = False

    def __exit__(self, *raised: object) -> None:
        self.shutdown(cancel_futures=True)

    def submit(self, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Call the function in a worker process; see ``Executor.submit``."""
        return self._threads.submit(self._call, (function, args, kwargs))

    def rounds(self) -> int:
        """Return the rounds that the running tasks have played."""
        return sum(worker.heartbeat.rounds.value for worker in tuple(self._all))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes after their tasks or, with ``cancel_futures``, immediately."""
        if cancel_futures:
            with self._starting:
                self._stopped = True
                for worker in self._all:
                    worker.process.kill()
        self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)
        if wait:
            for worker in tuple(self._all):
                self._end(worker)

    def _call(self, task: tuple[Callable[..., T], tuple[Any, ...], dict[str, Any]]) -> T:
        message = pickle.dumps(task)
        worker = self._idle.pop() if self._idle else self._start()
        worker.heartbeat.rounds.value = 0
        try:
            worker.connection.send_bytes(message)
            raised, result = worker.connection.recv()
        except (EOFError, OSError):
            raise self._end(worker) from None
        worker.heartbeat.rounds.value = 0
        self._idle.append(worker)
        if raised:
            raise result
        return result  # type: ignore[no-any-return]

    def _start(self) -> _Worker:
        with self._starting:
            if self._stopped:
                raise WorkerDiedError(None)
            try:
                worker = _Worker()
            except (OSError, EOFError, AssertionError) as error:  # the last in a daemonic process
                raise NoWorkerError(
                    f"cannot start a worker process ({error}): use fewer, or none (-j 0, in Python jobs=0)"
                ) from None
            self._all.add(worker)
            return worker

    def _end(self, worker: _Worker) -> WorkerDiedError:
        """End a worker, and return what is known about its end."""
        with self._starting:
            self._all.discard(worker)
        return worker.end()


class _Worker:
    """One process, the parent's end of its pipe, and the note and traceback that remain when it dies."""

    def __init__(self) -> None:
        loaded = [name for name in sys.modules if name.startswith(("duelbench.algorithms.", "duelbench.engine.warm"))]
        start_fork_server([*loaded, *_PLAYING] if "duelbench.experiment.backends" in sys.modules else loaded)
        context: Any = multiprocessing.get_context("forkserver" if _FORKS else "spawn")
        self.connection, theirs = context.Pipe()
        self._traceback, writer = context.Pipe(duplex=False)
        self.heartbeat = Heartbeat(context.RawValue("q"), context.RawArray("c", _LONGEST_NOTE))
        self.process = context.Process(target=_work, args=(theirs, writer, self.heartbeat), daemon=True)
        with _isolated():
            self.process.start()
        theirs.close()  # so that the pipe breaks when the process dies
        writer.close()

    def end(self) -> WorkerDiedError:
        """Let the process end, or kill it, and return what is known about its end."""
        self.connection.close()
        self.process.join(_PATIENCE)
        self.process.kill()
        self.process.join()
        said = os.name == "posix" and self._traceback.poll()
        traceback = os.read(self._traceback.fileno(), 1 << 16) if said else b""
        self._traceback.close()
        note = self.heartbeat.note.value.decode("utf-8", "replace")
        return WorkerDiedError(self.process.exitcode, note, traceback.decode("utf-8", "replace"))


_PATIENCE = 10.0
"""Seconds that a worker has to end by itself, once its pipe is closed, before it is killed."""
_LONGEST_NOTE = 200


class Heartbeat:
    """The progress and the time limit of a task.

    ``rounds`` and ``note`` are in memory shared with the parent, so they survive this process. Python's traceback of a
    fault or a time limit goes to ``file``. In a process that was not started here (dask) only the time limit works.
    """

    file: Any = None

    def __init__(self, rounds: Any = None, note: Any = None) -> None:
        self.rounds, self.note = rounds, note

    def report(self, rounds: int) -> None:
        """Show the rounds that the task has played in ``Processes.rounds()`` until it ends."""
        if self.rounds is not None:
            self.rounds.value = rounds

    def begin(self, note: str, seconds: float | None) -> None:
        """Leave a note, to be read if the process dies, and end the process after ``seconds`` unless ``end`` is called.

        The timer needs neither this thread nor the global interpreter lock, so it also ends compiled loops.
        """
        if self.note is not None:
            self.note.value = note.encode()[:_LONGEST_NOTE]
        if seconds is not None:
            file: Any = self.file or sys.__stderr__
            faulthandler.dump_traceback_later(seconds, exit=True, file=file)

    def end(self) -> None:
        """Stop the timer."""
        faulthandler.cancel_dump_traceback_later()


def _work(connection: Connection, traceback: Connection, heartbeat: Heartbeat) -> None:
    """Run tasks until the parent closes the pipe or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    _end_with_parent()
    if os.name == "posix":  # elsewhere a pipe is no file
        heartbeat.file = traceback.fileno()
        faulthandler.enable(heartbeat.file)
    while True:
        try:
            message = connection.recv_bytes()
        except (EOFError, OSError):
            return
        try:
            function, args, kwargs = pickle.loads(message)
            result = False, function(*args, **kwargs, heartbeat=heartbeat)
        except Exception as error:
            result = True, error
        except BaseException as error:  # such as KeyboardInterrupt, which the parent would take for Ctrl-C
            result = True, RuntimeError(f"{type(error).__name__}: {error}")
        try:
            connection.send(result)
        except OSError:
            return
