"""The input of a check, and its exceptions: failed, not applicable, or nothing to check."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Ints
from duelbench.engine.rollout import Streams
from duelbench.preferences.matrix import PreferenceMatrix

Reference: TypeAlias = Callable[[PreferenceMatrix, int, Streams], tuple[Ints, Any]]
"""A reference implementation with its parameters: from a matrix and a horizon to (horizon, 2) arms and a declaration.

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
        Factors of the full numbers, for algorithms with kernels.
    plain_rounds, plain_runs : float
        The same for algorithms in plain Python.
    reference_rounds : int
        The rounds of runs that are compared in distribution with the reference implementation.
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
    """Nothing failed, but a mistake would not have been detected either; the message says why, and what would help."""


@dataclass(frozen=True)
class Case:
    """An algorithm, the matrices to check it on, its reference implementation if any, and the size.

    ``beat`` is called about once per run, to show that the check does not hang.
    """

    algorithm: Algorithm
    instances: Mapping[str, PreferenceMatrix]
    reference: Reference | None = None
    size: Size = FULL
    beat: Callable[[], None] = lambda: None

    def rounds(self, full: int) -> int:
        """Return the number of rounds, or answers, for a full-size number."""
        return max(1, round(full * (self.size.rounds if self.algorithm.compiled() else self.size.plain_rounds)))

    def runs(self, full: int) -> int:
        """Return the number of runs of a sample for a full-size number."""
        share = self.size.runs if self.algorithm.compiled() else self.size.plain_runs
        return max(FEWEST_RUNS, round(full * share))
