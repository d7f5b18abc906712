"""Processes: how many are worth starting, how they start, and that none outlives its parent."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
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
    rooms = ("duelbench.algorithms.", "duelbench.engine.warm", "duelbench.runs.worker", "duelbench.runs.trial.")
    context.set_forkserver_preload([name for name in sys.modules if name.startswith(rooms)])
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
        os.register_at_fork(before=lead_a_group)


def kill(process: Any) -> None:
    """Kill a process that has called ``die_with_parent``, and what it has forked."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)  # there is such a group only if it has forked
    process.kill()


def _wait_for(parent: Any) -> None:
    parent.join()
    os._exit(1)
