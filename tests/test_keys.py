"""Keys of runs: all that determines the numbers, and nothing else."""

import shutil
from dataclasses import replace
from functools import cache, partial

import pytest

from duelbench.algorithms.catalogue import catalogue, find
from duelbench.compiling.imports import imports_of
from duelbench.experiment import code as code_module
from duelbench.experiment.code import ENGINE, code_of, subject_of
from duelbench.results.results import Results
from duelbench.results.runs import changes
from duelbench.sources.generators import GENERATORS
from duelbench.sources.submatrix import SUBMATRICES
from duelbench.versions import record
from tests.experiments import VARIED, nothing, own_algorithm, planned, played
from tests.short_runs import Played, subjects, updated


def test_key_determinants(tmp_path):
    changes = [
        ("horizon: 3e3", "horizon: 4e3"),
        ("seed: 5", "seed: 6"),
        ("[copeland, borda]", "[borda]"),
        ("six-rankers", "sushi16"),
        ("arms: 4", "arms: 5"),
        ("regret:", "shuffle_arms: false\nregret:"),
        ("regret:", "checkpoints_per_decade: 10\nregret:"),
    ]

    def keys(text):
        plan = planned(tmp_path, text)
        return {series.labels: series.key(0) for series in plan.series}

    before = keys(VARIED)
    assert len(set(before.values())) == len(before)
    for old, new in changes:
        changed = keys(VARIED.replace(old, new))
        same = [place for place, key in changed.items() if before.get(place) == key]
        if old == "six-rankers":
            assert {dataset for dataset, _ in same} == {"btl-uniform"}
        elif old == "arms: 4":
            assert {dataset for dataset, _ in same} == {"six-rankers"}
        elif old.startswith("horizon") or "checkpoints" in new:
            assert {label for _, label in same} == {"btm"}  # it has horizons of its own
        else:
            assert same == [], new
    renamed = keys(VARIED.replace("- six-rankers", "- {name: six-rankers, label: other}"))
    assert renamed["other", "d-ts"] == before["six-rankers", "d-ts"]  # names do not matter, content does


SMALL = "runs: 3\ndatasets: [six-rankers]\nalgorithms: [{}]\n{}\n"


@pytest.mark.parametrize(
    ("algorithm", "lines", "other"),
    [
        ("rucb", "horizon: 1e3\nfeedback: {delay: 2}", "horizon: 1e3\nfeedback: {delay: 7}"),
        ("rucb", "horizon: 1e3\nrecommend: own", "budget: 1e3\nrecommend: own"),
        ("rucb", "budget: 1e3\nrecommend: own", "budget: 1e3\nrecommend: copeland"),
        ("btm", "horizons: [1e2, 1e3]", "horizons: [5e2, 1e3]"),
    ],
)
def test_keys_differ(tmp_path, algorithm, lines, other):
    plans = [planned(tmp_path, SMALL.format(algorithm, each)) for each in (lines, other)]
    keys = [plan.series[0].key(number) for plan in plans for number in range(3)]
    assert len(set(keys)) == 6


def test_defaults_are_determinants(tmp_path):
    (series,) = planned(tmp_path, SMALL.format("rucb", "horizon: 10")).series
    assert series.record["parameters"] == {"alpha": 0.51}


MINE = own_algorithm(fields="patience: int = 3", name="Mine")


def test_keys_of_two_classes(tmp_path):
    (tmp_path / "two.py").write_text(MINE + MINE.replace("class Mine", "class Other"))
    text = "horizon: 10\nruns: 2\ndatasets: [six-rankers]\nalgorithms: ['two.py:Mine']\n"
    (series,) = planned(tmp_path, text).series
    (other,) = planned(tmp_path, text.replace(":Mine", ":Other")).series
    assert series.key(1) != other.key(1)
    assert changes(series.record, other.record) == ['class "Mine" → "Other"']


def test_key_of_find(tmp_path):
    text = "budget: 9\nruns: 1\nregret: {}\ndatasets: [six-rankers]\nalgorithms: [uniform]\n"
    (plain,) = planned(tmp_path, text.format("borda")).series
    (borda,) = planned(tmp_path, text.format("borda") + "find: borda\n").series
    (copeland,) = planned(tmp_path, text.format("copeland") + "find: copeland\n").series
    (common,) = planned(tmp_path, text.format("borda") + "find: borda\nrecommend: btl\n").series
    assert [each.rule for each in (plain, borda, copeland, common)] == ["own", "own or borda", "own", "btl"]
    assert plain.digest != borda.digest
    find = {"copeland": "posterior", "borda": "posterior borda", "condorcet": "posterior condorcet"}
    for notion, rule in find.items():
        (probable,) = planned(tmp_path, text.format(notion) + f"find: {notion}\nrecommend: posterior\n").series
        assert probable.rule == rule


# Code: versions if it is recorded


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    return shutil.copytree(
        record.PACKAGE, tmp_path_factory.mktemp("copy") / "duelbench", ignore=shutil.ignore_patterns("*.pyc")
    )


def forget():
    """Forget cached values, as in a new process."""
    for cached in (record._module, record.version_in_keys, record.recorded):
        cached.cache_clear()


imports_of_text = cache(lambda text, package: frozenset(imports_of(text, package)))
"""Unedited files are parsed once for all tests."""


@cache
def recorded_now():
    """Return the record as if it had the unedited source of everything."""
    known = record.read()
    found = dict(known.fingerprints)
    for subject, _ in subjects():
        source = record.source_digest(subject.modules)
        found[subject[:2]] = found[subject[:2]]._replace(source=source, version=subject.version)
    return replace(known, fingerprints=found)


@pytest.fixture
def editable(package, monkeypatch):
    """A copy of the package with editable sources; runs still use the package itself."""
    original, known = record.PACKAGE, recorded_now()
    monkeypatch.setattr(record, "PACKAGE", package)
    monkeypatch.setattr(record, "imports_of", imports_of_text)
    forget()
    monkeypatch.setattr(record, "read", lambda: known)
    yield package
    monkeypatch.undo()
    forget()
    for file in package.rglob("*.py"):
        text = (original / file.relative_to(package)).read_bytes()
        if file.read_bytes() != text:
            file.write_bytes(text)


def edit(file):
    file.write_text(file.read_text() + "EDITED = 1\n")
    forget()


DRAWN = (GENERATORS["btl-uniform"].subject(), SUBMATRICES)
KINDS = ("rucb", "d-ts", "rmed1", "uniform", "cw-rmed")


def codes(**options):
    """Return what identifies the code of some algorithms."""
    return {name: version for kind in KINDS for name, version in code_of(catalogue()[kind], **options).items()}


EDITS = [
    ("algorithms/thompson/dts.py", {"d-ts"}),
    ("algorithms/divergence/linear_program.py", {"cw-rmed"}),
    ("kernels/draws.py", {"engine", "rucb", "d-ts", "uniform"}),
    ("arrays.py", {"engine", "rucb", "d-ts", "rmed1", "uniform", "cw-rmed", "btl-uniform", "submatrix"}),
    ("engine/play.py", {"engine"}),
    ("experiment/run.py", {"engine"}),
    ("sources/generators.py", {"btl-uniform"}),
    ("sources/submatrix.py", {"submatrix"}),
    ("compiling/jit.py", set()),
    ("experiment/backends.py", set()),
]


@pytest.mark.parametrize(("file", "edited"), EDITS)
def test_edited_module(editable, file, edited):
    before = codes(drawn_by=DRAWN)
    assert all(code.isdecimal() for name, code in before.items() if name != "random streams")
    edit(editable / file)
    after = codes(drawn_by=DRAWN)
    assert {name for name in before if after[name] != before[name]} == edited
    assert all(after[name].startswith(f"{before[name]} edited ") for name in edited)


def test_edited_words(editable):
    before = codes(drawn_by=DRAWN)
    for each in editable.rglob("*.py"):
        text = each.read_text()
        words = '"""Other words."""' + text[text.index('"""', 3) + 3 :] if text.startswith('"""') else text
        each.write_text("# a comment\n" + words)
    forget()
    assert codes(drawn_by=DRAWN) == before


def test_random_streams(monkeypatch):
    before = codes()
    assert "numpy" not in before
    monkeypatch.setattr(code_module, "stream_digest", lambda: "of another NumPy")
    assert [name for name, version in codes().items() if version != before[name]] == ["random streams"]


SPEC = "horizon: 50\nruns: 2\ndatasets: [six-rankers]\nalgorithms: [rucb, uniform]\n"


def counts(base):
    return {
        each.series.labels.algorithm: (each.counts, each.reasons)
        for each in Results(base / "out", planned(base, SPEC)).status()
    }


def recorded_with(monkeypatch, paths):
    """Record algorithms with these paths by name, and others as before; return the errors."""
    known = record.recorded()
    both = [subject_of(catalogue()[name]) for name in ("rucb", "uniform")]
    played = [Played(ENGINE, lambda: known.fingerprints["engine", "engine"].paths)]
    played += [
        Played(each, partial(lambda key: paths.get(key[1], known.fingerprints[key].paths), each[:2])) for each in both
    ]
    after, wrong = updated(played, known, known.draws, nothing)
    monkeypatch.setattr(record, "read", lambda: after)
    forget()
    return wrong


def test_recorded_edit_keeps_results(editable, tmp_path, monkeypatch, interpreted):
    """Results stay current if a recorded edit changes no path; a changed path needs a new version."""
    played(tmp_path, SPEC)
    done = ({"done": 2}, ())
    assert counts(tmp_path) == {"rucb": done, "uniform": done}
    edit(editable / "engine" / "play.py")
    counted, (why,) = counts(tmp_path)["rucb"]
    assert counted == {"out of date": 2}
    assert why == "engine edited: it may play other paths"
    assert recorded_with(monkeypatch, {}) == []
    assert counts(tmp_path) == {"rucb": done, "uniform": done}
    edit(editable / "algorithms" / "confidence" / "rucb.py")
    assert counts(tmp_path)["uniform"] == done
    (wrong,) = recorded_with(monkeypatch, {"rucb": {"winner, default": "other"}})
    assert wrong.startswith("rucb: other paths than recorded (") and "set version to 2 in duelbench.algorithms" in wrong
    assert counts(tmp_path)["rucb"][0] == {"out of date": 2}
    monkeypatch.setattr(catalogue()["rucb"], "version", 2)
    assert recorded_with(monkeypatch, {"rucb": {"winner, default": "other"}}) == []
    assert counts(tmp_path) == {"rucb": ({"out of date": 2}, ('version of rucb "1" → "2"',)), "uniform": done}


def test_code_of_an_own_algorithm(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import scipy.special\nfrom duelbench.algorithms import Algorithm\nfrom duelbench.kernels.draws import below\n"
        "class Mine(Algorithm):\n    name = 'mine'\n    State = list\n    def start(self, arms, horizon): return []\n"
    )
    found = code_of(find("mine.py:Mine", tmp_path))
    assert set(found) == {"engine", "random streams", "its file"}


def test_code_of_a_base_class(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from duelbench.algorithms.catalogue import catalogue\nclass Mine(catalogue()['rucb']):\n    name = 'mine'\n"
    )
    assert code_of(find("mine.py:Mine", tmp_path))["rucb"] == "1"
