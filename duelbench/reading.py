"""Reading files that may come from anywhere: what is no plain file, too large, or nested too deep is refused."""

from __future__ import annotations

import errno
import json
import stat
from pathlib import Path
from typing import Any

MAX_DEPTH = 30
"""Levels of a JSON file: far more than duelbench writes, and few enough for every function that follows them down."""


def regular(path: Path, at_most: int | None = None) -> Path:
    """Return ``path`` if it is a plain file, of ``at_most`` so many bytes: a pipe or a device may have no end.

    A file may also have holes and say that it is larger than any memory. Raises OSError if it is not as it should be.
    """
    found = path.stat()
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a directory", str(path))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    if at_most is not None and found.st_size > at_most:
        raise OSError(errno.EFBIG, f"it is larger than {at_most:,} bytes", str(path))
    return path


def read_json(path: Path, at_most: int) -> Any:
    """Return what a JSON file of ``at_most`` so many bytes holds.

    Raises OSError when it cannot be read, and ValueError when it is no JSON text, or nested beyond ``MAX_DEPTH``.
    """
    try:
        found = json.loads(regular(path, at_most).read_text(encoding="utf-8"))
    except RecursionError:
        raise ValueError("nested too deep") from None
    except MemoryError:
        raise ValueError("too much for this memory") from None
    level = [found]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for each in level
            if isinstance(each, dict | list)
            for child in (each.values() if isinstance(each, dict) else each)
        ]
    if level:
        raise ValueError("nested too deep")
    return found
