"""Results with the current titles and figures of their spec, if nothing else in it has changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from duelbench.errors import UserError
from duelbench.results.reader import Results
from duelbench.spec.load import spec_diff


def present(
    directory: Path, *, spec: Path | None = None, partial: bool = False, announce: Callable[[str], None]
) -> Results:
    """Read results, with the current figures and titles of their spec.

    ``spec`` is the file that was run; by default it is the path in the manifest. If more than figures and titles has
    changed, those of the manifest are kept, and ``announce`` receives a line. ``partial``: if the experiment has not
    finished, read the runs so far.

    Raises UserError when the results cannot be read, or are not results of the ``spec`` given.
    """
    results = Results(directory, partial=announce if partial else None)
    path = spec or results.spec_file
    if path is None or not path.is_file():
        return results
    now, changed = spec_diff(results.manifest.spec_text, results.spec, path)
    if now is not None:
        results.spec = now
    elif spec is not None:
        raise UserError(
            f"{directory} has results of another spec ({changed}): `duelbench run` this one, or `plot {directory}`",
            source=str(spec),
        )
    else:
        announce(f"{directory}: figures and titles are those of the run ({path}: {changed})")
    return results
