"""The digest of a module of duelbench with all modules that it imports, directly or through others.

How kernels are compiled does not count: all ways give the same bits.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from duelbench.compiling.digest import code_digest
from duelbench.compiling.imports import imports_of

PACKAGE = Path(__file__).parents[1]
ROOMS = tuple(
    f"duelbench.{room}"
    for room in (
        "algorithms",
        "arrays",
        "engine",
        "kernels",
        "reference",
        "preferences",
        "sources",
        "votes",
    )
)
"""Where numbers are computed: imports from elsewhere do not count."""


def source_digest(modules: Iterable[str]) -> str:
    """Return 16 hexadecimal digits that stand for the code of these modules and of those that they import."""
    digests = {name: _module(name)[0] for name in sorted(_reachable(modules))}
    return hashlib.sha256(json.dumps(digests).encode()).hexdigest()[:16]


def _reachable(roots: Iterable[str]) -> set[str]:
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [each for each in _module(name)[1] if each.startswith(ROOMS) and _file(each).is_file()]
    return found


@cache
def _module(name: str) -> tuple[str, frozenset[str]]:
    """Return the digest of a module of duelbench and what it imports."""
    text = _file(name).read_text(encoding="utf-8")
    return code_digest(text), frozenset(imports_of(text, name.rpartition(".")[0]))


def _file(name: str) -> Path:
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
