"""What a worker process leaves behind when it dies: a note of what it was at, and Python's traceback of a fault.

It is a pipe, not a file: nothing of it remains, whoever is killed.
"""

from __future__ import annotations

import contextlib
import os
from multiprocessing.connection import Connection
from typing import Any

START = "\0"
"""What stands before each note."""


def opened(context: Any) -> tuple[Connection, Connection]:
    """Return the end to read from, which never waits, and the one to write to, for a process of ``context``."""
    reader, writer = context.Pipe(duplex=False)
    if os.name == "posix":
        os.set_blocking(reader.fileno(), False)
        os.set_blocking(writer.fileno(), False)  # rather lose a note than wait for one who reads it
    return reader, writer


def note(writer: Connection, text: str) -> None:
    """Write what the process is at."""
    if os.name == "posix":  # elsewhere the pipe is not a file, and no notes are left
        with contextlib.suppress(OSError):
            os.write(writer.fileno(), f"{START}{text}\n".encode())


def words(reader: Connection) -> str:
    """Return the last note, a line, and what has been written after it; all that came before is gone."""
    said = b""
    if os.name == "posix":
        with contextlib.suppress(OSError):
            while more := os.read(reader.fileno(), 1 << 16):
                said += more
    return said.decode("utf-8", "replace").rpartition(START)[2]
