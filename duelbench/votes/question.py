"""The spec of an experiment that answers: which algorithm finds the winner with the fewest votes?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from duelbench.errors import UserError, did_you_mean
from duelbench.sources.generators import FAMILIES
from duelbench.spec.values import Find, OrderGoal, Top, order_goal

WORLDS = {"bradley-terry": "btl-uniform", "unrelated": "uniform-random"}
"""Kinds of preferences by name; the name of any generator is valid too."""
SUGGESTED: dict[str, tuple[str, ...]] = {
    "copeland": ("d-ts", "rmed1", "sparring", "parwis", "doubt", "gap-variance", "uniform"),
    "condorcet": ("d-ts", "rmed1", "sparring", "parwis", "doubt", "gap-variance", "uniform"),
    "borda": ("active-ranking", "d-ts", "sparring", "parwis", "doubt", "gap-variance", "uniform"),
    "ranking": ("asap", "d-ts", "doubt", "gap-variance", "uniform"),
}
"""The algorithms compared by default: those that did well with the arm named by the posterior, and some that are widely
used; ``asap``, ``doubt`` and ``gap-variance`` aim at the whole order, which is what "ranking" and the top k need."""
BUDGETED = ("parwis", "select")
"""Algorithms with a ``budget`` parameter."""
FRACTIONS = (0.05, 0.2, 0.5, 1.0)
"""The fractions of the budget after which arms are recommended: each time takes longer than a thousand votes."""
FEW = 100
"""With more arms, arms are recommended by their Bradley–Terry strengths, since the posterior would take too long."""


@dataclass(frozen=True)
class Question:
    """The settings of the experiment.

    ``worlds`` are the entries of ``datasets:``. ``algorithms`` are names; if empty, the default algorithms. ``find`` is
    the goal, a kind of winner or an order of the arms, to find with a ``budget`` of votes. ``runs`` matrices are drawn
    from each world, with ``seed``. ``many``: whether there are more than ``FEW`` arms.
    """

    worlds: tuple[Mapping[str, Any], ...]
    budget: int
    find: Find | OrderGoal
    runs: int
    seed: int
    algorithms: tuple[str, ...] = ()
    many: bool = False

    @property
    def shown(self) -> list[int]:
        """The numbers of votes at fractions of the budget."""
        return sorted({max(1, round(fraction * self.budget)) for fraction in FRACTIONS})

    def spec(self, name: str, title: str) -> dict[str, Any]:
        """Return the spec, ready for YAML."""
        names = self.algorithms or SUGGESTED[self.find if isinstance(self.find, str) else "ranking"]
        return {
            "name": name,
            "title": title,
            "count": "votes",
            "horizons": self.shown,
            "checkpoints_per_decade": 0,
            "runs": self.runs,
            "seed": self.seed,
            "find": self.find if isinstance(self.find, str) else self.find.model_dump(),
            "recommend": "btl" if self.many else "posterior",
            "datasets": [dict(world) for world in self.worlds],
            "algorithms": [{"name": each, "budget": self.budget} if each in BUDGETED else each for each in names],
            "figures": [
                {"kind": "identification"},
                {"kind": "identification", "show": "tau" if order_goal(self.find) else "errors"},
            ],
        }


def goal_in(text: str) -> Find | OrderGoal | None:
    """Return the goal that a text names: a kind of winner, "ranking" or "top:K"; None for anything else."""
    if found := re.fullmatch(r"top:([1-9]\d{0,5})", text, re.ASCII):
        return Top(top=int(found[1]))
    return text if text in ("copeland", "condorcet", "borda", "ranking") else None  # type: ignore[return-value]


def after_votes(path: str, find: Find | OrderGoal, reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return the dataset entry of a vote file with its reading options; its matrices have the winner to find."""
    crowned = {"condorcet": True} if find == "condorcet" else {}
    return {"votes": path, "draw": "posterior", "continue": True, **crowned, **reading}


def before_votes(arms: int, like: Sequence[str], find: Find | OrderGoal) -> list[dict[str, Any]]:
    """Return the dataset entries for the kinds of preferences ``like``, with this number of arms.

    Raises UserError for an unknown kind.
    """
    entries = []
    for word in like:
        name = WORLDS.get(word, word)
        if name not in FAMILIES:
            known = [*WORLDS, *FAMILIES]
            raise UserError(f"unknown world {word!r}{did_you_mean(word, known)}: choose among {', '.join(known)}")
        crowned = {"condorcet": True} if find == "condorcet" and "condorcet" in FAMILIES[name].model_fields else {}
        entries.append({"name": name, "arms": arms, **crowned})
    return entries
