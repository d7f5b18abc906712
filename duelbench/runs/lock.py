"""One execution at a time in a directory, by a lock that the operating system drops when its holder dies."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from duelbench.errors import UserError

LOCK = ".lock"
"""The file stays when the lock is gone: removing it would let two processes lock two files of one name."""


@contextmanager
def only_one(directory: Path, announce: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of a directory, or raise UserError that names who holds it.

    On a file system without locks it says so by ``announce`` and goes on.
    """
    path = directory / LOCK
    with _opened(path) as file:
        try:
            _lock(file)
        except (BlockingIOError, PermissionError):
            raise UserError(
                f"{directory} is in use by {_holder(path)}: wait until it has ended, or choose another place with -o"
            ) from None
        except OSError as error:
            announce(f"{directory}: no lock can be taken here ({error.strerror}); see that nobody else writes to it")
            yield
            return
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()}")
        file.flush()
        yield


def _opened(path: Path) -> IO[str]:
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    try:
        return os.fdopen(os.open(path, flags, 0o666), "r+", encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot write {path} ({error.strerror}): remove it, or choose another place with -o") from None


def _holder(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8") or "another process"
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
