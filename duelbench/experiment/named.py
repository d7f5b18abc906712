"""Matrices and algorithms by their names in specs, for Python."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import ValidationError

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.catalogue import catalogue
from duelbench.arguments import MAX_HORIZON, as_python, whole_number
from duelbench.errors import UserError
from duelbench.experiment.class_checks import load_algorithm
from duelbench.experiment.code import labelled_dataset
from duelbench.experiment.plan import resolve_dataset
from duelbench.parameters import validated
from duelbench.preferences.changing import Changing, Preferences
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.datasets import Dataset
from duelbench.sources.generators import GENERATORS
from duelbench.sources.matrix_files import MATRIX_FILES
from duelbench.sources.sequences import ChangingDataset
from duelbench.spec.entries import DatasetEntry
from duelbench.spec.resolved import ResolvedDataset
from duelbench.spec.validation import explain

if TYPE_CHECKING:
    import pandas as pd


def matrix(name: str | Path, *, seed: int = 0, **parameters: Any) -> Preferences:
    """Return a shipped preference matrix, one from a file, or one that a generator draws.

    Parameters
    ----------
    name : str or Path
        A name that ``duelbench list datasets`` shows, or the path of a .csv, .npy or .npz file.
    seed : int
        The seed of random draws. A generator draws the same matrix as with this ``seed`` in a spec.
    **parameters
        The parameters of a generator, such as ``arms=10``, and the other keys of an entry under ``datasets:`` in a
        spec, such as ``submatrix={"size": 5}`` and ``ties=0.2``.

    Returns
    -------
    PreferenceMatrix
        The matrix; if a file has a sequence of matrices, ``Changing``.

    Raises
    ------
    UserError
        For an unknown name, a file that cannot be read, or a wrong parameter.

    Examples
    --------
    >>> from duelbench import matrix
    >>> sushi = matrix("sushi16")
    >>> sushi.copeland_winners(), float(sushi.P[7, 0].round(3))
    (array([7]), 0.602)
    >>> matrix("btl-uniform", arms=5, seed=1).borda_scores().shape
    (5,)
    """
    entry, seed = _entry_of(name) | parameters, whole_number("seed", seed, 0)
    if (generator := GENERATORS.get(entry.get("name", ""))) and "seed" in generator.model_fields:
        entry["seed"] = seed
    return dataset_of(entry, MAX_HORIZON).source.instance(np.random.default_rng(seed))


def dataset_of(given: Any, horizon: int, delay: int = 1) -> ResolvedDataset:
    """Return the dataset of a ``matrix`` argument, with the identity that it has in a spec.

    The argument is a matrix, a table of numbers, a name, or a mapping like an entry under ``datasets:``. Raises
    UserError, which gives the name of the argument as its place, if there is no such matrix.
    """
    if isinstance(given, str | Path):
        given = _entry_of(given)
    if not isinstance(given, Mapping):
        known = given if isinstance(given, PreferenceMatrix | Changing) else PreferenceMatrix(given, "matrix")
        if isinstance(known, PreferenceMatrix):
            return labelled_dataset(Dataset(known.source, "", known), label="matrix", delay=delay)
        first = Dataset("changing", "", known.matrices[0])
        return labelled_dataset(ChangingDataset(first, horizon, given=known), label="matrix", delay=delay)
    try:
        entry = DatasetEntry.model_validate({key: as_python(value) for key, value in given.items()})
    except ValidationError as error:
        raise UserError(explain(error, DatasetEntry)[0], source="matrix") from None
    if entry.size > 1:
        raise UserError("a list of values is a grid, which only specs have: write one value", source="matrix")
    try:
        return resolve_dataset(next(entry.expanded((), (delay,))), Path(), horizon)
    except UserError as error:
        error.source = error.source or "matrix"
        raise


def _entry_of(name: str | Path) -> dict[str, Any]:
    """Return the entry of a spec that names a matrix or its file."""
    return {"file" if Path(name).suffix.lower() in MATRIX_FILES else "name": str(name)}


def algorithm(name: str, **parameters: Any) -> Algorithm:
    """Return an algorithm with its parameters.

    Parameters
    ----------
    name : str
        A name that ``list_algorithms`` shows, or ``path.py:ClassName``.
    **parameters
        Parameters that differ from their defaults; ``duelbench list algorithms NAME`` explains them.

    Returns
    -------
    Algorithm
        An instance, for ``simulate``.

    Raises
    ------
    UserError
        For an unknown name or a wrong parameter.

    Examples
    --------
    >>> from duelbench import algorithm
    >>> algorithm("rucb", alpha=0.6).alpha
    0.6
    """
    return _with_parameters(load_algorithm(name, Path()), parameters)


def algorithm_of(given: Algorithm | type[Algorithm] | str, parameters: Mapping[str, Any]) -> Algorithm:
    """Return the algorithm of an ``algorithm`` argument, with these parameters.

    Raises UserError for an unknown name or a wrong parameter.
    """
    if isinstance(given, str):
        return algorithm(given, **parameters)
    if isinstance(given, Algorithm):
        return _with_parameters(type(given), {**dict(given), **parameters}) if parameters else given
    if isinstance(given, type) and issubclass(given, Algorithm):
        return _with_parameters(given, parameters)
    raise UserError(f"algorithm must be a name or an Algorithm, not {given!r}")


def _with_parameters(kind: type[Algorithm], parameters: Mapping[str, Any]) -> Algorithm:
    return validated(kind, {name: as_python(value) for name, value in parameters.items()})


def list_algorithms() -> pd.DataFrame:
    """Return the algorithms of duelbench.

    Returns
    -------
    DataFrame
        A row for each algorithm, with its name as index: ``title``; ``goal`` (regret, identification or ranking);
        ``year`` of publication, missing if it is unpublished; ``assumes``, the assumptions of its guarantee;
        ``uses_horizon``, ``supports_delay``, ``takes_ties`` and ``learns_off_policy`` as in ``Algorithm``;
        ``parameters`` with their defaults; and the ``citation``.

    Examples
    --------
    >>> from duelbench import list_algorithms
    >>> algorithms = list_algorithms()
    >>> algorithms.loc["rucb", "assumes"]
    'Condorcet winner'
    >>> "d-ts" in algorithms[algorithms.learns_off_policy].index
    True
    """
    import pandas as pd

    columns = ("uses_horizon", "supports_delay", "takes_ties", "learns_off_policy")
    rows = {
        name: {
            "title": kind.title,
            "goal": goal_of(kind),
            "year": year_of(kind),
            "assumes": kind.assumes,
            **{column: getattr(kind, column) for column in columns},
            "parameters": {parameter: field.default for parameter, field in kind.model_fields.items()},
            "citation": kind.citation,
        }
        for name, kind in catalogue().items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("name").astype({"year": "Int64"})


def goal_of(kind: type[Algorithm]) -> str:
    """Return the goal: identification if the algorithm declares a winner and has no regret bound."""
    if kind.finds_order:
        return "ranking"
    return "identification" if kind.declares() and kind.regret_order.startswith("no bound") else "regret"


def year_of(kind: type[Algorithm]) -> int | None:
    """Return the year of the first work in the citation."""
    year = re.search(r"\b(19|20)\d\d\b", kind.citation)
    return int(year[0]) if year else None
