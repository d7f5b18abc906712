"""An algorithm on the arms of a session: its questions, their outcomes, and self-duels, which need no answers."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.algorithm import Algorithm, first_arm
from duelbench.arrays import State
from duelbench.engine.answers import check_answer, checked_declaration, whole
from duelbench.engine.complaint import complaint
from duelbench.engine.copies import copied, generator_at
from duelbench.errors import UserError, place_in

_AHEAD = 1_000_000
"""The rounds of self-duels after which an algorithm counts as finished."""
_ANSWERS = 20_000
"""The same limit in answers, for an algorithm that plays its self-duels one by one."""


@dataclass(frozen=True)
class Duel:
    """A duel of two numbered arms, ``first`` and ``second``, to be asked ``count`` times."""

    first: int
    second: int
    count: int


class _Moment(NamedTuple):
    state: State
    policy: np.random.Generator
    round: int


class Player:
    """An algorithm for ``arms`` arms, with its state and its stream. ``round`` is the next one, from 1."""

    def __init__(
        self, algorithm: Algorithm, arms: int, horizon: int | None, policy: np.random.Generator, round: int = 1
    ) -> None:
        self.algorithm, self.arms, self.horizon = algorithm, arms, horizon
        self.round = round
        self._kind = type(algorithm)
        self._policy = policy
        try:
            self._state = algorithm.start(arms, horizon or 1)
        except Exception as error:
            self._explain(error)
            raise

    def select(self, last: int) -> Duel:
        """Return the algorithm's answer for the next rounds, up to ``last``. Raises ValueError when it is none."""
        answer = self._kind.select(self._state, self.round, last, self._policy)
        duel = Duel(*whole(answer, self.round, self.arms))
        check_answer(duel.first, duel.second, duel.count, self.round, last, self.arms)
        return duel

    def ask(self) -> Duel | None:
        """Play self-duels until the algorithm asks for a duel of different arms, which are the next rounds.

        None, with the state unchanged, if it asks for none within ``_AHEAD`` rounds or the horizon. An algorithm that
        learns from any duel is asked for single rounds, since its next question may be better after other answers;
        other algorithms may ask for several rounds of the same question.
        """
        before = self._moment()
        duel = self.ask_again()
        if duel is None:
            self._state, self._policy, self.round = before
        return duel

    def would_ask(self) -> bool:
        """Return whether ``ask`` would return a duel; the state does not change."""
        before = self._moment()
        duel = self.ask_again()
        self._state, self._policy, self.round = before
        return duel is not None

    def _moment(self) -> _Moment:
        return _Moment(copied(self._state), generator_at(self._policy), self.round)

    def ask_again(self) -> Duel | None:
        """Repeat an ``ask`` that is known to return a question, so that nothing needs to be undone."""
        end = self.round + _AHEAD - 1
        if self.horizon is not None:
            end = min(end, self.horizon)
        window = 1 if self._kind.learns_off_policy else _AHEAD
        try:
            for _ in range(_ANSWERS):
                if self.round > end:
                    return None
                duel = self.select(min(end, self.round + window - 1))
                if duel.first != duel.second:
                    self.round += duel.count
                    return duel
                self.report(duel.first, duel.second, 0, duel.count)
                self.round += duel.count
                window = _AHEAD  # single rounds would be slow: the next ones are self-duels, too
        except Exception as error:
            self._explain(error)
            raise
        return None

    def report(self, first: int, second: int, wins: int, count: int) -> None:
        """Report outcomes to the algorithm; self-duels have no wins. Errors of a user's algorithm become UserError."""
        try:
            self._kind.hear(self._state, first, second, 0 if first == second else wins, count)
        except Exception as error:
            self._explain(error)
            raise

    def declared(self) -> int | None:
        """Return the winner, or the first arm, that is declared now or without another vote; the state stays."""
        if not self._kind.declares():
            return None
        before = self._moment()
        self.ask_again()
        try:
            declaration = checked_declaration(self.algorithm.declaration(self._state), self.arms, sys.maxsize)
        except Exception as error:
            self._explain(error)
            raise
        self._state, self._policy, self.round = before
        return None if declaration is None else first_arm(declaration[0])

    def _explain(self, error: Exception) -> None:
        """Raise UserError, with the line of the file, for what an algorithm of the user's has raised."""
        text = self.algorithm.source_text
        if not text or isinstance(error, UserError):
            return
        file = str(sys.modules[self._kind.__module__].__file__)
        files = {file: text, **{each.file: each.text for each in self.algorithm.helpers.values()}}
        if type(error).__module__.startswith("numba."):
            sentence, where, line = complaint(error, files)
            raise UserError(f"this does not compile: {sentence}", source=where or file, line=line) from None
        where, line, name = place_in(error, files) or (file, None, self.algorithm.name)
        raise UserError(
            f"{name} fails with {type(error).__name__}: {error or 'no message'}; `duelbench test` shows more",
            source=where,
            line=line,
        ) from error
