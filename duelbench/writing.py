"""Writing files whole: they appear complete or not at all, whoever kills the process that writes them."""

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
    """Give an open file whose content stands at ``path`` once the block has ended, and nowhere if it raises.

    Directories on the way are made. A link in the place of the file is replaced and not followed. Nothing is forced to
    the disk: a power failure may tear what has just been written. Raises OSError when it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")  # nobody else's, on any machine
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
    """Write ``text`` as a whole file, see ``whole``; what is no UTF-8 in it becomes an escape, in JSON the same string.

    Raises UserError when it cannot be written, as when the disk is full.
    """
    content = text.encode("utf-8", "backslashreplace")
    try:
        try:
            _write(path, content)
        except FileNotFoundError:  # another command has cleaned up what it took for the remains of one that was killed
            _write(path, content)
    except OSError as error:
        raise UserError(
            f"cannot write {path} ({error.strerror}): finished work is kept; fix this and repeat the command"
        ) from None


def _write(path: Path, content: bytes) -> None:
    with whole(path) as file:
        file.write(content)
