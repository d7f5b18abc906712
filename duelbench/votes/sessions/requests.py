"""The protocol of `duelbench session serve`: requests and replies, one JSON object per line.

The other verbs with `--json` print the same replies.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, NotRequired, get_args

from typing_extensions import TypedDict

from duelbench.arrays import Floats
from duelbench.errors import UserError, did_you_mean
from duelbench.preferences.samples import Notion
from duelbench.votes.sessions.events import Answer, Orders, Question, now
from duelbench.votes.sessions.session import Session
from duelbench.votes.sessions.standings import goal_of

if TYPE_CHECKING:
    from duelbench.votes.ranking import Intervals, Ranking

Reply = dict[str, Any]
_LISTED = 5
MOST_RANKED = 150
"""With more arms, rank intervals take longer than two seconds."""
_DECISIONS = ("tiers", "intervals", "decided", "groups", "few_votes")
"""What a reply has of the ranking."""
_QuickIntervals = Literal["simultaneous", "marginal"]
_UNITS = (("days", 86_400), ("h", 3_600), ("min", 60), ("s", 1))


def handle_ask(
    session: Session,
    n: int,
    judge: str | None,
    expires: float | None = None,
    item: str | None = None,
    orders: Orders | None = None,
) -> Reply:
    """Ask for duels; ``state`` is asked, waiting or finished."""
    asks = session.ask(n, judge, expires, item, orders)
    reply: Reply = {"asks": [asdict(each) for each in asks]}
    if asks:
        return {"state": "asked", **reply}
    if session.finished:
        return {"state": "finished", **reply, "recommended": session.recommended, "why": _finished(session)}
    return {"state": "waiting", **reply, "open": len(session.open_questions), "why": _waiting(session, judge, item)}


def _waiting(session: Session, judge: str | None, item: str | None) -> str:
    """Return why no question can be asked now, such as open ones, and what to do."""
    asks = session.open_questions
    if item is not None and not session.waiting:
        who = "judges without a name have" if judge is None else f"{judge} has"
        return f"{who} had the pairs that the algorithm asks for on {item}: ask about another item"
    some = ", ".join(map(_open, asks[:_LISTED])) + (", …" if len(asks) > _LISTED else "")
    one = len(asks) == 1
    return f"{len(asks):,} question{' is' if one else 's are'} open: {some}; answer or skip {'it' if one else 'them'}"


def _open(question: Question) -> str:
    """Return the number of an open question, its judge and its age."""
    seconds = (datetime.fromisoformat(now()) - datetime.fromisoformat(question.asked)).total_seconds()
    unit, length = next(((unit, length) for unit, length in _UNITS if seconds >= 2 * length), _UNITS[-1])
    age = f"{max(0, int(seconds // length)):,} {unit}"
    return f"{question.id} ({age})" if question.judge is None else f"{question.id} ({question.judge}, {age})"


def _finished(session: Session) -> str:
    """Return the sentence for a session without further questions."""
    best = session.recommended
    return f"the algorithm asks for no more votes; {'no arm, without votes,' if best is None else best} is recommended"


def handle_tell(session: Session, id: int, answer: str, judge: str | None) -> Reply:
    """Report an answer, or give the question back (``skip``)."""
    if answer == "skip":
        session.skip(id, judge)
        return {"skip": [id]}
    used = session.tell(id, answer, judge)
    reply = {"tell": id, "answer": answer, "used": used, "votes": len(session.votes)}
    return reply if used else {**reply, "why": _unused(session, id)}


def handle_skip(session: Session, ids: Sequence[int] | None, judge: str | None) -> Reply:
    """Return questions unanswered: those given, or all open ones (of the judge, if there is a name)."""
    if ids is None:
        ids = [each.id for each in session.open_questions if judge is None or each.judge == judge]
    session.skip([*ids], judge)
    return {"skip": list(ids)}


def handle_correct(session: Session, id: int, answer: str, judge: str | None) -> Reply:
    """Replace an answer."""
    used = session.correct(id, answer, judge)
    reply = {"correct": id, "answer": answer, "used": used, "votes": len(session.votes)}
    vote = session.vote(id)
    if vote is None or vote.flip == "abstain":
        return {**reply, "why": _unused(session, id)}
    return (
        reply if used else {**reply, "why": "the algorithm has learned the first answer; the standings have this one"}
    )


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


def handle_show(
    session: Session,
    find: Notion = "copeland",
    until: object = None,
    margin: float = 0.0,
    intervals: Intervals = "simultaneous",
) -> Reply:
    """Return the state of the session; within ``standings`` an arm is its place in ``names``, from 0."""
    from duelbench.votes.judge_tests import agreement

    goal = None if until is None else goal_of(until, len(session.names), margin)
    found, ranking = session.show(find, margin), quick_ranking(session, intervals)
    return {
        **_counts(session),
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


def quick_ranking(session: Session, intervals: Intervals) -> Ranking | None:
    """Return the ranking of the arms; None without votes, on too few items, or where it takes long."""
    from duelbench.votes.ranking import TooFewClusters

    if len(session.names) > MOST_RANKED or not session.counts.votes.any():
        return None
    try:
        return session.ranking(intervals)
    except TooFewClusters:
        return None


def plain(value: Any) -> Any:
    """Return what JSON can hold: an object for what has named fields."""
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "_fields"):
        return {name: plain(getattr(value, name)) for name in value._fields}
    return [plain(each) for each in value] if isinstance(value, tuple) else value


def handle_counts(session: Session) -> Reply:
    """Return the votes on the arms that take part, the open questions, and the recommended arm."""
    return {**_counts(session), "recommended": session.recommended}


def _counts(session: Session) -> Reply:
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
    """Return numbers of votes, which are whole but for halves of wins."""
    return (votes if (votes % 1).any() else votes.astype(int)).tolist()


def replied(session: Session, line: bytes) -> Reply:
    """Return the answer to a line; ``{"error": …}`` where it is no request or cannot be granted. Raises nothing."""
    try:
        request = json.loads(line)
        if not isinstance(request, dict):
            raise UserError(f'a request is a JSON object, such as {{"ask": 1}}, not {json.dumps(request):.60}')
        name = next((name for name in request if name in _REQUESTS), None)
        if name is None:
            said = ", ".join(map(str, request))[:100]
            near = did_you_mean(next(iter(request), ""), _REQUESTS)
            raise UserError(f"there is no request in {{{said}}}{near}: it is one of {', '.join(_REQUESTS)}")
        if name in ("ask", "tell", "correct") and isinstance(request[name], bool):
            raise UserError(f"{name!r} needs a number, not {json.dumps(request[name])}")
        function, form, _ = _REQUESTS[name]
        allowed = form.__annotations__
        if unknown := [each for each in request if each not in allowed]:
            raise UserError(f"{name!r} takes no {unknown[0]!r:.60}{did_you_mean(unknown[0], allowed)}")
        return function(session, request)
    except UserError as error:
        return {"error": str(error)}
    except (UnicodeDecodeError, RecursionError, json.JSONDecodeError) as error:
        return {"error": f"this line is not JSON: {error}"}
    except Exception as error:  # the program on the other side waits for a reply in any case
        return {"error": str(error) or type(error).__name__}


def _ask(session: Session, request: Mapping[str, Any]) -> Reply:
    return handle_ask(session, request["ask"], *map(request.get, ("judge", "expires", "item", "orders")))


def _tell(session: Session, request: Mapping[str, Any]) -> Reply:
    if "answer" not in request:
        raise UserError("'tell' needs an 'answer': first, second, tie or skip")
    return handle_tell(session, request["tell"], request["answer"], request.get("judge"))


def _skip(session: Session, request: Mapping[str, Any]) -> Reply:
    ids = request["skip"]
    if ids != "all" and not isinstance(ids, list):
        raise UserError(f"'skip' needs a list of numbers, or \"all\", not {json.dumps(ids):.60}")
    return handle_skip(session, None if ids == "all" else ids, request.get("judge"))


def _correct(session: Session, request: Mapping[str, Any]) -> Reply:
    if "answer" not in request:
        raise UserError("'correct' needs an 'answer': first, second or tie")
    return handle_correct(session, request["correct"], request["answer"], request.get("judge"))


def _show(session: Session, request: Mapping[str, Any]) -> Reply:
    session.refresh()
    find, kind = (_one_of(request, *each) for each in (("find", Notion), ("intervals", _QuickIntervals)))
    margin = request.get("margin", 0.0)
    if isinstance(margin, bool) or not isinstance(margin, int | float):
        raise UserError(f"'margin' needs a number, not {json.dumps(margin):.60}")
    return handle_show(session, find, request.get("until"), margin, kind)


def _one_of(request: Mapping[str, Any], name: str, literals: Any) -> Any:
    """Return the choice in a request, or the first one."""
    choices = get_args(literals)
    choice = request.get(name, choices[0])
    if choice not in choices:
        raise UserError(f"{name!r} is one of {', '.join(choices)}, not {json.dumps(choice):.60}")
    return choice


def _add(session: Session, request: Mapping[str, Any]) -> Reply:
    session.add(request["add"])
    return {"arms": list(session.names)}


def _withdraw(session: Session, request: Mapping[str, Any]) -> Reply:
    session.withdraw(request["withdraw"])
    return {"arms": list(session.names)}


class AskRequest(TypedDict):
    """Ask for questions."""

    ask: int
    judge: NotRequired[str | None]
    expires: NotRequired[float | None]
    item: NotRequired[str | None]
    orders: NotRequired[Orders | None]


class TellRequest(TypedDict):
    """Answer a question, or give it back."""

    tell: int
    answer: Answer | Literal["skip"]
    judge: NotRequired[str | None]


class SkipRequest(TypedDict):
    """Give questions back unanswered."""

    skip: list[int] | Literal["all"]
    judge: NotRequired[str | None]


class CorrectRequest(TypedDict):
    """Replace an answer."""

    correct: int
    answer: Answer
    judge: NotRequired[str | None]


class ShowRequest(TypedDict):
    """Show the standings."""

    show: Any
    find: NotRequired[Notion]
    until: NotRequired[float | str | None]
    margin: NotRequired[float]
    intervals: NotRequired[_QuickIntervals]


class AddRequest(TypedDict):
    """Add an arm."""

    add: str


class WithdrawRequest(TypedDict):
    """Withdraw an arm."""

    withdraw: str


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


_REQUESTS: dict[str, tuple[Callable[[Session, Mapping[str, Any]], Reply], type, Any]] = {
    "ask": (_ask, AskRequest, AskReply),
    "tell": (_tell, TellRequest, TellReply | SkipReply),
    "skip": (_skip, SkipRequest, SkipReply),
    "correct": (_correct, CorrectRequest, CorrectReply),
    "show": (_show, ShowRequest, ShowReply),
    "add": (_add, AddRequest, ArmsReply),
    "withdraw": (_withdraw, WithdrawRequest, ArmsReply),
}


def schema() -> dict[str, Any]:
    """Return the JSON schema of requests and replies, by verb; a reply may also be that of ``error``."""
    from pydantic import ConfigDict, TypeAdapter, with_config

    forms: dict[str, Any] = {f"{name} request": request for name, (_, request, _) in _REQUESTS.items()}
    forms |= {f"{name} reply": reply for name, (_, _, reply) in _REQUESTS.items()} | {"error reply": ErrorReply}
    for form in forms.values():
        for each in get_args(form) or (form,):
            with_config(ConfigDict(extra="forbid"))(each)
    return {name: TypeAdapter(form).json_schema() for name, form in forms.items()}
