"""Results as they are drawn: with the titles and figures that their spec has now, if all else in it is as it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from duelbench.errors import UserError
from duelbench.layout import SUMMARY
from duelbench.results.reader import Results, SoFar
from duelbench.spec.since import recorded_path, since


def present(
    directory: Path, *, spec: Path | None = None, so_far: SoFar | None = None, announce: Callable[[str], None]
) -> Results:
    """Read results, with the figures and titles of now.

    ``spec`` is the file that was run; without it, it is looked for where the manifest says. Where more than figures and
    titles has changed, the manifest's are kept, which ``announce`` is told. ``so_far`` gives the summary of an
    experiment that has not ended, if that is wanted.

    Raises UserError when the results cannot be read, or the ``spec`` given is not that of the results.
    """
    if so_far is not None and directory.is_dir() and not (directory / SUMMARY).is_file():
        results = Results.partial(directory, so_far, announce)
    else:
        results = Results(directory)
    path = spec or recorded_path(directory, results.manifest)
    if path is None:
        return results
    now, changed = since(results.manifest, results.spec, path)
    if now is not None:
        results.spec = now
    elif spec is not None:
        raise UserError(
            f"{directory} is not of this spec: {changed}; `duelbench run` it, or `plot {directory}` as it was",
            source=str(spec),
        )
    else:
        announce(f"{directory}: its figures and titles are those of then: as to {path}, {changed}")
    return results
