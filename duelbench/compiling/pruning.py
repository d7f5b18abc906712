"""Which directories of machine code stay: those in use, and of the others the latest, up to a month and 500 MB.

The directories of other code, of users' algorithms and of other releases, lie beside each other. The time of a
directory is that of its last use. A process holds a shared lock on each directory that it uses, as long as it lives.
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
"""Seconds after its last use at which a directory goes."""
LARGEST = 500_000_000
"""Bytes of all directories together."""

_used: dict[Path, int | None] = {}
"""The directories that this process uses, each with what holds its lock."""


def use(directory: Path) -> str:
    """Make a directory if it is not there, and keep it from being pruned as long as this process lives.

    When a process makes its first one, others are pruned. Return why it cannot be made; nothing if it can.
    """
    new = not directory.is_dir()
    try:
        while directory not in _used or not directory.is_dir():
            directory.mkdir(mode=0o700, exist_ok=True)
            with contextlib.suppress(FileNotFoundError):  # another process has pruned it, empty as it is
                os.utime(directory)
                _used[directory] = _locked(directory, wait=True)
    except OSError as error:
        return error.strerror or type(error).__name__
    if new:
        _prune_once(directory.parent)
    return ""


@cache
def _prune_once(base: Path) -> None:
    prune(base, time.time())


def prune(base: Path, now: float) -> None:
    """Remove what is old or too much of the directories in ``base``, oldest first, and those that are empty."""
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
    """Remove a directory unless a process uses it; where there are no locks, one that was used today."""
    if directory in _used or (fcntl is None and now - last < DAY):
        return False
    try:
        lock = _locked(directory, wait=False)
    except OSError:
        return False
    shutil.rmtree(directory, ignore_errors=True)
    if lock is not None:
        os.close(lock)
    return True


def _locked(directory: Path, wait: bool) -> int | None:
    """Lock a directory: shared if ``wait``, else for this process alone, raising OSError where others have it."""
    if fcntl is None:
        return None
    handle = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # or a file system without locks
        os.close(handle)
        if wait:
            return None
        raise
    return handle


def _size(directory: Path) -> int | None:
    """Return the bytes in a directory, None if there is no file in it."""
    sizes = [each.stat().st_size for each in directory.rglob("*") if each.is_file()]
    return sum(sizes) if sizes else None


@atexit.register
def _remove_empty() -> None:
    for each in _used:
        with contextlib.suppress(OSError):
            each.rmdir()
