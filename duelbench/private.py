"""Directories of machine code: the user's, or where that is not writable one of the command's own."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

from duelbench.errors import UserError
from duelbench.home import is_nowhere

VARIABLE = "DUELBENCH_KERNELS"
"""Tells the processes of a command where its directory of machine code is, if it has one of its own."""


PREFIX = "duelbench-"


def why_not(directory: Path) -> str:
    """Make a directory if it is not there, and say why it cannot keep machine code; nothing if it can."""
    if is_nowhere(directory):
        return "the user has no home directory"
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return ""
    except OSError as error:
        return error.strerror or type(error).__name__


def of_the_command() -> Path | None:
    """Return the directory that this process, or the command it works for, has made for itself, if there is one."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else None


@cache
def made(instead_of: Path, why: str) -> Path:
    """Make a directory for this command and its processes, to be removed at its end, and say so.

    Raises UserError when that is not possible either.
    """
    try:
        directory = Path(tempfile.mkdtemp(prefix=prefix(os.getpid())))
    except OSError:
        raise UserError(
            f"machine code can be kept neither in {instead_of} ({why}) nor in a temporary directory: "
            "set NUMBA_CACHE_DIR to a directory of yours that can be written to"
        ) from None
    print(f"duelbench: cannot keep machine code in {instead_of} ({why}): kernels compile again", file=sys.stderr)
    os.environ[VARIABLE] = str(directory)
    atexit.register(_remove, directory, os.getpid())
    return directory


def prefix(command: int) -> str:
    """Return how the names of the directories begin that a command, a process of this number, has made."""
    return f"{PREFIX}{command}-"


def _remove(directory: Path, maker: int) -> None:
    if os.getpid() == maker:  # and no process that it has forked
        shutil.rmtree(directory, ignore_errors=True)
