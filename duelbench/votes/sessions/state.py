"""Compute the state of a session by applying the events of its log in order.

An ``asked`` event that replaces no other question takes the next duel that the algorithm has requested; if all have
been handed out, it asks the algorithm. So in a replay the algorithm knows the same as before, and repeats its draws.
``answered`` reports the outcome at once if the algorithm learns from any duel, else after the last duel of the request,
as in the simulation. ``added``, ``withdrawn`` and ``renewed`` restart the algorithm with a new state and a new random
stream, and report all earlier votes as if they were its rounds; so does ``corrected`` if it learns from any duel. The
state never compares times: whether a question had expired was decided when it was asked again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Ints
from duelbench.engine.streams import stream
from duelbench.errors import UserError, did_you_mean
from duelbench.preferences.counts import PairCounts
from duelbench.votes.sessions.events import (
    MOST_ARMS,
    MOST_VOTES,
    OPPOSITE,
    Added,
    AlgorithmRestarted,
    Answer,
    Answered,
    Asked,
    Corrected,
    Event,
    Flip,
    Imported,
    Question,
    Returned,
    Side,
    Vote,
    Withdrawn,
    after,
    checked_name,
    coin_of,
)
from duelbench.votes.sessions.player import Player, player_of


@dataclass(eq=False)
class RequestedDuel:
    """A duel that the algorithm requests: arm ``first`` against arm ``second``, ``count`` times.

    Of these, ``handed`` are with judges or answered, ``answered`` are answered, and the first arm won ``wins``.
    ``start`` is the number of restarts of the algorithm before the request.
    """

    first: int
    second: int
    count: int
    start: int
    handed: int = 0
    answered: int = 0
    wins: int = 0


class Combined(NamedTuple):
    """The answer to a question, None while incomplete. In both orders: the two answers, and how a difference counts."""

    answer: Answer | None
    answers: tuple[Answer, Answer] | None = None
    flip: Flip | None = None

    @property
    def tied(self) -> bool:
        """Whether the algorithm receives a coin instead."""
        return self.answer == "tie" and self.flip != "abstain"


@dataclass(eq=False)
class Assignment:
    """A question, the requested duel that it belongs to, and its state.

    ``turned``: the judge sees the second arm of the duel first. States are ``open``: waiting for an answer;
    ``returned``: given back; ``replaced``: another judge was asked instead; ``closed``: an arm was withdrawn. ``swap``
    is the question with the same arms in the other order; once both have an ``answer``, they share one ``vote``.
    """

    question: Question
    requested: RequestedDuel
    turned: bool
    state: Literal["open", "returned", "replaced", "closed", "answered"] = "open"
    swap: Assignment | None = None
    answer: Answer | None = None
    judge: str | None = None
    vote: Vote | None = None

    @property
    def earlier(self) -> Assignment:
        """The first of two questions in both orders, else the question itself."""
        return self if self.swap is None or self.question.swap_of is None else self.swap

    def combined(self, answer: Answer, flip: Flip) -> Combined:
        """Combine an answer with that in the other order, if both orders are asked."""
        swap = self.swap
        if swap is None:
            return Combined(answer)
        if swap.answer is None:
            return Combined(None)
        both = (answer, swap.answer) if self.earlier is self else (swap.answer, answer)
        return Combined(both[0], both) if both[0] == OPPOSITE[both[1]] else Combined("tie", both, flip)

    def answered(self, event: Answered | Corrected, flip: Flip) -> Vote | None:
        """Record an answer, and return the vote; None while the answer in the other order is missing."""
        found = self.combined(event.answer, flip)
        if found.tied != (event.coin is not None):
            raise UserError("only a tie has a coin")
        self.answer = event.answer
        if event.judge is not None or self.judge is None:
            self.judge = self.question.judge if event.judge is None else event.judge
        if found.answer is None:
            return None
        one = self.earlier.question
        return Vote(
            one.id, one.first, one.second, found.answer, event.coin, self.judge, one.asked, event.time, False, one.item,
            found.answers, found.flip,
        )  # fmt: skip

    def settled(self, vote: Vote) -> Vote:
        """Set the vote of this question and of the one in the other order."""
        self.vote = vote
        if self.swap is not None:
            self.swap.vote = vote
        return vote


class Tally:
    """The votes on all arms, withdrawn ones included. ``places`` maps names to indices, in order of arrival."""

    def __init__(self, names: Sequence[str]) -> None:
        self.places = {name: place for place, name in enumerate(names)}
        self._wins, self._ties, self._coins = np.zeros((3, len(names), len(names)))

    def add_arm(self, name: str) -> None:
        """Add an arm without votes."""
        self.places[name] = len(self.places)
        self._wins, self._ties, self._coins = (np.pad(table, (0, 1)) for table in (self._wins, self._ties, self._coins))

    def place(self, name: str) -> int:
        """Return the index of an arm. Raises UserError for an unknown name."""
        if name not in self.places:
            raise UserError(f"there is no arm {name!r}{did_you_mean(name, self.places)}")
        return self.places[name]

    def add(
        self, i: int, j: int, wins: float, losses: float, ties: float = 0, coins: tuple[float, float] = (0, 0)
    ) -> None:
        """Count votes on two arms; ``coins`` are additional wins of either arm, which only the algorithm receives."""
        for one, other, won, coin in (i, j, wins, coins[0]), (j, i, losses, coins[1]):
            self._wins[one, other] += won
            self._ties[one, other] += ties
            self._coins[one, other] += coin

    def won(self, arms: Sequence[int]) -> Ints:
        """Count how often each of some arms has beaten each other one, with ties decided by coins."""
        block = np.ix_(arms, arms)
        won = self._wins[block] + self._coins[block]
        return won.astype(np.int64)

    @property
    def voted(self) -> bool:
        """Whether there are any votes."""
        return bool(self._wins.any() or self._ties.any())

    def counts(self) -> PairCounts:
        """Return the votes."""
        return PairCounts(tuple(self.places), self._wins.copy(), self._ties.copy())


_FORGOTTEN = 3600.0
"""After this many seconds, a judge who asks again may get their open question again, if it has no ``expires``."""


class DivergedError(UserError):
    """Replay diverges from the log, usually because the code of the algorithm has changed."""


class SessionState:
    """The state of a session after some events.

    ``reference`` names the algorithm, as in the log; ``any_duel``: whether it learns from any duel. ``flip``: how
    different answers in both orders count. ``tally`` has the votes on all arms, withdrawn ones included, and ``active``
    the indices of the arms that take part. ``starts`` is the number of restarts. Before restart number ``skipped`` the
    algorithm does not play, since that restart makes it irrelevant.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        reference: str,
        names: list[str],
        seed: int,
        horizon: int | None,
        flip: Flip,
        skipped: int = 0,
    ) -> None:
        self.algorithm, self.reference, self.seed, self.horizon = algorithm, reference, seed, horizon
        self.flip = flip
        self.any_duel = type(algorithm).learns_off_policy
        self.tally = Tally(names)
        self.active = list(range(len(names)))
        self.assignments: dict[int, Assignment] = {}
        self.open: dict[int, Assignment] = {}
        self.returned: list[Assignment] = []
        self.answered: list[Assignment] = []
        self.votes: list[Vote] = []
        self.imports: list[Imported] = []
        self._from_elsewhere = 0
        self.starts = 0
        self._skipped = skipped
        self._requested: RequestedDuel | None = None
        self._sides = stream(seed, session=reference, purpose="sides")
        self._side: bool | None = None
        self.names = list(names)
        self._seen: defaultdict[tuple[str | None, str | None], set[frozenset[int]]] = defaultdict(set)
        self._place: dict[int, int] = {}
        self.player: Player | None = None
        self._start()

    # The next question

    def next_ask(self, time: str, judge: str | None, expires: str | None, item: str | None = None) -> Asked | None:
        """Return the event of the next question for a judge, or None. The caller applies it."""
        again = self._replaces(time, judge, item)
        requested = None if again is None and self.waiting else self._next_requested(again, judge, item)
        if requested is None:  # as a last resort, a question that this judge gave back
            again = next((each.question for each in self.returned if self._may_replace(each, judge, item)), None)
            requested = None if again is None else self._next_requested(again)
        if requested is None:
            return None
        first, second = self._shown(requested)
        return Asked(
            time=time,
            id=len(self.assignments) + 1,
            first=first,
            second=second,
            judge=judge,
            item=again.item if item is None and again is not None else item,
            expires=expires,
            again=None if again is None else again.id,
        )

    def _shown(self, requested: RequestedDuel) -> tuple[str, str]:
        """Return the names of a duel's arms in the order in which the next judge sees them."""
        first, second = self.names[requested.first], self.names[requested.second]
        return (second, first) if self._turned() else (first, second)

    def _turned(self) -> bool:
        """Whether the next judge sees the second arm of the duel first; drawn once for each question."""
        if self._side is None:
            self._side = bool(self._sides.random() < 0.5)
        return self._side

    def _replaces(self, now: str, judge: str | None, item: str | None) -> Question | None:
        """Return a question that another judge gave back, or an expired one; such questions come first."""
        forgotten = after(now, -_FORGOTTEN)
        for assignment in [*self.returned, *self.open.values()]:
            question = assignment.question
            if assignment.state == "returned":
                due = judge is None or question.judge != judge
            elif question.expires is None:
                half = assignment.swap is not None and assignment.swap.answer is not None
                due = not half and judge is not None and question.judge == judge and question.asked <= forgotten
            else:
                due = question.expires <= now
            if due and self._may_replace(assignment, judge, item):
                return question
        return None

    def _may_replace(self, assignment: Assignment, judge: str | None, item: str | None) -> bool:
        """Whether a judge may get an unanswered question on an item: not if they had its pair on the item before."""
        question, requested = assignment.question, assignment.requested
        about = question.item if item is None else item
        repeated = (question.judge, question.item) == (judge, about)
        return repeated or about is None or {requested.first, requested.second} not in self._seen[judge, about]

    @property
    def waiting(self) -> bool:
        """Whether the next question depends on answers that are still missing."""
        requested = self._requested
        return requested is not None and not self.any_duel and requested.handed == requested.count

    @property
    def has_question(self) -> bool:
        """Whether a question exists now, or may exist once the open one is answered."""
        if self.returned or self._duels_left or self.waiting:
            return True
        return self.player is not None and self.player.would_ask()

    @property
    def _duels_left(self) -> bool:
        return self._requested is not None and self._requested.handed < self._requested.count

    def _next_requested(
        self, again: Question | None, judge: str | None = None, item: str | None = None, known: bool = False
    ) -> RequestedDuel | None:
        """Return the requested duel of the next question, or None; ``known``: the log says that one exists."""
        if again is not None:
            return self.assignments[again.id].requested
        seen = set() if item is None else self._seen[judge, item]
        if self._duels_left:
            assert self._requested is not None
            return None if {self._requested.first, self._requested.second} in seen else self._requested
        assert self.player is not None
        refused = {frozenset(self._place[arm] for arm in pair) for pair in seen if pair <= self._place.keys()}
        duel = self.player.ask(refused, known)
        if duel is None:
            return None
        self._requested = RequestedDuel(self.active[duel.first], self.active[duel.second], duel.count, self.starts)
        return self._requested

    # Events of the log

    def apply(self, event: Event) -> None:
        """Apply an event. Raises UserError if it does not fit the earlier events."""
        match event:
            case Asked():
                self._asked(event)
            case Answered():
                self._answered(event)
            case Corrected():
                self._corrected(event)
            case Returned():
                assignment = self.find(event.id)
                if assignment.state != "open":
                    raise UserError(f"question {event.id} is not open")
                self._set(assignment, "returned")
                self.returned.append(assignment)
                if assignment.swap is not None and assignment.swap.state == "open":
                    self._set(assignment.swap, "returned")
            case Imported():
                self._import_votes(event)
            case Added():
                self._add(event.arm)
            case Withdrawn():
                self._withdraw(event.arm)
            case AlgorithmRestarted():
                self._restart()
            case _:
                raise UserError("only the first line of a log may create the session")

    def _asked(self, event: Asked) -> None:
        if event.id != len(self.assignments) + 1:
            raise UserError(f"the next question has the number {len(self.assignments) + 1}, not {event.id}")
        if event.swap_of is not None:
            self._swapped(event)
            return
        again = None if event.again is None else self.find(event.again)
        if again is not None and again.state not in ("open", "returned"):
            raise UserError(f"question {event.again} is not open")
        if event.again is None and self.player is None:  # a later restart makes this irrelevant
            arms = [self.tally.place(name) for name in (event.first, event.second)]
            first, second = reversed(arms) if self._turned() else arms
            requested: RequestedDuel | None = RequestedDuel(first, second, 1, self.starts)
        elif event.again is None and self.waiting:
            raise UserError("the algorithm has no question until the last one is answered")
        else:
            requested = self._next_requested(
                None if again is None else again.question, event.judge, event.item, known=True
            )
        logged = f"the log says it asked for {event.first!r} against {event.second!r}"
        if requested is None:
            raise DivergedError(f"the algorithm asks for no more votes, and {logged}")
        shown, turned = self._shown(requested), self._turned()
        if shown != (event.first, event.second):
            raise DivergedError(f"the algorithm asks for {shown[0]!r} against {shown[1]!r}, and {logged}")
        self._side = None
        if again is None:
            requested.handed += 1
        else:
            self._set(again, "replaced")
            if again.swap is not None and again.swap.state in ("open", "returned"):
                self._set(again.swap, "replaced")
        question = Question(event.id, *shown, event.judge, event.time, event.expires, event.item)
        assignment = Assignment(question, requested, turned)
        self.assignments[event.id] = self.open[event.id] = assignment
        self._seen[event.judge, event.item].add(frozenset((requested.first, requested.second)))

    def _swapped(self, event: Asked) -> None:
        """Apply an ask of the same arms in the other order."""
        assert event.swap_of is not None
        one = self.find(event.swap_of)
        shown = (one.question.second, one.question.first)
        question = Question(
            event.id, *shown, event.judge, event.time, event.expires, event.item, swap_of=one.question.id
        )
        fits = (*shown, event.judge, event.item) == (event.first, event.second, one.question.judge, one.question.item)
        if one.swap is not None or one.state != "open" or not fits:
            raise UserError(f"this is not question {event.swap_of} in the other order")
        one.swap = Assignment(question, one.requested, not one.turned, swap=one)
        self.assignments[event.id] = self.open[event.id] = one.swap

    def coin(self, assignment: Assignment, answer: Answer) -> Side | None:
        """Draw the outcome that the algorithm receives if this answer completes a tie; else None."""
        answers = assignment.combined(answer, self.flip)
        return coin_of(self.seed, assignment.earlier.question.id, "tie" if answers.tied else "")

    def _answered(self, event: Answered) -> None:
        assignment = self.find(event.id)
        requested = assignment.requested
        if assignment.answer is not None:
            raise UserError(f"question {event.id} is answered already")
        vote = assignment.answered(event, self.flip)
        if vote is not None:
            winner = self._count(vote)
            used = self._teach(assignment, None if winner is None else int(winner == assignment.requested.first))
            self.votes.append(assignment.settled(replace(vote, used=used)))
        self._seen[assignment.judge, assignment.question.item].add(frozenset((requested.first, requested.second)))
        self._set(assignment, "answered")
        self.answered.append(assignment)

    def _corrected(self, event: Corrected) -> None:
        assignment = self.find(event.id)
        before, requested = assignment.vote, assignment.requested
        if assignment.answer is None:
            raise UserError(f"question {event.id} is not answered yet")
        vote = assignment.answered(event, self.flip)
        if vote is not None and before is not None:
            self._count(before, times=-1)
            used = self._count(vote) is not None and {requested.first, requested.second} <= self._place.keys()
            vote = replace(vote, used=used and self.any_duel)
            self.votes[self.votes.index(before)] = assignment.settled(vote)
        if self.any_duel:
            self._restart()

    def _count(self, vote: Vote, times: int = 1) -> int | None:
        """Count a vote in the tally. Return the winner that the algorithm receives; None for an abstention."""
        if vote.flip == "abstain":
            return None
        winner, loser = (self.tally.place(name) for name in (vote.first, vote.second))
        if (vote.coin or vote.answer) == "second":
            winner, loser = loser, winner
        if vote.coin is None:
            self.tally.add(winner, loser, times, 0)
        elif vote.flip == "half":
            self.tally.add(winner, loser, times / 2, times / 2, coins=(times / 2, -times / 2))
        else:
            self.tally.add(winner, loser, 0, 0, times, coins=(times, 0))
        return winner

    def _teach(self, assignment: Assignment, won: int | None) -> bool:
        """Report an answer, or keep it until the requested duels are complete. Return whether the algorithm uses it.

        ``won`` is None for an abstention; an algorithm that learns only from its own duels then asks again.
        """
        requested = assignment.requested
        if not (requested.first in self._place and requested.second in self._place):
            return False
        if not self.any_duel and assignment.state == "replaced":
            return False
        if won is None:
            requested.handed -= not self.any_duel
            return False
        requested.answered += 1
        requested.wins += won
        if self.any_duel:
            if requested.start != self.starts or requested.answered > requested.count:
                self._count_rounds(1)
            self._report(requested.first, requested.second, won, 1)
        elif requested.answered == requested.count:
            self._requested = None
            self._report(requested.first, requested.second, requested.wins, requested.count)
        return True

    def _import_votes(self, event: Imported) -> None:
        if not self.any_duel:
            raise UserError(f"{self.algorithm.name} learns only from its own duels")
        pairs = [(self.tally.place(each.first), self.tally.place(each.second), each) for each in event.pairs]
        if any(i == j or each.coins > each.ties for i, j, each in pairs):
            raise UserError("invalid votes: an arm against itself, or more coins than ties")
        number = self._from_elsewhere + sum(each.wins + each.losses + each.ties for each in event.pairs)
        if number > MOST_VOTES:
            raise UserError(f"a session takes at most {MOST_VOTES:,} votes from elsewhere, not {number:,}")
        self._from_elsewhere = number
        for i, j, each in pairs:
            self.tally.add(i, j, each.wins, each.losses, each.ties, (each.coins, each.ties - each.coins))
            votes = each.wins + each.losses + each.ties
            if i in self._place and j in self._place and votes:
                self._count_rounds(votes)
                self._report(i, j, each.wins + each.coins, votes)
        self.imports.append(event)

    # Arms

    def _add(self, name: str) -> None:
        self._may_change_arms()
        if name not in self.tally.places:
            if len(self.names) == MOST_ARMS:
                raise UserError(f"a session has at most {MOST_ARMS:,} arms")
            self.tally.add_arm(checked_name(name))
            self.names.append(name)
        arm = self.tally.place(name)
        if arm in self.active:
            raise UserError(f"{name!r} is an arm already")
        self.active = sorted([*self.active, arm])
        self._restart()

    def _withdraw(self, name: str) -> None:
        self._may_change_arms()
        arm = self.tally.place(name)
        if arm not in self.active:
            raise UserError(f"{name!r} was withdrawn before")
        if len(self.active) == 2:
            raise UserError("a session needs at least two arms: add one before you withdraw another")
        self.active.remove(arm)
        self._restart()

    def _may_change_arms(self) -> None:
        if not self.any_duel:
            raise UserError(
                f"the arms of {self.algorithm.name} are fixed, since it learns only from its own duels: "
                "make a new session"
            )

    def _restart(self) -> None:
        self.starts += 1
        self._requested = None
        self._start()
        for each in [*self.open.values(), *self.returned]:
            if not (each.requested.first in self._place and each.requested.second in self._place):
                self._set(each, "closed")

    def _start(self) -> None:
        """Start the algorithm on the arms that take part, with all votes among them."""
        self._place = {arm: place for place, arm in enumerate(self.active)}
        self.player = None
        if self.starts < self._skipped:
            return
        axes = {"start": self.starts} if self.starts else {}
        policy = stream(self.seed, session=self.reference, **axes)
        self.player = player_of(self.algorithm, len(self.active), self.horizon, policy)
        won = self.tally.won(self.active)
        for k, m in np.argwhere(np.triu(won + won.T)).tolist():
            duels = int(won[k, m] + won[m, k])
            self._count_rounds(duels)
            self._report(self.active[k], self.active[m], int(won[k, m]), duels)

    def _report(self, first: int, second: int, wins: int, count: int) -> None:
        if self.player is not None:
            self.player.report(self._place[first], self._place[second], wins, count)

    def _count_rounds(self, rounds: int) -> None:
        """Advance the round of the player."""
        if self.player is not None:
            self.player.round += rounds

    # State

    def declared(self) -> int | None:
        """Return the index of the arm that the algorithm has declared the winner, if any."""
        if self.player is None or self._duels_left or self.waiting:
            return None
        own = self.player.declared()
        return None if own is None else self.active[own]

    def find(self, number: int) -> Assignment:
        """Return the assignment of a question by its number. Raises UserError if there is none."""
        if number not in self.assignments:
            raise UserError(f"there is no question {number}")
        return self.assignments[number]

    def _set(self, assignment: Assignment, state: Literal["returned", "replaced", "closed", "answered"]) -> None:
        self.open.pop(assignment.question.id, None)
        if assignment in self.returned:
            self.returned.remove(assignment)
        assignment.state = state
