"""Questions, how they were asked, and the votes that the answers make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from duelbench.errors import UserError
from duelbench.votes.sessions.events import OPPOSITE, Answer, Answered, Ask, Corrected, Flip, Vote


@dataclass(eq=False)
class Question:
    """A duel that the algorithm wants, of arm ``first`` against arm ``second``, ``count`` times.

    ``handed``: how many of these are with judges or answered. ``answered``: how many are answered, of which the first
    won ``wins``. ``start``: the number of restarts of the algorithm before it asked.
    """

    first: int
    second: int
    count: int
    start: int
    handed: int = 0
    answered: int = 0
    wins: int = 0


class Combined(NamedTuple):
    """The answer to a question, None while it is open, and in both orders: the two, and what a difference counts as."""

    answer: Answer | None
    answers: tuple[Answer, Answer] | None = None
    flip: Flip | None = None

    @property
    def tied(self) -> bool:
        """Whether the algorithm learns it by a coin."""
        return self.answer == "tie" and self.flip != "abstain"


@dataclass(eq=False)
class Assignment:
    """An ask, what it is one duel of, and how it stands.

    ``turned``: the judge sees the question's second arm first. ``open``: an answer is waited for; ``returned``: it was
    given back; ``replaced``: somebody else was asked in its place; ``closed``: one of its arms was withdrawn. ``swap``:
    the ask of the same arms in the other order; once both have an ``answer``, they have one ``vote``.
    """

    ask: Ask
    question: Question
    turned: bool
    state: Literal["open", "returned", "replaced", "closed", "answered"] = "open"
    swap: Assignment | None = None
    answer: Answer | None = None
    judge: str | None = None
    vote: Vote | None = None

    @property
    def earlier(self) -> Assignment:
        """Of the asks in both orders, the one that came first."""
        return self if self.swap is None or self.ask.swap_of is None else self.swap

    def combined(self, answer: Answer, flip: Flip) -> Combined:
        """Return what an answer to this ask makes with that in the other order, if the question has both."""
        swap = self.swap
        if swap is None:
            return Combined(answer)
        if swap.answer is None:
            return Combined(None)
        both = (answer, swap.answer) if self.earlier is self else (swap.answer, answer)
        return Combined(both[0], both) if both[0] == OPPOSITE[both[1]] else Combined("tie", both, flip)

    def answered(self, event: Answered | Corrected, flip: Flip) -> Vote | None:
        """Take an answer, and return the vote that it makes; None while the answer in the other order is open."""
        found = self.combined(event.answer, flip)
        if found.tied != (event.coin is not None):
            raise UserError("only a tie has a coin")
        self.answer = event.answer
        if event.judge is not None or self.judge is None:
            self.judge = self.ask.judge if event.judge is None else event.judge
        if found.answer is None:
            return None
        ask = self.earlier.ask
        return Vote(
            ask.id, ask.first, ask.second, found.answer, event.coin, self.judge, ask.asked, event.time, False, ask.item,
            found.answers, found.flip,
        )  # fmt: skip

    def settled(self, vote: Vote) -> Vote:
        """Keep the vote that an answer makes, in both orders with the other answer."""
        self.vote = vote
        if self.swap is not None:
            self.swap.vote = vote
        return vote
