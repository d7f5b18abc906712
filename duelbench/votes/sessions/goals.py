"""Goals at which a session may stop: what is to be certain, and with which probability."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from duelbench.errors import UserError

LEVEL = 0.95
"""The probability at which a goal is reached, unless it is one itself."""


class Goal(NamedTuple):
    """A goal, which is reached at the probability ``level``.

    ``what`` has to be certain: that the recommended arm is best ("best") or within the margin of the best ("margin"),
    that the order of all arms is right ("ranks"), or that the first ``k`` arms are the best ones ("top").
    """

    what: Literal["best", "margin", "ranks", "top"]
    level: float = LEVEL
    k: int = 0

    @property
    def until(self) -> float | str:
        """The goal as ``goal_of`` takes it."""
        return self.level if self.what == "best" else f"top:{self.k}" if self.what == "top" else self.what


def goal_of(until: object, arms: int, margin: float = 0.0) -> Goal:
    """Return the goal for some arms: a probability, "ranks", "top:K" or "margin". Raises UserError for anything else.

    Parameters
    ----------
    until : float or str
        The goal.
    arms : int
        The number of arms.
    margin : float
        The indifference margin, which the goal "margin" needs.
    """
    if until == "ranks":
        return Goal("ranks")
    if until == "margin":
        if not margin:
            raise UserError("the goal 'margin' needs a margin above 0, such as 0.02")
        return Goal("margin")
    text = "" if isinstance(until, bool) else str(until)
    if found := re.fullmatch(r"top:(\d{1,9})", text, re.ASCII):
        if not 1 <= int(found[1]) < arms:
            raise UserError(f"K in top:K is from 1 to {arms - 1}, less than the {arms} arms, not {found[1]}")
        return Goal("top", k=int(found[1]))
    try:
        level = float(text)
    except ValueError:
        level = 0.0
    if not 0 < level < 1:
        raise UserError(f"{until!r:.60} is not a goal: give a probability between 0 and 1, ranks, top:K or margin")
    return Goal("best", level)
