"""Which algorithm finds the winner with fewest votes? The experiment that answers it, as a spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from duelbench.errors import UserError, did_you_mean
from duelbench.sources.generators import FAMILIES
from duelbench.spec.values import Find

WORLDS = {"bradley-terry": "btl-uniform", "unrelated": "uniform-random"}
"""Words for what preferences may be like; any generator's name is another."""
SUGGESTED: dict[str, tuple[str, ...]] = {
    "copeland": (
        *("d-ts", "rmed1", "rucb", "rcs", "ccb", "ecw-rmed", "sparring"),
        *("parwis", "select", "nts", "pl-pac", "uniform"),
    ),
    "borda": (
        *("active-ranking", "borda-elimination", "wrapped", "d-ts", "ccb", "ecw-rmed", "sparring"),
        *("parwis", "pl-pac", "uniform"),
    ),
    "continued": ("d-ts", "d-ts+", "rmed1", "rmed2", "rucb", "rcs", "ccb", "ecw-rmed", "uniform"),
}
"""What is tried: of all that name an arm those that were right most often with 100 to 5,000 votes on twelve arms, drawn
after votes, by Bradley–Terry and unrelated; with those that some use. For a Condorcet winner as for a Copeland one.
``continued``: those that learn from earlier votes."""
BUDGETED = ("parwis", "select")
"""Algorithms with a ``budget`` parameter."""
FRACTIONS = (0.1, 0.25, 0.5, 1.0)
PER_DECADE = 20


@dataclass(frozen=True)
class Question:
    """What is asked.

    ``worlds`` are the entries under ``datasets:``, and ``algorithms`` names, none for those that are suggested.
    ``find`` is what is looked for, within a ``budget`` of votes; ``runs`` matrices are drawn in each world, from
    ``seed``.
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
    """Return the entry of a file of votes, with how it is read; a Condorcet winner is looked for where there is one."""
    return {"votes": path, "draw": "posterior", **({"condorcet": True} if find == "condorcet" else {}), **reading}


def before_votes(arms: int, like: Sequence[str], find: Find) -> list[dict[str, Any]]:
    """Return the entries of worlds that preferences may be ``like``, of so many arms.

    Raises:
        UserError: an unknown word.
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
