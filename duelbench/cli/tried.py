"""Trying an algorithm that a user names before it is put to work: its first rounds, in processes of their own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duelbench.cli.terminal import one_line, say
from duelbench.errors import UserError, did_you_mean

if TYPE_CHECKING:
    from duelbench.experiment.trial.described import Described
    from duelbench.sources.datasets import Dataset

ROUNDS = 10_000
"""The horizon of the run whose first rounds are tried, where nothing else is said."""


def tried_algorithm(
    name: str, instance: Dataset, label: str, parameters: Mapping[str, Any] | None = None, horizon: int = ROUNDS
) -> str | Described:
    """Return a name of the catalogue, or a class of a user's, whose first rounds are played as `check` does.

    Raises UserError when there is none, or something is wrong with it.
    """
    from duelbench.engine.checkpoints import checkpoints
    from duelbench.experiment.series import PlannedAlgorithm, PlannedDataset, Series
    from duelbench.experiment.trial.child import Child
    from duelbench.experiment.trial.described import described
    from duelbench.experiment.trial.trying import try_series

    if ":" not in name and not name.endswith(".py"):
        from duelbench.algorithms.catalogue import catalogue

        if name not in catalogue():
            raise UserError(
                f"unknown algorithm {name!r}{did_you_mean(name, catalogue())}: `duelbench list algorithms` shows all; "
                "your own is written FILE.py:Class"
            )
        return name
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
