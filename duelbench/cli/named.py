"""Finding the dataset that a user names: one of the catalogue, or a file of theirs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from duelbench.sources.datasets import Dataset


def named_dataset(name: str, arms: int | None, submatrix: Mapping[str, object] | None = None) -> Dataset:
    """Return the dataset ``name``, a table, a generator or a matrix file.

    Raises:
        UserError: there is none, or it cannot have what is asked for.
    """
    from duelbench.sources.datasets import dataset

    is_file = Path(name).suffix in (".csv", ".npy", ".npz")
    parameters = {} if arms is None else {"arms": arms}
    return dataset(None if is_file else name, name if is_file else None, parameters, submatrix)


def complete_dataset(context: click.Context, parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """Complete files, and the names of the catalogue."""
    from duelbench.sources.datasets import dataset_names

    names = [CompletionItem(name) for name in dataset_names() if name.startswith(word)]
    return [*names, CompletionItem(word, type="file")]
