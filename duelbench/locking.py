"""A lock on an open file, which the operating system releases if its holder dies."""

from __future__ import annotations

import os
import sys
import time
from typing import IO, Any

AGAIN = 0.005
"""Seconds between two attempts."""


def lock(file: IO[Any], patience: float = 0.0) -> None:
    """Lock a file until it is closed.

    Raises BlockingIOError if another process still holds the lock after ``patience`` seconds, and another OSError on a
    file system without locks.
    """
    until = time.monotonic() + patience
    while True:
        try:
            return _lock(file.fileno())
        except (BlockingIOError, PermissionError):
            if time.monotonic() >= until:
                raise BlockingIOError from None
        time.sleep(AGAIN)


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)  # behind the text: on Windows others cannot read a locked byte
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
