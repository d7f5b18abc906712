"""Worker processes as an executor: each has its own pipe, so that the death of one affects no other.

``concurrent.futures.ProcessPoolExecutor`` gives up all its work when one process dies, and cannot say which task was to
blame. Here every process is served by a thread: it sends a task, waits for the answer, and when the pipe breaks instead
the task ends with ``WorkerDiedError`` and the next one gets a new process.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from duelbench.cores import interrupted_by_parent, kill, start_method
from duelbench.errors import UserError

T = TypeVar("T")

PATIENCE = 10.0
"""Seconds in which a worker that has lost its pipe may end by itself, before it is killed."""
NOTE = "\0"
"""What stands before each note."""


class WorkerDiedError(Exception):
    """The process that worked on a task is gone.

    ``note`` is what the task noted last, ``traceback`` what Python could still write: after a fault such as a
    segmentation violation, and when its time was over (``timed_out``). ``killed``: by ``kill -9``.
    """

    def __init__(self, exit_code: int | None, last_words: str = "") -> None:
        self.note, _, self.traceback = last_words.partition("\n")
        self.timed_out = self.traceback.startswith("Timeout (")
        self.killed = exit_code == -9
        super().__init__(f"the worker process {'was out of time' if self.timed_out else _ending(exit_code)}")


class Processes(Executor):
    """Up to ``workers`` processes, started as tasks arrive. A task's function gets one more argument: ``heartbeat``."""

    def __init__(self, workers: int) -> None:
        self._threads = ThreadPoolExecutor(workers, "worker")
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._starting = threading.Lock()
        self._stopped = False

    def submit(self, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Have a process call the function; see ``Executor.submit``."""
        return self._threads.submit(self._call, (function, args, kwargs))

    def reports(self) -> list[int]:
        """Return what each task at work has reported last."""
        return [worker.reported for worker in tuple(self._all)]

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes: after their tasks, or, with ``cancel_futures``, at once."""
        if cancel_futures:
            self._stopped = True
            with self._starting:
                for worker in tuple(self._all):
                    kill(worker.process)
        self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)
        if wait:
            for worker in tuple(self._all):
                worker.connection.close()
            for worker in tuple(self._all):
                self._bury(worker)

    def _call(self, task: tuple[Callable[..., T], tuple[Any, ...], dict[str, Any]]) -> T:
        message = pickle.dumps(task)
        worker = self._idle.pop() if self._idle else self._start()
        try:
            raised, result = worker.call(message)
        except (EOFError, OSError):
            words = self._bury(worker)
            raise WorkerDiedError(worker.process.exitcode, words) from None
        finally:
            worker.reported = 0
        self._idle.append(worker)
        if raised:
            raise result
        return result  # type: ignore[no-any-return]

    def _bury(self, worker: _Worker) -> str:
        """See the end of a worker that has lost its pipe, and return its last words."""
        worker.process.join(PATIENCE)
        kill(worker.process)  # if it lives without its pipe; and what it has forked
        worker.process.join()
        self._all.discard(worker)
        return worker.close()

    def _start(self) -> _Worker:
        with self._starting:
            if self._stopped:
                raise WorkerDiedError(None)
            try:
                worker = _Worker()
            except (OSError, EOFError) as error:
                raise UserError(
                    f"cannot start a worker process ({error}): repeat the command with fewer workers, or with -j 0"
                ) from None
            self._all.add(worker)
            return worker


class _Worker:
    """One process, the parent's end of its pipe, and of the one in which it leaves notes.

    ``reported`` is its last report.
    """

    def __init__(self) -> None:
        context = start_method()
        self.reported = 0
        self.connection, theirs = context.Pipe()
        self._notes, writer = context.Pipe(duplex=False)
        if os.name == "posix":
            os.set_blocking(self._notes.fileno(), False)
            os.set_blocking(writer.fileno(), False)  # rather lose a note than wait for one who reads it
        self.process = context.Process(target=_work, args=(theirs, writer), daemon=True)
        self.process.start()
        theirs.close()  # so that the pipe breaks when the process dies
        writer.close()

    def call(self, task: bytes) -> tuple[bool, Any]:
        """Return whether the function raised, and what it raised or returned. Raises EOFError, OSError on death."""
        self.connection.send_bytes(task)
        while True:
            kind, value = self._answer()
            if kind != "report":
                last_words(self._notes)
                return kind == "raised", value
            self.reported = value

    def close(self) -> str:
        """Give back what belongs to the process, which has ended, and return its last words."""
        self.connection.close()
        words = last_words(self._notes)
        self._notes.close()
        return words

    def _answer(self) -> Any:
        """Return what the process sends next. Raises EOFError when it has died: others may keep its pipe open."""
        if self.connection not in wait([self.connection, self.process.sentinel]) and not self.connection.poll():
            raise EOFError
        return self.connection.recv()


def last_words(notes: Connection) -> str:
    """Return the last note, a line, and what has been written after it; all that came before is gone."""
    said = b""
    if os.name == "posix":
        with contextlib.suppress(OSError):
            while more := os.read(notes.fileno(), 1 << 16):
                said += more
    return said.decode("utf-8", "replace").rpartition(NOTE)[2]


class Heartbeat:
    """The progress reports and the time limit of a task.

    Its notes are read when it has died, with Python's traceback of a fault after the last one: they are in a pipe, of
    which nothing remains, whoever is killed. In a process that is not ours there is no ``connection`` and nobody to
    read notes; it can only be ended.
    """

    def __init__(self, connection: Connection | None = None, notes: Connection | None = None) -> None:
        self._connection = connection
        self._notes = notes.fileno() if notes is not None and os.name == "posix" else None
        file: Any = sys.__stderr__ if self._notes is None else self._notes
        self._file = file
        if notes is not None:
            with contextlib.suppress(AttributeError, OSError, RuntimeError, ValueError):  # there may be no stderr
                faulthandler.enable(file)

    def report(self, value: int) -> None:
        """Show a number in ``Processes.reports()`` until the task ends."""
        if self._connection is not None:
            self._connection.send(("report", value))

    def begin(self, note: str, seconds: float | None) -> None:
        """Leave a note for the case that the process dies, and let it die if ``end`` is not called in time.

        The timer needs neither this thread nor the interpreter's lock, so that it ends compiled loops as well.
        """
        if self._notes is not None:
            with contextlib.suppress(OSError):
                os.write(self._notes, f"{NOTE}{note}\n".encode())
        if seconds is not None:
            faulthandler.dump_traceback_later(seconds, exit=True, file=self._file)

    def compute(self, note: str, seconds: float) -> None:
        """Like ``begin``, but the seconds are of computing, where they can be told: a busy machine takes none away.

        In twice that time it ends in any case.
        """
        self.begin(f"{note}\t{seconds:g}", seconds * (2 if hasattr(signal, "setitimer") else 1))
        if hasattr(signal, "setitimer"):
            faulthandler.register(signal.SIGPROF, self._file, chain=True)  # whose end is that of the process
            signal.setitimer(signal.ITIMER_PROF, seconds)

    def end(self) -> None:
        """Stop the timer."""
        faulthandler.cancel_dump_traceback_later()
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_PROF, 0)


def _work(connection: Connection, notes: Connection) -> None:
    """Play tasks until the parent closes the pipe, or dies."""
    interrupted_by_parent()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=connection.close)  # only one process answers
    heartbeat = Heartbeat(connection, notes)
    while True:
        try:
            message = connection.recv_bytes()
        except (EOFError, OSError):
            return
        try:
            function, args, kwargs = pickle.loads(message)
            answer = "returned", function(*args, **kwargs, heartbeat=heartbeat)
        except Exception as error:
            answer = "raised", error
        except BaseException as error:  # such as KeyboardInterrupt, which would be the user's there
            answer = "raised", RuntimeError(f"{type(error).__name__}: {error}")
        try:
            connection.send(answer)
        except OSError:
            return


def _ending(exit_code: int | None) -> str:
    if exit_code is None:
        return "was stopped"
    if exit_code >= 0:
        return f"ended with exit code {exit_code}"
    try:
        return f"was killed by {signal.Signals(-exit_code).name}"
    except ValueError:
        return f"was killed by signal {-exit_code}"
