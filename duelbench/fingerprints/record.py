"""The record ``duelbench/fingerprints.json``: versions, and the source and paths that belong to them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from duelbench.experiment.code import code_of_modules
from duelbench.writing import write_whole

FILE = Path(__file__).parents[1] / "fingerprints.json"
ENGINE = "engine"


@dataclass(frozen=True)
class Subject:
    """What has a fingerprint: an algorithm, a generator or the engine.

    ``group``: ``algorithms``, ``generators`` or ``engine``. ``modules``: those that define it; what they import belongs
    to its source, too. ``play`` returns the digests of its short runs.
    """

    group: str
    name: str
    version: int
    modules: tuple[str, ...]
    play: Callable[[], dict[str, str]]

    @cached_property
    def source(self) -> str:
        """The digest of its source, without comments, docstrings and layout."""
        digests = code_of_modules(self.modules)
        return hashlib.sha256(json.dumps(digests, sort_keys=True).encode()).hexdigest()[:16]


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
        return known is not None and (known.version, known.source) == (subject.version, subject.source)

    def version(self, key: tuple[str, str]) -> int:
        """Return the recorded version of a subject, by group and name."""
        return self.fingerprints[key].version

    def changed(self, subject: Subject, paths: Mapping[str, str]) -> list[str]:
        """Return the names of those of its ``paths`` that are not the recorded ones."""
        known = self.fingerprints.get((subject.group, subject.name))
        before = known.paths if known else {}
        return sorted(name for name in paths.keys() | before.keys() if paths.get(name) != before.get(name))


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


def confirm(
    subjects: Iterable[Subject], record: Record, draws: Mapping[str, str], say: Callable[[str], None]
) -> tuple[Record, list[str]]:
    """Replay the short runs of the subjects that are not confirmed, and of all where the engine is not.

    Return the record of what plays as recorded, is new or has a new version, and a sentence for each other subject. A
    new version of the engine, or other draws, are reasons for any path to change.
    """
    every = {(each.group, each.name): each for each in subjects}
    edited = {key for key, each in every.items() if not record.confirms(each)}
    raised = {key for key in edited if key in record.fingerprints and every[key].version > record.version(key)}
    redrawn = dict(draws) != dict(record.draws)
    engine = (ENGINE, ENGINE)
    kept = {key: each for key, each in record.fingerprints.items() if key in every}
    wrong = []
    for key in every if redrawn or engine in edited else edited:
        subject = every[key]
        if key in record.fingerprints and subject.version < record.version(key):
            wrong.append(f"{subject.name}: version is {subject.version}, was {record.version(key)}: set it back")
            continue
        paths = subject.play()
        changed = record.changed(subject, paths) if key in record.fingerprints else []
        if not changed or redrawn or raised & {key, engine}:
            kept[key] = Fingerprint(subject.version, subject.source, paths)
            how = "new" if key not in record.fingerprints else "other paths" if changed else "same paths"
            say(f"{subject.name}: {how}, version {subject.version} confirmed")
        else:
            behind = key if key in edited else engine
            wrong.append(
                f"{subject.name}: other paths than recorded ({'; '.join(changed)}): undo the edit or, if it is meant "
                f"to change runs, set version to {record.version(behind) + 1} in {every[behind].modules[0]}"
            )
    return replace(record, draws=dict(draws), fingerprints=kept), wrong
