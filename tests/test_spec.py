"""Specs: reading YAML, the sentence and the line of every mistake, and what a valid spec becomes."""

import math
from pathlib import Path

import pytest
from pydantic import ValidationError

from duelbench.errors import UserError
from duelbench.experiment.plan import make_plan
from duelbench.spec.model import load
from duelbench.spec.values import Until
from duelbench.spec.yaml_file import read
from tests.mistyped import MISTYPED
from tests.specs import minimal


@pytest.fixture
def source(tmp_path):
    def write(text):
        path = tmp_path / "spec.yaml"
        path.write_bytes(text.encode("utf-8"))
        return read(path)

    return write


SCALARS = {
    "1e6": 1e6, ".5": 0.5, "2.": 2.0, "-3": -3, "010": 10, "1_000_000": 1_000_000, "-.inf": -math.inf, "FALSE": False,
    "yes": "yes", "tRuE": "tRuE", "1:30": "1:30", "1__0": "1__0", "e5": "e5", "٣": "٣", "'1e6'": "1e6",
    "[null, ~]": [None, None], "''": "", "|\n  a\n  b": "a\nb\n",
}  # fmt: skip


def test_scalars(source):
    for text, value in SCALARS.items():
        read_value = source(f"key: {text}\n").data["key"]
        assert (read_value, type(read_value)) == (value, type(value))


def test_lines(source):
    spec = source("# a comment\na: 1\n\nb:\n  - x\n  - {c: 1,\n     d: [5,\n  6]}\n")
    assert spec.data == {"a": 1, "b": ["x", {"c": 1, "d": [5, 6]}]}
    lines = {("a",): 2, ("b",): 4, ("b", 0): 5, ("b", 1): 6, ("b", 1, "d"): 7, ("b", 1, "d", 0): 7, ("b", 1, "d", 1): 8}
    assert {key: spec.line(key) for key in lines} == lines


@pytest.mark.parametrize(("text", "line", "sentence"), MISTYPED)
def test_mistyped(tmp_path, text, line, sentence):
    path = tmp_path / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}:{line}: ") and sentence in str(caught.value)


def test_unreadable_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("latin.yaml").write_bytes("runs: 1\ntitle: naïve\n".encode("latin-1"))
    Path("folder").mkdir()
    expected = {
        "latin.yaml": "latin.yaml:2: this is not UTF-8 text: save the file as UTF-8",
        "folder": "folder: this is a directory: give the YAML file in it",
        "mine.py": "mine.py: this is a Python file, not a spec: name its class in a spec",
        "latn.yaml": "latn.yaml: there is no such file: check the path (did you mean 'latin.yaml'?)",
        "no/such.yaml": "no/such.yaml: there is no such file: check the path",
        "latin.yaml/x.yaml": "latin.yaml/x.yaml: the file cannot be read (Not a directory): check it",
    }
    for name, message in expected.items():
        with pytest.raises(UserError) as caught:
            load(Path(name))
        assert str(caught.value) == message


def test_labels():
    for label in ("D-TS+", "a b", "x=1,y=2", "v1.2", "x" * 100):
        assert minimal(algorithms=[{"name": "rucb", "label": label}]).expanded_algorithms()[0].label == label
    for label in ("NUL", "com1.txt", "summary.csv", "Manifest.json"):
        with pytest.raises(ValidationError, match=r"use another name|name of a file in every experiment"):
            minimal(datasets=[{"name": "six-rankers", "label": label}])


def test_defaults(spec):
    made = spec("horizon: 1e4\nruns: 3\ndatasets: [sushi16]\nalgorithms: [rucb]\n")
    assert (made.name, made.title, made.horizons, made.seed, made.seeds) == ("quick", "quick", (10_000,), 0, None)
    assert (made.shuffle_arms, made.regret, made.count, made.recommend) == (True, ("copeland",), "rounds", "none")
    assert [(f.kind, f.x, f.y, f.band, f.regret) for f in made.figures] == [
        ("regret", "log", "linear", "sem", "copeland"),
        ("regret", "log", "log", "sem", "copeland"),
    ]


SMOKE = """
title: Big
horizons: [1e5, 1e6]
seeds: [3, 4]
datasets: [sushi16]
algorithms: [rucb]
smoke:
  horizon: 100
  runs: 2
"""


def test_smoke(tmp_path):
    path = tmp_path / "big.yaml"
    path.write_text(SMOKE)
    full, small = load(path), load(path, smoke=True)
    assert (full.horizons, full.seeds) == ((100_000, 1_000_000), (3, 4))
    assert (small.horizons, small.seeds, small.runs, small.title) == ((100,), None, 2, "Big")
    assert (small.source.line(("runs",)), small.source.line(("title",))) == (9, 2)
    path.write_text(SMOKE.partition("smoke:")[0])
    with pytest.raises(UserError, match="no small variant"):
        load(path, smoke=True)


@pytest.mark.parametrize(
    ("block", "line", "sentence"),
    [
        ("smoke: small", 7, "'smoke' must be a mapping"),
        ("smoke:\n  horizon: 0", 8, "'horizon' must be at least 1"),
        ("smoke:\n  name: other", 8, "'smoke' cannot change 'name'"),
        ("smoke:\n  figures:\n    - {kind: std, normalize_by: nobody}", 9, "no algorithm has the label 'nobody'"),
    ],
)
def test_smoke_errors(spec, block, line, sentence):
    with pytest.raises(UserError, match=sentence) as caught:
        spec(SMOKE.partition("smoke:")[0] + block + "\n")
    assert caught.value.line == line


def test_find():
    assert minimal(find="borda", recommend="own").regret == ("borda",)
    assert minimal(find="borda", recommend="own", regret=["borda", "copeland"]).regret == ("borda", "copeland")
    assert minimal().regret == ("copeland",) and minimal(regret="weak").regret == ("weak",)
    for changes, sentence in (
        ({"find": "borda", "recommend": "own", "regret": ["copeland", "borda"]}, "put that first"),
        ({"find": "borda"}, "recommend: own"),
        ({"find": "best", "recommend": "own"}, "find"),
    ):
        with pytest.raises(ValueError, match=sentence):
            minimal(**changes)


SPEC = "horizon: 9\ndatasets: [cyclic4]\nalgorithms: [rucb, {name: uniform, label: U}]\nruns: RUNS\n"


@pytest.fixture
def with_runs(spec):
    """A function that loads a spec with these runs."""
    return lambda runs: spec(SPEC.replace("RUNS", runs))


@pytest.mark.parametrize("share", ["2 %", "2%", "0.02", "2e-2", "'2.0 %'"])
def test_until(with_runs, share):
    made = with_runs(f"{{until: {share}, least: 50, most: 1e4}}")
    assert made.until == Until(until=0.02, least=50, most=10_000)
    assert made.run_count == 10_000
    assert with_runs("7").until is None


def test_batches():
    assert list(Until(until=0.02, least=50, most=300).batches()) == [50, 100, 200, 300]
    assert list(Until(until=0.02, least=50, most=400).batches()) == [50, 100, 200, 400]
    assert list(Until(until=0.02, least=50, most=50).batches()) == [50]


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ("{until: 2 pct}", "'until' must be a share of the mean, such as 2 % or 0.02, not '2 pct'"),
        ("{until: 2 %, least: 50, most: 20}", "'most' is 20, less than 'least', which is 50: swap them"),
        ("{least: 50}", "'until' is missing: add it"),
        ("many", "'runs' must be a whole number, not 'many'"),
    ],
)
def test_until_errors(with_runs, runs, said):
    with pytest.raises(UserError, match=said) as error:
        with_runs(runs)
    assert error.value.line == 4


def test_only_runs(spec, with_runs):
    for runs in ("50\nonly_runs: [49, 7]", "50\nonly_runs: [7, 49]\nsmoke: {runs: 2}"):
        assert make_plan(with_runs(runs)).numbers == (7, 49)
    assert make_plan(spec(SPEC.replace("runs: RUNS", "only_runs: [49]"))).numbers == (49,)
    assert make_plan(with_runs("50\nonly_runs: [7]\nsmoke: {runs: 2}")).runs == 1
    for runs, said in (("50\nonly_runs: [50]", "no run 50"), ("{until: 2 %}\nonly_runs: [3]", "keep one")):
        with pytest.raises(UserError, match=said):
            with_runs(runs)


def test_look_of_all_figures(spec):
    """Limits apply only to curves against rounds; a figure may have its own."""
    made = spec(
        "horizon: 1e4\nruns: 3\ndatasets: [sushi16]\nalgorithms: [rucb, d-ts]\n"
        "colors: {rucb: red}\nstyles: {rucb: --}\nxlim: [10, null]\nylim: [0, 500]\n"
        "figures:\n- kind: regret\n  colors: {d-ts: '#123456'}\n- {kind: regret, y: log, xlim: [5, 50]}\n"
        "- kind: tail\n- kind: std\n"
    )
    first, second, tail, _ = made.figures
    assert (first.xlim, first.ylim) == ((10, None), (0, 500))
    assert (second.xlim, second.ylim) == ((5, 50), (0, 500))
    assert (tail.xlim, tail.ylim, tail.at) == (None, None, 10_000)
    assert first.colors == {"rucb": "#ff0000", "d-ts": "#123456"}
    assert [figure.styles for figure in (first, second, tail)] == [{"rucb": "--"}] * 3
