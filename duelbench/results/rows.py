"""The rows of a run's file, as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Noticed(NamedTuple):
    """The numbers of ``detected`` and ``missed`` changes and of ``false_alarms``, and the mean ``delay``.

    A change is detected by the first alarm from its round on and before the next change. All other alarms are false: a
    second one in a segment, or one before the first change. A change is missed if there is no alarm before the next
    change or the end of the run. The delay is the number of rounds with the new matrix up to the alarm, including the
    round of the alarm, so it is at least 1; None if no change is detected.
    """

    detected: int
    missed: int
    false_alarms: int
    delay: float | None


class Recommended(NamedTuple):
    """The ``arm`` recommended after ``votes`` votes, by its number in the dataset.

    ``simple``: its simple regret of each kind, which is the regret of one duel against itself. ``judged``: the measures
    ``RANKED`` of the order that begins with it, where an order is the goal.
    """

    votes: int
    arm: int
    simple: list[float]
    judged: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Row:
    """The cumulative ``regret`` of each kind at round, or vote, ``t``.

    ``declared``: the rounds, or votes, before the algorithm declared a winner, and for each kind of regret whether that
    arm has none; for an algorithm that may declare that there is no Condorcet winner, whether its declaration is true.
    A declaration is judged by the preferences of the last round, and a recommended arm, if there is one, by those of
    round ``t``. ``noticed``: the detections of an algorithm that looks for changes.
    """

    t: int
    regret: list[float]
    declared: tuple[int, tuple[bool, ...]] | None
    recommended: Recommended | None = None
    noticed: Noticed | None = None
