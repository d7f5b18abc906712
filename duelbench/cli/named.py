"""Datasets and algorithms by name: those of the catalogues, and users' files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from duelbench.sources.datasets import Dataset


def named_dataset(name: str, arms: int | None, submatrix: Mapping[str, object] | None = None) -> Dataset:
    """Return the dataset ``name``, a table, a generator or a matrix file.

    Raises:
        UserError: the dataset is unknown, or does not take these arguments.
    """
    from duelbench.sources.datasets import dataset

    is_file = Path(name).suffix in (".csv", ".npy", ".npz")
    parameters = {} if arms is None else {"arms": arms}
    return dataset(None if is_file else name, name if is_file else None, parameters, submatrix)


def complete_dataset(context: click.Context, parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """Complete files, and the names of the catalogue."""
    from duelbench.sources.datasets import dataset_names

    return _completed(dataset_names(), word)


def complete_algorithm(context: click.Context, parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """Complete files, and the names of the catalogue."""
    from duelbench.algorithms.catalogue import catalogue

    return _completed(catalogue(), word)


def _completed(names: Iterable[str], word: str) -> list[CompletionItem]:
    return [*(CompletionItem(name) for name in names if name.startswith(word)), CompletionItem(word, type="file")]
