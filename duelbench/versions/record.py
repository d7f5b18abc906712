"""The record ``duelbench/fingerprints.json``: versions, and the source and paths that belong to them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from duelbench.files import write_whole
from duelbench.versions.source import source_digest

FILE = Path(__file__).parents[1] / "fingerprints.json"


class Subject(NamedTuple):
    """An algorithm, a generator or the engine: what has a version.

    ``group``: ``algorithms``, ``generators`` or ``engine``. ``modules``: those that define it; what they import belongs
    to its source, too.
    """

    group: str
    name: str
    version: int
    modules: tuple[str, ...]


class Fingerprint(NamedTuple):
    """What is recorded of a subject: the digests in ``paths`` are those that the ``source`` with this digest played."""

    version: int
    source: str
    paths: dict[str, str]


@dataclass(frozen=True)
class Record:
    """All fingerprints, by group and name, and the digests of NumPy's ``draws`` that their paths came from."""

    draws: Mapping[str, str]
    fingerprints: Mapping[tuple[str, str], Fingerprint]

    def confirms(self, subject: Subject) -> bool:
        """Tell whether the source of a subject is the recorded one."""
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
    """Write the record, in an order that makes differences of two versions readable."""
    data: dict[str, dict[str, object]] = {"draws": dict(sorted(record.draws.items()))}
    for (group, name), fingerprint in sorted(record.fingerprints.items()):
        entry = fingerprint._replace(paths=dict(sorted(fingerprint.paths.items())))
        data.setdefault(group, {})[name] = entry._asdict()
    write_whole(file, json.dumps(data, indent=1) + "\n")


UNCONFIRMED = " edited "


@cache
def version_in_keys(subject: Subject) -> str:
    """Return the version of a subject as the keys of runs have it: ``1``, or ``1 edited`` and the digest of its source.

    The digest keeps the runs of different edits apart until one of them is confirmed.
    """
    if recorded().confirms(subject):
        return str(subject.version)
    return f"{subject.version}{UNCONFIRMED}{source_digest(subject.modules)}"


@cache
def recorded() -> Record:
    """Return the record of the package."""
    return read()
