"""Worker processes as an executor. Each process has its own pipe, so the death of one affects no other.

When a process of ``concurrent.futures.ProcessPoolExecutor`` dies, all pending tasks fail, and nothing says which task
caused the death. Here each process has a thread in the parent, which sends a task and waits for the answer. If the pipe
breaks, this task ends with ``WorkerDiedError``, and the next task gets a new process.
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

from duelbench.cores import interrupted_by_parent, interrupts_blocked, kill, start_method
from duelbench.errors import UserError

T = TypeVar("T")

PATIENCE = 10.0
"""Seconds before a worker whose pipe is broken is killed, if it does not end by itself."""
NOTE = "\0"
"""The prefix of each note."""


class WorkerDiedError(Exception):
    """The process that worked on a task has died.

    ``note`` is the last note of the task; ``traceback`` is Python's, after a fault such as a segmentation violation or
    when the time limit was reached (``timed_out``). ``killed``: by ``kill -9``.
    """

    def __init__(self, exit_code: int | None, last_words: str = "") -> None:
        self.note, _, self.traceback = last_words.partition("\n")
        self.timed_out = self.traceback.startswith("Timeout (")
        self.killed = exit_code == -9
        super().__init__(f"the worker process {'was out of time' if self.timed_out else _ending(exit_code)}")


class Processes(Executor):
    """Up to ``workers`` processes, started as tasks arrive. A task also gets the keyword argument ``heartbeat``."""

    def __init__(self, workers: int) -> None:
        self._threads = ThreadPoolExecutor(workers, "worker")
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._starting = threading.Lock()
        self._stopped = False

    def submit(self, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Call the function in a worker process; see ``Executor.submit``."""
        return self._threads.submit(self._call, (function, args, kwargs))

    def reports(self) -> list[int]:
        """Return the last report of each running task."""
        return [worker.reported for worker in tuple(self._all)]

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes after their tasks or, with ``cancel_futures``, immediately."""
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
        """Wait for the end of a worker whose pipe is broken, or kill it, and return its last words."""
        worker.process.join(PATIENCE)
        kill(worker.process)  # if it is still alive; and its descendants
        worker.process.join()
        self._all.discard(worker)
        return worker.close()

    def _start(self) -> _Worker:
        with self._starting:
            if self._stopped:
                raise WorkerDiedError(None)
            try:
                worker = _Worker(start_method())
            except (OSError, EOFError, AssertionError) as error:  # the last in a daemonic process
                raise UserError(
                    f"cannot start a worker process ({error}): use fewer, or none (-j 0, in Python jobs=0)"
                ) from None
            self._all.add(worker)
            return worker


class _Worker:
    """One process, and the parent's ends of its pipe and of the pipe for notes.

    ``reported`` is its last report.
    """

    def __init__(self, context: Any) -> None:
        self.reported = 0
        self.connection, theirs = context.Pipe()
        self._notes, writer = context.Pipe(duplex=False)
        if os.name == "posix":
            os.set_blocking(self._notes.fileno(), False)
            os.set_blocking(writer.fileno(), False)  # lose a note rather than wait for the reader
        self.process = context.Process(target=_work, args=(theirs, writer), daemon=True)
        with interrupts_blocked():
            self.process.start()
        theirs.close()  # so that the pipe breaks when the process dies
        writer.close()

    def call(self, task: bytes) -> tuple[bool, Any]:
        """Return whether the function raised, and its exception or result. Raises EOFError or OSError if it died."""
        self.connection.send_bytes(task)
        while True:
            kind, value = self._answer()
            if kind != "report":
                last_words(self._notes)
                return kind == "raised", value
            self.reported = value

    def close(self) -> str:
        """Release the resources of the process, which has ended, and return its last words."""
        self.connection.close()
        words = last_words(self._notes)
        self._notes.close()
        return words

    def _answer(self) -> Any:
        """Return the next message of the process. Raises EOFError if it has died, even if others keep its pipe open."""
        if self.connection not in wait([self.connection, self.process.sentinel]) and not self.connection.poll():
            raise EOFError
        return self.connection.recv()


def last_words(notes: Connection) -> str:
    """Return the last note, which is a line, and the text after it; earlier notes are dropped."""
    said = b""
    if os.name == "posix":
        with contextlib.suppress(OSError):
            while more := os.read(notes.fileno(), 1 << 16):
                said += more
    return said.decode("utf-8", "replace").rpartition(NOTE)[2]


class Heartbeat:
    """The progress reports and the time limit of a task.

    When the process has died, the parent reads its notes, and Python's traceback of a fault after the last one. They
    are in a pipe, so that no file remains, whichever process is killed. In a process that was not started here (dask,
    MPI) there is no ``connection`` and notes are not read; only the time limit works.
    """

    def __init__(self, connection: Connection | None = None, notes: Connection | None = None) -> None:
        self._connection = connection
        self._notes = notes.fileno() if notes is not None and os.name == "posix" else None
        file: Any = sys.__stderr__ if self._notes is None else self._notes
        self._file = file
        if notes is not None:
            with contextlib.suppress(AttributeError, OSError, RuntimeError, ValueError):  # stderr may be missing
                faulthandler.enable(file)

    def report(self, value: int) -> None:
        """Show a number in ``Processes.reports()`` until the task ends."""
        if self._connection is not None:
            self._connection.send(("report", value))

    def begin(self, note: str, seconds: float | None) -> None:
        """Write a note, to be read if the process dies, and end the process after ``seconds`` unless ``end`` is called.

        The timer needs neither this thread nor the global interpreter lock, so it also ends compiled loops.
        """
        if self._notes is not None:
            with contextlib.suppress(OSError):
                os.write(self._notes, f"{NOTE}{note}\n".encode())
        if seconds is not None:
            faulthandler.dump_traceback_later(seconds, exit=True, file=self._file)

    def end(self) -> None:
        """Stop the timer."""
        faulthandler.cancel_dump_traceback_later()


def _work(connection: Connection, notes: Connection) -> None:
    """Run tasks until the parent closes the pipe or dies."""
    interrupted_by_parent()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=connection.close)  # a forked process must not answer
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
        except BaseException as error:  # such as KeyboardInterrupt, which the parent would take for Ctrl-C
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
