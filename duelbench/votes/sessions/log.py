"""Keep a session in memory, or in the log of a directory, from which it is replayed.

The log grows by whole lines, even if the writing process is killed: a line counts once its newline is written. Text
after the last newline was never reported to anybody; the next writer, who holds the lock, removes it. We force a line
to the disk before we report success.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from duelbench import __version__
from duelbench.algorithms.algorithm import Algorithm, canonical, parameters_of
from duelbench.algorithms.catalogue import find
from duelbench.arguments import whole_number
from duelbench.errors import UserError
from duelbench.experiment.code import ENGINE, code_of
from duelbench.files import only_one, regular, write_whole
from duelbench.parameters import validated
from duelbench.votes.sessions.events import (
    MOST_ROUNDS,
    RESTARTS,
    AlgorithmRestarted,
    Created,
    Event,
    Flip,
    Orders,
    checked_names,
    now,
    parsed,
    seconds,
    written,
)
from duelbench.votes.sessions.state import DivergedError, SessionState

FILE = "session.jsonl"


class NumberedEvent(NamedTuple):
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
        """Begin a log. Raises UserError if the directory has one, or it cannot be written."""
        log = cls(directory)
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"cannot make {directory} ({error.strerror}): choose another place") from None
        with log.writing():
            log.check_new()
            write_whole(log.path, written(event).decode())
        return log

    def check_new(self) -> None:
        """Raise UserError if the directory has a session already."""
        if self.path.exists():
            raise UserError(f"{self.directory} has a session already: go on with it, or choose another directory")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the write lock. Raises UserError if the directory has no locks, or others hold it too long."""
        if not self.directory.is_dir():
            raise self._missing()

        def refuse(line: str) -> None:
            raise UserError(f"{line}; a session needs locks: put it on a local disk")

        with only_one(self.directory, refuse, wait=True, instead="make sure that you may write there"):
            yield

    def check_writable(self) -> None:
        """Raise UserError if events cannot be added."""
        try:
            with self.writing(), regular(self.path).open("r+b"):
                pass
        except OSError as error:
            raise UserError(f"cannot write {self.path} ({error.strerror}): make sure that you may do so") from None

    def unread(self) -> tuple[bool, list[NumberedEvent]]:
        """Return whether the file was replaced, so that reading restarted, and the events since the last call.

        Raises UserError with file and line if a line is not an event.
        """
        try:
            with regular(self.path).open("rb") as file:
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
                lines.append(NumberedEvent(self._lines, parsed(line)))
            except ValueError as error:
                number = self._lines
                self._forget()
                why = f"not an event of a session ({error}): undo the edit, or remove what a power failure has put here"
                raise UserError(why, source=str(self.path), line=number) from None
        self._offset += len(text)
        return anew, lines

    def append(self, events: Iterable[Event]) -> None:
        """Add events. The caller must hold the lock, and must have read all lines.

        Raises UserError if writing fails; some of the events may then be in the file.
        """
        text = b"".join(map(written, events))
        try:
            with regular(self.path).open("r+b") as file:
                file.truncate(self._offset)
                file.seek(self._offset)
                file.write(text)
                file.flush()
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


class InMemory:
    """A session that ends with its process."""

    def __init__(self, state: SessionState, expires: float | None, orders: Orders) -> None:
        self.state, self.expires, self.orders = state, expires, orders

    @contextmanager
    def operation(self) -> Iterator[list[Event]]:
        """Yield a list for the events of an operation."""
        yield []

    def refresh(self) -> bool:
        """Return False, as no other process can change this session."""
        return False


class InDirectory:
    """A session in a directory: the state that its log describes. An operation holds the write lock."""

    def __init__(self, directory: Path, accept_new_code: bool) -> None:
        self._log = Log(directory)
        self._state: SessionState | None = None
        self.expires: float | None = None
        self.orders: Orders = "one"
        try:
            self.refresh()
        except DivergedError:
            if not accept_new_code:
                raise
            self._renew()

    @property
    def state(self) -> SessionState:
        """The state after the events read so far."""
        if self._state is None:
            self.refresh()
        assert self._state is not None
        return self._state

    @contextmanager
    def operation(self) -> Iterator[list[Event]]:
        """Yield a list for the events of an operation, and write them to the log at its end. Other processes wait."""
        events: list[Event] = []
        with self._log.writing():
            self.refresh()
            try:
                yield events
                if events:
                    self._log.append(events)
            except BaseException:
                self._read_again()  # the state may be ahead of the log
                raise

    def refresh(self) -> bool:
        """Apply new events of the log, and return whether there were any.

        Raises UserError with file and line if an event does not fit the earlier ones.
        """
        anew, lines = self._log.unread()
        try:
            rest = lines
            if anew or self._state is None:
                self._state = self._begun(lines)
                rest = lines[1:]
            for line in rest:
                self._apply(self._state, line)
        except BaseException:
            self._read_again()
            raise
        return bool(lines)

    def _begun(self, lines: list[NumberedEvent]) -> SessionState:
        """Return the state at creation. It will not play rounds that a later restart makes irrelevant."""
        path = self._log.path
        if not lines:
            raise UserError(f"{path} is empty: remove it and make the session again")
        created = lines[0].event
        if not isinstance(created, Created):
            raise UserError("this is not a session's log: its first line must create one", source=str(path), line=1)
        self._created = created
        self.expires, self.orders = created.expires, created.orders or "one"
        base = self._log.directory
        try:
            names = checked_names(created.arms)
            chosen = algorithm_of(created.algorithm, base, len(names), created.horizon, created.parameters)
        except UserError as error:
            if error.source is None:
                raise UserError(error.message, source=str(path), line=1) from None
            raise
        except ValueError as error:
            raise UserError(str(error), source=str(path), line=1) from None
        skipped = sum(isinstance(line.event, RESTARTS) for line in lines) if chosen.learns_off_policy else 0
        flip = created.flip or "tie"
        return SessionState(chosen, created.algorithm, names, created.seed, created.horizon, flip, skipped)

    def _apply(self, state: SessionState, line: NumberedEvent) -> None:
        try:
            state.apply(line.event)
        except DivergedError as error:
            raise self._diverged(state, error.message, line.number) from None
        except UserError as error:
            if error.source is None:
                raise UserError(error.message, source=str(self._log.path), line=line.number) from None
            raise

    def _diverged(self, state: SessionState, said: str, number: int) -> DivergedError:
        created = self._created
        same = code_digest(type(state.algorithm)) == created.code
        why = "the log was edited, or NumPy draws other random numbers here" if same else "its code has changed"
        how = (
            "accept the new code (--accept-new-code), which restarts with the votes so far"
            if state.any_duel
            else "make a new session, since this algorithm cannot learn from earlier votes"
        )
        return DivergedError(
            f"{said}: {why}; continue with duelbench {created.duelbench}, which made the session, or {how}",
            source=str(self._log.path),
            line=number,
        )

    def _renew(self) -> None:
        """Restart with the votes so far and the current code."""
        with self._log.writing():
            log = Log(self._log.directory)
            _, lines = log.unread()
            state = self._begun(lines)
            if not state.any_duel:
                raise UserError(f"{state.algorithm.name} learns only from its own duels: make a new session")
            log.append([AlgorithmRestarted(time=now(), duelbench=__version__, code=code_digest(type(state.algorithm)))])
        self._read_again()
        self.refresh()

    def _read_again(self) -> None:
        self._log, self._state = Log(self._log.directory), None


def algorithm_of(
    reference: str, base: Path, arms: int, horizon: int | None, parameters: Mapping[str, Any]
) -> Algorithm:
    """Return the algorithm named ``reference``; the path of a file is relative to ``base``.

    Raises UserError for an unknown algorithm, and ValueError if it cannot work with these arguments.
    """
    kind = find(reference, base)
    chosen = validated(kind, parameters)
    if horizon is not None:
        whole_number("horizon", horizon, 1, MOST_ROUNDS)
    if kind.uses_horizon and horizon is None:
        raise ValueError(f"{kind.name} must know its horizon: give horizon=")
    return chosen


def creation_event(
    directory: Path,
    reference: str,
    arms: Sequence[str],
    seed: int,
    horizon: int | None,
    expires: float | None,
    parameters: Mapping[str, Any],
    orders: Orders | None = None,
    flip: Flip | None = None,
) -> Created:
    """Return the first event of a log. The path of an algorithm's file becomes relative to ``directory``."""
    chosen = algorithm_of(reference, Path(), len(arms), horizon, parameters)
    if ":" in reference:
        file, _, class_name = reference.rpartition(":")
        try:
            file = os.path.relpath(Path(file).resolve(), directory.resolve())
        except ValueError:  # on another drive
            file = str(Path(file).resolve())
        reference = f"{Path(file).as_posix()}:{class_name}"
    return Created(
        time=now(),
        duelbench=__version__,
        algorithm=reference,
        parameters=parameters_of(canonical(chosen)),
        arms=checked_names(arms),
        seed=whole_number("seed", seed, 0),
        horizon=None if horizon is None else whole_number("horizon", horizon),
        expires=seconds(expires),
        orders=orders,
        flip=flip,
        code=code_digest(type(chosen)),
    )


def code_digest(kind: type[Algorithm]) -> str:
    """Return a digest of all code that determines the questions: the algorithm and NumPy's random streams."""
    parts = {name: version for name, version in code_of(kind).items() if name != ENGINE.name}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]
