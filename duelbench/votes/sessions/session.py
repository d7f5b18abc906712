"""Sessions: algorithms that run on real comparisons."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self, cast

from duelbench.errors import UserError
from duelbench.preferences.counts import PairCounts
from duelbench.votes.reading import Votes, read_votes
from duelbench.votes.sessions.creation import (
    algorithm_of,
    arm_names,
    checked_name,
    checked_seed,
    creation_event,
    one_of,
    seconds,
    whole_number,
)
from duelbench.votes.sessions.events import (
    MOST_ROUNDS,
    Added,
    Answer,
    Answered,
    Ask,
    Corrected,
    Event,
    Flip,
    Imported,
    Orders,
    Returned,
    Withdrawn,
    after,
    digest_of,
    includes,
    now,
    pairs_of,
)
from duelbench.votes.sessions.log import InDirectory, InMemory, Log
from duelbench.votes.sessions.player import Duel
from duelbench.votes.sessions.state import SessionState
from duelbench.votes.sessions.view import SessionView

_MOST_ASKS = 1_000
"""The largest number of duels in one ``ask``."""
_ANSWERS = ("first", "second", "tie")


class Session(SessionView):
    """An algorithm that runs on real comparisons, with the same kernels as the simulation.

    Two interfaces share one state. With ``select`` and ``update`` there is one question at a time, about numbered
    arms. With ``ask`` and ``tell`` arms have names, several judges may answer, in any order, and ties are allowed.

    A session made by the constructor lives in memory. ``Session.create`` makes one with a log in a directory, and
    ``Session.open`` continues it from any number of processes; an answer that ``tell`` has accepted survives the death
    of its process.

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
        Whether a question shows its arms in one order, drawn at random, or a judge gets it in both orders.
    flip : {"tie", "abstain", "half"}
        What two different answers in both orders count as: a tie, no vote, or half a win for each arm.
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
        state = SessionState(chosen, algorithm, names, checked_seed(seed), horizon, one_of("flip", flip, Flip))
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
            While an ``ask`` is open, after the last round, for a session in a directory, and if the algorithm answers
            anything but two arms and a count from 1 to ``rounds``.
        """
        if not 1 <= whole_number("rounds", rounds) <= MOST_ROUNDS:
            raise ValueError(f"rounds must be from 1 to {MOST_ROUNDS:,}, not {rounds}")
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
            How many of the selected duels the first arm won, from 0 to the duel's count; ignored for a self-duel.

        Raises
        ------
        ValueError
            Without a selected duel, and for any other number of wins: ties are for ``tell``.
        """
        if self._pending is None:
            raise ValueError("no duel is selected: call select first")
        duel = self._pending
        won = whole_number("wins", wins)
        if not 0 <= won <= duel.count:
            raise ValueError(f"wins must be between 0 and {duel.count}, not {wins}")
        self._player.report(duel.first, duel.second, won, duel.count)
        self._player.round += duel.count
        if duel.first != duel.second:
            tally = self._state.tally
            tally.win(duel.first, duel.second, won)
            tally.win(duel.second, duel.first, duel.count - won)
        self._pending = None

    # By names, any number of judges

    def ask(
        self,
        n: int = 1,
        judge: str | None = None,
        expires: float | None = None,
        item: str | None = None,
        orders: Orders | None = None,
    ) -> list[Ask]:
        """Return duels of different arms for a judge.

        Returned and expired questions come first; a judge gets a question that they gave back only if no other is
        left. An algorithm that learns from any duel may have many open questions. Its choices depend on the answers so
        far, so a pair may come twice. Other algorithms wait for the answers to their question, which may consist of
        several duels.

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
            As for the session, whose orders are the default. A question in both orders is two asks, and one vote once
            both are answered.

        Returns
        -------
        list of Ask
            Up to ``n`` questions, each in one order or both: fewer, or none, if the algorithm has no more, see
            ``finished``, or the judge has had the pairs that it asks for on this item.

        Raises
        ------
        UserError
            If the name of the judge is not valid.
        ValueError
            For other wrong arguments, and while a selected duel waits for ``update``.
        """
        if not 1 <= whole_number("the number of duels", n) <= _MOST_ASKS:
            raise ValueError(f"the number of duels must be between 1 and {_MOST_ASKS}, not {n}")
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
            found: list[Ask] = []
            for _ in range(n):
                event = state.next_ask(time, who, until, about)
                if event is None:
                    break
                self._record(event, events)
                if both:
                    swapped = {"id": event.id + 1, "first": event.second, "second": event.first, "swap_of": event.id}
                    self._record(event.model_copy(update={**swapped, "again": None}), events)
                found += [state.find(number).ask for number in range(event.id, event.id + 1 + both)]
        return found

    def tell(self, id: int, answer: str, judge: str | None = None) -> bool:
        """Report the answer to a question, in any order and however late.

        A repeated identical answer changes nothing. A tie is recorded as a tie; the algorithm receives the outcome of
        a coin, which the log keeps.

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
            answer that comes after another judge was asked instead; it is recorded all the same. The first answer to a
            question in both orders is used with the second one.

        Raises
        ------
        UserError
            For an unknown answer, and if the question does not exist or was answered differently.
        """
        given, who = _checked(answer, judge)
        with self._kept.operation() as events:
            assignment = self._state.find(whole_number("the number of a question", id))
            if assignment.answer is None:
                coin = self._state.coin(assignment, given)
                self._record(Answered(time=now(), id=assignment.ask.id, answer=given, coin=coin, judge=who), events)
            elif assignment.answer != answer:
                raise UserError(
                    f"question {id} is answered already ({assignment.answer!r}): change the answer with `correct`"
                )
            return assignment.vote is not None and assignment.vote.used

    def skip(self, id: int | Sequence[int], judge: str | None = None) -> None:
        """Return a question, or several, without an answer, so that another judge is asked next.

        An answer that comes all the same is late, as after expiry. Raises UserError if a question does not exist or is
        answered; then none is returned.
        """
        who = None if judge is None else checked_name(judge, "the name of a judge")
        with self._kept.operation() as events:
            numbers = id if isinstance(id, list | tuple) else [id]
            found = [self._state.find(whole_number("the number of a question", number)) for number in numbers]
            for assignment in found:
                if assignment.answer is not None:
                    raise UserError(f"question {assignment.ask.id} is answered: it cannot be given back")
            for assignment in found:
                if assignment.state == "open":
                    self._record(Returned(time=now(), id=assignment.ask.id, judge=who), events)

    def correct(self, id: int, answer: str, judge: str | None = None) -> bool:
        """Replace an answer, for instance after a wrong click. The log keeps both.

        An algorithm that learns from any duel restarts with the corrected votes. Any other has learned the first
        answer and keeps it: only the counts change.

        Parameters
        ----------
        id, answer, judge
            As for ``tell``; by default the judge is that of the earlier answer.

        Returns
        -------
        bool
            Whether the algorithm uses the answer.

        Raises
        ------
        UserError
            For an unknown answer, and if the question does not exist or is not answered.
        """
        given, who = _checked(answer, judge)
        with self._kept.operation() as events:
            assignment = self._state.find(whole_number("the number of a question", id))
            if assignment.answer is None:
                raise UserError(f"question {id} is not answered yet: answer it with `tell`")
            if assignment.answer != answer:
                coin = self._state.coin(assignment, given)
                self._record(Corrected(time=now(), id=assignment.ask.id, answer=given, coin=coin, judge=who), events)
            return assignment.vote is not None and assignment.vote.used

    def tell_votes(self, votes: Any, source: str = "", *, again: bool = False, **reading: Any) -> int:
        """Import votes from elsewhere, for an algorithm that learns from any duel.

        Warns about rows of a file that cannot be used, about names and columns that may mean something else, and if
        the votes seem to include those of an earlier import, as a file that has grown does.

        Parameters
        ----------
        votes : str, Path, DataFrame, sequence, Votes or PairCounts
            Unweighted votes on arms of the session: what ``read_votes`` reads or returns, or counts.
        source : str
            Where they come from, for the log; by default the name of the file.
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
            For a file that cannot be read, votes on other arms, weighted votes, an algorithm that learns only from its
            own questions, and votes imported before: the same file, or one of the same name with the same votes or
            more.
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
        """Apply an event, and add it to those of the operation."""
        self._state.apply(event)
        events.append(event)


def _checked(answer: str, judge: str | None) -> tuple[Answer, str | None]:
    """Return an answer and the name of a judge. Raises UserError if one of them is not valid."""
    if answer not in _ANSWERS:
        raise UserError(f"an answer is first, second or tie, not {answer!r:.80}")
    return cast(Answer, answer), None if judge is None else checked_name(judge, "the name of a judge")
