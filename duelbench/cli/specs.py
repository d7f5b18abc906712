"""Specs by name: files of the user, and shipped specs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from duelbench.directories import shipped

if TYPE_CHECKING:
    from duelbench.spec.entries import AlgorithmEntry


def shipped_specs() -> dict[str, Path]:
    """Return the shipped specs by file name."""
    return {path.name: path for path in sorted(shipped("configs").glob("*.yaml"))}


def spec_path(named: Path) -> Path:
    """Return the file at ``named`` or, if there is none, the shipped spec of that name (``.yaml`` or not)."""
    if named.exists():
        return named
    specs = shipped_specs()
    return specs.get(named.name) or specs.get(f"{named.name}.yaml") or named


def refuse_files(entries: Iterable[AlgorithmEntry], command: str) -> None:
    """Raise UserError if one of these algorithms of a spec that was not named by the user is in a file.

    Results may come from anybody. ``command`` names the spec.
    """
    from duelbench.errors import UserError

    if any(entry.is_in_a_file for entry in entries):
        raise UserError(f"its spec runs code from a file: if you trust it, use {command}")


def complete_spec(context: click.Context, parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """Complete files, and the names of shipped specs."""
    names = [CompletionItem(name) for name in shipped_specs() if name.startswith(word)]
    return [*names, CompletionItem(word, type="file")]
