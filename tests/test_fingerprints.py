"""Fingerprints: committed code plays the recorded paths, and all its source is recorded."""

from dataclasses import replace

import pytest

from duelbench.versions import record
from duelbench.versions.record import Fingerprint, Record, Subject, draws, source_digest
from tests import short_runs
from tests.experiments import nothing
from tests.short_runs import Played, changed, updated

RECORD = record.read()
SUBJECTS = {f"{each.subject.group} {each.subject.name}": each for each in short_runs.subjects()}
MAKE = "`make fingerprints` says what to do"


def test_draws():
    """If NumPy draws other numbers, paths differ without a change of ours, and the record must be made anew."""
    assert draws() == RECORD.draws


QUICK = ("algorithms rucb", "algorithms knockout")
"""The algorithms in quick tests; slow tests, and ``make fingerprints`` after an edit, play all of them."""


def slowly(name):
    return pytest.param(name, marks=pytest.mark.slow) if name.startswith("algorithms") and name not in QUICK else name


@pytest.mark.parametrize("name", [slowly(name) for name in SUBJECTS])
def test_paths(name):
    subject, play = SUBJECTS[name]
    if draws() != RECORD.draws:
        pytest.skip("NumPy draws other numbers than recorded: see test_draws")
    assert changed(RECORD, subject, play()) == [], f"{subject.name} plays other paths: {MAKE}"


def test_all_source_is_recorded():
    assert [name for name, each in SUBJECTS.items() if not RECORD.is_current(each.subject)] == [], (
        f"edited source: {MAKE}"
    )


def test_nothing_else_is_recorded():
    assert RECORD.fingerprints.keys() == {each.subject[:2] for each in SUBJECTS.values()}


@pytest.fixture
def one():
    """An algorithm with the paths ``a`` and ``b``, and its record."""
    subject = Subject("algorithms", "one", 2, ("duelbench.arrays",))
    fingerprint = Fingerprint(2, source_digest(subject.modules), {"short": "a", "long": "b"})
    return subject, Record({"random": "r"}, {("algorithms", "one"): fingerprint})


def played():
    return {"short": "a", "long": "b"}


def recorded(subject, before, engine=1, drawn="r", play=played):
    """Return the updated fingerprint of ``one`` and the errors; version 1 of the engine is recorded."""
    other = Subject("engine", "engine", engine, ("duelbench.errors",))
    known = Fingerprint(1, source_digest(other.modules), {"rows": "1"})
    before = replace(before, fingerprints={("engine", "engine"): known, **before.fingerprints})
    after, wrong = updated(
        [Played(other, lambda: {"rows": str(engine)}), Played(subject, play)], before, {"random": drawn}, nothing
    )
    return after.fingerprints.get(("algorithms", "one")), wrong


def edited(before, **changes):
    known = before.fingerprints["algorithms", "one"]
    return replace(before, fingerprints={("algorithms", "one"): known._replace(**changes)})


def refused():
    raise AssertionError("replayed for nothing")


OTHER = {"source": "of other code"}
CHANGED = {"paths": {"short": "a", "long": "c", "gone": "d"}}


@pytest.mark.parametrize(
    ("before", "after", "refusal"),
    [
        (OTHER, {}, None),
        (OTHER | CHANGED, {}, "one: other paths than recorded (gone; long)"),
        (OTHER | CHANGED, {"version": 3}, None),
        (OTHER, {"version": 1}, "one: version is 1, was 2: set it back"),
        (OTHER | {"paths": {"short": "a"}}, {}, None),  # the runs of a new option
        (OTHER | {"paths": {"short": "b"}}, {}, "one: other paths than recorded (short)"),
        (CHANGED, {"engine": 2}, None),
        (CHANGED, {"drawn": "s"}, None),
    ],
)
def test_update(one, before, after, refusal):
    """An edit is recorded if no recorded path differs, or if its version, the engine's or NumPy's draws are new."""
    subject, known = one
    assert recorded(subject, known, play=refused) == (known.fingerprints["algorithms", "one"], [])
    earlier = edited(known, **before)
    subject = subject._replace(version=after.get("version", 2))
    others = {name: value for name, value in after.items() if name != "version"}
    found, wrong = recorded(subject, earlier, **others)
    if refusal is None:
        assert (found.version, found.paths, wrong) == (subject.version, played(), [])
    else:
        assert found == earlier.fingerprints["algorithms", "one"]
        assert wrong[0].startswith(refusal)
