"""Keys of runs: what determines the numbers, and nothing else."""

import json
import pickle
import shutil
import sys
from pathlib import Path

import pytest

from duelbench.algorithms.algorithm import Algorithm, parameters_of
from duelbench.algorithms.catalogue import catalogue, find
from duelbench.engine.streams import policy_stream
from duelbench.errors import UserError
from duelbench.experiment import code
from duelbench.results.record import changes
from tests.experiments import VARIED, own_algorithm, planned


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
        return {series.labels: plan.run(series, 0).key for series in plan.series}

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
    keys = [plan.run(plan.series[0], number).key for plan in plans for number in range(3)]
    assert len(set(keys)) == 6


def test_defaults_are_determinants(tmp_path):
    (series,) = planned(tmp_path, SMALL.format("rucb", "horizon: 10")).series
    assert series.determinants["parameters"] == {"alpha": 0.51}


MINE = own_algorithm(fields="patience: int = 3", name="Mine")


def test_pickled_series_of_an_own_algorithm(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    text = "horizon: 10\nruns: 2\ndatasets: [six-rankers]\nalgorithms: [{name: 'mine.py:Mine', patience: 4}]\n"
    (series,) = planned(tmp_path, text).series
    sent = pickle.dumps(series)
    (tmp_path / "mine.py").unlink()
    there = pickle.loads(sent)
    assert there.key(1, 0) == series.key(1, 0)
    assert there.algorithm.build().patience == 4


def test_keys_of_two_classes(tmp_path):
    (tmp_path / "two.py").write_text(MINE + MINE.replace("class Mine", "class Other"))
    text = "horizon: 10\nruns: 2\ndatasets: [six-rankers]\nalgorithms: ['two.py:Mine']\n"
    (series,) = planned(tmp_path, text).series
    (other,) = planned(tmp_path, text.replace(":Mine", ":Other")).series
    assert series.key(1, 0) != other.key(1, 0)
    assert changes(series.determinants, other.determinants) == ['class "Mine" → "Other"']


class Sets(Algorithm):
    """Its parameters are equal however they are ordered, and so must be its key."""

    name = "sets"
    select = update = State = None
    numbers: frozenset[int]
    pairs: dict[str, set[int]]
    nested: frozenset[frozenset[int]]

    def start(self, arms, horizon):
        return []


def test_key_of_sets():
    one, other = frozenset([0, 8]), frozenset([8, 0])
    assert list(one) != list(other)  # as they have the same hash, the order is that in which they came
    found = [Sets(numbers=each, pairs={"x": set(each)}, nested=frozenset([each])) for each in (one, other)]
    assert json.dumps(parameters_of(found[0])) == json.dumps(parameters_of(found[1]))
    assert len({policy_stream(1, {}, 0, each).random() for each in found}) == 1


def test_key_of_find(tmp_path):
    text = "budget: 9\nruns: 1\nregret: {}\ndatasets: [six-rankers]\nalgorithms: [uniform]\n"
    (plain,) = planned(tmp_path, text.format("borda")).series
    (borda,) = planned(tmp_path, text.format("borda") + "find: borda\n").series
    (copeland,) = planned(tmp_path, text.format("copeland") + "find: copeland\n").series
    (common,) = planned(tmp_path, text.format("borda") + "find: borda\nrecommend: btl\n").series
    assert [each.rule for each in (plain, borda, copeland, common)] == ["own", "own or borda", "own", "btl"]
    assert plain.digest != borda.digest


# Code


PACKAGE = code.PACKAGE
DRAWN = ("duelbench.sources.generators", "duelbench.sources.submatrix")


def codes(kinds, drawn_by=()):
    """The code of algorithms by name, of the modules as they are now."""
    code._module.cache_clear()
    return {name: code.code_of(kind, drawn_by) for name, kind in kinds.items()}


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    return shutil.copytree(
        PACKAGE, tmp_path_factory.mktemp("copy") / "duelbench", ignore=shutil.ignore_patterns("*.pyc")
    )


@pytest.fixture
def editable(package, monkeypatch):
    """A copy of the package whose sources a test may edit."""
    monkeypatch.setattr(code, "PACKAGE", package)
    yield package
    code._module.cache_clear()
    for source in package.rglob("*.py"):
        original = (PACKAGE / source.relative_to(package)).read_bytes()
        if source.read_bytes() != original:
            source.write_bytes(original)


EDITS = [
    ("algorithms/thompson/election.py", {"d-ts"}),
    ("algorithms/divergence/rmed1.py", {"rmed1"}),
    ("arrays.py", {"rucb", "d-ts", "rmed1", "uniform", "cw-rmed"}),
    ("compiling/jit.py", set()),
    ("compiling/linking.py", set()),
    ("engine/play.py", {"rucb", "d-ts", "rmed1", "uniform", "cw-rmed"}),
    ("preferences/regret.py", {"rucb", "d-ts", "rmed1", "uniform", "cw-rmed"}),
    ("experiment/run.py", {"rucb", "d-ts", "rmed1", "uniform", "cw-rmed"}),
    ("algorithms/divergence/program.py", {"cw-rmed"}),
    ("sessions/session.py", set()),
    ("engine/warm.py", set()),
    ("algorithms/catalogue.py", set()),
    ("sources/generators.py", set()),
    ("experiment/worker.py", set()),
]


@pytest.mark.parametrize(("file", "stale"), EDITS)
def test_edited_module(editable, file, stale):
    kinds = {name: catalogue()[name] for name in ("rucb", "d-ts", "rmed1", "uniform", "cw-rmed")}
    before = codes(kinds)
    (editable / file).write_text((editable / file).read_text() + "EDITED = 1\n")
    after = codes(kinds)
    assert {name for name in kinds if after[name] != before[name]} == stale
    for name in stale:
        assert [each for each in after[name] if after[name][each] != before[name][each]] == [
            file.removesuffix(".py").replace("/", ".")
        ]


LITERAL_EDITS = [
    ("literal/dts.py", {"d-ts", "d-ts+"}),
    ("literal/arithmetic.py", {"d-ts", "d-ts+", "rucb"}),
    ("literal/rucb.py", {"rucb"}),
    ("experiment/transcription.py", {"d-ts", "d-ts+", "rucb"}),
    ("preferences/regret.py", {"d-ts", "d-ts+", "rucb"}),
    ("algorithms/confidence/rucb.py", set()),
    ("literal/savage.py", set()),
]


@pytest.mark.parametrize(("file", "stale"), LITERAL_EDITS)
def test_edited_reference(editable, file, stale):
    def literal():
        code._module.cache_clear()
        return {name: code.code_of(catalogue()[name], literal=True) for name in ("rucb", "d-ts", "d-ts+")}

    before = literal()
    (editable / file).write_text((editable / file).read_text() + "edited = True\n")
    after = literal()
    assert {name for name in after if after[name] != before[name]} == stale


def test_edited_words(editable):
    before = codes(catalogue(), DRAWN)
    for source in editable.rglob("*.py"):
        text = source.read_text()
        words = '"""Other words."""' + text[text.index('"""', 3) + 3 :] if text.startswith('"""') else text
        source.write_text("# a comment\n" + words)
    assert codes(catalogue(), DRAWN) == before


def test_edited_generator(editable):
    rucb = {"rucb": catalogue()["rucb"]}
    before = codes(rucb, DRAWN)
    file = editable / "sources" / "submatrix.py"
    file.write_text(file.read_text() + "EDITED = 1\n")
    assert codes(rucb, DRAWN) != before


def test_libraries():
    assert set(code.code_of(catalogue()["rucb"])) & {"numpy", "scipy", "numba"} == {"numpy"}
    assert not code.code_of(catalogue()["rucb"], DRAWN).keys() & {"numba", "scipy"}


def test_code_of_an_own_algorithm(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import scipy.special\nfrom duelbench.algorithms import Algorithm\nfrom duelbench.kernels.draws import below\n"
        "class Mine(Algorithm):\n    name = 'mine'\n    State = list\n    def start(self, arms, horizon): return []\n"
    )
    found = code.code_of(find("mine.py:Mine", tmp_path))
    assert {"its file", "kernels.draws", "engine.play", "scipy", "numpy"} <= set(found)
    assert "algorithms.thompson.election" not in found
    assert Path(code.__file__).parent.parent == PACKAGE


def test_late_import(monkeypatch):
    """Transcriptions are imported when one is played; the digests are those of the files when the process began."""
    name = "duelbench.literal.wrapped"
    file = PACKAGE / "literal" / "wrapped.py"
    monkeypatch.delitem(sys.modules, name, raising=False)
    code._module.cache_clear()
    code._module(name)
    assert name in sys.modules
    monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(code._AT_FIRST, file, file.read_bytes() + b"EDITED = 1\n")
    code._module.cache_clear()
    with pytest.raises(UserError, match=r"duelbench\.literal\.wrapped was edited while the command ran"):
        code._module(name)
    code._module.cache_clear()


def test_code_of_a_base_class(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from duelbench.algorithms.catalogue import catalogue\nclass Mine(catalogue()['rucb']):\n    name = 'mine'\n"
    )
    assert "algorithms.confidence.rucb" in code.code_of(find("mine.py:Mine", tmp_path))
