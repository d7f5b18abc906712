"""Processes: how many are worth starting, how they start, and that none outlives its parent."""

from __future__ import annotations

import multiprocessing
import os
import sys
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
    rooms = ("duelbench.algorithms.", "duelbench.engine.warm", "duelbench.runs.worker")
    context.set_forkserver_preload([name for name in sys.modules if name.startswith(rooms)])
    return context


def die_with_parent() -> None:
    """Wait for the end of the parent process, then end this one; to be called in a thread of its own."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
