"""Directories: the user's cache, a temporary one for machine code, and those of shipped matrices and specs."""

import atexit
import os
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

import platformdirs

from duelbench.errors import UserError

_NOWHERE = "~"
"""The beginning of the path of the cache for a user without a home directory; this directory is never created."""


def user_cache() -> Path:
    """Return duelbench's directory in the user's cache, below ``_NOWHERE`` if the user has no home directory."""
    try:
        return platformdirs.user_cache_path("duelbench", False)
    except (RuntimeError, KeyError):  # older versions of Python return the path with the ~
        return Path(_NOWHERE, ".cache", "duelbench")


def is_nowhere(directory: Path) -> bool:
    """Return whether a path is below ``_NOWHERE``."""
    return directory.parts[:1] == (_NOWHERE,)


TEMPORARY = "DUELBENCH_KERNELS"
"""The environment variable that gives a command's processes the path of its temporary directory, if it has one."""


def why_not_writable(directory: Path) -> str:
    """Create a directory if necessary, and return why machine code cannot be kept there; empty if it can."""
    if is_nowhere(directory):
        return "the user has no home directory"
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return ""
    except OSError as error:
        return error.strerror or type(error).__name__


def temporary_directory() -> Path | None:
    """Return the temporary directory of this process or of the command it works for, if any."""
    named = os.environ.get(TEMPORARY)
    return Path(named) if named else None


@cache
def make_temporary_directory(instead_of: Path, why: str) -> Path:
    """Create a temporary directory for the machine code of this command, print a note, and remove it at exit.

    Raises UserError when that is not possible either.
    """
    try:
        directory = Path(tempfile.mkdtemp(prefix="duelbench-"))
    except OSError:
        raise UserError(
            f"cannot keep machine code in {instead_of} ({why}), nor in a temporary directory: "
            "set NUMBA_CACHE_DIR to a directory that you can write to"
        ) from None
    print(f"duelbench: cannot keep machine code in {instead_of} ({why}): kernels compile again", file=sys.stderr)
    os.environ[TEMPORARY] = str(directory)
    atexit.register(_remove, directory, os.getpid())
    return directory


def _remove(directory: Path, maker: int) -> None:
    if os.getpid() == maker:  # not in a forked process
        shutil.rmtree(directory, ignore_errors=True)


def shipped(kind: str) -> Path:
    """Return the directory of shipped ``"datasets"`` or ``"configs"``."""
    package = Path(__file__).parent
    inside_wheel = package / "shipped_files" / kind
    return inside_wheel if inside_wheel.is_dir() else package.parent / kind
