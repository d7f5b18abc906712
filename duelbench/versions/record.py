"""The record ``duelbench/fingerprints.json``: versions with digests of their source and their paths.

The digest of a module covers all modules that it imports, directly or indirectly, from the packages that compute
numbers. A feature release of NumPy may change the draws of its generators, and so every run.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from duelbench.compiling.digest import NUMBERS, PACKAGE, code_digest
from duelbench.compiling.imports import imports_of
from duelbench.files import write_whole

DISTRIBUTIONS: Mapping[str, Callable[[np.random.Generator], Any]] = {
    "beta": lambda rng: [rng.beta(1.0, 1.0, 4), rng.beta(0.5, 0.7, 4), rng.beta(30.0, 4.0, 4)],
    "binomial": lambda rng: [rng.binomial(5, 0.3, 4), rng.binomial(10_000, 0.6, 4)],
    "choice": lambda rng: [rng.choice(100, 5, replace=False), rng.choice(100, 5)],
    "geometric": lambda rng: [rng.geometric(0.5, 4), rng.geometric(0.01, 4)],
    "integers": lambda rng: [rng.integers(5, size=4), rng.integers(2**40, size=4)],
    "normal": lambda rng: [rng.standard_normal(8)],
    "permutation": lambda rng: [rng.permutation(20), rng.permuted(np.arange(20))],
    "random": lambda rng: [rng.random(8)],
}
"""Draws from each distribution in use, with parameters that cover all of NumPy's sampling methods for it."""


@cache
def stream_digest() -> str:
    """Return one digest of all ``draws``, for the keys of runs."""
    return hashlib.sha256("".join(draws().values()).encode()).hexdigest()[:8]


def draws() -> dict[str, str]:
    """Return the digest of a few draws from each distribution, to detect changes of NumPy's streams."""
    return {name: _digest(draw(np.random.default_rng(1))) for name, draw in DISTRIBUTIONS.items()}


def _digest(arrays: Any) -> str:
    return hashlib.sha256(b"".join(np.ascontiguousarray(each).tobytes() for each in arrays)).hexdigest()[:8]


_COUNTED = tuple(f"duelbench.{name}" for name in NUMBERS)


def source_digest(modules: Iterable[str]) -> str:
    """Return a digest, 16 hexadecimal digits, of the code of these modules and of all modules they import."""
    digests = {name: _module(name)[0] for name in sorted(_reachable(modules))}
    return hashlib.sha256(json.dumps(digests).encode()).hexdigest()[:16]


def _reachable(roots: Iterable[str]) -> set[str]:
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [each for each in _module(name)[1] if each.startswith(_COUNTED) and _file(each).is_file()]
    return found


@cache
def _module(name: str) -> tuple[str, frozenset[str]]:
    """Return the digest of a module of duelbench and the names of the modules that it imports."""
    text = _file(name).read_text(encoding="utf-8")
    return code_digest(text), frozenset(imports_of(text, name.rpartition(".")[0]))


def _file(name: str) -> Path:
    path = PACKAGE.parent.joinpath(*name.split("."))
    package = path / "__init__.py"  # a moved module may leave a folder of cached bytecode
    return package if package.is_file() else path.with_suffix(".py")


FILE = PACKAGE / "fingerprints.json"


class Subject(NamedTuple):
    """A part of the code that has a version: an algorithm, a generator or the engine.

    ``group``: ``algorithms``, ``generators`` or ``engine``. ``modules``: the modules that define it; modules that they
    import belong to its source, too.
    """

    group: str
    name: str
    version: int
    modules: tuple[str, ...]


class Fingerprint(NamedTuple):
    """The record of a subject: digests of its ``source`` and of the short runs, ``paths``, that this source played."""

    version: int
    source: str
    paths: dict[str, str]


@dataclass(frozen=True)
class Record:
    """All fingerprints, by group and name, and the digests of NumPy's ``draws`` with which they were made."""

    draws: Mapping[str, str]
    fingerprints: Mapping[tuple[str, str], Fingerprint]

    def is_current(self, subject: Subject) -> bool:
        """Return whether the source of a subject is the recorded one."""
        known = self.fingerprints.get((subject.group, subject.name))
        return known is not None and (known.version, known.source) == (subject.version, source_digest(subject.modules))


def read(file: Path = FILE) -> Record:
    """Read the record."""
    data = json.loads(file.read_text(encoding="utf-8"))
    groups = ((group, each) for group, each in data.items() if group != "draws")
    return Record(
        data["draws"],
        {(group, name): Fingerprint(**entry) for group, entries in groups for name, entry in entries.items()},
    )


def write(record: Record, file: Path = FILE) -> None:
    """Write the record in sorted order, so that diffs are readable."""
    data: dict[str, dict[str, object]] = {"draws": dict(sorted(record.draws.items()))}
    for (group, name), fingerprint in sorted(record.fingerprints.items()):
        entry = fingerprint._replace(paths=dict(sorted(fingerprint.paths.items())))
        data.setdefault(group, {})[name] = entry._asdict()
    write_whole(file, json.dumps(data, indent=1) + "\n")


EDITED = " edited "


@cache
def version_in_keys(subject: Subject) -> str:
    """Return the version of a subject for the keys of runs: ``1``, or ``1 edited`` with the digest of its source.

    The digest distinguishes the runs of different edits until one of them is recorded.
    """
    if recorded().is_current(subject):
        return str(subject.version)
    return f"{subject.version}{EDITED}{source_digest(subject.modules)}"


@cache
def recorded() -> Record:
    """Return the record of the package."""
    return read()
