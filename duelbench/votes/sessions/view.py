"""What can be read from a session: its arms, questions and votes, the standings, and the ranking."""

from __future__ import annotations

import csv
import io
from collections.abc import Hashable, Sequence
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from duelbench.errors import UserError
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.posterior import MANY
from duelbench.preferences.samples import Notion
from duelbench.spreadsheets import escaped
from duelbench.votes.reading.layouts import SESSION
from duelbench.votes.sessions.creation import checked_seed, one_of
from duelbench.votes.sessions.events import Answer, Ask, Vote
from duelbench.votes.sessions.log import InDirectory, InMemory
from duelbench.votes.sessions.player import Player
from duelbench.votes.sessions.standings import BothOrders, Standings, both_orders, standings
from duelbench.votes.sessions.state import SessionState
from duelbench.votes.vote_table import VoteTable

if TYPE_CHECKING:
    from duelbench.votes.ranking import Intervals, Ranking


class SessionView:
    """The part of a ``Session`` that changes nothing."""

    _kept: InMemory | InDirectory
    _latest: tuple[Hashable, Standings] | None = None

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
        """Whether the algorithm asks for no more votes: no question is open, and none is to come.

        This is so once the algorithm has declared its winner, at the end of its horizon, and when it would duel an arm
        with itself for a million rounds. Votes from elsewhere or new arms may reopen the session.
        """
        return not self._state.open and not self._state.has_question

    @property
    def waiting(self) -> bool:
        """Whether no question can come before answers to the open ones."""
        return self._state.waiting or not self._state.has_question

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arms that take part."""
        return tuple(self._state.names[arm] for arm in self._state.active)

    @property
    def open_asks(self) -> list[Ask]:
        """The questions without an answer, in order; some may have expired."""
        return [each.ask for each in self._state.open.values()]

    def asked(self, judge: str) -> list[Ask]:
        """Return all questions that a judge was asked, in order."""
        return [each.ask for each in self._state.assignments.values() if each.ask.judge == judge]

    def answered(self, judge: str) -> dict[int, Answer]:
        """Return the answers to a judge's questions by ID, in the order in which they were given."""
        given = [(each.ask.id, each.answer) for each in self._state.answered if each.ask.judge == judge]
        return {id: answer for id, answer in given if answer is not None}

    @property
    def votes(self) -> list[Vote]:
        """The votes of judges in the order of their answers, including those on withdrawn arms."""
        return list(self._state.votes)

    @property
    def both_orders(self) -> BothOrders | None:
        """How the answers in both orders compare; None without questions in both orders."""
        return both_orders(self._state.votes)

    def vote(self, id: int) -> Vote | None:
        """Return the vote that the answer to a question is part of; None without one, in both orders without either."""
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
        """The votes in ``counts`` one by one, with judges, those on one item as a group; imported ones have neither."""
        return _vote_table(self.counts, self._state.votes)

    @property
    def answers(self) -> VoteTable:
        """The answers of judges, each in the order in which the arms were shown; those that make one vote are a group.

        Those on withdrawn arms are included.
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
        """The arm that most probably beats most others, or that the algorithm has declared the winner.

        None before any vote. It comes from ``show``, which is computed once after each vote.
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
            Which arm is best: one that beats most others, beats all others, or is preferred most often.
        margin : float
            An indifference margin: arms are as good as the best if they come within this probability of being
            preferred. Up to 300 arms.
        seed : int
            The seed of the matrices drawn from the posterior.

        Returns
        -------
        Standings
            Each arm's probability of being best and scores with 95 % intervals, the probabilities of the order and of
            the top arms, and the pairs that decide.

        Raises
        ------
        UserError
            For a margin with more than 300 arms, or outside of 0 to 1/2.
        ValueError
            For other wrong arguments.
        """
        from duelbench.votes.clusters import design_effect

        state, counts = self._state, self.all_counts
        find, seed = one_of("find", find, Notion), checked_seed(seed)
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
            The probability that the recommended arm is best; or what has the probability 0.95: "ranks", that the order
            of the arms is right; "top:K", that the first K are the best; "margin", that the recommended arm is within
            the margin of the best.
        find, margin
            As for ``show``.
        """
        return self.show(find, margin).reached(until)

    def ranking(self, intervals: Intervals = "simultaneous") -> Ranking:
        """Return the ranking of the arms that take part, with intervals, as ``duelbench rank`` does.

        Parameters
        ----------
        intervals : {"simultaneous", "marginal"}
            Intervals that contain the true ranks of all arms together, or those of single arms.

        Returns
        -------
        Ranking
            Strengths, rank intervals, tiers, and what is decided, from one look at the votes.
        """
        from duelbench.votes.ranking import Intervals, rank

        return rank(self.table, intervals=one_of("intervals", intervals, Intervals))

    def refresh(self) -> bool:
        """Read what other processes have added to the log, and return whether they have added anything."""
        return self._kept.refresh()

    @property
    def _state(self) -> SessionState:
        return self._kept.state

    @property
    def _player(self) -> Player:
        player = self._state.player
        assert player is not None  # only while a log is replayed there is none
        return player


_OUTCOMES = {"first": 1, "tie": 0, "second": -1}
_COUNTED = {"half": "half", "abstain": "none"}


def votes_text(votes: list[Vote]) -> str:
    """Return a CSV table of votes, one a row: the arms as they were shown, and first, second or tie.

    Different answers in both orders may also be ``half`` a win for each, or ``none``.
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
    """Return the votes in ``counts`` one by one: ``votes`` of judges, and all others without a judge.

    Votes on arms that are not in ``counts`` are left out. Imported votes, and those in both orders, have no order.
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
