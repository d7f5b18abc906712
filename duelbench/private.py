"""A temporary directory for machine code, used where the user's cache is not writable."""

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
"""The environment variable that gives a command's processes the path of its temporary directory, if it has one."""


PREFIX = "duelbench-"


def why_not(directory: Path) -> str:
    """Create a directory if necessary, and return why machine code cannot be kept there; empty if it can."""
    if is_nowhere(directory):
        return "the user has no home directory"
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return ""
    except OSError as error:
        return error.strerror or type(error).__name__


def of_the_command() -> Path | None:
    """Return the temporary directory of this process or of the command it works for, if any."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else None


@cache
def made(instead_of: Path, why: str) -> Path:
    """Create a temporary directory for this command and its processes, print a note, and remove it at exit.

    Raises UserError when that is not possible either.
    """
    try:
        directory = Path(tempfile.mkdtemp(prefix=prefix(os.getpid())))
    except OSError:
        raise UserError(
            f"cannot keep machine code in {instead_of} ({why}), nor in a temporary directory: "
            "set NUMBA_CACHE_DIR to a directory that you can write to"
        ) from None
    print(f"duelbench: cannot keep machine code in {instead_of} ({why}): kernels compile again", file=sys.stderr)
    os.environ[VARIABLE] = str(directory)
    atexit.register(_remove, directory, os.getpid())
    return directory


def prefix(command: int) -> str:
    """Return the prefix of the names of the temporary directories of a command, by its process number."""
    return f"{PREFIX}{command}-"


def _remove(directory: Path, maker: int) -> None:
    if os.getpid() == maker:  # not in a forked process
        shutil.rmtree(directory, ignore_errors=True)
