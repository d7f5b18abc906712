"""A lock that admits one execution at a time to a directory; the operating system releases it if its holder dies."""

from __future__ import annotations

import os
import socket
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from duelbench.errors import UserError

LOCK = ".lock"
"""The file remains after the lock is released: if it were removed, two processes could lock two files of this name."""
LONGEST_NAME = 300
"""Maximum number of characters of the holder's name that are read."""


AGAIN = 0.005
"""Seconds between two attempts."""
ELSEWHERE = "choose another place with -o"


@contextmanager
def only_one(
    directory: Path, announce: Callable[[str], None], patience: float = 0.0, instead: str = ELSEWHERE
) -> Iterator[None]:
    """Hold the lock of a directory. Raises UserError with the name of the process that holds it.

    ``patience``: seconds to wait for the lock. ``instead``: the advice in the error. On a file system without locks,
    ``announce`` receives a warning, and no lock is held.
    """
    with _opened(directory / LOCK, instead) as file:
        try:
            _locked(file, patience)
        except (BlockingIOError, PermissionError):
            raise UserError(
                f"{directory} is in use by {_holder(file)}: wait until it has ended, or {instead}"
            ) from None
        except OSError as error:
            announce(f"{directory} cannot be locked ({error.strerror}): make sure that no other process writes to it")
            yield
            return
        holder = f"process {os.getpid()} on {socket.gethostname()}"
        if _holder(file) != holder:  # writing often takes longer than the lock is held
            _sign(file, holder, directory, instead)
        yield


def _locked(file: IO[str], patience: float) -> None:
    until = time.monotonic() + patience
    while True:
        try:
            return _lock(file)
        except (BlockingIOError, PermissionError):
            if time.monotonic() >= until:
                raise
        time.sleep(AGAIN)


def _opened(path: Path, instead: str) -> IO[str]:
    """Return the open file, unchanged. Links are refused, as another file would be written; a pipe would block."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags, 0o666)
    except OSError as error:
        raise _refused(path, error.strerror, instead) from None
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
        os.close(descriptor)
        what = "it is a hard link to another file" if stat.S_ISREG(found.st_mode) else "it is not a regular file"
        raise _refused(path, what, instead)
    return os.fdopen(descriptor, "r+", encoding="utf-8", errors="replace")


def _refused(path: Path, why: str | None, instead: str) -> UserError:
    return UserError(f"cannot write {path} ({why}): remove it, or {instead}")


def _sign(file: IO[str], holder: str, directory: Path, instead: str) -> None:
    """Write the holder's name, unbuffered: a failed write must not be retried when the file closes."""
    descriptor = file.fileno()
    try:
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, holder.encode())
    except OSError as error:
        raise UserError(f"cannot write {directory / LOCK} ({error.strerror}): make room there, or {instead}") from None


def _holder(file: IO[str]) -> str:
    try:
        return file.read(LONGEST_NAME) or "another process"
    except OSError:
        return "another process"


if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[str]) -> None:
        file.seek(1 << 30)  # far behind the text, which others shall read: on Windows a locked byte cannot be
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        file.seek(0)
else:
    import fcntl

    def _lock(file: IO[str]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
