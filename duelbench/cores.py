"""Worker processes: how many to start, how to start them, and how to make sure that none outlives its parent."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import multiprocessing.context
import multiprocessing.forkserver
import multiprocessing.resource_tracker
import multiprocessing.spawn
import multiprocessing.util
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from duelbench import private

SET_CHILD_SUBREAPER = 36
"""``PR_SET_CHILD_SUBREAPER`` from Linux's ``sys/prctl.h``."""
ROUNDS = 100
"""How often to search for remaining processes: one may have started others just before it was killed."""


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
    played_by = ("duelbench.experiment.worker", "duelbench.conformance.trial")
    rooms = ("duelbench.algorithms.", "duelbench.engine.warm", *played_by)
    loaded = (name for name in sys.modules if name.startswith(rooms))
    context.set_forkserver_preload(["duelbench.cores", *loaded])
    _use_private_temporary_directory()
    with _isolated():
        multiprocessing.resource_tracker.ensure_running()  # unblocks SIGINT at its end, so block it afterwards
        with interrupts_blocked():
            multiprocessing.forkserver.ensure_running()
    return context


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
def interrupts_blocked() -> Iterator[None]:
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
    for left in Path(tempfile.gettempdir()).glob(f"{private.PREFIX}*"):
        number = left.name.removeprefix(private.PREFIX).partition("-")[0]
        with contextlib.suppress(OSError, ValueError):
            if left.stat().st_uid == os.getuid() and not Path(f"/proc/{int(number)}").exists():
                shutil.rmtree(left, ignore_errors=True)
    directory = tempfile.mkdtemp(prefix=private.prefix(os.getpid()))
    process: Any = multiprocessing.current_process()
    process._config["tempdir"] = directory
    multiprocessing.util.Finalize(None, shutil.rmtree, (directory, True), exitpriority=-100)  # as for its own


def die_with_parent() -> None:
    """Make this process end when its parent ends, even in the middle of a computation.

    If the process was forked by the server, the server kills it: the server ends with the command, as soon as no other
    process keeps the server alive (see ``reap``). In addition, a thread waits for the end of the parent. The thread
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


def reap() -> None:
    """Make the fork server kill all remaining processes of the command when the server ends.

    However the command ends, the server ends some milliseconds later and kills the processes that it forked. If an
    algorithm has started processes outside its process group or session, they become children of the server when their
    parents die (the server is what Linux calls a subreaper). The server also removes the temporary directories of a
    command that was killed and could not remove them.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    warnings.filterwarnings("ignore", "forkserver: waitpid returned")  # when an adopted process ends
    atexit.register(_end, os.getpid(), os.getppid())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _end(server: int, command: int) -> None:
    if os.getpid() != server:
        return
    for _ in range(ROUNDS):
        left = descendants(server)
        if not left:
            break
        for each in left:
            with contextlib.suppress(OSError):
                os.kill(each, signal.SIGKILL)
        time.sleep(0.01)
    for _ in range(ROUNDS):
        if os.getppid() != command:
            break
        time.sleep(0.01)
    else:
        return  # the command is still alive and removes its directories itself
    for place in Path(tempfile.gettempdir()).glob(f"{private.prefix(command)}*"):
        shutil.rmtree(place, ignore_errors=True)


if "multiprocessing.forkserver" in sys.orig_argv[-1]:  # this process is the fork server
    reap()
