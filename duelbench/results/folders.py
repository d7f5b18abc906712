"""Finding the experiments in a folder of results."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from duelbench.errors import UserError
from duelbench.layout import ALL_SHARDS, MANIFEST, SUMMARY


def is_experiment(directory: Path) -> bool:
    """Return whether a directory has the results of an experiment, perhaps unfinished or damaged."""
    there = (directory / MANIFEST, directory / SUMMARY, *directory.glob(ALL_SHARDS))
    return any(os.path.lexists(each) for each in there)


def experiments(folder: Path) -> list[Path]:
    """Return the directories of the experiments below a folder; of several links to one, the first.

    Raises UserError if there is none.
    """
    found = [*_below(folder, set())]
    if not found:
        raise UserError(f"there are no results in {folder}: `duelbench run` a spec first")
    return found


def each_experiment(places: Iterable[Path]) -> list[Path]:
    """Return the places that are experiments, and the experiments below the others."""
    return [each for place in places for each in ([place] if is_experiment(place) else experiments(place))]


def _below(folder: Path, seen: set[str]) -> Iterator[Path]:
    """Yield the experiments below a folder; hidden directories and those in ``seen`` are left out."""
    seen.add(os.path.realpath(folder))
    try:
        inner = sorted((each for each in folder.iterdir() if each.is_dir()), key=lambda each: (each.is_symlink(), each))
    except OSError:
        yield folder  # reading it as results says what is wrong
        return
    for each in inner:
        if each.name.startswith(".") or os.path.realpath(each) in seen:
            continue
        if is_experiment(each):
            seen.add(os.path.realpath(each))
            yield each
        else:
            yield from _below(each, seen)
