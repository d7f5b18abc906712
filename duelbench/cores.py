"""Processes: how many are worth starting, how they start, and that none outlives its parent."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import multiprocessing.forkserver
import multiprocessing.resource_tracker
import multiprocessing.util
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import warnings
from functools import cache
from pathlib import Path
from typing import Any

from duelbench import private

SET_CHILD_SUBREAPER = 36
"""The number of what is asked of Linux, from its ``sys/prctl.h``."""
ROUNDS = 100
"""How often it is looked for processes that are left: what is killed may have started others just before."""


def available_cores() -> int:
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def start_method() -> Any:
    """Return how processes start: where forking is safe, from a server that has imported what a worker needs.

    That saves each worker the imports, and their memory is shared.
    """
    if not sys.platform.startswith("linux"):
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    played_by = ("duelbench.experiment.worker", "duelbench.experiment.trial.")
    rooms = ("duelbench.algorithms.", "duelbench.engine.warm", *played_by)
    loaded = (name for name in sys.modules if name.startswith(rooms))
    context.set_forkserver_preload(["duelbench.cores", *loaded])
    _have_a_temporary_directory()
    multiprocessing.resource_tracker.ensure_running()  # which ends with the signal let through
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # Ctrl-C waits until the server ignores it
    try:
        multiprocessing.forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return context


@cache
def _have_a_temporary_directory() -> None:
    """Let multiprocessing keep its sockets in a directory that says whose it is; remove those of killed commands.

    The server removes that of its command, unless it is killed as well.
    """
    for left in Path(tempfile.gettempdir()).glob(f"{private.PREFIX}*"):
        number = left.name.removeprefix(private.PREFIX).partition("-")[0]
        with contextlib.suppress(OSError, ValueError):
            if left.stat().st_uid == os.getuid() and not Path(f"/proc/{int(number)}").exists():
                shutil.rmtree(left, ignore_errors=True)
    directory = tempfile.mkdtemp(prefix=private.prefix(os.getpid()))
    process: Any = multiprocessing.current_process()
    process._config["tempdir"] = directory
    multiprocessing.util.Finalize(None, shutil.rmtree, (directory, True), exitpriority=-100)  # as it does for its own


def die_with_parent() -> None:
    """Let this process end with its parent, whatever it is at.

    A process of the server's is killed by that, which ends with the command as soon as no other process keeps it (see
    ``reap``). Otherwise a thread waits for the end of the parent. It needs the interpreter's lock: compiled code gives
    it away between its parts, but if a kernel never returns, neither does the lock.
    """
    server = getattr(sys.modules.get("multiprocessing.forkserver"), "_forkserver", None)
    if (keeps_the_server := getattr(server, "_forkserver_alive_fd", None)) is not None:
        os.close(keeps_the_server)
        server._forkserver_alive_fd = None  # type: ignore[union-attr]
    threading.Thread(target=_wait_for, args=(multiprocessing.parent_process(),), daemon=True).start()
    this = os.getpid()

    def lead_a_group() -> None:
        """Let what an algorithm forks die with this process: whoever kills one kills its group."""
        if os.getpid() == this:
            os.setpgid(0, 0)

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lead_a_group)


def interrupted_by_parent() -> None:
    """Begin a process that leaves Ctrl-C to its parent, and ends with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()


def kill(process: Any) -> None:
    """Kill a process that has called ``die_with_parent``, and what it has started.

    What has lost its own parent cannot be found any more; the server ends it with the command.
    """
    started = descendants(process.pid)
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)  # there is such a group only if it has forked
    process.kill()
    for each in started:
        with contextlib.suppress(OSError):
            os.kill(each, signal.SIGKILL)


def descendants(ancestor: int) -> set[int]:
    """Return the processes that one has started, and they in turn, and that have not ended; none but under Linux."""
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
    """Let the server from which processes are forked end, when it ends, all that the command leaves behind.

    However the command ends, the server ends after it, some milliseconds later, and kills what it has forked. Processes
    that an algorithm has started, and that have left its group or its session, become children of the server when their
    parents die (it is what Linux calls a subreaper). It also removes the temporary directories of a command that has
    been killed and could not do so.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    warnings.filterwarnings("ignore", "forkserver: waitpid returned")  # of those that are adopted, when they end
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
        return  # it lives, and sees to its directories
    for place in Path(tempfile.gettempdir()).glob(f"{private.prefix(command)}*"):
        shutil.rmtree(place, ignore_errors=True)


if "multiprocessing.forkserver" in sys.orig_argv[-1]:  # it is that server which imports this
    reap()
