"""Read files that users name, write files atomically, lock directories, and find the directories of the user."""

import contextlib
import errno
import json
import os
import secrets
import shutil
import socket
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, Any, BinaryIO

import platformdirs

from duelbench.errors import UserError


def user_cache() -> Path:
    """Return duelbench's directory in the user's cache; without a home directory, a path that cannot exist."""
    try:
        return platformdirs.user_cache_path("duelbench", False)
    except (RuntimeError, KeyError):
        return Path(os.devnull, "duelbench")


def why_not_writable(directory: Path) -> str:
    """Create a directory if necessary. Return why it is not writable, or an empty string if it is."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return ""
    except OSError as error:
        return error.strerror or type(error).__name__


def shipped(kind: str) -> Path:
    """Return the directory of shipped ``"datasets"`` or ``"configs"``."""
    package = Path(__file__).parent
    inside_wheel = package / "shipped_files" / kind
    return inside_wheel if inside_wheel.is_dir() else package.parent / kind


if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_STANDARD_INPUT = ("-", "/dev/stdin")


def regular(path: Path, at_most: int | None = None) -> Path:
    """Return ``path`` if it is a regular file of at most ``at_most`` bytes. Raises OSError if it is not.

    Reading a pipe or a device may never end, and a sparse file may be larger than the memory.
    """
    found = path.stat()
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a directory", str(path))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    if at_most is not None and found.st_size > at_most:
        raise OSError(errno.EFBIG, f"it is larger than {at_most:,} bytes", str(path))
    return path


@contextmanager
def rereadable(path: Path) -> Iterator[Path]:
    """Yield ``path`` or, for standard input or a pipe, which can be read only once, a private copy.

    A UserError about the copy becomes one about ``path``.
    """
    standard = str(path) in _STANDARD_INPUT
    if not standard and not path.is_fifo():
        yield path
        return
    with tempfile.NamedTemporaryFile(prefix="duelbench-") as copy:
        try:
            with nullcontext(sys.stdin.buffer) if standard else path.open("rb") as stream:
                shutil.copyfileobj(stream, copy)
            copy.flush()
        except OSError as error:
            raise UserError(f"this cannot be copied to {copy.name}: {error.strerror}", source=str(path)) from None
        try:
            yield Path(copy.name)
        except UserError as error:
            error.source = str(path) if error.source == copy.name else error.source
            raise


def read_json(path: Path) -> Any:
    """Return the content of a JSON file. Raises OSError when it cannot be read, and ValueError when it is not JSON."""
    try:
        return json.loads(regular(path).read_text(encoding="utf-8"))
    except RecursionError:
        raise ValueError("nested too deep") from None


@contextmanager
def whole(path: Path) -> Iterator[BinaryIO]:
    """Yield an open file whose content appears at ``path`` at the end of the block, unless the block raises.

    Parent directories are created. A symbolic link at ``path`` is replaced, not followed. The content is not synced to
    disk, so a power failure may damage a file that was just written. Raises OSError when it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")  # unique across machines
    try:
        file = temporary.open("xb")
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = temporary.open("xb")
    try:
        with file:
            yield file
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def write_whole(path: Path, text: str) -> None:
    """Write ``text`` atomically, see ``whole``. Lone surrogates become escapes, which JSON reads as the same string.

    Raises UserError when it cannot be written, for example when the disk is full.
    """
    content = text.encode("utf-8", "backslashreplace")
    try:
        try:
            _write(path, content)
        except FileNotFoundError:  # another command has removed it as the remains of a killed process
            _write(path, content)
    except OSError as error:
        raise UserError(
            f"cannot write {path} ({error.strerror}): finished work is kept; fix this and repeat the command"
        ) from None


def _write(path: Path, content: bytes) -> None:
    with whole(path) as file:
        file.write(content)


def lock(file: IO[Any], *, wait: bool) -> None:
    """Lock a file until it is closed; ``wait`` until no other process holds the lock.

    Raises BlockingIOError if another process holds it, and another OSError on a file system without locks.
    """
    if sys.platform == "win32":
        os.lseek(file.fileno(), 1 << 30, os.SEEK_SET)  # behind the text: on Windows others cannot read a locked byte
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        except PermissionError:
            raise BlockingIOError from None
        os.lseek(file.fileno(), 0, os.SEEK_SET)
    else:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


_LOCK = ".lock"
"""The file remains after the lock is released: if it were removed, two processes could lock two files of this name."""
_ELSEWHERE = "choose another place with -o"


@contextmanager
def only_one(
    directory: Path, announce: Callable[[str], None], *, wait: bool = False, instead: str = _ELSEWHERE
) -> Iterator[None]:
    """Hold the lock of a directory; ``wait`` for it, or raise UserError with the name of the process that holds it.

    ``instead``: the advice in the error. On a file system without locks, ``announce`` receives a warning, and no lock
    is held.
    """
    path = directory / _LOCK
    try:
        file = _opened(path)
    except OSError as error:
        raise UserError(f"cannot write {path} ({error.strerror}): remove it, or {instead}") from None
    with file:
        try:
            lock(file, wait=wait)
        except BlockingIOError:
            raise UserError(
                f"{directory} is in use by {_holder(file)}: wait until it has ended, or {instead}"
            ) from None
        except OSError as error:
            announce(f"{directory} cannot be locked ({error.strerror}): make sure that no other process writes to it")
            yield
            return
        holder = f"process {os.getpid()} on {socket.gethostname()}"
        if _holder(file) != holder:  # a session takes the lock for every answer
            with contextlib.suppress(OSError):  # as on a full disk
                os.ftruncate(file.fileno(), 0)
                os.lseek(file.fileno(), 0, os.SEEK_SET)
                os.write(file.fileno(), holder.encode())  # unbuffered: a failed write must not be retried at the end
        yield


def _opened(path: Path) -> IO[str]:
    """Return the open file, unchanged. A link is refused, as another file would be written; a pipe would block."""
    if os.path.lexists(path):
        regular(path)
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    return os.fdopen(os.open(path, flags, 0o666), "r+", encoding="utf-8", errors="replace")


def _holder(file: IO[str]) -> str:
    try:
        return file.read() or "another process"
    except OSError:
        return "another process"
