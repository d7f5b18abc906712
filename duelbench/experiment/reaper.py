"""What a command leaves behind is ended: for the server from which processes are forked, which imports this first.

However the command and its workers end, the server ends after them, some milliseconds later. Processes that an
algorithm has started, and that have left its group or its session, become children of the server when their parents die
(it is what Linux calls a subreaper), which kills them at its end. So it removes the temporary directories of a command
that has been killed and could not do so.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import multiprocessing.forkserver
import os
import shutil
import signal
import sys
import time
import warnings
from pathlib import Path

from duelbench.compiling import private
from duelbench.cores import descendants

SET_CHILD_SUBREAPER = 36
"""The number of what is asked of Linux, from its ``sys/prctl.h``."""
ROUNDS = 100
"""How often it is looked for processes that are left: what is killed may have started others just before."""


def reap() -> None:
    """Adopt from now on what is left of this process's children and theirs, and end it all at the exit."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    warnings.filterwarnings("ignore", "forkserver: waitpid returned")  # of those that are adopted, when they end
    atexit.register(_end, os.getpid(), os.getppid())


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
    address = getattr(getattr(multiprocessing.forkserver, "_forkserver", None), "_forkserver_address", None)
    places = [Path(os.fsdecode(address)).parent] if address else []
    if kernels := private.of_the_command():
        places.append(kernels)
    for place in places:
        if place.name.startswith(("pymp-", private.prefix(command))):
            shutil.rmtree(place, ignore_errors=True)


if "multiprocessing.forkserver" in sys.orig_argv[-1]:  # it is that server which imports this
    reap()
