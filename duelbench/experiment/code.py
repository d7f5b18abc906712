"""Which code determines the numbers of a run: the modules that it imports, and the versions of numerical libraries.

A module counts when the algorithm or the playing of a run imports it, directly or through others, so that an edit makes
those runs stale that it can change and no others. How kernels are compiled does not count: all ways give the same bits.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from duelbench.algorithms.algorithm import Algorithm
from duelbench.compiling.digest import code_digest
from duelbench.compiling.imports import imports_of
from duelbench.errors import UserError
from duelbench.experiment.transcription import transcription
from duelbench.experiment.trial.described import Described

PACKAGE = Path(__file__).parents[1]
ROOMS = tuple(
    f"duelbench.{room}" for room in ("algorithms", "arrays", "engine", "kernels", "literal", "preferences", "sources")
)
PLAYING = "duelbench.experiment.run"
PLAYING_LITERALLY = "duelbench.experiment.transcription"
NO_NUMBERS = {"numba", "pydantic", "pytest"}
"""Libraries that compute no numbers of their own: compiled kernels give what the interpreted ones give."""
_AT_FIRST = {file: file.read_bytes() for file in PACKAGE.rglob("*.py")}


def code_of(
    algorithm: type[Algorithm] | Described, drawn_by: tuple[str, ...] = (), literal: bool = False
) -> dict[str, str]:
    """Return the digest of every module behind the numbers of an algorithm, and the version of every library.

    ``drawn_by``: the modules that draw the matrix of each run. ``literal``: whether its transcription is run, of which
    its kernels are no part. Of a library it is the feature release (``2.4``):
    NumPy may change its random streams from one to the next.
    """
    digests = {}
    roots = [PLAYING, *drawn_by]
    if algorithm.source_text:
        digests["its file"] = code_digest(algorithm.source_text)
        digests["its values"] = algorithm.values
        imported = set(imports_of(algorithm.source_text))
        for name, helper in algorithm.helpers.items():
            digests[f"its module {name}"] = code_digest(helper.text)
            imported |= set(imports_of(helper.text, helper.package))
        if isinstance(algorithm, Described):
            bases = algorithm.bases
        else:
            bases = tuple(each.__module__ for each in algorithm.__mro__)
        roots += [name for name in [*imported, *bases] if _is_ours(name)]
        libraries = _libraries(imported) - {name.partition(".")[0] for name in algorithm.helpers}
    else:
        assert isinstance(algorithm, type)  # of this package
        roots += [PLAYING_LITERALLY, transcription(algorithm)] if literal else [algorithm.__module__]
        libraries = set()
    for name in _reachable(roots):
        digest, imports = _module(name)
        digests[name.removeprefix("duelbench.")] = digest
        libraries |= _libraries(imports)
    return dict(sorted(digests.items())) | {name: _release(name) for name in sorted(libraries)}


def code_of_modules(names: Iterable[str]) -> dict[str, str]:
    """Return the digests of these modules of duelbench and of those that they import."""
    return {name: _module(name)[0] for name in sorted(_reachable(names))}


def _reachable(roots: Iterable[str]) -> set[str]:
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [each for each in _module(name)[1] if _is_ours(each)]
    return found


@cache
def _module(name: str) -> tuple[str, frozenset[str]]:
    """Return the digest of a module of duelbench and what it imports."""
    file = _file(name)
    text = source(file)
    if file in _AT_FIRST and name not in sys.modules:
        importlib.import_module(name)  # now, not when the first run needs it: it might have been edited by then
        if file.read_bytes() != text:
            raise UserError(f"{name} was edited while the command ran: repeat it")
    return code_digest(text.decode()), frozenset(imports_of(text.decode(), name.rpartition(".")[0]))


def source(file: Path) -> bytes:
    """Return the text of a module as it was when this process began: that is what it has imported."""
    return _AT_FIRST.get(file) or file.read_bytes()


def _is_ours(name: str) -> bool:
    return name.startswith(ROOMS) and _file(name).is_file()


def _file(name: str) -> Path:
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _libraries(imports: Iterable[str]) -> set[str]:
    tops = {name.partition(".")[0] for name in imports}
    return tops - sys.stdlib_module_names - NO_NUMBERS - {"duelbench"}


@cache
def _release(library: str) -> str:
    try:
        return ".".join(importlib.metadata.version(library).split(".")[:2])
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
