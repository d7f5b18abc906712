"""The events in a session's log, one per line in JSON. Applied in order they determine the session.

Arms are called by their names and asks by their numbers, so a log can be read without the program.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

Side = Literal["first", "second"]
Answer = Literal["first", "second", "tie"]
Time = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$")]
"""UTC in one format, so that times compare as text."""
LONGEST = 100 * 365 * 86_400
"""The largest number of seconds after which a question expires: a hundred years."""
MOST_ROUNDS = 10**12
MOST_VOTES = 10_000_000
"""Votes from elsewhere that a session takes: each command replays them, and some algorithms learn them one by one."""
Count = Annotated[int, Field(ge=0, le=10**9)]


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    time: Time


class Created(_Event):
    """The session: an ``algorithm`` of the catalogue or a ``file.py:Class`` seen from its directory.

    ``expires``: seconds after which an ask may be given to somebody else. ``code``: the digest of the algorithm's code.
    """

    event: Literal["created"] = "created"
    format: Literal[1] = 1
    duelbench: str
    algorithm: str
    parameters: dict[str, Any]
    arms: list[str]
    seed: Annotated[int, Field(ge=0)]
    horizon: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] | None = None
    expires: Annotated[float, Field(gt=0, le=LONGEST)] | None = None
    code: str


class Asked(_Event):
    """A question was given to a judge, with ``first`` and ``second`` in these places.

    ``again``: the ask in whose place this one comes, as it has expired or was given back.
    """

    event: Literal["asked"] = "asked"
    id: int
    first: str
    second: str
    judge: str | None = None
    expires: Time | None = None
    again: int | None = None


class Answered(_Event):
    """The answer to a question; ``coin`` is the outcome that the algorithm receives for a tie."""

    event: Literal["answered"] = "answered"
    id: int
    answer: Answer
    coin: Side | None = None
    judge: str | None = None


class Corrected(_Event):
    """Another answer in place of the one that a question has."""

    event: Literal["corrected"] = "corrected"
    id: int
    answer: Answer
    coin: Side | None = None
    judge: str | None = None


class Returned(_Event):
    """A question was given back without an answer: it is asked again next."""

    event: Literal["returned"] = "returned"
    id: int
    judge: str | None = None


class Pair(BaseModel):
    """Votes on two arms: ``wins`` for the first, ``losses`` for the second, and ``ties``.

    The algorithm receives ``coins`` of the ties as wins of the first.
    """

    model_config = _Event.model_config

    first: str
    second: str
    wins: Count
    losses: Count
    ties: Count
    coins: Count


class Told(_Event):
    """Votes from elsewhere; ``digest`` is that of their files or, without files, of source and counts."""

    event: Literal["told"] = "told"
    source: str
    digest: str
    pairs: list[Pair]


class Added(_Event):
    """An arm was added, or came back: the algorithm restarts with the votes among all arms that take part."""

    event: Literal["added"] = "added"
    arm: str


class Withdrawn(_Event):
    """An arm was withdrawn: the algorithm restarts with the votes among the others."""

    event: Literal["withdrawn"] = "withdrawn"
    arm: str


class AlgorithmRestarted(_Event):
    """The algorithm's code has changed: it restarts with the votes so far."""

    event: Literal["renewed"] = "renewed"
    duelbench: str
    code: str


Event = Created | Asked | Answered | Corrected | Returned | Told | Added | Withdrawn | AlgorithmRestarted
BEGINNING_ANEW = (Added, Withdrawn, AlgorithmRestarted, Corrected)
"""After these an algorithm that learns from any duel restarts with the counts: what it did before does not matter."""
_ANY: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="event")])


def parsed(line: bytes) -> Event:
    """Return the event of a line. Raises ValueError, with a sentence, for anything else."""
    try:
        return _ANY.validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"][1:]))
        raise ValueError(f"{place}: {first['msg']}" if place else first["msg"]) from None


def written(event: Event) -> bytes:
    """Return the line of an event."""
    return _ANY.dump_json(event, exclude_none=True) + b"\n"


def now() -> str:
    """Return the time."""
    return as_time(datetime.now(UTC))


def after(time: str, seconds: float) -> str:
    """Return the time ``seconds`` later."""
    return as_time(datetime.fromisoformat(time) + timedelta(seconds=seconds))


def as_time(moment: datetime) -> str:
    """Return a moment in the form of the log."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")
