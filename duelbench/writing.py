"""Writing files atomically: they appear complete or not at all, even if the writing process is killed."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from duelbench.errors import UserError


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
