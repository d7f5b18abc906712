"""The protocol of `duelbench session serve`: requests and replies, one JSON object per line.

The other verbs with `--json` print the same replies.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import asdict, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Literal, NotRequired

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from duelbench.arrays import Floats
from duelbench.errors import UserError, did_you_mean
from duelbench.preferences.samples import Notion
from duelbench.votes.sessions.events import Answer, Orders, Question
from duelbench.votes.sessions.session import Session
from duelbench.votes.sessions.standings import goal_of

if TYPE_CHECKING:
    from duelbench.votes.ranking import Intervals, Ranking

Reply = dict[str, Any]
_LISTED = 5
MOST_RANKED = 150
"""With more arms, rank intervals take longer than two seconds."""
_DECISIONS = ("tiers", "intervals", "decided", "groups", "few_votes")
"""The keys of a ranking in a reply."""


class Request(BaseModel, ABC):
    """A request; its first field is called like its verb."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    @abstractmethod
    def reply(self, session: Session) -> Reply:
        """Carry out the request, and return the reply."""


class AskRequest(Request):
    """Ask for questions; the ``state`` of the reply is asked, waiting or finished."""

    ask: int = Field(description="a number of questions")
    judge: str | None = Field(None, description="text")
    expires: float | None = Field(None, description="a number of seconds")
    item: str | None = Field(None, description="text")
    orders: Orders | None = Field(None, description="one or both")

    def reply(self, session: Session) -> Reply:
        """Return the questions, or why there are none."""
        asks = session.ask(self.ask, self.judge, self.expires, self.item, self.orders)
        reply: Reply = {"asks": [asdict(each) for each in asks]}
        if asks:
            return {"state": "asked", **reply}
        if session.finished:
            return {"state": "finished", **reply, "recommended": session.recommended, "why": _finished(session)}
        why = _waiting(session, self.judge, self.item)
        return {"state": "waiting", **reply, "open": len(session.open_questions), "why": why}


class TellRequest(Request):
    """Answer a question, or give it back."""

    tell: int = Field(description="the number of a question")
    answer: Answer | Literal["skip"] = Field(description="first, second, tie or skip")
    judge: str | None = Field(None, description="text")

    def reply(self, session: Session) -> Reply:
        """Return what became of the answer."""
        if self.answer == "skip":
            return SkipRequest(skip=[self.tell], judge=self.judge).reply(session)
        used = session.tell(self.tell, self.answer, self.judge)
        reply = {"tell": self.tell, "answer": self.answer, "used": used, "votes": len(session.votes)}
        return reply if used else {**reply, "why": _unused(session, self.tell)}


class SkipRequest(Request):
    """Give questions back unanswered: those listed, or all open ones (of the judge, if there is a name)."""

    skip: list[int] | Literal["all"] = Field(description='a list of numbers, or "all"')
    judge: str | None = Field(None, description="text")

    def reply(self, session: Session) -> Reply:
        """Return the numbers of the questions."""
        ids = self.skip
        if ids == "all":
            ids = [each.id for each in session.open_questions if self.judge in (None, each.judge)]
        session.skip(ids, self.judge)
        return {"skip": ids}


class CorrectRequest(Request):
    """Replace an answer."""

    correct: int = Field(description="the number of a question")
    answer: Answer = Field(description="first, second or tie")
    judge: str | None = Field(None, description="text")

    def reply(self, session: Session) -> Reply:
        """Return what became of the answer."""
        used = session.correct(self.correct, self.answer, self.judge)
        reply = {"correct": self.correct, "answer": self.answer, "used": used, "votes": len(session.votes)}
        vote = session.vote(self.correct)
        if vote is None or vote.flip == "abstain":
            return {**reply, "why": _unused(session, self.correct)}
        why = "the algorithm has learned the first answer; the standings have this one"
        return reply if used else {**reply, "why": why}


class ShowRequest(Request):
    """Show the standings."""

    show: Any = Field(description="any value")
    find: Notion = Field("copeland", description="copeland, condorcet or borda")
    until: float | str | None = Field(None, description="a probability, ranks, top:K or margin")
    margin: float = Field(0.0, description="a number")
    intervals: Literal["simultaneous", "marginal"] = Field("simultaneous", description="simultaneous or marginal")

    def reply(self, session: Session) -> Reply:
        """Return the state of the session; within ``standings`` an arm is its place in ``names``, from 0."""
        from duelbench.votes.judge_tests import agreement

        session.refresh()
        goal = None if self.until is None else goal_of(self.until, len(session.names), self.margin)
        found, ranking = session.show(self.find, self.margin), quick_ranking(session, self.intervals)
        return {
            **counts_reply(session),
            "recommended": None if found.recommended is None else found.names[found.recommended],
            "chance": found.chance,
            "until": None if goal is None else goal.until,
            "probability": None if goal is None else found.probability(goal.until),
            "stop": None if goal is None else found.reached(goal.until),
            "standings": plain(found),
            **(dict.fromkeys(_DECISIONS) if ranking is None else ranking.decisions()),
            "both_orders": plain(session.both_orders),
            "agreement": plain(agreement(session.answers)),
        }


class AddRequest(Request):
    """Add an arm."""

    add: str = Field(description="text")

    def reply(self, session: Session) -> Reply:
        """Return all arms."""
        session.add(self.add)
        return {"arms": list(session.names)}


class WithdrawRequest(Request):
    """Withdraw an arm."""

    withdraw: str = Field(description="text")

    def reply(self, session: Session) -> Reply:
        """Return all arms."""
        session.withdraw(self.withdraw)
        return {"arms": list(session.names)}


def _waiting(session: Session, judge: str | None, item: str | None) -> str:
    """Explain why no question can be asked now, for example since others are open, and what to do."""
    asks = session.open_questions
    if item is not None and not session.waiting:
        who = "judges without a name have" if judge is None else f"{judge} has"
        return f"{who} had the pairs that the algorithm asks for on {item}: ask about another item"
    some = ", ".join(map(_open, asks[:_LISTED])) + (", …" if len(asks) > _LISTED else "")
    one = len(asks) == 1
    return f"{len(asks):,} question{' is' if one else 's are'} open: {some}; answer or skip {'it' if one else 'them'}"


def _open(question: Question) -> str:
    """Format the number of an open question, with its judge."""
    return str(question.id) if question.judge is None else f"{question.id} ({question.judge})"


def _finished(session: Session) -> str:
    """Return the sentence for a session without further questions."""
    best = session.recommended
    return f"the algorithm asks for no more votes; {'no arm, without votes,' if best is None else best} is recommended"


def _unused(session: Session, id: int) -> str:
    """Return why the algorithm does not use an answer."""
    vote = session.vote(id)
    if vote is None:
        return "it counts once the same arms in the other order are answered"
    if vote.flip == "abstain":
        return "the answers in both orders differ, which makes no vote"
    gone = [name for name in (vote.first, vote.second) if name not in session.names]
    if gone:
        return f"{gone[0]} is withdrawn: the vote counts if this arm comes back"
    return "another judge was asked in the meantime: the algorithm learns only from that answer"


def quick_ranking(session: Session, intervals: Intervals) -> Ranking | None:
    """Return the ranking of the arms; None without votes, with too few items, or if it would take long."""
    from duelbench.votes.ranking import TooFewClusters

    if len(session.names) > MOST_RANKED or not session.counts.votes.any():
        return None
    try:
        return session.ranking(intervals)
    except TooFewClusters:
        return None


def plain(value: Any) -> Any:
    """Convert a value for JSON: dataclasses and named tuples become objects."""
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "_fields"):
        return {name: plain(getattr(value, name)) for name in value._fields}
    return [plain(each) for each in value] if isinstance(value, tuple) else value


def counts_reply(session: Session) -> Reply:
    """Return the part of a reply with the votes on the arms that take part, and the open questions."""
    counts = session.counts
    return {
        "algorithm": session.algorithm,
        "arms": list(session.names),
        "wins": _whole(counts.wins),
        "ties": _whole(counts.ties),
        "votes": len(session.votes),
        "open": [asdict(each) for each in session.open_questions],
        "finished": session.finished,
    }


def _whole(votes: Floats) -> Any:
    """Convert numbers of votes for JSON, to integers unless there are half wins."""
    return (votes if (votes % 1).any() else votes.astype(int)).tolist()


class AskReply(TypedDict):
    """Questions, or why there are none."""

    state: Literal["asked", "waiting", "finished"]
    asks: list[Question]
    open: NotRequired[int]
    recommended: NotRequired[str | None]
    why: NotRequired[str]


class TellReply(TypedDict):
    """The recorded answer, whether the algorithm uses it (else why not), and the number of votes."""

    tell: int
    answer: Answer
    used: bool
    votes: int
    why: NotRequired[str]


class SkipReply(TypedDict):
    """The questions that were given back."""

    skip: list[int]


class CorrectReply(TypedDict):
    """As for an answer."""

    correct: int
    answer: Answer
    used: bool
    votes: int
    why: NotRequired[str]


class ShowReply(TypedDict):
    """The standings. ``recommended`` is a name; within ``standings``, an arm is its place in ``names``, from 0."""

    algorithm: str
    arms: list[str]
    wins: list[list[float]]
    ties: list[list[float]]
    votes: int
    open: list[Question]
    finished: bool
    recommended: str | None
    chance: float
    until: float | str | None
    probability: float | None
    stop: bool | None
    standings: dict[str, Any]
    tiers: list[list[str]] | None
    intervals: dict[str, Any] | None
    decided: dict[str, Any] | None
    groups: list[list[str]] | None
    few_votes: list[str] | None
    both_orders: dict[str, Any] | None
    agreement: dict[str, Any]


class ArmsReply(TypedDict):
    """The arms that take part now."""

    arms: list[str]


class ErrorReply(TypedDict):
    """The request is invalid, or cannot be granted; nothing has changed."""

    error: str


_REQUESTS: dict[str, tuple[type[Request], Any]] = {
    "ask": (AskRequest, AskReply),
    "tell": (TellRequest, TellReply | SkipReply),
    "skip": (SkipRequest, SkipReply),
    "correct": (CorrectRequest, CorrectReply),
    "show": (ShowRequest, ShowReply),
    "add": (AddRequest, ArmsReply),
    "withdraw": (WithdrawRequest, ArmsReply),
}


def schema() -> dict[str, Any]:
    """Return the JSON schemas of requests and replies by verb; any reply may be an error reply instead."""
    forms: dict[str, Any] = {f"{name} request": request for name, (request, _) in _REQUESTS.items()}
    forms |= {f"{name} reply": reply for name, (_, reply) in _REQUESTS.items()} | {"error reply": ErrorReply}
    return {name: TypeAdapter(form).json_schema() for name, form in forms.items()}


def replied(session: Session, line: bytes) -> Reply:
    """Return the reply to a line: ``{"error": …}`` if it is not a request or cannot be granted. Raises nothing."""
    try:
        return _parsed(json.loads(line)).reply(session)
    except UserError as error:
        return {"error": str(error)}
    except (UnicodeDecodeError, RecursionError, json.JSONDecodeError) as error:
        return {"error": f"this line is not JSON: {error}"}
    except Exception as error:  # the other program waits for a reply in any case
        return {"error": str(error) or type(error).__name__}


def _parsed(request: Any) -> Request:
    """Validate a JSON value as a request. Raises UserError if it is not valid."""
    if not isinstance(request, dict):
        raise UserError(f'a request is a JSON object, such as {{"ask": 1}}, not {json.dumps(request):.60}')
    name = next((name for name in request if name in _REQUESTS), None)
    if name is None:
        said = ", ".join(map(str, request))[:100]
        near = did_you_mean(next(iter(request), ""), _REQUESTS)
        raise UserError(f"there is no request in {{{said}}}{near}: it is one of {', '.join(_REQUESTS)}")
    form, _ = _REQUESTS[name]
    try:
        return form.model_validate(request)
    except ValidationError as error:
        first = error.errors()[0]
        key = str(first["loc"][0])
        if key not in form.model_fields:
            raise UserError(f"{name!r} takes no {key!r:.60}{did_you_mean(key, form.model_fields)}") from None
        what = form.model_fields[key].description
        if first["type"] == "missing":
            raise UserError(f"{name!r} needs an {key!r}: {what}") from None
        raise UserError(f"{key!r} needs {what}, not {json.dumps(request[key]):.60}") from None
