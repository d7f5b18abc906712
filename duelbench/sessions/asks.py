"""What is asked of judges, and what they have said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from duelbench.sessions.events import Answer, Side


@dataclass(frozen=True)
class Ask:
    """A duel given to a ``judge``: which is better, ``first`` or ``second``?

    Which of the two is shown first is drawn, so that a judge's habit does not favour an arm. ``asked`` and ``expires``
    are times in UTC, ISO 8601; from ``expires`` on the duel may be given to somebody else.
    """

    id: int
    first: str
    second: str
    judge: str | None
    asked: str
    expires: str | None


@dataclass(frozen=True)
class Vote:
    """What a ``judge`` has said of the ask ``id``: ``first`` or ``second`` is better, or neither.

    ``coin`` is what the algorithm is told of a tie. ``used``: whether the algorithm was told at all; one that learns
    from its own duels alone has no use for an answer that comes when somebody else was asked instead.
    """

    id: int
    first: str
    second: str
    answer: Answer
    coin: Side | None
    judge: str | None
    asked: str
    answered: str
    used: bool

    @property
    def winner(self) -> str | None:
        """The name of the better arm, None for a tie."""
        return {"first": self.first, "second": self.second}.get(self.answer)


@dataclass(eq=False)
class Question:
    """A duel that the algorithm wants, of arm ``first`` against arm ``second``, ``count`` times.

    ``handed``: how many of these are with judges or answered. ``told``: how many are answered, of which the first won
    ``wins``. ``start``: how often the algorithm had begun anew when it asked.
    """

    first: int
    second: int
    count: int
    start: int
    handed: int = 0
    told: int = 0
    wins: int = 0


@dataclass(eq=False)
class Assignment:
    """An ask, what it is one duel of, and how it stands.

    ``turned``: the judge sees the question's second arm first. ``open``: an answer is waited for; ``returned``: it was
    given back; ``replaced``: somebody else was asked in its place; ``closed``: one of its arms was withdrawn.
    """

    ask: Ask
    question: Question
    turned: bool
    state: Literal["open", "returned", "replaced", "closed", "answered"] = "open"
    vote: Vote | None = None
