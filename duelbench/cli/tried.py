"""Trying the first rounds of a user's algorithm, in a worker process, before it is used."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duelbench.cli.terminal import one_line, say
from duelbench.errors import UserError

if TYPE_CHECKING:
    from duelbench.algorithms.algorithm import Algorithm
    from duelbench.sources.datasets import Dataset

ROUNDS = 10_000
"""Default horizon of the run whose first rounds are tried."""


def tried_algorithm(
    name: str, instance: Dataset, label: str, parameters: Mapping[str, Any] | None = None, horizon: int = ROUNDS
) -> type[Algorithm]:
    """Return an algorithm, a user's after its first rounds have been played as in `check`.

    Raises UserError if the name is unknown, or the class or its parameters are wrong.
    """
    from duelbench.algorithms.algorithm import parameters_of
    from duelbench.conformance.trial import try_series
    from duelbench.engine.checkpoints import checkpoints
    from duelbench.experiment.class_checks import built, found
    from duelbench.experiment.series import Series, labelled_algorithm, labelled_dataset

    kind = found(with_colon(name, "Class") if name.endswith(".py") else name, Path())
    algorithm = built(kind, parameters or {})
    if not kind.source_text:
        return kind
    series = Series(
        dataset=labelled_dataset(instance, label=label),
        algorithm=labelled_algorithm(kind, label=kind.__name__, name=name, parameters=parameters_of(algorithm)),
        checkpoints=checkpoints([horizon], 20),
        regret=("copeland",),
        shuffle_arms=True,
    )
    say(f"trying {one_line(name)}…", err=True)
    try_series(series, 0, 0)
    return kind


def with_colon(reference: str, what: str) -> str:
    """Return ``file.py:name``. Raises UserError when nothing is named in the file."""
    if ":" not in reference:
        raise UserError(f"{reference} names no {what.lower()}: write {reference}:{what}")
    return reference
