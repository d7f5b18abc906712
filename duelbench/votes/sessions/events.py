"""Define the events in a session's log, one JSON object per line, and questions and votes.

Applied in order, the events determine the session. They refer to arms by name and to questions by number, so people can
read a log without the program.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from duelbench.arguments import number_between, whole_number
from duelbench.engine.streams import stream
from duelbench.errors import UserError, did_you_mean
from duelbench.files import regular
from duelbench.preferences.counts import PairCounts
from duelbench.votes.vote_table import Votes


@dataclass(frozen=True)
class Question:
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
    item : str, optional
        What the arms are compared on, such as a customer's question.
    swap_of : int, optional
        The number of the ask that shows the same arms in the other order. The answers to both make one vote.
    """

    id: int
    first: str
    second: str
    judge: str | None
    asked: str
    expires: str | None
    item: str | None = None
    swap_of: int | None = None


@dataclass(frozen=True)
class Vote:
    """The answer of a judge to a question, perhaps in both orders.

    Attributes
    ----------
    id : int
        The number of the question; if it was asked in both orders, the number of the first ask.
    first, second : str
        The names of the arms, as shown.
    answer : {"first", "second", "tie"}
        The better arm, or neither; a tie if the answers in both orders differ.
    coin : {"first", "second"}, optional
        The winner that the algorithm receives instead of a tie.
    judge : str, optional
        The name of the judge.
    asked, answered : str
        Times in UTC, ISO 8601.
    used : bool
        Whether the algorithm uses the answer. An algorithm that learns only from its own questions does not use an
        answer that comes after another judge was asked instead.
    item : str, optional
        What the arms were compared on. Votes on one item are not independent.
    answers : tuple of two answers, optional
        The answers with ``first`` shown first, and in the other order. Each refers to the arms as shown.
    flip : {"tie", "abstain", "half"}, optional
        If the answers in both orders differ, whether they count as a tie, as no vote, or as half a win for each arm.
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
    item: str | None = None
    answers: tuple[Answer, Answer] | None = None
    flip: Flip | None = None

    @property
    def winner(self) -> str | None:
        """The name of the better arm, None for a tie."""
        return {"first": self.first, "second": self.second}.get(self.answer)

    @property
    def shown(self) -> tuple[tuple[str, str, Answer], ...]:
        """The arms and the answer in each order that was shown."""
        if self.answers is None:
            return ((self.first, self.second, self.answer),)
        return (self.first, self.second, self.answers[0]), (self.second, self.first, self.answers[1])

    @property
    def parts(self) -> tuple[tuple[int, float], ...]:
        """The outcomes that the vote counts as (1: the first arm wins, −1: the second, 0: a tie), with weights."""
        match self.flip:
            case "abstain":
                return ()
            case "half":
                return (1, 0.5), (-1, 0.5)
            case _:
                return (({"first": 1, "second": -1}.get(self.answer, 0), 1.0),)


Side = Literal["first", "second"]
Answer = Literal["first", "second", "tie"]
Orders = Literal["one", "both"]
Flip = Literal["tie", "abstain", "half"]
OPPOSITE: dict[Answer, Answer] = {"first": "second", "second": "first", "tie": "tie"}
"""The answer in the other order that prefers the same arm."""
Time = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$")]
"""UTC in a fixed format, so that times can be compared as text."""
LONGEST_EXPIRY = 100 * 365 * 86_400
"""The largest number of seconds after which a question expires: a hundred years."""
MOST_ROUNDS = 10**12
MOST_VOTES = 10_000_000
"""The largest number of imported votes: each command replays them, and some algorithms learn them one by one."""
Count = Annotated[int, Field(ge=0)]


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    time: Time


class Created(_Event):
    """The session was created.

    ``algorithm`` is a name of the catalogue, or ``file.py:Class`` relative to the session's directory. After
    ``expires`` seconds, a question may go to another judge. ``orders`` is by default one, drawn at random; ``flip`` is
    how different answers in both orders count, by default as a tie. ``code`` is the digest of the algorithm's code.
    """

    event: Literal["created"] = "created"
    format: Literal[1] = 1
    duelbench: str
    algorithm: str
    parameters: dict[str, Any]
    arms: list[str]
    seed: Annotated[int, Field(ge=0)]
    horizon: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] | None = None
    expires: Annotated[float, Field(gt=0, le=LONGEST_EXPIRY)] | None = None
    orders: Orders | None = None
    flip: Flip | None = None
    code: str


class Asked(_Event):
    """A question was given to a judge, who sees ``first`` and ``second`` in this order.

    ``again`` is the ask that this one replaces, since it has expired or was given back. ``swap_of`` is the ask just
    before, which shows the same arms in the other order.
    """

    event: Literal["asked"] = "asked"
    id: int
    first: str
    second: str
    judge: str | None = None
    item: str | None = None
    expires: Time | None = None
    again: int | None = None
    swap_of: int | None = None


class Answered(_Event):
    """A question was answered; ``coin`` is the outcome that the algorithm receives for a tie.

    For a question in both orders, only the second answer may have a coin. It refers to the arms as in the first ask.
    """

    event: Literal["answered"] = "answered"
    id: int
    answer: Answer
    coin: Side | None = None
    judge: str | None = None


class Corrected(_Event):
    """A question's answer was replaced."""

    event: Literal["corrected"] = "corrected"
    id: int
    answer: Answer
    coin: Side | None = None
    judge: str | None = None


class Returned(_Event):
    """A question was given back without an answer, so it is asked again next."""

    event: Literal["returned"] = "returned"
    id: int
    judge: str | None = None


class PairVotes(BaseModel):
    """Votes on two arms: ``wins`` for the first, ``losses`` for the second, and ``ties``.

    The algorithm receives ``coins`` of the ties as wins of the first, and the other ties as wins of the second.
    """

    model_config = _Event.model_config

    first: str
    second: str
    wins: Count
    losses: Count
    ties: Count
    coins: Count


class Imported(_Event):
    """Votes were imported. ``digest`` identifies their files or, without files, their source and counts."""

    event: Literal["told"] = "told"
    source: str
    digest: str
    pairs: list[PairVotes]


class Added(_Event):
    """An arm was added, or came back: the algorithm restarts with all votes among the arms that take part."""

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


Event = Created | Asked | Answered | Corrected | Returned | Imported | Added | Withdrawn | AlgorithmRestarted
RESTARTS = (Added, Withdrawn, AlgorithmRestarted, Corrected)
"""After these events, an algorithm that learns from any duel restarts with the counts; its past does not matter."""
_ANY: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="event")])


def parsed(line: bytes) -> Event:
    """Parse a line as an event. Raises ValueError, with a sentence, for anything else."""
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
    """Return the current time."""
    return _as_time(datetime.now(UTC))


def after(time: str, seconds: float) -> str:
    """Return the time ``seconds`` later."""
    return _as_time(datetime.fromisoformat(time) + timedelta(seconds=seconds))


def _as_time(moment: datetime) -> str:
    """Format a time as in the log."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")


def coin_of(seed: int, ask: int, answer: str) -> Side | None:
    """Draw the outcome that the algorithm receives for a tie; None for another answer."""
    if answer != "tie":
        return None
    return "first" if stream(seed, purpose="coins", ask=ask).random() < 0.5 else "second"


def pairs_of(votes: PairCounts, names: Sequence[str], seed: int) -> list[PairVotes]:
    """Return the votes by pair, with a coin for each tie.

    Raises UserError if votes are on arms that are not among the ``names`` or have weights, or if there are no votes.
    """
    known, voted = set(names), votes.votes.sum(axis=0)
    if unknown := [name for name, of_it in zip(votes.names, voted, strict=True) if of_it and name not in known]:
        some = ", ".join(map(repr, unknown[:5])) + (" …" if len(unknown) > 5 else "")
        near = did_you_mean(unknown[0], names) if len(unknown) == 1 else ""
        raise UserError(
            f"votes on {some}{near}, which the session does not have: correct names (--alias), add arms, "
            "or leave out these votes"
        )
    if (votes.wins != np.rint(votes.wins)).any() or (votes.ties != np.rint(votes.ties)).any():
        raise UserError("these votes have weights, but algorithms learn from whole duels: import them without weights")
    rng = stream(seed, purpose="coins", votes=votes.digest())
    found = []
    for i in range(votes.arms):
        for j in range(i + 1, votes.arms):
            wins, losses, ties = (int(each) for each in (votes.wins[i, j], votes.wins[j, i], votes.ties[i, j]))
            if wins + losses + ties:
                coins = int(rng.binomial(ties, 0.5))
                found.append(
                    PairVotes(
                        first=votes.names[i], second=votes.names[j], wins=wins, losses=losses, ties=ties, coins=coins
                    )
                )
    if not found:
        raise UserError("no votes to import")
    return found


def digest_of(votes: PairCounts | Votes, source: str) -> str:
    """Return a digest of the files of votes or, without files, of their source and counts."""
    if isinstance(votes, Votes) and all(each.sha256 for each in votes.files):
        text = " ".join(each.sha256 for each in votes.files)
    else:
        text = f"{source} {(votes if isinstance(votes, PairCounts) else votes.counts).digest()}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def includes(votes: Sequence[PairVotes], earlier: Sequence[PairVotes]) -> bool:
    """Return whether votes may include the ``earlier`` ones: at least as many of each kind on each pair."""
    counts = {(each.first, each.second): (each.wins, each.losses, each.ties) for each in votes}
    counts |= {(each.second, each.first): (each.losses, each.wins, each.ties) for each in votes}
    return all(
        each.wins <= wins and each.losses <= losses and each.ties <= ties
        for each in earlier
        for wins, losses, ties in [counts.get((each.first, each.second), (0, 0, 0))]
    )


MOST_ARMS = 5_000
"""The same limit as for preference matrices."""
_LONGEST_NAME = 200
"""The largest number of characters of a name."""


def checked_name(name: object, what: str = "the name of an arm") -> str:
    """Check a name. Raises UserError unless it is one line of at most 200 visible characters, without outer blanks."""
    if not isinstance(name, str) or not name:
        raise UserError(f"{what} must be text, not {name!r:.80}")
    if len(name) > _LONGEST_NAME:
        raise UserError(f"{what} has at most {_LONGEST_NAME} characters: {name[:40]!r}… has {len(name)}")
    if name != name.strip() or not name.isprintable():
        raise UserError(f"{what} is one line of visible characters without blanks around it, not {name!r}")
    return str(name)  # also converts NumPy strings


def checked_names(names: Iterable[object]) -> list[str]:
    """Check the names of arms. Raises UserError if there are fewer than 2 or too many, or two are the same."""
    found = [checked_name(each) for each in names]
    if not 2 <= len(found) <= MOST_ARMS:
        raise UserError(f"a session has from 2 to {MOST_ARMS:,} arms, not {len(found):,}")
    twice = {each for each in found if found.count(each) > 1} if len(set(found)) < len(found) else set()
    if twice:
        raise UserError(f"{min(twice)!r} is the name of two arms: give each arm a different name")
    return found


def read_names(path: Path) -> list[str]:
    """Read names from a text file, one per line, skipping empty lines. Raises UserError, with the line."""
    try:
        lines = regular(path).read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise UserError(
            f"cannot read {path} ({error.strerror}): give a file with the name of an arm on each line"
        ) from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8 text: save it as UTF-8") from None
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        name = line.strip()
        if not name:
            continue
        try:
            checked_name(name)
        except UserError as error:
            raise UserError(error.message, source=str(path), line=number) from None
        if name in seen:
            raise UserError(
                f"{name!r} is in line {seen[name]} already: give each arm a different name",
                source=str(path),
                line=number,
            )
        seen[name] = number
    if len(seen) < 2:
        raise UserError(
            f"a session needs at least two arms, and this has {len(seen)}: write a name on each line", source=str(path)
        )
    return list(seen)


def arm_names(arms: int | Iterable[str]) -> list[str]:
    """Return the given names of arms or, for a number, 0, 1, …. Raises ValueError or UserError if they are invalid."""
    if isinstance(arms, Iterable) and not isinstance(arms, str):
        return checked_names(arms)
    return [str(arm) for arm in range(whole_number("arms", arms, 2, MOST_ARMS))]


def one_of(name: str, value: object, choices: Any) -> Any:
    """Return a value if it is one of the ``choices``, a Literal. Raises ValueError for anything else."""
    if value in get_args(choices):
        return value
    raise ValueError(f"{name} is one of {', '.join(get_args(choices))}, not {value!r:.60}")


def seconds(value: float | None) -> float | None:
    """Return the seconds after which a question expires. Raises ValueError if they are not in their range."""
    return None if value is None else number_between("expires", value, 0.001, LONGEST_EXPIRY)
