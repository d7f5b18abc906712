"""Worker processes as an executor: each with a pipe of its own, so that the death of one concerns no other.

``concurrent.futures.ProcessPoolExecutor`` gives up all its work when one process dies, and cannot say which task was to
blame. Here every process is served by a thread: it sends a task, waits for the answer, and when the pipe breaks instead
the task ends with ``WorkerDiedError`` and the next one gets a new process.
"""

from __future__ import annotations

import faulthandler
import os
import pickle
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from duelbench.cores import die_with_parent, start_method

T = TypeVar("T")


class WorkerDiedError(Exception):
    """The process that worked on a task is gone.

    ``note`` is what the task noted last, ``traceback`` what Python could still write: after a fault such as a
    segmentation violation, and when its time was over (``timed_out``).
    """

    def __init__(self, exit_code: int | None, last_words: str = "") -> None:
        self.note, _, self.traceback = last_words.partition("\n")
        self.timed_out = self.traceback.startswith("Timeout (")
        super().__init__(f"the worker process {'was out of time' if self.timed_out else _ending(exit_code)}")


class Processes(Executor):
    """Up to ``workers`` processes, started as tasks arrive.

    A task's function gets one more argument, its
    ``heartbeat``."""

    def __init__(self, workers: int) -> None:
        self._threads = ThreadPoolExecutor(workers, "worker")
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._starting = threading.Lock()
        self._stopped = False
        self._black_boxes = Path(tempfile.mkdtemp(prefix="duelbench-"))

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
                    worker.process.kill()
        self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)
        if wait:
            for worker in tuple(self._all):
                worker.connection.close()
            for worker in tuple(self._all):
                worker.process.join()
            shutil.rmtree(self._black_boxes, ignore_errors=True)

    def _call(self, task: tuple[Callable[..., T], tuple[Any, ...], dict[str, Any]]) -> T:
        message = pickle.dumps(task)
        worker = self._idle.pop() if self._idle else self._start()
        try:
            raised, result = worker.call(message)
        except (EOFError, OSError):
            self._all.discard(worker)
            worker.process.join()
            raise WorkerDiedError(worker.process.exitcode, worker.last_words()) from None
        finally:
            worker.reported = 0
        self._idle.append(worker)
        if raised:
            raise result
        return result  # type: ignore[no-any-return]

    def _start(self) -> _Worker:
        with self._starting:
            if self._stopped:
                raise WorkerDiedError(None)
            worker = _Worker(self._black_boxes)
            self._all.add(worker)
            return worker


class _Worker:
    """One process, the parent's end of its pipe, and the file that outlives it."""

    def __init__(self, black_boxes: Path) -> None:
        context = start_method()
        self.reported = 0
        handle, name = tempfile.mkstemp(dir=black_boxes)
        os.close(handle)
        self._black_box = Path(name)
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, name), daemon=True)
        self.process.start()
        theirs.close()  # so that the pipe breaks when the process dies

    def call(self, task: bytes) -> tuple[bool, Any]:
        """Return whether the function raised, and what it raised or returned. Raises EOFError, OSError on death."""
        self.connection.send_bytes(task)
        while True:
            kind, value = self.connection.recv()
            if kind != "report":
                return kind == "raised", value
            self.reported = value

    def last_words(self) -> str:
        """Return what the process has left behind."""
        words = self._black_box.read_text(encoding="utf-8", errors="replace")
        self._black_box.unlink()
        return words


class Heartbeat:
    """How a task tells that it lives: it reports how far it is, and dies when it has not come to an end in time."""

    def __init__(self, connection: Connection, black_box: BinaryIO) -> None:
        self._connection = connection
        self._black_box = black_box
        faulthandler.enable(black_box)

    def report(self, value: int) -> None:
        """Show a number in ``Processes.reports()`` until the task ends."""
        self._connection.send(("report", value))

    def begin(self, note: str, seconds: float | None) -> None:
        """Leave a note for the case that the process dies, and let it die if ``end`` is not called in time.

        The timer needs neither this thread nor the interpreter's lock, so that it ends compiled loops as well.
        """
        self._black_box.seek(0)
        self._black_box.truncate()
        self._black_box.write(f"{note}\n".encode())
        if seconds is not None:
            faulthandler.dump_traceback_later(seconds, exit=True, file=self._black_box)

    def end(self) -> None:
        """Stop the timer."""
        faulthandler.cancel_dump_traceback_later()


def _work(connection: Connection, black_box: str) -> None:
    """Play tasks until the parent closes the pipe, or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    threading.Thread(target=die_with_parent, daemon=True).start()
    heartbeat = Heartbeat(connection, Path(black_box).open("wb", buffering=0))  # noqa: SIM115  open as long as the process lives
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
