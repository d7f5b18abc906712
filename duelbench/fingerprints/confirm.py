"""Comparing short runs with the record, and confirming source that plays as recorded or has a new version."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from duelbench.experiment.code import ENGINE
from duelbench.versions.record import Fingerprint, Record, Subject
from duelbench.versions.source import source_digest


class Played(NamedTuple):
    """A subject and a function that returns the digests of its short runs, by name."""

    subject: Subject
    play: Callable[[], dict[str, str]]


def changed(record: Record, subject: Subject, paths: Mapping[str, str]) -> list[str]:
    """Return the names of those ``paths`` that are not as recorded."""
    known = record.fingerprints.get((subject.group, subject.name))
    before = known.paths if known else {}
    return sorted(name for name in paths.keys() | before.keys() if paths.get(name) != before.get(name))


def confirm(
    subjects: Iterable[Played], record: Record, draws: Mapping[str, str], announce: Callable[[str], None]
) -> tuple[Record, list[str]]:
    """Play the short runs of the subjects that are not confirmed, and of all where the engine is not.

    Return the record of what plays as recorded, is new or has a new version, and a sentence for each other subject. A
    new version of the engine, or other draws, are reasons for any path to change. Runs that are not recorded yet, such
    as those of a new option, are added where all recorded ones play as they did.
    """
    every = {(each.subject.group, each.subject.name): each for each in subjects}
    edited = {key for key, each in every.items() if not record.confirms(each.subject)}
    versions = {key: each.version for key, each in record.fingerprints.items()}
    raised = {key for key in edited if key in versions and every[key].subject.version > versions[key]}
    redrawn = dict(draws) != dict(record.draws)
    engine = (ENGINE.group, ENGINE.name)
    kept = {key: each for key, each in record.fingerprints.items() if key in every}
    wrong = []
    for key in every if redrawn or engine in edited else edited:
        subject, play = every[key]
        if key in versions and subject.version < versions[key]:
            wrong.append(f"{subject.name}: version is {subject.version}, was {versions[key]}: set it back")
            continue
        paths = play()
        differing = [name for name in changed(record, subject, paths) if name in kept[key].paths] if key in kept else []
        if not differing or redrawn or raised & {key, engine}:
            kept[key] = Fingerprint(subject.version, source_digest(subject.modules), paths)
            how = "new" if key not in versions else "other paths" if differing else "same paths"
            announce(f"{subject.name}: {how}, version {subject.version}")
        else:
            behind = key if key in edited else engine
            wrong.append(
                f"{subject.name}: other paths than recorded ({'; '.join(differing)}): undo the edit or, if it is meant "
                f"to change runs, set version to {versions[behind] + 1} in {every[behind].subject.modules[0]}"
            )
    return replace(record, draws=dict(draws), fingerprints=kept), wrong
