"""Finding the spec that a user names: a file of theirs, or one that travels with duelbench."""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import CompletionItem

from duelbench.shipped import shipped


def shipped_specs() -> dict[str, Path]:
    """Return the shipped specs by file name."""
    return {path.name: path for path in sorted(shipped("configs").glob("*.yaml"))}


def spec_path(named: Path) -> Path:
    """Return the file at ``named``, or, where there is none, the shipped spec of that file name (``.yaml`` or not)."""
    if named.exists():
        return named
    specs = shipped_specs()
    return specs.get(named.name) or specs.get(f"{named.name}.yaml") or named


def complete_spec(context: click.Context, parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """Complete files, and the names of shipped specs."""
    names = [CompletionItem(name) for name in shipped_specs() if name.startswith(word)]
    return [*names, CompletionItem(word, type="file")]
