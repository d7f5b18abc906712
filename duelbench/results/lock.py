"""A lock that admits one execution at a time to a directory; the operating system releases it if its holder dies."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from duelbench.errors import UserError
from duelbench.locking import lock
from duelbench.reading import regular

LOCK = ".lock"
"""The file remains after the lock is released: if it were removed, two processes could lock two files of this name."""
LONGEST_NAME = 300
"""Maximum number of characters of the holder's name that are read."""
ELSEWHERE = "choose another place with -o"


@contextmanager
def only_one(
    directory: Path, announce: Callable[[str], None], patience: float = 0.0, instead: str = ELSEWHERE
) -> Iterator[None]:
    """Hold the lock of a directory. Raises UserError with the name of the process that holds it.

    ``patience``: seconds to wait for the lock. ``instead``: the advice in the error. On a file system without locks,
    ``announce`` receives a warning, and no lock is held.
    """
    path = directory / LOCK
    try:
        file = _opened(path)
    except OSError as error:
        raise UserError(f"cannot write {path} ({error.strerror}): remove it, or {instead}") from None
    with file:
        try:
            lock(file, patience)
        except BlockingIOError:
            raise UserError(
                f"{directory} is in use by {_holder(file)}: wait until it has ended, or {instead}"
            ) from None
        except OSError as error:
            announce(f"{directory} cannot be locked ({error.strerror}): make sure that no other process writes to it")
            yield
            return
        holder = f"process {os.getpid()} on {socket.gethostname()}"
        if _holder(file) != holder:  # writing often takes longer than the lock is held
            try:
                _sign(file, holder)
            except OSError as error:
                raise UserError(f"cannot write {path} ({error.strerror}): make room there, or {instead}") from None
        yield


def _opened(path: Path) -> IO[str]:
    """Return the open file, unchanged. A link is refused, as another file would be written; a pipe would block."""
    if os.path.lexists(path):
        regular(path)
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    return os.fdopen(os.open(path, flags, 0o666), "r+", encoding="utf-8", errors="replace")


def _sign(file: IO[str], holder: str) -> None:
    """Write the holder's name, unbuffered: a failed write must not be retried when the file closes."""
    descriptor = file.fileno()
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.write(descriptor, holder.encode())


def _holder(file: IO[str]) -> str:
    try:
        return file.read(LONGEST_NAME) or "another process"
    except OSError:
        return "another process"
