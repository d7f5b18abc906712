"""Specs by name: files of the user, and shipped specs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from duelbench.shipped import shipped

if TYPE_CHECKING:
    from duelbench.spec.model import Spec


def shipped_specs() -> dict[str, Path]:
    """Return the shipped specs by file name."""
    return {path.name: path for path in sorted(shipped("configs").glob("*.yaml"))}


def spec_path(named: Path) -> Path:
    """Return the file at ``named`` or, if there is none, the shipped spec of that name (``.yaml`` or not)."""
    if named.exists():
        return named
    specs = shipped_specs()
    return specs.get(named.name) or specs.get(f"{named.name}.yaml") or named


def spec_of_results(directory: Path, named: Path | None, verb: str, *, smoke: bool = False) -> Spec:
    """Return the spec of the results in a directory: the one that is ``named``, or else the file they were run from.

    It is the small variant with ``smoke``, or if the results are of one. Raises UserError if a spec that was not named
    runs code from a file, since results may come from anybody.
    """
    from duelbench.errors import UserError
    from duelbench.results.reader import Results
    from duelbench.spec.load import load

    results = Results(directory)
    path = results.recorded_spec() if named is None else spec_path(named)
    spec = load(path, smoke=smoke or results.small)
    if named is None and any(entry.is_in_a_file for entry in spec.algorithms):
        how = {"status": f"`duelbench status SPEC -o {directory}`"}.get(verb, f"`duelbench {verb} … --spec SPEC`")
        raise UserError(f"its spec runs code from a file: if you trust it, use {how}")
    return spec


def complete_spec(context: click.Context, parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """Complete files, and the names of shipped specs."""
    names = [CompletionItem(name) for name in shipped_specs() if name.startswith(word)]
    return [*names, CompletionItem(word, type="file")]
