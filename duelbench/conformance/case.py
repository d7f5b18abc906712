"""The input of a check (an algorithm, small matrices, and the amount of work) and its exceptions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Ints
from duelbench.engine.rollout import Streams
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.published_matrices import TABLES

Reference: TypeAlias = Callable[[PreferenceMatrix, int, Streams], tuple[Ints, Any]]
"""A reference implementation with its parameters; it returns the (horizon, 2) arms of a run and its declaration.

The declaration is a winner and the number of rounds before it, None if there is none, and ``...`` if the implementation
does not return declarations.
"""

FEWEST_RUNS = 64
"""The smallest number of runs in a sample for two-sample tests."""


class Size(NamedTuple):
    """The numbers of rounds and runs of the checks.

    Attributes
    ----------
    rounds, runs : float
        Factors that scale the full numbers, for algorithms with kernels.
    plain_rounds, plain_runs : float
        The same for algorithms in plain Python.
    reference_rounds : int
        The number of rounds of runs that are compared in distribution with the reference implementation.
    """

    rounds: float
    runs: float
    plain_rounds: float
    plain_runs: float
    reference_rounds: int


SMALL = Size(0.5, 0.03125, 0.05, 0.03125, 60)
"""For a test suite: one or two seconds for an algorithm with kernels."""
FULL = Size(1.0, 1.0, 0.1, 0.25, 600)
"""For ``duelbench test``: about a minute."""


class CheckFailed(Exception):
    """A property does not hold; the message says what was observed."""


class NotApplicable(Exception):
    """The algorithm does not promise the property; the message says why."""


class Untested(Exception):
    """The check could not have detected a mistake; the message says why, and what would help."""


@dataclass(frozen=True)
class Case:
    """An algorithm, the matrices to check it on, its reference implementation if any, and the size.

    ``beat`` is called about once per run as a sign of life.
    """

    algorithm: Algorithm
    instances: Mapping[str, PreferenceMatrix]
    reference: Reference | None = None
    size: Size = FULL
    beat: Callable[[], None] = lambda: None

    def rounds(self, full: int) -> int:
        """Scale a full-size number of rounds or answers."""
        return max(1, round(full * (self.size.rounds if self.algorithm.compiled() else self.size.plain_rounds)))

    def runs(self, full: int) -> int:
        """Scale a full-size number of runs."""
        share = self.size.runs if self.algorithm.compiled() else self.size.plain_runs
        return max(FEWEST_RUNS, round(full * share))


def order(K: int, p: float, winners: int = 1) -> PreferenceMatrix:
    """Return a matrix whose arms beat all later ones with probability p; the first ``winners`` ≤ 3 form a cycle."""
    P = np.full((K, K), 0.5)
    P[np.triu_indices(K, 1)] = p
    if winners == 3:
        P[0, 2] = 1 - p
    P[np.tril_indices(K, -1)] = 1 - P.T[np.tril_indices(K, -1)]
    return PreferenceMatrix(P)


_ONE_WINNER = np.full((4, 4), 0.5)
_ONE_WINNER[2, :], _ONE_WINNER[:, 2] = 0.8, 0.2
_ONE_PAIR = np.full((4, 4), 0.5)
_ONE_PAIR[1, 3], _ONE_PAIR[3, 1] = 0.6, 0.4
ODD = {
    "two arms": PreferenceMatrix([[0.5, 0.6], [0.4, 0.5]]),
    "two equal arms": PreferenceMatrix([[0.5, 0.5], [0.5, 0.5]]),
    "two arms, certain": PreferenceMatrix([[0.5, 0.0], [1.0, 0.5]]),
    "three arms in a certain cycle": PreferenceMatrix([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]),
    "certain order": order(6, 1.0),
    "no difference": PreferenceMatrix(np.full((5, 5), 0.5)),
    "one winner, the rest tied": PreferenceMatrix(np.where(np.eye(4) == 1, 0.5, _ONE_WINNER)),
    "one pair differs": PreferenceMatrix(_ONE_PAIR),
    "nearly equal": PreferenceMatrix(
        np.full((3, 3), 0.5) + 1e-9 * (np.triu(np.ones((3, 3)), 1) - np.tril(np.ones((3, 3)), -1))
    ),
    "tennis8": TABLES["tennis8"].matrix(),
}
"""With K = 2, exact ties, certain outcomes and no Condorcet winner."""
USUAL = {
    "six-rankers": TABLES["six-rankers"].matrix(),
    "cyclic4": TABLES["cyclic4"].matrix(),
    "order of 4": order(4, 0.9).relabelled([2, 0, 3, 1]),
    "two arms": PreferenceMatrix([[0.5, 0.3], [0.7, 0.5]]),
    "tennis8": TABLES["tennis8"].matrix(),
}
"""The default instances: with and without a Condorcet winner, and with pairs at 1/2."""


def _tie_classes() -> PreferenceMatrix:
    """Return a matrix of three classes of arms: most duels within a class are ties; higher classes mostly win."""
    level = np.array([0, 1, 1, 1, 2, 0, 0])
    P = 0.5 + 0.3 * np.sign(level[:, None] - level)
    return PreferenceMatrix(P, ties=np.where(level[:, None] == level, 0.7, 0.2))


TIED = {
    "ties": order(4, 0.8, winners=3).relabelled([2, 0, 3, 1]).with_tie_share(0.3),
    "tie classes": _tie_classes(),
    "two arms, all ties": PreferenceMatrix([[0.5, 0.5], [0.5, 0.5]]).with_tie_share(1.0),
}
"""With ties, for the reference implementations of algorithms that take them."""
