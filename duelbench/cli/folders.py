"""Commands on all experiments below a folder of results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from duelbench.cli.terminal import warn
from duelbench.errors import UserError


def places_of(named: Iterable[Path]) -> list[Path]:
    """Return the experiments among the named directories, and those below the others."""
    from duelbench.results.collection import each_experiment

    return each_experiment(named)


def one_by_one(
    places: Sequence[Path], named: Sequence[Path], do: Callable[[Path], None], *, partial: bool = False
) -> int:
    """Do something with each experiment, and return the exit code: 2 if some cannot be read, or none is finished.

    Those that cannot be read are named on standard error. Unless they are ``named`` by the user or ``partial``,
    unfinished ones are left out, with a line.
    """
    from duelbench.results.manifest import progress_of_shards
    from duelbench.results.reader import Results

    alone = len(places) == 1
    failed, unfinished = 0, 0
    for place in places:
        try:
            if place not in named and not partial and Results(place).spec and not Results(place).finished:
                unfinished += 1
                progress = progress_of_shards(place)
                warn(f"{place} is not finished{f' ({progress})' if progress else ''}: --partial shows its runs so far")
                continue
            do(place)
        except UserError as error:
            if alone:
                raise
            failed += 1
            warn(f"error: {error}" if str(place) in str(error) else f"error: {place}: {error}")
    return 2 if failed or unfinished == len(places) else 0
