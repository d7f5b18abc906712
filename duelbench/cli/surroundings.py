"""The surroundings of a command: closed streams, full devices, signals."""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from duelbench.errors import UserError

THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""Variables by which NumPy's libraries of linear algebra choose the number of threads."""

PATIENCE = 10.0
"""Seconds after a signal until a command that is stuck is ended."""


def open_closed_streams() -> None:
    """Open the null device in the place of closed standard streams.

    Otherwise the next file that is opened takes the number of the stream, and receives all that is printed.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            handle = os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
            os.set_inheritable(number, True)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))


def use_one_thread_for_algebra() -> None:
    """Let linear algebra use one thread, unless the environment sets a number. To be called before NumPy is imported.

    With a few hundred arms, more threads cost up to ten times the processor time and gain nothing, or even lose time if
    other workers use the cores.
    """
    for name in THREADS:
        os.environ.setdefault(name, "1")


def check_backend() -> None:
    """Raise UserError if ``MPLBACKEND`` names a backend that matplotlib does not know: then it cannot be imported."""
    if name := os.environ.get("MPLBACKEND"):
        try:
            import matplotlib  # noqa: F401
        except ValueError:
            raise UserError(
                f"matplotlib knows no backend {name!r}: correct or unset the environment variable MPLBACKEND"
            ) from None


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the command like an exit, so that temporary files are removed.

    A command that is stuck after a signal or Ctrl-C ends after ``PATIENCE``; a second Ctrl-C ends it at once.
    """
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            before[signal.SIGINT] = signal.signal(signal.SIGINT, _interrupt)
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:  # not ignored, as by nohup
                before[number] = signal.signal(number, _exit)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _exit(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # a second signal must not interrupt the removal
    _end_at_last(number)
    raise SystemExit(128 + number)


def _interrupt(number: int, frame: FrameType | None) -> None:
    signal.signal(number, lambda *_: os._exit(128 + number))  # a second Ctrl-C ends at once
    _end_at_last(number)
    raise KeyboardInterrupt


def _end_at_last(number: int) -> None:
    """End the command after a while: an exception between taking and releasing a lock may block it forever."""
    last = threading.Timer(PATIENCE, os._exit, (128 + number,))
    last.daemon = True
    last.start()


def what_is_wrong(error: OSError) -> str:
    """Return what the operating system refuses, and what to do."""
    if error.filename is not None:
        return f"{error.filename}: {error.strerror}: correct this and repeat the command"
    if error.errno in (errno.ENOSPC, errno.EIO, errno.EDQUOT) and _was_printing(error):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)  # at the exit Python would try again to write what could not be written
        os.close(nowhere)
        return f"cannot write to standard output ({error.strerror}): redirect it elsewhere and repeat the command"
    return f"the system reports {error.strerror or str(error)!r}: correct this and repeat the command"


def _was_printing(error: OSError) -> bool:
    """Return whether an error comes from click's ``echo``, by which alone commands print."""
    frames = traceback.extract_tb(error.__traceback__)
    return any(each.name == "echo" and Path(each.filename).parts[-2:] == ("click", "utils.py") for each in frames)
