"""Reading files that may come from anywhere: what is no plain file, or has no end to its depth, is refused."""

from __future__ import annotations

import errno
import json
import stat
from pathlib import Path
from typing import Any

MAX_DEPTH = 30
"""Levels of a JSON file: far more than duelbench writes, and few enough for every function that follows them down."""


def regular(path: Path) -> Path:
    """Return ``path`` if it is a plain file: a pipe or a device may have no end. Raises OSError if it is not."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a directory", str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is no plain file", str(path))
    return path


def read_json(path: Path) -> Any:
    """Return what a JSON file holds.

    Raises OSError when it cannot be read, and ValueError when it is no JSON text, or nested beyond ``MAX_DEPTH``.
    """
    try:
        found = json.loads(regular(path).read_text(encoding="utf-8"))
    except RecursionError:
        raise ValueError("nested too deep") from None
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
