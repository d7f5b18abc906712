"""The ``Session`` class, which runs an algorithm on real comparisons."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Hashable, Sequence
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from duelbench.arguments import whole_number
from duelbench.errors import UserError
from duelbench.markup import escaped
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.posterior import MANY
from duelbench.preferences.samples import Notion
from duelbench.votes.reading.columns import SESSION
from duelbench.votes.reading.read import read_votes
from duelbench.votes.sessions.events import (
    MOST_ROUNDS,
    Added,
    Answer,
    Answered,
    Corrected,
    Event,
    Flip,
    Imported,
    Orders,
    Question,
    Returned,
    Vote,
    Withdrawn,
    after,
    arm_names,
    checked_name,
    digest_of,
    includes,
    now,
    one_of,
    pairs_of,
    seconds,
)
from duelbench.votes.sessions.log import InDirectory, InMemory, Log, algorithm_of, creation_event
from duelbench.votes.sessions.player import Duel, Player
from duelbench.votes.sessions.standings import BothOrders, Standings, both_orders, standings
from duelbench.votes.sessions.state import SessionState
from duelbench.votes.vote_table import Votes, VoteTable

if TYPE_CHECKING:
    from duelbench.votes.ranking import Intervals, Ranking


class Session:
    """An algorithm that runs on real comparisons, with the same kernels as the simulation.

    Two interfaces share one state. With ``select`` and ``update``, there is one question at a time, about numbered
    arms. With ``ask`` and ``tell``, arms have names, several judges may answer in any order, and ties are allowed.

    A session made by the constructor lives in memory. ``Session.create`` makes one with a log in a directory, and
    ``Session.open`` continues it from any number of processes. An answer that ``tell`` has accepted is not lost if the
    process is killed.

    Parameters
    ----------
    algorithm : str
        A name of the catalogue, or ``path.py:ClassName``.
    arms : int or sequence of str
        The number of arms, K ≥ 2, or their names.
    seed : int
        The seed of the algorithm's random choices, at least 0.
    horizon : int, optional
        The number of rounds to come, for algorithms that must know it.
    expires : float, optional
        The seconds after which an unanswered question may go to another judge.
    orders : {"one", "both"}
        Whether a judge sees the arms of a question in one order, drawn at random, or in both orders.
    flip : {"tie", "abstain", "half"}
        Whether different answers in both orders count as a tie, as no vote, or as half a win for each arm.
    **parameters
        Parameters of the algorithm.

    Raises
    ------
    UserError
        For an unknown algorithm, a wrong parameter, or names that are not valid.
    ValueError
        For other wrong arguments.

    Examples
    --------
    >>> from duelbench import Session
    >>> session = Session("rucb", arms=3, seed=1)
    >>> for _ in range(200):
    ...     duel = session.select()
    ...     session.update(wins=1 if duel.first < duel.second else 0)  # ask somebody which of the two is better
    >>> session.select()
    Duel(first=0, second=0, count=1)

    >>> session = Session("d-ts", arms=["a", "b", "c"], seed=1)
    >>> for _ in range(60):
    ...     for ask in session.ask():
    ...         used = session.tell(ask.id, "first" if ask.first < ask.second else "second")
    >>> session.recommended
    'a'
    """

    _latest: tuple[Hashable, Standings] | None = None

    def __init__(
        self,
        algorithm: str,
        arms: int | Sequence[str],
        *,
        seed: int = 0,
        horizon: int | None = None,
        expires: float | None = None,
        orders: Orders = "one",
        flip: Flip = "tie",
        **parameters: Any,
    ) -> None:
        names = arm_names(arms)
        chosen = algorithm_of(algorithm, Path(), len(names), horizon, parameters)
        state = SessionState(
            chosen, algorithm, names, whole_number("seed", seed, 0), horizon, one_of("flip", flip, Flip)
        )
        self._kept: InMemory | InDirectory = InMemory(state, seconds(expires), one_of("orders", orders, Orders))
        self._pending: Duel | None = None

    @classmethod
    def create(
        cls,
        directory: Path | str,
        algorithm: str,
        arms: int | Sequence[str],
        *,
        seed: int = 0,
        horizon: int | None = None,
        expires: float | None = None,
        orders: Orders = "one",
        flip: Flip = "tie",
        **parameters: Any,
    ) -> Self:
        """Make a session whose log is in a directory.

        Parameters
        ----------
        directory : path
            The directory, which is created if necessary and must not contain a session.
        algorithm, arms, seed, horizon, expires, orders, flip, **parameters
            As for ``Session``.

        Raises
        ------
        UserError
            If the session cannot be made there.
        ValueError
            For wrong arguments.
        """
        place = Path(directory)
        names = arm_names(arms)
        both = None if one_of("orders", orders, Orders) == "one" else orders
        other = None if one_of("flip", flip, Flip) == "tie" else flip
        event = creation_event(place, algorithm, names, seed, horizon, expires, parameters, both, other)
        Log.create(place, event)
        return cls.open(place)

    @classmethod
    def open(cls, directory: Path | str, *, accept_new_code: bool = False) -> Self:
        """Continue the session in a directory by replaying its log.

        Parameters
        ----------
        directory : path
            The directory.
        accept_new_code : bool
            Whether to restart an algorithm whose code has changed, with the votes so far. The log records the restart.
            Only an algorithm that learns from any duel can restart.

        Raises
        ------
        UserError
            If the directory has no session, the log is damaged, or replay diverges from the log: the code of the
            algorithm has changed.
        """
        self = cls.__new__(cls)
        self._kept, self._pending = InDirectory(Path(directory), accept_new_code), None
        return self

    # By numbers, one question at a time

    def select(self, rounds: int = 1) -> Duel:
        """Return the next duel. Repeated calls before ``update`` return the same duel.

        Parameters
        ----------
        rounds : int
            The largest number of repetitions that the algorithm may ask for at once.

        Returns
        -------
        Duel
            The numbers of the two arms, ``first`` and ``second``, and ``count``.

        Raises
        ------
        ValueError
            If an ``ask`` is open, all rounds have been played, the session is in a directory, or the algorithm returns
            anything but two arms and a count from 1 to ``rounds``.
        """
        rounds = whole_number("rounds", rounds, 1, MOST_ROUNDS)
        if isinstance(self._kept, InDirectory):
            raise ValueError("a session in a directory has no select: use ask() and tell()")
        if self._state.open or self._state.returned:
            raise ValueError("questions are open: report their answers with tell first")
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
        """Report the outcome of the selected duel.

        Parameters
        ----------
        wins : int
            The number of the selected duels that the first arm won, from 0 to ``count``; ignored for a self-duel.

        Raises
        ------
        ValueError
            If no duel is selected, or for any other number of wins; use ``tell`` for ties.
        """
        if self._pending is None:
            raise ValueError("no duel is selected: call select first")
        duel = self._pending
        won = whole_number("wins", int(wins) if isinstance(wins, bool | np.bool_) else wins, 0, duel.count)
        self._player.report(duel.first, duel.second, won, duel.count)
        self._player.round += duel.count
        if duel.first != duel.second:
            self._state.tally.add(duel.first, duel.second, won, duel.count - won)
        self._pending = None

    # By names, any number of judges

    def ask(
        self,
        n: int = 1,
        judge: str | None = None,
        expires: float | None = None,
        item: str | None = None,
        orders: Orders | None = None,
    ) -> list[Question]:
        """Return duels of different arms for a judge.

        Questions that were given back or have expired come first; a judge gets a question that they gave back only if
        no other is left. An algorithm that learns from any duel may have many open questions. Its choices depend on the
        answers so far, so a pair may come twice. Other algorithms wait for all answers to their question, which may
        consist of several duels.

        Parameters
        ----------
        n : int
            The largest number of duels, from 1 to 1,000.
        judge : str, optional
            The name of the judge.
        expires : float, optional
            The seconds after which the questions may go to another judge; by default as in the session.
        item : str, optional
            What the arms are compared on, such as a customer's question. No judge gets a pair twice on one item; all
            judges without a name count as one. By default an unanswered question keeps its item.
        orders : {"one", "both"}, optional
            As for ``Session``; by default as in the session. A question in both orders is two asks, which give one
            vote once both are answered.

        Returns
        -------
        list of Question
            Up to ``n`` questions, each in one order or both. There are fewer, or none, if the algorithm has no more
            (see ``finished``), or if the judge has already had the pairs that it asks for on this item.

        Raises
        ------
        UserError
            If the name of the judge is not valid.
        ValueError
            For other wrong arguments, or if a selected duel waits for ``update``.
        """
        n = whole_number("the number of duels", n, 1, _MOST_ASKS)
        if self._pending is not None:
            raise ValueError("a duel is selected: call update first")
        who = None if judge is None else checked_name(judge, "the name of a judge")
        about = None if item is None else checked_name(item, "the label of an item")
        lasting, chosen = seconds(expires), None if orders is None else one_of("orders", orders, Orders)
        with self._kept.operation() as events:
            state, time = self._state, now()
            lasting = self._kept.expires if lasting is None else lasting
            until = None if lasting is None else after(time, lasting)
            both = (chosen or self._kept.orders) == "both"
            found: list[Question] = []
            for _ in range(n):
                event = state.next_ask(time, who, until, about)
                if event is None:
                    break
                self._record(event, events)
                if both:
                    swapped = {"id": event.id + 1, "first": event.second, "second": event.first, "swap_of": event.id}
                    self._record(event.model_copy(update={**swapped, "again": None}), events)
                found += [state.find(number).question for number in range(event.id, event.id + 1 + both)]
        return found

    def tell(self, id: int, answer: str, judge: str | None = None) -> bool:
        """Report the answer to a question, in any order and however late.

        Repeating the same answer changes nothing. A tie is recorded as a tie; the algorithm receives the outcome of a
        coin toss, which the log keeps.

        Parameters
        ----------
        id : int
            The number of the question.
        answer : {"first", "second", "tie"}
            The better arm as shown, or neither.
        judge : str, optional
            The name of the judge.

        Returns
        -------
        bool
            Whether the algorithm uses the answer. An algorithm that learns only from its own questions does not use an
            answer that comes after another judge was asked instead, but the answer is recorded. For a question in both
            orders, the first answer is used together with the second one.

        Raises
        ------
        UserError
            For an unknown answer, or if the question does not exist or was answered differently.
        """
        given, who = _checked(answer, judge)
        with self._kept.operation() as events:
            assignment = self._state.find(whole_number("the number of a question", id))
            if assignment.answer is None:
                coin = self._state.coin(assignment, given)
                self._record(
                    Answered(time=now(), id=assignment.question.id, answer=given, coin=coin, judge=who), events
                )
            elif assignment.answer != answer:
                raise UserError(
                    f"question {id} is answered already ({assignment.answer!r}): change the answer with `correct`"
                )
            return assignment.vote is not None and assignment.vote.used

    def skip(self, id: int | Sequence[int], judge: str | None = None) -> None:
        """Give one or several questions back without an answer, so that another judge is asked next.

        A later answer is treated like one after expiry. Raises UserError if a question does not exist or is answered;
        then none is given back.
        """
        who = None if judge is None else checked_name(judge, "the name of a judge")
        with self._kept.operation() as events:
            numbers = id if isinstance(id, list | tuple) else [id]
            found = [self._state.find(whole_number("the number of a question", number)) for number in numbers]
            for assignment in found:
                if assignment.answer is not None:
                    raise UserError(f"question {assignment.question.id} is answered: it cannot be given back")
            for assignment in found:
                if assignment.state == "open":
                    self._record(Returned(time=now(), id=assignment.question.id, judge=who), events)

    def correct(self, id: int, answer: str, judge: str | None = None) -> bool:
        """Replace an answer, for instance after a wrong click. The log keeps both.

        An algorithm that learns from any duel restarts with the corrected votes. Any other has learned the first
        answer and keeps it: only the counts change.

        Parameters
        ----------
        id, answer, judge
            As for ``tell``; by default, the judge of the earlier answer.

        Returns
        -------
        bool
            Whether the algorithm uses the answer.

        Raises
        ------
        UserError
            For an unknown answer, or if the question does not exist or is not answered.
        """
        given, who = _checked(answer, judge)
        with self._kept.operation() as events:
            assignment = self._state.find(whole_number("the number of a question", id))
            if assignment.answer is None:
                raise UserError(f"question {id} is not answered yet: answer it with `tell`")
            if assignment.answer != answer:
                coin = self._state.coin(assignment, given)
                self._record(
                    Corrected(time=now(), id=assignment.question.id, answer=given, coin=coin, judge=who), events
                )
            return assignment.vote is not None and assignment.vote.used

    def tell_votes(self, votes: Any, source: str = "", *, again: bool = False, **reading: Any) -> int:
        """Import votes from elsewhere; the algorithm must learn from any duel.

        Warns about unusable rows of a file, about ambiguous names and columns, and if the votes seem to include those
        of an earlier import (for example if a file has grown).

        Parameters
        ----------
        votes : str, Path, DataFrame, sequence, Votes or PairCounts
            Unweighted votes on arms of the session: anything that ``read_votes`` reads or returns, or counts.
        source : str
            The origin of the votes, for the log; by default the name of the file.
        again : bool
            Whether to import votes that were imported before.
        **reading
            How to read the votes, as for ``read_votes``.

        Returns
        -------
        int
            The number of votes.

        Raises
        ------
        UserError
            If a file cannot be read, votes are weighted or on other arms, the algorithm learns only from its own
            questions, or the votes were imported before: the same file, or one of the same name with at least the
            same votes.
        """
        if not isinstance(votes, PairCounts | Votes):
            source = source or (Path(votes).name if isinstance(votes, str | Path) else "")
            votes = read_votes(votes, arms=self.all_counts.names, **reading)
            for sentence in votes.problems():
                warnings.warn(sentence, stacklevel=2)
        source = checked_name(source or "elsewhere", "a source")
        counts, digest = votes if isinstance(votes, PairCounts) else votes.counts, digest_of(votes, source)
        with self._kept.operation() as events:
            pairs = pairs_of(counts, self._state.names, self._state.seed)
            included = [each for each in self._state.imports if not again and includes(pairs, each.pairs)]
            for earlier in included:
                if earlier.digest == digest or earlier.source == source:
                    raise UserError(
                        f"these votes were imported before, as {earlier.source!r}: --again (in Python again=True) "
                        "imports them once more"
                    )
            if included:
                warnings.warn(
                    f"{source} has at least the votes of {included[-1].source}, which was imported before: if it is "
                    "the same file with more rows, the earlier rows count twice",
                    stacklevel=2,
                )
            self._record(Imported(time=now(), source=source, digest=digest, pairs=pairs), events)
        return sum(each.wins + each.losses + each.ties for each in pairs)

    def add(self, name: str) -> None:
        """Add an arm, or bring back a withdrawn one.

        The algorithm, which must learn from any duel, restarts with all votes among the arms. Raises UserError if the
        arm takes part already, the name is not valid, or the arms of the algorithm are fixed.
        """
        self._change(Added(time=now(), arm=checked_name(name)))

    def withdraw(self, name: str) -> None:
        """Withdraw an arm. Its votes are kept and count again if it comes back.

        Raises UserError if the arm does not take part, only two are left, or the arms of the algorithm are fixed.
        """
        self._change(Withdrawn(time=now(), arm=checked_name(name)))

    def _change(self, event: Added | Withdrawn) -> None:
        with self._kept.operation() as events:
            self._record(event, events)

    def _record(self, event: Event, events: list[Event]) -> None:
        """Apply an event, and add it to the ``events`` of the operation."""
        self._state.apply(event)
        events.append(event)

    # What can be read

    @property
    def algorithm(self) -> str:
        """The name of the algorithm."""
        return self._state.algorithm.name

    @property
    def round(self) -> int:
        """The next round, from 1. Self-duels are rounds too, although nobody is asked about them."""
        return self._player.round

    @property
    def horizon(self) -> int | None:
        """The number of rounds, for an algorithm that must know it."""
        return self._state.horizon

    @property
    def finished(self) -> bool:
        """Whether no question is open, and the algorithm asks for no more.

        This happens when the algorithm has declared its winner, at the end of its horizon, or when it would play
        self-duels for a million rounds. Imported votes or new arms may reopen the session.
        """
        return not self._state.open and not self._state.has_question

    @property
    def waiting(self) -> bool:
        """Whether there are no new questions until open ones are answered."""
        return self._state.waiting or not self._state.has_question

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arms that take part."""
        return tuple(self._state.names[arm] for arm in self._state.active)

    @property
    def open_questions(self) -> list[Question]:
        """The unanswered questions, in order; some may have expired."""
        return [each.question for each in self._state.open.values()]

    def asked(self, judge: str) -> list[Question]:
        """Return all questions that a judge was asked, in order."""
        return [each.question for each in self._state.assignments.values() if each.question.judge == judge]

    def answered(self, judge: str) -> dict[int, Answer]:
        """Return the answers to a judge's questions by ID, in the order in which they were given."""
        given = [(each.question.id, each.answer) for each in self._state.answered if each.question.judge == judge]
        return {id: answer for id, answer in given if answer is not None}

    @property
    def votes(self) -> list[Vote]:
        """The votes of judges in the order of their answers, including those on withdrawn arms."""
        return list(self._state.votes)

    @property
    def both_orders(self) -> BothOrders | None:
        """A comparison of the answers in both orders; None without questions answered in both orders."""
        return both_orders(self._state.votes)

    def vote(self, id: int) -> Vote | None:
        """Return the vote that comes from a question; None until it is answered (in both orders, until both are)."""
        return self._state.find(id).vote

    @property
    def imported(self) -> int:
        """The number of votes from elsewhere."""
        return sum(each.wins + each.losses + each.ties for event in self._state.imports for each in event.pairs)

    @property
    def counts(self) -> PairCounts:
        """All votes on the arms that take part, imported ones included."""
        return self.all_counts.chosen(self._state.active)

    @property
    def all_counts(self) -> PairCounts:
        """All votes, including those on withdrawn arms."""
        return self._state.tally.counts()

    @property
    def table(self) -> VoteTable:
        """The votes in ``counts`` as a table with judges, and items as groups; imported votes have neither."""
        return _vote_table(self.counts, self._state.votes)

    @property
    def answers(self) -> VoteTable:
        """The answers of judges as a table, with the arms as shown, including withdrawn ones.

        The two answers to a question in both orders form a group.
        """
        votes, names = self._state.votes, self._state.names
        place, judges = {name: k for k, name in enumerate(names)}, sorted({vote.judge for vote in votes if vote.judge})
        number = {judge: k for k, judge in enumerate(judges)}
        rows = [
            (place[first], place[second], _OUTCOMES[answer], 1.0, number.get(vote.judge or "", -1), group)
            for group, vote in enumerate(votes)
            for first, second, answer in vote.shown
        ]
        return _as_table(tuple(names), rows, judges)

    @property
    def recommended(self) -> str | None:
        """The arm that the algorithm has declared the winner, else the arm that most probably beats most others.

        It is None before any vote. It comes from ``show``, whose last result is cached.
        """
        if not self._state.tally.voted:
            return None
        found = self.show()
        return None if found.recommended is None else found.names[found.recommended]

    def show(self, find: Notion = "copeland", margin: float = 0.0, seed: int = 0) -> Standings:
        """Return the standings of the arms that take part, from the posterior of all votes.

        Parameters
        ----------
        find : {"copeland", "condorcet", "borda"}
            The best arm is the one that beats most others, beats all others, or is preferred most often.
        margin : float
            An indifference margin: an arm is as good as the best if it is within this difference of probabilities. It
            needs at most 300 arms.
        seed : int
            The seed of the matrices drawn from the posterior.

        Returns
        -------
        Standings
            Each arm's probability of being best, its scores with 95 % intervals, the probabilities that the order and
            the top arms are right, and the pairs on which the best arm depends.

        Raises
        ------
        UserError
            For a margin with more than 300 arms, or outside [0, 1/2).
        ValueError
            For other wrong arguments.
        """
        from duelbench.votes.strengths import design_effect

        state, counts = self._state, self.all_counts
        find, seed = one_of("find", find, Notion), whole_number("seed", seed, 0)
        if not isinstance(margin, Real) or not 0 <= margin < 0.5:
            raise UserError(f"a margin is a probability from 0 to below 0.5, not {margin!r:.60}")
        if margin and counts.arms > MANY:
            raise UserError(f"a margin needs at most {MANY} arms, and the session has {counts.arms:,}")
        declared = state.declared()
        effect = design_effect(self.table) if any(vote.item is not None for vote in state.votes) else 1.0
        key = counts.digest(), effect, tuple(state.names), tuple(state.active), declared, find, margin, seed
        if self._latest is None or self._latest[0] != key:
            found = standings(
                counts, declared=declared, taking_part=state.active, notion=find, margin=margin, seed=seed,
                effect=effect,
            )  # fmt: skip
            self._latest = key, found
        return self._latest[1]

    def stop(self, until: float | str, find: Notion = "copeland", margin: float = 0.0) -> bool:
        """Return whether you may stop, as ``duelbench session show --until`` does; you may look after every vote.

        Parameters
        ----------
        until : float or str
            The required probability that the recommended arm is best; or a statement that must have probability 0.95:
            "ranks": the order of the arms is right; "top:K": the first K arms are the best; "margin": the recommended
            arm is within the margin of the best.
        find, margin
            As for ``show``.
        """
        return self.show(find, margin).reached(until)

    def ranking(self, intervals: Intervals = "simultaneous") -> Ranking:
        """Return the ranking of the arms that take part, with intervals, as ``duelbench rank`` does.

        Parameters
        ----------
        intervals : {"simultaneous", "marginal"}
            Whether all intervals together contain the true ranks with probability 95 %, or each alone.

        Returns
        -------
        Ranking
            Strengths, rank intervals, tiers and decisions, from one look at the votes.
        """
        from duelbench.votes.ranking import Intervals, rank

        return rank(self.table, intervals=one_of("intervals", intervals, Intervals))

    def refresh(self) -> bool:
        """Read events that other processes have added to the log, and return whether there were any."""
        return self._kept.refresh()

    @property
    def _state(self) -> SessionState:
        return self._kept.state

    @property
    def _player(self) -> Player:
        player = self._state.player
        assert player is not None  # it is None only during a replay
        return player


def _checked(answer: str, judge: str | None) -> tuple[Answer, str | None]:
    """Check an answer and the name of a judge. Raises UserError if one of them is not valid."""
    if answer not in _ANSWERS:
        raise UserError(f"an answer is first, second or tie, not {answer!r:.80}")
    return cast(Answer, answer), None if judge is None else checked_name(judge, "the name of a judge")


_OUTCOMES = {"first": 1, "tie": 0, "second": -1}
_COUNTED = {"half": "half", "abstain": "none"}


def votes_text(votes: list[Vote]) -> str:
    """Return votes as CSV, one per row: the arms as shown, and the winner: first, second or tie.

    For different answers in both orders, the winner may also be ``half`` (half a win for each) or ``none``.
    """
    rows = [
        (
            escaped(each.first), escaped(each.second), _COUNTED.get(each.flip or "", each.answer),
            escaped(each.judge or ""), each.asked,
            each.answered, each.id, each.coin or "", str(each.used).lower(), escaped(each.item or ""),
            *(each.answers or ("", "")),
        )
        for each in votes
    ]  # fmt: skip
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(SESSION)
    writer.writerows(rows)
    return text.getvalue()


def _vote_table(counts: PairCounts, votes: Sequence[Vote]) -> VoteTable:
    """Make a table of the votes in ``counts``: those of judges (``votes``), and the imported others without a judge.

    Votes on arms that are not in ``counts`` are left out. If any vote is imported or in both orders, the table is not
    ``ordered``.
    """
    place = {name: number for number, name in enumerate(counts.names)}
    known = [vote for vote in votes if vote.first in place and vote.second in place and vote.parts]
    judges = sorted({vote.judge for vote in known if vote.judge is not None})
    number = {judge: k for k, judge in enumerate(judges)}
    group: dict[str | int, int] = {}
    rows = [
        (
            place[vote.first], place[vote.second], outcome, weight, number.get(vote.judge or "", -1),
            group.setdefault(vote.id if vote.item is None else vote.item, len(group)),
        )
        for vote in known for outcome, weight in vote.parts
    ]  # fmt: skip
    judged = _as_table(counts.names, rows, judges)
    own = judged.counts()
    wins, ties = counts.wins - own.wins, np.triu(counts.ties - own.ties)
    for outcome, imported in ((1, wins), (0, ties)):
        rows += [(int(i), int(j), outcome, float(imported[i, j]), -1, -1) for i, j in np.argwhere(imported > 0)]
    ordered = len(rows) == len(judged) and all(vote.answers is None for vote in known)
    return replace(_as_table(counts.names, rows, judges), ordered=ordered)


def _as_table(
    names: tuple[str, ...], rows: Sequence[tuple[int, int, int, float, int, int]], judges: Sequence[str]
) -> VoteTable:
    columns = np.array(rows, dtype=np.float64).reshape(-1, 6).T
    first, second, outcome, _, judge, group = columns.astype(np.int64)
    group = np.where(group < 0, len(rows) + np.arange(len(rows)), group)
    return VoteTable(names, first, second, outcome, columns[3], judge, group, tuple(judges))


_MOST_ASKS = 1_000
"""The largest number of duels in one ``ask``."""
_ANSWERS = ("first", "second", "tie")
