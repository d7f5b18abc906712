"""The rows of a run's file, as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Noticed(NamedTuple):
    """How many changes were ``detected`` and how many ``missed``, the ``false_alarms``, and the mean ``delay``.

    A change is detected by the first detection from its round on and before the next change. Every other one is a false
    alarm: a second one in a segment, or one before the first change. A change is missed when the next one comes, or the
    run ends, and it was not detected. The delay is in rounds, of the new matrix, the one that was the last straw
    included: 1 at least; None where nothing is detected.
    """

    detected: int
    missed: int
    false_alarms: int
    delay: float | None


class Recommended(NamedTuple):
    """The ``arm`` recommended after ``votes`` votes, as the dataset numbers it.

    ``simple``: its simple regret of each kind, that of one self-duel.
    """

    votes: int
    arm: int
    simple: list[float]


@dataclass(frozen=True)
class Row:
    """The cumulative ``regret`` of each kind at round, or vote, ``t``.

    ``declared``: the rounds, or votes, before the algorithm declared a winner, and for each kind whether that arm has
    no regret; of an algorithm that may find that there is no Condorcet winner whether what it declared is so.
    What is declared is judged by the preferences of the last round, what is ``recommended``, where an arm is, by those
    of round ``t``. ``noticed``: what came of looking for changes, of an algorithm that does.
    """

    t: int
    regret: list[float]
    declared: tuple[int, tuple[bool, ...]] | None
    recommended: Recommended | None = None
    noticed: Noticed | None = None
