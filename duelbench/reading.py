"""Reading files that users name: only regular files, and only as much as fits into memory."""

from __future__ import annotations

import errno
import json
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from duelbench.errors import UserError

STANDARD_INPUT = ("-", "/dev/stdin")
MOST_BYTES = 1 << 29
"""The size of the largest file that is read into memory as a whole."""


def regular(path: Path, at_most: int | None = None) -> Path:
    """Return ``path`` if it is a regular file of ``at_most`` this many bytes. Raises OSError if it is not.

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
    """Yield a file that can be read twice: a private copy of standard input or of a pipe, which cannot, or ``path``.

    A UserError about the copy becomes one about ``path``.
    """
    standard = str(path) in STANDARD_INPUT
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
        return json.loads(regular(path, MOST_BYTES).read_text(encoding="utf-8"))
    except RecursionError:
        raise ValueError("nested too deep") from None
