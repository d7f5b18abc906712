"""The spec of an experiment that answers: which algorithm finds the winner with the fewest votes?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from duelbench.errors import UserError, did_you_mean
from duelbench.sources.generators import FAMILIES
from duelbench.spec.values import Find

WORLDS = {"bradley-terry": "btl-uniform", "unrelated": "uniform-random"}
"""Kinds of preferences by name; the name of any generator is valid too."""
SUGGESTED: dict[str, tuple[str, ...]] = {
    "copeland": (
        *("d-ts", "rmed1", "rucb", "rcs", "ccb", "ecw-rmed", "sparring"),
        *("parwis", "select", "nts", "pl-pac", "doubt", "gap-variance", "uniform"),
    ),
    "borda": (
        *("active-ranking", "borda-elimination", "wrapped", "d-ts", "ccb", "ecw-rmed", "sparring"),
        *("parwis", "pl-pac", "doubt", "gap-variance", "uniform"),
    ),
    "continued": (
        *("d-ts", "d-ts+", "rmed1", "rmed2", "rucb", "rcs", "ccb", "ecw-rmed"),
        *("doubt", "gap-variance", "uniform"),
    ),
}
"""The algorithms compared by default: of all algorithms that recommend an arm, those that were right most often with
100 to 5,000 votes on twelve arms (matrices drawn given votes, from Bradley–Terry models, and without structure), for
Condorcet and Copeland winners, and some that are widely used; ``doubt`` and ``gap-variance`` aim at the whole order.
``continued``: those that learn from earlier votes."""
BUDGETED = ("parwis", "select")
"""Algorithms with a ``budget`` parameter."""
FRACTIONS = (0.1, 0.25, 0.5, 1.0)
PER_DECADE = 20


@dataclass(frozen=True)
class Question:
    """The settings of the experiment.

    ``worlds`` are the entries of ``datasets:``. ``algorithms`` are names; if empty, the default algorithms. ``find`` is
    the kind of winner to find with a ``budget`` of votes. ``runs`` matrices are drawn from each world, with ``seed``.
    """

    worlds: tuple[Mapping[str, Any], ...]
    budget: int
    find: Find
    runs: int
    seed: int
    algorithms: tuple[str, ...] = ()

    @property
    def _suggested(self) -> tuple[str, ...]:
        if any(world.get("continue") for world in self.worlds):
            return SUGGESTED["continued"]
        return SUGGESTED["borda" if self.find == "borda" else "copeland"]

    def spec(self, name: str, title: str) -> dict[str, Any]:
        """Return the spec, ready for YAML."""
        names = self.algorithms or self._suggested
        return {
            "name": name,
            "title": title,
            "budget": self.budget,
            "runs": self.runs,
            "seed": self.seed,
            "find": self.find,
            "checkpoints_per_decade": PER_DECADE,
            "datasets": [dict(world) for world in self.worlds],
            "algorithms": [{"name": each, "budget": self.budget} if each in BUDGETED else each for each in names],
            "figures": [
                {"kind": "identification"},
                {"kind": "identification", "show": "simple", "y": "log"},
                {"kind": "identification", "show": "errors"},
            ],
        }


def after_votes(path: str, find: Find, reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return the dataset entry of a vote file with its reading options; its matrices have the winner to find."""
    return {"votes": path, "draw": "posterior", **({"condorcet": True} if find == "condorcet" else {}), **reading}


def before_votes(arms: int, like: Sequence[str], find: Find) -> list[dict[str, Any]]:
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
