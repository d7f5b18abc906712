"""What each judge is asked, and what their answers change."""

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from duelbench.votes.sessions.events import Answer, Ask
from duelbench.votes.sessions.session import Session

_AGAIN = "No other question can be asked at the moment, so this one comes again."
_ANSWERED = "This question was answered already, perhaps in another window: this answer was not recorded."
_FINISHED = "That was all: no more answers are needed. Thank you!"
_FOREIGN = "You were not asked this question, so the answer was not recorded."
_HAD_ALL = "You have had all questions that there are for you now. Thank you! New ones appear here by themselves."
_UNKNOWN = "The answer was not recorded: it is first, second or tie."
_WAITING = "Answers of other judges are needed before the next question. It appears here by itself."


class Turn(NamedTuple):
    """What a judge sees: a question, with the answer ``given`` if it is to be changed, or why there is none.

    ``done``: the number of answers so far. ``said``: what became of the request.
    """

    done: int
    said: str = ""
    ask: Ask | None = None
    given: Answer | None = None
    why: str = ""


class Judging:
    """A session and its judges, who may answer at the same time."""

    def __init__(self, session: Session, items: Sequence[str]) -> None:
        self._session = session
        self._items: Sequence[str | None] = [*items] or [None]
        self._lock = threading.Lock()

    def asked(self, judge: str, number: int) -> Ask | None:
        """Return a question if this judge was asked it."""
        with self._lock:
            return next((ask for ask in self._session.asked(judge) if ask.id == number), None)

    def turn(self, judge: str, request: Mapping[str, Any]) -> Turn:
        """Carry out a request, one of a session with an answer or ``{"undo": true}``, and return what comes next.

        Raises UserError if the session cannot be read or written.
        """
        with self._lock:
            self._session.refresh()
            asked, answers = {ask.id: ask for ask in self._session.asked(judge)}, self._session.answered(judge)
            if "undo" in request and answers:
                last = next(reversed(answers))
                return Turn(len(answers), ask=asked[last], given=answers[last])
            verb = next((verb for verb in ("tell", "correct") if verb in request), "")
            number, answer = request.get(verb), request.get("answer")
            about = asked.get(number) if type(number) is int else None
            said = self._answer(judge, verb, about, answer, answers) if verb else ""
            found = self._next(judge)
            if answer == "skip" and about and not said and found.ask and _matter(about) == _matter(found.ask):
                said = _AGAIN
            return found._replace(said=said)

    def _answer(self, judge: str, verb: str, ask: Ask | None, answer: Any, answers: Mapping[int, Answer]) -> str:
        """Record the answer to a question that the judge was asked, and return a sentence if it is refused."""
        if ask is None or (verb == "correct" and ask.id not in answers):
            return _FOREIGN
        if answer not in ("first", "second", "tie") and (verb, answer) != ("tell", "skip"):
            return _UNKNOWN
        if verb == "tell" and ask.id in answers:
            return "" if answers[ask.id] == answer else _ANSWERED
        if answer == "skip":
            self._session.skip(ask.id, judge)
        elif verb == "tell":
            self._session.tell(ask.id, answer, judge)
        else:
            self._session.correct(ask.id, answer, judge)
        return ""

    def _next(self, judge: str) -> Turn:
        """Return the question that the judge has open, or a new one about the item they had least often.

        In both orders another question comes in between if possible, so that the judge does not just repeat the answer.
        """
        session = self._session
        answers = session.answered(judge)
        done, last = len(answers), next(reversed(answers), None)
        waiting = [ask for ask in session.open_asks if ask.judge == judge]
        other = next((ask for ask in waiting if ask.swap_of is None or ask.swap_of != last), None)
        if other is not None:
            return Turn(done, ask=other)
        had = Counter(ask.item for ask in session.asked(judge) if ask.swap_of is None)
        for item in sorted(self._items, key=had.__getitem__):
            asks = session.ask(1, judge, item=item)
            if asks:
                return Turn(done, ask=asks[0])
            if session.finished:
                return Turn(done, why=_FINISHED)
            if session.waiting:
                break
        if waiting:
            return Turn(done, ask=waiting[0])
        return Turn(done, why=_WAITING if session.waiting else _HAD_ALL)


def _matter(ask: Ask) -> tuple[set[str], str | None]:
    """Return the arms and the item of a question."""
    return {ask.first, ask.second}, ask.item
