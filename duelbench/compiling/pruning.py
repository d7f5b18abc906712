"""Pruning the cache: remove directories of machine code that are not in use and older than a month or beyond 500 MB.

There is one directory for each version of the code and for each user's algorithm. The time of a directory is that of
its last use. A process holds a shared lock on each directory that it uses until the process ends.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import time
from functools import cache
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

DAY = 24 * 3600.0
UNUSED = 30 * DAY
"""Seconds after its last use at which a directory is removed."""
LARGEST = 500_000_000
"""The largest total size of all directories, in bytes."""
PATIENCE, AGAIN = 120.0, 0.02
"""Seconds to wait for a lock, which a stopped process may hold forever, and seconds between two attempts."""

_used: dict[Path, int | None] = {}
"""The directories that this process uses, each with the file descriptor of its lock."""


def use(directory: Path) -> str:
    """Create a directory if necessary, and protect it from pruning until this process ends.

    Prunes other directories if this one is new or was not used for a day. Returns why the directory cannot be created;
    empty if it can.
    """
    try:
        last = directory.stat().st_mtime if directory.is_dir() else 0.0
        while directory not in _used or not directory.is_dir():
            directory.mkdir(mode=0o700, exist_ok=True)
            with contextlib.suppress(FileNotFoundError):  # another process has pruned it, since it is empty
                os.utime(directory)
                _used[directory] = lock(directory, shared=True)
    except OSError as error:
        return error.strerror or type(error).__name__
    if time.time() - last > DAY:
        _prune_once(directory.parent)
    return ""


@cache
def _prune_once(base: Path) -> None:
    prune(base, time.time())


def prune(base: Path, now: float) -> None:
    """Remove old and empty directories in ``base`` and then the least recently used ones beyond the total size."""
    found = []
    for each in base.iterdir():
        with contextlib.suppress(OSError):  # another process removes it
            status = each.stat()
            if each.is_dir():
                found.append((status.st_mtime, each, _size(each)))
            elif now - status.st_mtime > UNUSED:
                each.unlink()
    total = sum(size or 0 for _, _, size in found)
    for last, each, size in sorted(found, key=lambda entry: entry[0]):
        superfluous = size is None or now - last > UNUSED or total > LARGEST
        if superfluous and _removed(each, last, now):
            total -= size or 0


def _removed(directory: Path, last: float, now: float) -> bool:
    """Remove a directory unless a process uses it or, without locks, unless it was used today; return whether."""
    if directory in _used:
        return False
    try:
        handle = lock(directory, shared=False, patience=0)
    except OSError:
        return False
    if handle is None and now - last < DAY:
        return False
    shutil.rmtree(directory, ignore_errors=True)
    if handle is not None:
        os.close(handle)
    return True


def lock(directory: Path, shared: bool, patience: float = PATIENCE) -> int | None:
    """Lock a directory until the returned file descriptor is closed; return None where there are no locks.

    Raises OSError if the directory cannot be opened, or if another process still has a lock after ``patience`` seconds.
    """
    if fcntl is None:
        return None
    handle = os.open(directory, os.O_RDONLY)
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
            return handle
        except BlockingIOError:
            if time.monotonic() >= until:
                os.close(handle)
                raise
        except OSError:  # a file system without locks
            os.close(handle)
            return None
        time.sleep(AGAIN)


def _size(directory: Path) -> int | None:
    """Return the size of a directory in bytes, None if it has no files."""
    sizes = [each.stat().st_size for each in directory.rglob("*") if each.is_file()]
    return sum(sizes) if sizes else None


@atexit.register
def _remove_empty() -> None:
    for each in _used:
        with contextlib.suppress(OSError):
            each.rmdir()
