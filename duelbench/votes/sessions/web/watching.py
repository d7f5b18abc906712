"""The standings of a session for those who watch them, computed beside the threads that serve judges."""

import sys
import time
from collections.abc import Callable, Sequence
from threading import Event, Thread
from typing import NamedTuple

from duelbench.votes.sessions.session import Session


class Board(NamedTuple):
    """The standings as text: what they are of, the table, with the arms in its first column, and sentences."""

    head: str
    header: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    sentences: Sequence[str] = ()


class Watching:
    """The latest standings, which a thread computes on demand, at most once for each state of the log."""

    def __init__(self, session: Session, board: Callable[[Session], Board]) -> None:
        self._session, self._board = session, board
        self._latest, self._known = Board("These are computed now, and appear here by themselves."), False
        self._wanted = Event()
        Thread(target=self._follow, daemon=True).start()

    def latest(self) -> Board:
        """Return the standings that were computed last, and have later ones computed if there are later votes."""
        self._wanted.set()
        return self._latest

    def _follow(self) -> None:
        while self._wanted.wait():
            self._wanted.clear()
            began = time.monotonic()
            try:
                if self._session.refresh() or not self._known:
                    self._latest, self._known = self._board(self._session), True
            except Exception as error:
                print(f"error: no standings: {error}", file=sys.stderr, flush=True)
                self._latest, self._known = Board("They cannot be computed at the moment."), False
            time.sleep(time.monotonic() - began)  # half of the time is for judges
