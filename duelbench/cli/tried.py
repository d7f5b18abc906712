"""Trying the first rounds of a user's algorithm, in separate processes, before it is used."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duelbench.cli.terminal import one_line, say
from duelbench.errors import UserError

if TYPE_CHECKING:
    from duelbench.experiment.trial.described import Described
    from duelbench.sources.datasets import Dataset

ROUNDS = 10_000
"""Default horizon of the run whose first rounds are tried."""


def tried_algorithm(
    name: str, instance: Dataset, label: str, parameters: Mapping[str, Any] | None = None, horizon: int = ROUNDS
) -> str | Described:
    """Return a name of the catalogue, or a user's class after its first rounds have been played as in `check`.

    Raises UserError if the name is unknown or the class is wrong.
    """
    from duelbench.algorithms.catalogue import find
    from duelbench.engine.checkpoints import checkpoints
    from duelbench.experiment.series import PlannedAlgorithm, PlannedDataset, Series
    from duelbench.experiment.trial.child import Child
    from duelbench.experiment.trial.described import described
    from duelbench.experiment.trial.trying import try_series

    if ":" not in name and not name.endswith(".py"):
        return find(name, Path()).name
    with Child() as child:
        kind = described(with_colon(name, "Class"), Path(), parameters or {}, child)
    series = Series(
        dataset=PlannedDataset.of(instance, label=label),
        algorithm=PlannedAlgorithm.of(kind, label=kind.class_name, name=name, parameters=kind.parameters),
        checkpoints=checkpoints([horizon], 20),
        regret=("copeland",),
        shuffle_arms=True,
    )
    say(f"trying {one_line(name)}…", err=True)
    try_series(series, kind, 0, 0)
    return kind


def with_colon(reference: str, what: str) -> str:
    """Return ``file.py:name``. Raises UserError when nothing is named in the file."""
    if ":" not in reference:
        raise UserError(f"{reference} names no {what.lower()}: write {reference}:{what}")
    return reference
