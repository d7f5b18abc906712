"""Worker processes as an executor, how they start, and how to make sure that none outlives its parent.

When a process of ``concurrent.futures.ProcessPoolExecutor`` dies, all pending tasks fail, and nothing says which task
caused the death. Here each process has its own pipe and a thread in the parent, which sends a task and waits for the
result. If the pipe breaks, this task ends with ``WorkerDiedError``, and the next task gets a new process.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import faulthandler
import multiprocessing.context
import multiprocessing.forkserver
import multiprocessing.resource_tracker
import multiprocessing.spawn
import multiprocessing.util
import os
import pickle
import shutil
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import cache
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, TypeVar

from duelbench.directories import TEMPORARY, TEMPORARY_PREFIX, temporary_prefix
from duelbench.errors import UserError

_SET_CHILD_SUBREAPER = 36
"""``PR_SET_CHILD_SUBREAPER`` from Linux's ``sys/prctl.h``."""
_ROUNDS = 100
"""How often to search for remaining processes: one may have started others just before it was killed."""


_PLAYING = ("duelbench.experiment.forked", "duelbench.conformance.trial")
"""The modules that play runs in workers."""


def available_cores() -> int:
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def start_method(fresh: bool = False) -> Any:
    """Return the multiprocessing context. On Linux, workers fork from a server that has imported the modules they need.

    The workers then skip these imports and share their memory. With ``fresh``, each is a new interpreter, with other
    string hashes. No worker imports the main module, so that scripts need no ``if __name__ == "__main__"``.
    """
    if fresh or not sys.platform.startswith("linux"):
        return _SpawnContext()
    context = _ForkServerContext()
    loaded = [name for name in sys.modules if name.startswith(("duelbench.algorithms.", "duelbench.engine.warm"))]
    start_fork_server([*loaded, *_PLAYING] if "duelbench.experiment.backends" in sys.modules else loaded)
    return context


def start_fork_server(modules: Iterable[str] = _PLAYING) -> None:
    """Start the server from which workers fork, unless it runs: it imports these modules while this process goes on."""
    if not sys.platform.startswith("linux"):
        return
    multiprocessing.forkserver.set_forkserver_preload(["duelbench.processes", *modules])
    _use_private_temporary_directory()
    with _isolated():
        multiprocessing.resource_tracker.ensure_running()  # unblocks SIGINT at its end, so block it afterwards
        with _interrupts_blocked():
            multiprocessing.forkserver.ensure_running()


@contextlib.contextmanager
def _isolated() -> Iterator[None]:
    """Keep processes that start meanwhile from importing the main module, and modules from the working directory.

    The main module may be a script that would start workers again. A file in the working directory may have the name
    of a module of Python, which ``python -c`` would import instead.
    """
    with _isolating:
        prepared: Any = multiprocessing.spawn.get_preparation_data
        safe_path = os.environ.get("PYTHONSAFEPATH")
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


_isolating = threading.Lock()


class _SpawnProcess(multiprocessing.context.SpawnProcess):
    def start(self) -> None:
        with _isolated():
            super().start()


class _SpawnContext(multiprocessing.context.SpawnContext):
    Process = _SpawnProcess


if sys.platform.startswith("linux"):

    class _ForkServerProcess(multiprocessing.context.ForkServerProcess):
        def start(self) -> None:
            with _isolated():
                super().start()

    class _ForkServerContext(multiprocessing.context.ForkServerContext):
        Process = _ForkServerProcess


@contextlib.contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C in this thread and in processes that start meanwhile, which ignore it once they have started."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@cache
def _use_private_temporary_directory() -> None:
    """Put multiprocessing's sockets in a directory named after this process, and remove those of killed commands.

    The server removes the directory of its command, unless the server is killed as well.
    """
    for left in Path(tempfile.gettempdir()).glob(f"{TEMPORARY_PREFIX}*"):
        number = left.name.removeprefix(TEMPORARY_PREFIX).partition("-")[0]
        with contextlib.suppress(OSError, ValueError):
            if left.stat().st_uid == os.getuid() and not Path(f"/proc/{int(number)}").exists():
                shutil.rmtree(left, ignore_errors=True)
    directory = tempfile.mkdtemp(prefix=temporary_prefix(os.getpid()))
    process: Any = multiprocessing.current_process()
    process._config["tempdir"] = directory
    multiprocessing.util.Finalize(None, shutil.rmtree, (directory, True), exitpriority=-100)  # as for its own


def die_with_parent() -> None:
    """Make this process end when its parent ends, even in the middle of a computation.

    If the process was forked by the server, the server kills it: the server ends with the command, as soon as no other
    process keeps the server alive (see ``_reap``). In addition, a thread waits for the end of the parent. The thread
    needs the global interpreter lock, which compiled code holds until it returns to Python; a kernel that never returns
    never releases it.
    """
    server = getattr(sys.modules.get("multiprocessing.forkserver"), "_forkserver", None)
    if (keeps_the_server := getattr(server, "_forkserver_alive_fd", None)) is not None:
        os.close(keeps_the_server)
        server._forkserver_alive_fd = None  # type: ignore[union-attr]
    threading.Thread(target=_wait_for, args=(multiprocessing.parent_process(),), daemon=True).start()
    this = os.getpid()

    def lead_a_group() -> None:
        """Lead a process group, so that ``kill`` also kills the processes that an algorithm forks."""
        if os.getpid() == this:
            os.setpgid(0, 0)

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lead_a_group)


def interrupted_by_parent() -> None:
    """Initialise a process that ignores Ctrl-C and ends with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()


def kill(process: Any) -> None:
    """Kill a process that has called ``die_with_parent``, and its descendants.

    Descendants whose own parent has ended cannot be found here; the server kills them at the end of the command.
    """
    started = descendants(process.pid)
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)  # the group exists only if the process has forked
    process.kill()
    for each in started:
        with contextlib.suppress(OSError):
            os.kill(each, signal.SIGKILL)


def descendants(ancestor: int) -> set[int]:
    """Return the numbers of the living descendants of a process; an empty set on systems other than Linux."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat") if sys.platform == "linux" else ():
        with contextlib.suppress(OSError):
            state, parent = path.read_bytes().rpartition(b")")[2].split()[:2]
            if state not in (b"Z", b"X"):
                children.setdefault(int(parent), []).append(int(path.parent.name))
    found: set[int] = set()
    level = [ancestor]
    while level:
        level = [child for each in level for child in children.get(each, ())]
        found.update(level)
    return found


def _wait_for(parent: Any) -> None:
    parent.join()
    os._exit(1)


def _reap() -> None:
    """Make the fork server kill all remaining processes of the command when the server ends.

    However the command ends, the server ends some milliseconds later and kills the processes that it forked. If an
    algorithm has started processes outside its process group or session, they become children of the server when their
    parents die (the server is what Linux calls a subreaper). The server also removes the temporary directories of a
    command that was killed and could not remove them.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    warnings.filterwarnings("ignore", "forkserver: waitpid returned")  # when an adopted process ends
    atexit.register(_end, os.getpid(), os.getppid())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _end(server: int, command: int) -> None:
    if os.getpid() != server:
        return
    for _ in range(_ROUNDS):
        left = descendants(server)
        if not left:
            break
        for each in left:
            with contextlib.suppress(OSError):
                os.kill(each, signal.SIGKILL)
        time.sleep(0.01)
    for _ in range(_ROUNDS):
        if os.getppid() != command:
            break
        time.sleep(0.01)
    else:
        return  # the command is still alive and removes its directories itself
    for place in Path(tempfile.gettempdir()).glob(f"{temporary_prefix(command)}*"):
        shutil.rmtree(place, ignore_errors=True)


if "multiprocessing.forkserver" in sys.orig_argv[-1]:  # this process is the fork server
    _reap()


T = TypeVar("T")

_PATIENCE = 10.0
"""Seconds before a worker whose pipe is broken is killed, if it does not end by itself."""
_NOTE = "\0"
"""The prefix of each note."""


class WorkerDiedError(Exception):
    """The process that worked on a task has died.

    ``note`` is the last note of the task; ``traceback`` is Python's, after a fault such as a segmentation violation or
    when the time limit was reached (``timed_out``). ``killed``: by ``kill -9``.
    """

    def __init__(self, exit_code: int | None, note_and_text: str = "") -> None:
        self.note, _, self.traceback = note_and_text.partition("\n")
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
                self._end(worker)

    def _call(self, task: tuple[Callable[..., T], tuple[Any, ...], dict[str, Any]]) -> T:
        message = pickle.dumps(task)
        worker = self._idle.pop() if self._idle else self._start()
        try:
            raised, result = worker.call(message)
        except (EOFError, OSError):
            text = self._end(worker)
            raise WorkerDiedError(worker.process.exitcode, text) from None
        finally:
            worker.reported = 0
        self._idle.append(worker)
        if raised:
            raise result
        return result  # type: ignore[no-any-return]

    def _end(self, worker: _Worker) -> str:
        """Wait for the end of a worker whose pipe is broken, or kill it, and return its last note and what follows."""
        worker.process.join(_PATIENCE)
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
        self.process = context.Process(target=_work, args=(theirs, writer, os.environ.get(TEMPORARY)), daemon=True)
        with _interrupts_blocked():
            self.process.start()
        theirs.close()  # so that the pipe breaks when the process dies
        writer.close()

    def call(self, task: bytes) -> tuple[bool, Any]:
        """Return whether the function raised, and its exception or result. Raises EOFError or OSError if it died."""
        self.connection.send_bytes(task)
        while True:
            kind, value = self._message()
            if kind != "report":
                last_note(self._notes)
                return kind == "raised", value
            self.reported = value

    def close(self) -> str:
        """Release the resources of the process, which has ended, and return its last note and what follows."""
        self.connection.close()
        text = last_note(self._notes)
        self._notes.close()
        return text

    def _message(self) -> Any:
        """Return the next message of the process. Raises EOFError if it has died, even if others keep its pipe open."""
        if self.connection not in wait([self.connection, self.process.sentinel]) and not self.connection.poll():
            raise EOFError
        return self.connection.recv()


def last_note(notes: Connection) -> str:
    """Return the last note, which is a line, and the text after it; earlier notes are dropped."""
    said = b""
    if os.name == "posix":
        with contextlib.suppress(OSError):
            while more := os.read(notes.fileno(), 1 << 16):
                said += more
    return said.decode("utf-8", "replace").rpartition(_NOTE)[2]


class Heartbeat:
    """The progress reports and the time limit of a task.

    When the process has died, the parent reads its notes, and Python's traceback of a fault after the last one. They
    are in a pipe, so that no file remains, whichever process is killed. In a process that was not started here (dask)
    there is no ``connection`` and notes are not read; only the time limit works.
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
                os.write(self._notes, f"{_NOTE}{note}\n".encode())
        if seconds is not None:
            faulthandler.dump_traceback_later(seconds, exit=True, file=self._file)

    def end(self) -> None:
        """Stop the timer."""
        faulthandler.cancel_dump_traceback_later()


def _work(connection: Connection, notes: Connection, machine_code: str | None) -> None:
    """Run tasks until the parent closes the pipe or dies; ``machine_code`` is its temporary directory, if any."""
    if machine_code is not None:  # made after the fork server has started
        os.environ[TEMPORARY] = machine_code
    interrupted_by_parent()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=connection.close)  # a forked process must not send
    heartbeat = Heartbeat(connection, notes)
    while True:
        try:
            message = connection.recv_bytes()
        except (EOFError, OSError):
            return
        try:
            function, args, kwargs = pickle.loads(message)
            result = "returned", function(*args, **kwargs, heartbeat=heartbeat)
        except Exception as error:
            result = "raised", error
        except BaseException as error:  # such as KeyboardInterrupt, which the parent would take for Ctrl-C
            result = "raised", RuntimeError(f"{type(error).__name__}: {error}")
        try:
            connection.send(result)
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
