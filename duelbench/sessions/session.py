"""An algorithm for real comparisons: it asks, the world answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self, cast

from duelbench.errors import UserError
from duelbench.preferences.counts import PairCounts
from duelbench.sessions import making
from duelbench.sessions.asks import Ask, Vote
from duelbench.sessions.events import Added, Answer, Answered, Returned, Told, Withdrawn, after, now
from duelbench.sessions.keeping import InDirectory, InMemory
from duelbench.sessions.log import Log
from duelbench.sessions.making import whole_number
from duelbench.sessions.names import checked_name
from duelbench.sessions.player import Duel, Player
from duelbench.sessions.state import SessionState

MOST_ASKS = 1_000
"""Duels that are handed out at once at most."""
ANSWERS = ("first", "second", "tie")


class Session:
    """One algorithm at work, duel after duel, on the kernels that the simulation runs.

    ``algorithm`` is a name of the catalogue or ``path.py:ClassName``, ``arms`` the number K ≥ 2 of arms or their names,
    ``seed`` that of its random choices, and ``parameters`` are the algorithm's. ``horizon`` is the number of rounds to
    come, for algorithms that must know it. ``round`` is the round to be played next, from 1. ``expires``: seconds after
    which a duel that was asked may be given to somebody else.

    One question at a time, by the numbers of the arms: ``select`` and ``update``. Several judges, arms with names,
    ties, answers in any order: ``ask`` and ``tell``. ``Session.create`` makes one that lasts, in a directory, and
    ``Session.open`` goes on with it, in any number of processes: nothing that was answered is lost, whenever one ends.

    Raises UserError for an unknown algorithm and ValueError for wrong arguments (pydantic's for parameters).

    Examples
    --------
    >>> from duelbench import Session
    >>> session = Session("rucb", arms=3, seed=1)
    >>> for _ in range(200):
    ...     duel = session.select()
    ...     session.update(wins=1 if duel.first < duel.second else 0)  # ask somebody which of the two is better
    >>> session.round
    201
    >>> session.select()
    Duel(first=0, second=0, count=1)

    >>> session = Session("d-ts", arms=["a", "b", "c"], seed=1)
    >>> for _ in range(60):
    ...     for ask in session.ask():
    ...         used = session.tell(ask.id, "first" if ask.first < ask.second else "second")
    >>> session.recommended
    'a'
    """

    def __init__(
        self,
        algorithm: str,
        arms: int | Sequence[str],
        *,
        seed: int = 0,
        horizon: int | None = None,
        expires: float | None = None,
        **parameters: Any,
    ) -> None:
        names = making.arm_names(arms)
        chosen = making.algorithm_of(algorithm, Path(), len(names), horizon, parameters)
        course = SessionState(chosen, algorithm, names, making.checked_seed(seed), horizon)
        self._kept: InMemory | InDirectory = InMemory(course, making.seconds(expires))
        self._pending: Duel | None = None

    @classmethod
    def create(
        cls,
        directory: Path | str,
        algorithm: str,
        arms: Sequence[str],
        *,
        seed: int = 0,
        horizon: int | None = None,
        expires: float | None = None,
        **parameters: Any,
    ) -> Self:
        """Make a session that lasts: its log is in ``directory``, which is made and must have no session yet.

        Raises UserError when it cannot be, and ValueError for wrong arguments.
        """
        place = Path(directory)
        Log.create(place, making.created(place, algorithm, list(arms), seed, horizon, expires, parameters))
        return cls.open(place)

    @classmethod
    def open(cls, directory: Path | str, *, accept_new_code: bool = False) -> Self:
        """Go on with the session of a directory.

        Its log is replayed from the seed. If the algorithm then does not ask what the log says it has asked, its code
        is another one than that which asked, and UserError is raised; with ``accept_new_code`` an algorithm that learns
        from any duel begins anew, told the votes so far, and the log says so.
        """
        self = cls.__new__(cls)
        self._kept, self._pending = InDirectory(Path(directory), accept_new_code), None
        return self

    # By numbers, one question at a time

    @property
    def round(self) -> int:
        """The round to be played next, from 1; self-duels, which nobody is asked, are rounds, too."""
        return self._player.round

    @property
    def horizon(self) -> int | None:
        """The number of rounds, for an algorithm that must know it."""
        return self._course.horizon

    def select(self, rounds: int = 1) -> Duel:
        """Return the next duel; with ``rounds`` > 1 an algorithm may ask for up to so many repetitions in one go.

        Asking again before ``update`` returns the same duel. Raises ValueError when the algorithm answers anything but
        two of the arms and a count from 1 to ``rounds``, and while an ``ask`` is open.
        """
        if whole_number("rounds", rounds) < 1:
            raise ValueError(f"rounds must be at least 1, not {rounds}")
        if isinstance(self._kept, InDirectory):
            raise ValueError("a session in a directory is asked by ask() and told by tell()")
        if self._course.open or self._course.returned:
            raise ValueError("there are open asks: tell their answers first")
        if self._pending is None:
            player = self._player
            last = player.round + rounds - 1
            if player.horizon is not None:
                if player.round > player.horizon:
                    raise ValueError(f"all {player.horizon} rounds have been played")
                last = min(last, player.horizon)
            self._pending = player.select(last)
        return self._pending

    def update(self, wins: int) -> None:
        """Tell how many of the selected duels the first arm won; of a self-duel it does not matter.

        Raises ValueError without a selected duel, and when ``wins`` is no whole number from 0 to the duel's count: half
        a win, for a draw, is nothing that the algorithms have learned to count; ``tell`` takes ties.
        """
        if self._pending is None:
            raise ValueError("there is no duel to update: call select first")
        duel = self._pending
        won = whole_number("wins", wins)
        if not 0 <= won <= duel.count:
            raise ValueError(f"wins must be between 0 and {duel.count}, not {wins}")
        self._player.learn(duel.first, duel.second, won, duel.count)
        self._player.round += duel.count
        if duel.first != duel.second:
            tally = self._course.tally
            tally.win(duel.first, duel.second, won)
            tally.win(duel.second, duel.first, duel.count - won)
        self._pending = None

    # By names, any number of judges

    def ask(self, n: int = 1, judge: str | None = None, expires: float | None = None) -> list[Ask]:
        """Return up to ``n`` duels of different arms for a judge: fewer, or none, where the algorithm has no more.

        See ``finished`` for why. What was given back or has expired is asked again first, but to the judge who gave it
        back only when nothing else is left. An algorithm that learns from any duel may have many open; what it asks
        depends on the answers that it knows, so a pair may come twice. Others wait for the answers to their question,
        which may be of several duels. ``expires``: seconds, else the session's.
        """
        if not 1 <= whole_number("n", n) <= MOST_ASKS:
            raise ValueError(f"n must be between 1 and {MOST_ASKS}, not {n}")
        if self._pending is not None:
            raise ValueError("there is a selected duel: update it first")
        who = None if judge is None else checked_name(judge, "the name of a judge")
        lasting = making.seconds(expires)
        with self._kept.going_on() as events:
            course, time = self._course, now()
            lasting = self._kept.expires if lasting is None else lasting
            until = None if lasting is None else after(time, lasting)
            found: list[Ask] = []
            while len(found) < n and (event := course.next_ask(time, who, until)) is not None:
                course.apply(event)
                events.append(event)
                found.append(course.find(event.id).ask)
        return found

    @property
    def finished(self) -> bool:
        """Whether no more votes are asked for: no answer is waited for and there is no question.

        An algorithm that has declared its winner is finished, one at the end of its horizon, and one that would duel an
        arm with itself for a million rounds. Votes from elsewhere, or arms, may give it something to ask again.
        """
        return not self._course.open and not self._course.has_question

    def tell(self, id: int, answer: str, judge: str | None = None) -> bool:
        """Hear of an ask that ``"first"`` or ``"second"`` is better, or ``"tie"``; in any order, however late.

        Return whether the algorithm has use for it: one that learns from its own questions alone has none for an answer
        that comes when somebody else was asked instead; it is recorded all the same. To tell the same twice is nothing
        new. A tie is recorded as such; the algorithm is told of it by a coin, which the log keeps.

        Raises UserError when there is no such ask or it was answered otherwise.
        """
        if answer not in ANSWERS:
            raise UserError(f"an answer is first, second or tie, not {answer!r:.80}")
        who = None if judge is None else checked_name(judge, "the name of a judge")
        with self._kept.going_on() as events:
            handed = self._course.find(whole_number("the number of an ask", id))
            if handed.vote is None:
                coin = making.coin(self._course.seed, handed.ask.id) if answer == "tie" else None
                events.append(Answered(time=now(), id=handed.ask.id, answer=cast(Answer, answer), coin=coin, judge=who))
                self._course.apply(events[-1])
            elif handed.vote.answer != answer:
                raise UserError(
                    f"ask {id} was answered {handed.vote.answer!r} before: an answer is not taken back, ask anew"
                )
            assert handed.vote is not None
            return handed.vote.used

    def give_back(self, id: int, judge: str | None = None) -> None:
        """Let somebody else be asked in the place of an ask, before anything else. Raises UserError if it is answered.

        An answer that comes all the same is late, as after it has expired.
        """
        who = None if judge is None else checked_name(judge, "the name of a judge")
        with self._kept.going_on() as events:
            handed = self._course.find(whole_number("the number of an ask", id))
            if handed.vote is not None:
                raise UserError(f"ask {id} is answered: there is nothing to give back")
            if handed.state == "open":
                events.append(Returned(time=now(), id=handed.ask.id, judge=who))
                self._course.apply(events[-1])

    def tell_votes(self, votes: PairCounts, source: str = "elsewhere") -> int:
        """Tell votes from elsewhere to an algorithm that learns from any duel; return how many there were.

        Raises UserError for votes on an arm that is not of the session, with weights, or told before.
        """
        with self._kept.going_on() as events:
            pairs = making.pairs(votes, self._course.names, self._course.seed)
            digest = making.digest_of(pairs)
            if digest in self._course.told:
                raise UserError(f"these votes were told already, as {self._course.told[digest]!r}")
            events.append(Told(time=now(), source=checked_name(source, "a source"), digest=digest, pairs=pairs))
            self._course.apply(events[-1])
        return sum(each.wins + each.losses + each.ties for each in pairs)

    def add_arm(self, name: str) -> None:
        """Let an arm join, or come back, where the algorithm learns from any duel; it begins anew with all votes."""
        self._change(Added(time=now(), arm=checked_name(name)))

    def withdraw_arm(self, name: str) -> None:
        """Take an arm out; its votes are kept, and count again should it come back."""
        self._change(Withdrawn(time=now(), arm=checked_name(name)))

    # What there is to see

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arms that are there."""
        return tuple(self._course.names[arm] for arm in self._course.active)

    @property
    def counts(self) -> PairCounts:
        """All votes on these arms, from here and from elsewhere."""
        return self.all_counts.chosen(self._course.active)

    @property
    def all_counts(self) -> PairCounts:
        """All votes, also on arms that were withdrawn."""
        return self._course.tally.counts()

    @property
    def votes(self) -> list[Vote]:
        """What judges have said, in the order of their answers, also of arms that were withdrawn."""
        return list(self._course.votes)

    @property
    def open_asks(self) -> list[Ask]:
        """The asks whose answers are waited for, in their order; some may have expired."""
        return [each.ask for each in self._course.open.values()]

    @property
    def recommended(self) -> str | None:
        """The arm that the algorithm recommends, or else that has the highest Copeland score; None before any vote."""
        course = self._course
        return course.names[course.recommended()] if self.counts.votes.any() else None

    @property
    def algorithm(self) -> str:
        """The name of the algorithm."""
        return self._course.algorithm.name

    def refresh(self) -> None:
        """See what other processes have added to the log of this session."""
        self._kept.refresh()

    @property
    def _course(self) -> SessionState:
        return self._kept.course

    @property
    def _player(self) -> Player:
        player = self._course.player
        assert player is not None  # only while a log is replayed there is none
        return player

    def _change(self, event: Added | Withdrawn) -> None:
        with self._kept.going_on() as events:
            self._course.apply(event)
            events.append(event)


def load(directory: Path | str) -> Session:
    """Return the session of a directory as it is now; see ``Session.open``."""
    return Session.open(directory)
