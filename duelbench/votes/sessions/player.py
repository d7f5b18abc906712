"""Run an algorithm on the arms of a session: get its questions, report outcomes, and play self-duels without asking."""

import sys
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.algorithm import Algorithm, Program, first_arm
from duelbench.arrays import State
from duelbench.engine.answers import check_answer, checked_declaration, whole
from duelbench.engine.complaint import complaint
from duelbench.engine.loops import loop_for
from duelbench.engine.play import LATE, Problem, Rules, new_ledger
from duelbench.engine.rollout import Streams, declared_by, play_to_the_end
from duelbench.engine.streams import copied, generator_at
from duelbench.errors import AnswerError, UserError, place_in
from duelbench.kernels.blocks import WHOLE
from duelbench.kernels.duels import AHEAD, NEVER

_ANSWERS = 20_000
"""The largest number of self-duels that an algorithm selects one by one before it asks a question."""
_TRIES = 100
"""After this many selections of a refused pair, we conclude that there is no question."""
Pairs = Collection[frozenset[int]]
"""Pairs of different arms."""


@dataclass(frozen=True)
class Duel:
    """A duel of two numbered arms, ``first`` and ``second``, to be asked ``count`` times."""

    first: int
    second: int
    count: int


class Player(ABC):
    """An algorithm for ``arms`` arms. ``round`` is the number of the next round, from 1."""

    def __init__(
        self, algorithm: Algorithm, arms: int, horizon: int | None, policy: np.random.Generator, round: int = 1
    ) -> None:
        self.algorithm, self.arms, self.horizon = algorithm, arms, horizon
        self.round = round
        self._kind = type(algorithm)
        self._policy = policy

    @abstractmethod
    def select(self, last: int) -> Duel:
        """Return the algorithm's duel for the next rounds, up to ``last``. Raises ValueError if it is not valid."""

    @abstractmethod
    def _learn(self, first: int, second: int, wins: int, count: int) -> None:
        """Report outcomes to the algorithm."""

    @abstractmethod
    def ask(self, refused: Pairs = frozenset(), known: bool = False) -> Duel | None:
        """Play self-duels until the algorithm asks for a duel of different arms, and return this duel.

        Returns None, with the state unchanged, if there is none within ``AHEAD`` rounds or the horizon, or if the
        algorithm asks only for ``refused`` pairs. An algorithm that learns from any duel selects single rounds, since
        its next question may be better after other answers, and may try ``_TRIES`` times; other algorithms may ask the
        same question for several rounds. ``known``: the log has the question, so we need not save the state.
        """

    @abstractmethod
    def would_ask(self) -> bool:
        """Return whether ``ask`` would return a duel; the state does not change."""

    @abstractmethod
    def declared(self) -> int | None:
        """Return the arm (the first of several) that is declared without another vote; the state does not change."""

    def report(self, first: int, second: int, wins: int, count: int) -> None:
        """Report outcomes to the algorithm; self-duels have no wins. Errors of a user's algorithm become UserError."""
        with self._explained():
            self._learn(first, second, wins, count)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Convert errors of a user's algorithm into UserError, with the line in its file."""
        try:
            yield
        except Exception as error:
            text = self.algorithm.source_text
            if not text or isinstance(error, UserError):
                raise
            file = str(sys.modules[self._kind.__module__].__file__)
            files = {file: text, **{each.file: each.text for each in self.algorithm.helpers.values()}}
            if type(error).__module__.startswith("numba."):
                sentence, where, line = complaint(error, files)
                raise UserError(f"this does not compile: {sentence}", source=where or file, line=line) from None
            where, line, name = place_in(error, files) or (file, None, self.algorithm.name)
            what = f" fails with {type(error).__name__}: {error or 'no message'}"
            what = f": {error}" if isinstance(error, AnswerError) else what
            raise UserError(f"{name}{what}; `duelbench test` shows more", source=where, line=line) from error


class PolicyPlayer(Player):
    """A policy, with its state and its stream."""

    def __init__(
        self, algorithm: Algorithm, arms: int, horizon: int | None, policy: np.random.Generator, round: int = 1
    ) -> None:
        super().__init__(algorithm, arms, horizon, policy, round)
        with self._explained():
            self._state = algorithm.start(arms, horizon or 1)

    def select(self, last: int) -> Duel:
        """Return the next duel, up to ``last``; a hold that several arms share becomes a self-duel of each."""
        shares = self.algorithm.hold_shares(self._state)
        if shares is None or not shares[WHOLE].any():
            answer = self._kind.select(self._state, self.round, last, self._policy)
            duel = Duel(*whole(answer, self.round, self.arms))
            check_answer(duel.first, duel.second, duel.count, self.round, last, self.arms)
            if shares is None or not shares[WHOLE].any():
                return duel
            if duel.count > 1:
                self._policy.random()  # as in a run, where it seeds the order of these self-duels
        arm = int(np.argmax(shares[WHOLE] > 0))
        count = min(int(shares[WHOLE, arm]), last - self.round + 1)
        shares[WHOLE, arm] -= count
        return Duel(arm, arm, count)

    def _learn(self, first: int, second: int, wins: int, count: int) -> None:
        """Report outcomes; outcomes of a question end a hold."""
        shares = self.algorithm.hold_shares(self._state)
        if first != second and shares is not None:
            shares[WHOLE] = 0
        self._kind.receive(self._state, first, second, 0 if first == second else wins, count)

    def ask(self, refused: Pairs = frozenset(), known: bool = False) -> Duel | None:
        """Return the next question, of one round if the algorithm learns from any duel."""
        before = None if known else self._moment()
        duel = self._next(refused)
        if duel is None and before is not None:
            self._state, self._policy, self.round = before
        return duel

    def would_ask(self) -> bool:
        """Return whether there is a question."""
        before = self._moment()
        duel = self._next()
        self._state, self._policy, self.round = before
        return duel is not None

    def _moment(self) -> tuple[State, np.random.Generator, int]:
        return copied(self._state), generator_at(self._policy), self.round

    def _next(self, refused: Pairs = frozenset()) -> Duel | None:
        end = self.round + AHEAD - 1
        if self.horizon is not None:
            end = min(end, self.horizon)
        window = 1 if self._kind.learns_off_policy else AHEAD
        tries = _TRIES if self._kind.learns_off_policy else 1
        with self._explained():
            for _ in range(_ANSWERS):
                if self.round > end:
                    return None
                duel = self.select(min(end, self.round + window - 1))
                if duel.first != duel.second:
                    if {duel.first, duel.second} in refused:
                        tries -= 1
                        if not tries:
                            return None
                        continue  # the next answer is for the same round
                    self.round += duel.count
                    return duel
                self._learn(duel.first, duel.second, 0, duel.count)
                self.round += duel.count
                window = AHEAD  # more self-duels probably follow, and single rounds would be slow
        return None

    def declared(self) -> int | None:
        """Return the declared arm."""
        if not self._kind.declares():
            return None
        before = self._moment()
        self._next()
        with self._explained():
            declaration = checked_declaration(self.algorithm.declaration(self._state), self.arms, sys.maxsize)
        self._state, self._policy, self.round = before
        return None if declaration is None else first_arm(declaration[0])


class _Position(NamedTuple):
    """The state of a program after the answers so far: the ``duel`` it requests, its round, and the declared arm."""

    duel: Duel | None
    round: int
    declared: int | None


class ProgramPlayer(Player):
    """A program. With new outcomes, we run it again from the beginning, and replay the outcomes of its requests.

    The first request without an outcome is the question. ``_outcomes`` has all outcomes and the limit of each question.
    """

    def __init__(
        self, algorithm: Program, arms: int, horizon: int | None, policy: np.random.Generator, round: int = 1
    ) -> None:
        super().__init__(algorithm, arms, horizon, policy, round)
        self._program = algorithm
        self._outcomes: list[tuple[int, int, int, int, int, int]] = []
        self._limit = AHEAD
        self._found: _Position | None = None
        self._ask(AHEAD)

    def select(self, last: int) -> Duel:
        """Return the next duel of the program; at its end, a self-duel of the declared arm."""
        duel = self._ask(last - self.round + 1, self_duels=True).duel
        assert duel is not None
        return duel

    def _learn(self, first: int, second: int, wins: int, count: int) -> None:
        """Keep an outcome for the next run of the program."""
        self._outcomes.append((first, second, 0 if first == second else wins, 0, count, self._limit))
        self._found = None

    def ask(self, refused: Pairs = frozenset(), known: bool = False) -> Duel | None:
        """Return the question of the program; None without one."""
        found = self._ask(AHEAD)
        if found.duel is not None:
            if {found.duel.first, found.duel.second} in refused:
                return None
            self.round = found.round + found.duel.count
        return found.duel

    def would_ask(self) -> bool:
        """Return whether there is a question."""
        return self._ask(AHEAD).duel is not None

    def declared(self) -> int | None:
        """Return the declared arm."""
        return self._ask(AHEAD).declared

    def _ask(self, limit: int, self_duels: bool = False) -> _Position:
        """Return the position of the program. A question has at most ``limit`` duels, and may be a self-duel."""
        if self._found is None or self_duels or limit != self._limit:
            found = self._run(limit, self_duels)
            self._limit, self._found = limit, None if self_duels else found
            return found
        return self._found

    def _run(self, limit: int, self_duels: bool) -> _Position:
        """Run the program on the outcomes so far."""
        P = np.full((self.arms, self.arms), 0.5)
        P.flags.writeable = False  # like every matrix: loops are compiled for this type
        problem, end = Problem(P, np.zeros((1, self.arms, self.arms))), self.horizon or NEVER
        ledger = new_ledger(np.array([end]), 1, self.arms)._replace(late=np.array(self._outcomes, LATE))
        ledger.asked[0].left, ledger.asked[0].self_duels = limit, self_duels
        streams, rules = Streams(np.random.default_rng(0), generator_at(self._policy)), Rules(recorded=True)
        with self._explained():
            state = self._program.start(self.arms, self.horizon or 1)
            play_to_the_end(loop_for(self._kind), self._program, state, problem, rules, ledger, streams)
        first, second, count, *_ = ledger.asked.item()
        answer = declared_by(self._program, ledger, end)
        return _Position(
            Duel(first, second, count) if count else None,
            int(ledger.place[0].t),
            None if answer is None else first_arm(answer[0]),
        )


def player_of(algorithm: Algorithm, arms: int, horizon: int | None, policy: np.random.Generator) -> Player:
    """Return a player for an algorithm, at its first round."""
    if isinstance(algorithm, Program):
        return ProgramPlayer(algorithm, arms, horizon, policy)
    return PolicyPlayer(algorithm, arms, horizon, policy)
