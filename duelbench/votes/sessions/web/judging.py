"""What each judge is asked, and what their answers change."""

import json
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from duelbench.votes.sessions.events import Answer, Ask
from duelbench.votes.sessions.requests import handle_ask, replied
from duelbench.votes.sessions.session import Session

_AGAIN = "No other question can be asked at the moment, so this one comes again."
_ANSWERED = "This question was answered already, perhaps in another window: this answer was not recorded."
_FINISHED = "That was all: no more answers are needed. Thank you!"
_FOREIGN = "You were not asked this question, so the answer was not recorded."
_HAD_ALL = "You have had all questions that there are for you now. Thank you! New ones appear here by themselves."
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

    def turn(self, judge: str, request: Mapping[str, Any]) -> Turn:
        """Carry out a request, one of a session with an answer or ``{"undo": true}``, and return what comes next."""
        with self._lock:
            self._session.refresh()
            asked, answers = {ask.id: ask for ask in self._session.asked(judge)}, self._session.answered(judge)
            if "undo" in request and answers:
                last = next(reversed(answers))
                return Turn(len(answers), ask=asked[last], given=answers[last])
            said = self._answer(judge, request, asked) if {"tell", "correct"} & request.keys() else ""
            found = self._next(judge)
            skipped = asked.get(request.get("tell", 0)) if request.get("answer") == "skip" and not said else None
            if skipped and found.ask and _matter(skipped) == _matter(found.ask):
                said = _AGAIN
            return found._replace(said=said)

    def _answer(self, judge: str, request: Mapping[str, Any], asked: Mapping[int, Ask]) -> str:
        """Record an answer, and return a sentence if that fails."""
        verb = "tell" if "tell" in request else "correct"
        id = request[verb]
        if not isinstance(id, int) or id not in asked:
            return _FOREIGN
        line = json.dumps({verb: id, "answer": request.get("answer"), "judge": judge})
        reply = replied(self._session, line.encode())
        if "error" not in reply:
            return ""
        answered = verb == "tell" and id in self._session.answered(judge)
        return _ANSWERED if answered else f"The answer was not recorded: {reply['error']}."

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
            reply = handle_ask(session, 1, judge, item=item)
            if reply["asks"]:
                return Turn(done, ask=Ask(**reply["asks"][0]))
            if reply["state"] == "finished":
                return Turn(done, why=_FINISHED)
            if session.waiting:
                break
        if waiting:
            return Turn(done, ask=waiting[0])
        return Turn(done, why=_WAITING if session.waiting else _HAD_ALL)


def _matter(ask: Ask) -> tuple[set[str], str | None]:
    """Return the arms and the item of a question."""
    return {ask.first, ask.second}, ask.item
