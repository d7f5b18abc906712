"""Questions for judges, and their votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from duelbench.votes.sessions.events import Answer, Side


@dataclass(frozen=True)
class Ask:
    """A question for a judge: whether ``first`` or ``second`` is better.

    Which arm is shown first is drawn at random, so that a judge's habit favours no arm.

    Attributes
    ----------
    id : int
        The number of the question, for ``Session.tell``.
    first, second : str
        The names of the arms, as shown.
    judge : str, optional
        The name of the judge.
    asked, expires : str
        Times in UTC, ISO 8601. From ``expires`` on the question may go to another judge; None for never.
    """

    id: int
    first: str
    second: str
    judge: str | None
    asked: str
    expires: str | None


@dataclass(frozen=True)
class Vote:
    """The answer of a judge to a question.

    Attributes
    ----------
    id : int
        The number of the question.
    first, second : str
        The names of the arms, as shown.
    answer : {"first", "second", "tie"}
        The better arm, or neither.
    coin : {"first", "second"}, optional
        The winner that the algorithm receives in place of a tie.
    judge : str, optional
        The name of the judge.
    asked, answered : str
        Times in UTC, ISO 8601.
    used : bool
        Whether the algorithm uses the answer. An algorithm that learns only from its own questions does not use an
        answer that comes after another judge was asked instead.
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
    ``wins``. ``start``: the number of restarts of the algorithm before it asked.
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
