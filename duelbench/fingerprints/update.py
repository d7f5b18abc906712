"""``make fingerprints``: compare short runs of edited source with the record, and record what may be recorded."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from duelbench.experiment.series import ENGINE
from duelbench.fingerprints.paths import Played, subjects
from duelbench.versions.record import FILE, Fingerprint, Record, Subject, draws, read, source_digest, write


def changed(record: Record, subject: Subject, paths: Mapping[str, str]) -> list[str]:
    """Return the names of those ``paths`` that are not as recorded."""
    known = record.fingerprints.get((subject.group, subject.name))
    before = known.paths if known else {}
    return sorted(name for name in paths.keys() | before.keys() if paths.get(name) != before.get(name))


def updated(
    asked: Iterable[Played], record: Record, drawn: Mapping[str, str], announce: Callable[[str], None]
) -> tuple[Record, list[str]]:
    """Play the short runs of the subjects whose source is not the recorded one, and of all if the engine's is not.

    Return the record of what plays as recorded, is new or has a new version, and a sentence for each other subject. A
    new version of the engine, or other draws, are reasons for any path to change. Runs that are not recorded yet, such
    as those of a new option, are added where all recorded ones play as they did.
    """
    every = {(each.subject.group, each.subject.name): each for each in asked}
    edited = {key for key, each in every.items() if not record.is_current(each.subject)}
    versions = {key: each.version for key, each in record.fingerprints.items()}
    raised = {key for key in edited if key in versions and every[key].subject.version > versions[key]}
    redrawn = dict(drawn) != dict(record.draws)
    engine = (ENGINE.group, ENGINE.name)
    found = {key: each for key, each in record.fingerprints.items() if key in every}
    wrong = []
    for key in every if redrawn or engine in edited else edited:
        subject, play = every[key]
        if key in versions and subject.version < versions[key]:
            wrong.append(f"{subject.name}: version is {subject.version}, was {versions[key]}: set it back")
            continue
        paths = play()
        differing = (
            [name for name in changed(record, subject, paths) if name in found[key].paths] if key in found else []
        )
        if not differing or redrawn or raised & {key, engine}:
            found[key] = Fingerprint(subject.version, source_digest(subject.modules), paths)
            how = "new" if key not in versions else "other paths" if differing else "same paths"
            announce(f"{subject.name}: {how}, version {subject.version}")
        else:
            behind = key if key in edited else engine
            wrong.append(
                f"{subject.name}: other paths than recorded ({'; '.join(differing)}): undo the edit or, if it is meant "
                f"to change runs, set version to {versions[behind] + 1} in {every[behind].subject.modules[0]}"
            )
    return replace(record, draws=dict(drawn), fingerprints=found), wrong


def main() -> None:
    """Write the record; if any path differs without a new version, write nothing and exit with 1."""
    before = read() if FILE.is_file() else Record(draws(), {})
    after, wrong = updated(subjects(), before, draws(), print)
    if wrong:
        print(*wrong, "nothing is recorded", sep="\n", file=sys.stderr)
        sys.exit(1)
    if after != before:
        write(after)


if __name__ == "__main__":
    main()
