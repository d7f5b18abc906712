"""The log on disk: only whole lines are appended, even if the writing process is killed.

A line counts once its newline is written. Text after the last newline is the remains of a process that died, and was
never reported: the next writer removes it, under the lock. A line is forced to the disk before it is reported.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from duelbench.errors import UserError
from duelbench.files import only_one, regular, whole
from duelbench.votes.sessions.events import Created, Event, parsed, written

FILE = "session.jsonl"
MOST_BYTES = 2**31
PATIENCE = 60.0
"""Seconds to wait for other writers, which hold the lock briefly."""


class Line(NamedTuple):
    """An event and the number of its line, from 1."""

    number: int
    event: Event


class Log:
    """The log of a session in a directory, as far as it has been read."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.path = directory / FILE
        self._file: tuple[int, int] | None = None
        self._offset = self._lines = 0

    @classmethod
    def create(cls, directory: Path, event: Created) -> Log:
        """Begin a log. Raises UserError if one exists, or it cannot be written."""
        log = cls(directory)
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise UserError(f"{directory} is not a directory: choose another place") from None
        except OSError as error:
            raise UserError(f"cannot make {directory} ({error.strerror}): choose another place") from None
        with log.writing():
            log.check_new()
            try:
                with whole(log.path) as file:
                    file.write(written(event))
                    file.flush()
                    os.fsync(file.fileno())
            except OSError as error:
                raise UserError(f"cannot write {log.path} ({error.strerror}): choose another place") from None
            _force(directory)
        return log

    def check_new(self) -> None:
        """Raise UserError if the directory has a session."""
        if self.path.exists() or self.path.is_symlink():
            raise UserError(f"{self.directory} has a session already: go on with it, or choose another directory")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the write lock. Raises UserError if the directory has no locks, or others hold it too long."""
        if not self.directory.is_dir():
            raise self._missing()

        def refuse(line: str) -> None:
            raise UserError(f"{line}; a session needs locks: put it on a local disk")

        with only_one(self.directory, refuse, PATIENCE, "make sure that you may write there"):
            yield

    def unread(self) -> tuple[bool, list[Line]]:
        """Return the events since the last call, and whether reading restarted because the file was replaced.

        Raises UserError with file and line for what is no event.
        """
        try:
            with regular(self.path, MOST_BYTES).open("rb") as file:
                found = os.fstat(file.fileno())
                anew = self._file != (found.st_dev, found.st_ino) or found.st_size < self._offset
                if anew:
                    self._forget()
                    self._file = (found.st_dev, found.st_ino)
                file.seek(self._offset)
                text = file.read()
        except (FileNotFoundError, NotADirectoryError):
            raise self._missing() from None
        except OSError as error:
            raise UserError(f"cannot read {self.path}: {error.strerror or error}") from None
        text = text[: text.rfind(b"\n") + 1]
        lines = []
        for line in text.split(b"\n")[:-1]:
            self._lines += 1
            try:
                lines.append(Line(self._lines, parsed(line)))
            except ValueError as error:
                number = self._lines
                self._forget()
                what_to_do = (
                    "undo the edit of this line, which says what the session is"
                    if number == 1
                    else "remove the line if a power failure or an edit has put it there"
                )
                raise UserError(
                    f"not an event of a session ({error}): {what_to_do}",
                    source=str(self.path),
                    line=number,
                ) from None
        self._offset += len(text)
        return anew, lines

    def append(self, events: Iterable[Event]) -> None:
        """Add events, once all lines have been read, while others are kept from writing.

        Raises UserError when they cannot be written; then some of them may be.
        """
        text = b"".join(map(written, events))
        try:
            with regular(self.path).open("r+b", buffering=0) as file:
                file.truncate(self._offset)
                file.seek(self._offset)
                rest = memoryview(text)
                while rest:
                    rest = rest[file.write(rest) :]
                os.fsync(file.fileno())
        except OSError as error:
            raise UserError(
                f"cannot write {self.path} ({error.strerror}): earlier answers are kept; fix this and repeat"
            ) from None
        self._offset += len(text)
        self._lines += text.count(b"\n")

    def _forget(self) -> None:
        self._file, self._offset, self._lines = None, 0, 0

    def _missing(self) -> UserError:
        return UserError(f"there is no session in {self.directory}: make one with `duelbench session new`")


def _force(directory: Path) -> None:
    """Force the name of a new file to the disk, where directories can be opened."""
    try:
        descriptor = os.open(directory, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)
