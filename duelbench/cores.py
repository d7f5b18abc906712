"""Processes: how many are worth starting, how they start, and that none outlives its parent."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any


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
    context.set_forkserver_preload(["duelbench.experiment.reaper", *loaded])
    return context


def die_with_parent() -> None:
    """Let this process end with its parent, whatever it is at.

    The parent holds the other end of a pipe on which nothing comes any more. When that closes, Linux kills this process
    by itself. Elsewhere a thread waits for it, which needs the interpreter's lock: compiled code gives it away between
    its parts, but if a kernel never returns, neither does the lock.
    """
    parent = multiprocessing.parent_process()
    assert parent is not None
    pipe, this = parent.sentinel, os.getpid()
    if sys.platform == "linux":
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETOWN, this)
        fcntl.fcntl(pipe, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)
    threading.Thread(target=_wait_for, args=(parent,), daemon=True).start()  # on Linux if it has ended before

    def lead_a_group() -> None:
        """Let what an algorithm forks die with this process: whoever kills one kills its group."""
        if os.getpid() == this and os.getpgrp() != this:
            os.setpgid(0, 0)
            if sys.platform == "linux":
                fcntl.fcntl(pipe, fcntl.F_SETOWN, -this)

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lead_a_group, after_in_child=_let_the_server_end)


def _let_the_server_end() -> None:
    """Close what tells the server of processes that somebody is left for whom it must stay."""
    server = getattr(sys.modules.get("multiprocessing.forkserver"), "_forkserver", None)
    with contextlib.suppress(OSError, TypeError):
        os.close(getattr(server, "_forkserver_alive_fd", None))  # type: ignore[arg-type]


def interrupted_by_parent() -> None:
    """Begin a process that leaves Ctrl-C to its parent, and ends with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()


def kill(process: Any) -> None:
    """Kill a process that has called ``die_with_parent``, and what it has started.

    What has lost its own parent cannot be found any more; ``runs.reaper`` ends it with the command.
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
