"""An algorithm for real comparisons: it asks, the world answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from duelbench.algorithms.catalogue import find
from duelbench.engine.answers import check_answer, whole
from duelbench.engine.streams import stream


@dataclass(frozen=True)
class Duel:
    """Show ``first`` and ``second`` to the user, ``count`` times."""

    first: int
    second: int
    count: int


class Session:
    """One algorithm at work, duel after duel, on the kernels that the simulation runs.

    ``algorithm`` is a name of the catalogue or ``path.py:ClassName``, ``arms`` the number K ≥ 2 of arms, ``seed`` that
    of its random choices, and ``parameters`` are the algorithm's. ``horizon`` is the number of rounds to come, for
    algorithms that must know it. ``round`` is the round to be played next, from 1.

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
    """

    def __init__(
        self, algorithm: str, arms: int, *, seed: int = 0, horizon: int | None = None, **parameters: Any
    ) -> None:
        kind = find(algorithm, Path())
        chosen = kind(**parameters)
        if _whole("arms", arms) < 2:
            raise ValueError(f"a session needs at least two arms, not {arms}")
        if horizon is not None and _whole("horizon", horizon) < 1:
            raise ValueError(f"horizon must be at least 1, not {horizon}")
        if kind.uses_horizon and horizon is None:
            raise ValueError(f"{kind.name} must know its horizon: give horizon=")
        self.round = 1
        self.horizon = horizon
        self._arms = int(arms)
        self._algorithm = kind
        self._state = chosen.start(arms, horizon or 1)
        self._policy = stream(seed, session=algorithm)
        self._pending: Duel | None = None

    def select(self, rounds: int = 1) -> Duel:
        """Return the next duel; with ``rounds`` > 1 an algorithm may ask for up to so many repetitions in one go.

        Asking again before ``update`` returns the same duel. Raises ValueError when the algorithm answers anything but
        two of the arms and a count from 1 to ``rounds``.
        """
        if _whole("rounds", rounds) < 1:
            raise ValueError(f"rounds must be at least 1, not {rounds}")
        if self._pending is None:
            last = self.round + rounds - 1
            if self.horizon is not None:
                if self.round > self.horizon:
                    raise ValueError(f"all {self.horizon} rounds have been played")
                last = min(last, self.horizon)
            answer = self._algorithm.select(self._state, self.round, last, self._policy)
            duel = Duel(*whole(answer, self.round, self._arms))
            check_answer(duel.first, duel.second, duel.count, self.round, last, self._arms)
            self._pending = duel
        return self._pending

    def update(self, wins: int) -> None:
        """Tell how many of the selected duels the first arm won; of a self-duel it does not matter.

        Raises ValueError without a selected duel, and when ``wins`` is no whole number from 0 to the duel's count: half
        a win, for a draw, is nothing that the algorithms have learned to count.
        """
        if self._pending is None:
            raise ValueError("there is no duel to update: call select first")
        duel = self._pending
        won = _whole("wins", wins)
        if not 0 <= won <= duel.count:
            raise ValueError(f"wins must be between 0 and {duel.count}, not {wins}")
        self._algorithm.update(
            self._state, duel.first, duel.second, 0 if duel.first == duel.second else won, duel.count
        )
        self.round += duel.count
        self._pending = None


def _whole(name: str, value: object) -> int:
    """Return a whole number as Python's own; ValueError for anything else, such as 0.5, which kernels would cut off."""
    if isinstance(value, int | np.integer | np.bool_):
        return int(value)
    raise ValueError(f"{name} must be a whole number, not {value!r}")
