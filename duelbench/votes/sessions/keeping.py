"""Storage of a session: in memory, or in the log of a directory, from which it is replayed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from duelbench import __version__
from duelbench.errors import UserError
from duelbench.votes.sessions import making
from duelbench.votes.sessions.events import BEGINNING_ANEW, AlgorithmRestarted, Created, Event, now
from duelbench.votes.sessions.log import Line, Log
from duelbench.votes.sessions.names import checked_names
from duelbench.votes.sessions.state import DivergedError, SessionState


class InMemory:
    """A session that ends with its process."""

    def __init__(self, state: SessionState, expires: float | None) -> None:
        self.state, self.expires = state, expires

    @contextmanager
    def going_on(self) -> Iterator[list[Event]]:
        """Yield a list for the events of an operation."""
        yield []

    def refresh(self) -> None:
        """Do nothing: no other process can change it."""


class InDirectory:
    """A session in a directory: the state that its log describes; an operation holds the only write lock."""

    def __init__(self, directory: Path, accept_new_code: bool) -> None:
        self._log = Log(directory)
        self._state: SessionState | None = None
        self.expires: float | None = None
        try:
            self.refresh()
        except DivergedError:
            if not accept_new_code:
                raise
            self._renew()

    @property
    def state(self) -> SessionState:
        """The session as far as its log has been read."""
        if self._state is None:
            self.refresh()
        assert self._state is not None
        return self._state

    @contextmanager
    def going_on(self) -> Iterator[list[Event]]:
        """Yield a list for the events of an operation; they are in the log when it ends. Other processes wait."""
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

    def refresh(self) -> None:
        """Apply what was added to the log. Raises UserError with file and line for an event that does not fit."""
        anew, lines = self._log.unread()
        try:
            if anew or self._state is None:
                self._state = self._begun(lines)
                lines = lines[1:]
            for line in lines:
                self._apply(self._state, line)
        except BaseException:
            self._read_again()
            raise

    def _begun(self, lines: list[Line]) -> SessionState:
        """Return the session before its first event; rounds that a later restart makes irrelevant are not played."""
        path = self._log.path
        if not lines:
            raise UserError(f"{path} is empty: remove it and make the session again")
        created = lines[0].event
        if not isinstance(created, Created):
            raise UserError("this is not a session's log: its first line must create one", source=str(path), line=1)
        self._created = created
        self.expires = created.expires
        base = self._log.directory
        try:
            names = checked_names(created.arms)
            chosen = making.algorithm_of(created.algorithm, base, len(names), created.horizon, created.parameters)
        except UserError as error:
            if error.source is None:
                raise UserError(error.message, source=str(path), line=1) from None
            raise
        except ValidationError as error:
            where = error.errors(include_url=False)[0]
            said = f"{'.'.join(map(str, where['loc']))}: {where['msg']}"
            raise UserError(
                f"{created.algorithm} takes no such parameters ({said})", source=str(path), line=1
            ) from None
        except ValueError as error:
            raise UserError(str(error), source=str(path), line=1) from None
        skipped = sum(isinstance(line.event, BEGINNING_ANEW) for line in lines) if chosen.learns_off_policy else 0
        return SessionState(chosen, created.algorithm, names, created.seed, created.horizon, skipped)

    def _apply(self, state: SessionState, line: Line) -> None:
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
        same = making.code(type(state.algorithm)) == created.code
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
            log.append([AlgorithmRestarted(time=now(), duelbench=__version__, code=making.code(type(state.algorithm)))])
        self._read_again()
        self.refresh()

    def _read_again(self) -> None:
        self._log, self._state = Log(self._log.directory), None
