"""What a valid spec becomes."""

import time

import pytest
from pydantic import BaseModel, ValidationError

from duelbench.errors import UserError
from duelbench.spec.entries import AlgorithmEntry, DatasetEntry
from duelbench.spec.load import load
from duelbench.spec.model import Spec

DESIGN = """
name: dts-fig1a
title: "D-TS Fig. 1(a): MSLR, K = 5, Condorcet"
horizon: 1e6
runs: 500
seed: 2016
regret: [condorcet, copeland]
datasets:
  - mslr5-condorcet
  - {name: mslr-informational, submatrix: {size: 16, per_run: true, min_gap: 0.005}}
  - {file: data/my_matrix.csv}
  - {name: btl-uniform, label: BTL 100, arms: 100}
algorithms:
  - d-ts+
  - {name: rucb, fast: true, alpha: [0.51, 1.0], mode: [a, b]}
  - {name: btm, gamma: 1.3, horizons: sweep}
  - {name: sub/mine.py:MyPolicy}
  - {name: savage, horizons: [1e5, 1e3], label: SAVAGE, epsilon: [0]}
figures:
  - {kind: regret, x: linear}
  - {kind: std, normalize_by: d-ts+}
  - {kind: std, at: 1e5, regret: copeland}
"""


@pytest.fixture
def spec(tmp_path):
    def write(text):
        path = tmp_path / "quick.yaml"
        path.write_text(text, encoding="utf-8")
        return load(path)

    return write


def minimal(**changes):
    return Spec.model_validate(
        {"name": "x", "horizon": 10, "runs": 1, "datasets": ["a"], "algorithms": ["b"], **changes}
    )


def test_defaults(spec):
    made = spec("horizon: 1e4\nruns: 3\ndatasets: [sushi16]\nalgorithms: [rucb]\n")
    assert made.model_dump(exclude={"datasets", "algorithms", "figures"}) == {
        "name": "quick",
        "title": "quick",
        "horizons": (10_000,),
        "runs": 3,
        "seed": 0,
        "seeds": None,
        "shuffle_arms": True,
        "regret": ("copeland",),
        "checkpoints_per_decade": 20,
        "feedback": {"delay": (1,)},
        "run_timeout": None,
    }
    assert [(f.kind, f.x, f.y, f.band, f.regret) for f in made.figures] == [
        ("regret", "log", "linear", "sem", "copeland"),
        ("regret", "log", "log", "sem", "copeland"),
    ]


def test_algorithms_expand_in_the_order_written(spec):
    entries = spec(DESIGN).expanded_algorithms()
    assert entries[0] == AlgorithmEntry("d-ts+", "d-ts+", None, {}, ("algorithms", 0))
    assert [(entry.label, entry.parameters) for entry in entries[1:5]] == [
        ("rucb-alpha=0.51-mode=a", {"fast": True, "alpha": 0.51, "mode": "a"}),
        ("rucb-alpha=0.51-mode=b", {"fast": True, "alpha": 0.51, "mode": "b"}),
        ("rucb-alpha=1-mode=a", {"fast": True, "alpha": 1.0, "mode": "a"}),
        ("rucb-alpha=1-mode=b", {"fast": True, "alpha": 1.0, "mode": "b"}),
    ]
    assert list(entries[1].parameters) == ["fast", "alpha", "mode"]
    assert entries[5] == AlgorithmEntry("btm", "btm", "sweep", {"gamma": 1.3}, ("algorithms", 2))
    assert entries[6] == AlgorithmEntry("sub/mine.py:MyPolicy", "MyPolicy", None, {}, ("algorithms", 3))
    assert entries[7] == AlgorithmEntry(
        "savage", "SAVAGE-epsilon=0", (1000, 100_000), {"epsilon": 0}, ("algorithms", 4)
    )


def test_datasets(spec):
    submatrix = {"size": 16, "per_run": True, "min_gap": 0.005}
    assert spec(DESIGN).expanded_datasets() == (
        DatasetEntry("mslr5-condorcet", None, "mslr5-condorcet", {}, None, ("datasets", 0)),
        DatasetEntry("mslr-informational", None, "mslr-informational", {}, submatrix, ("datasets", 1)),
        DatasetEntry(None, "data/my_matrix.csv", "my_matrix", {}, None, ("datasets", 2)),
        DatasetEntry("btl-uniform", None, "BTL 100", {"arms": 100}, None, ("datasets", 3)),
    )


def test_figures_are_complete(spec):
    curves, relative, absolute = spec(DESIGN).figures
    assert (curves.x, curves.regret) == ("linear", "condorcet")
    assert (relative.at, relative.regret, relative.normalize_by) == (1_000_000, "condorcet", "d-ts+")
    assert (absolute.at, absolute.regret, absolute.normalize_by) == (100_000, "copeland", None)


def test_no_figures_when_none_are_wanted():
    assert minimal(figures=[]).figures == ()


def test_later_errors_find_their_line(spec):
    made = spec(DESIGN)
    entry = made.expanded_algorithms()[5]
    error = made.source.error("gamma is too small: write 1", (*entry.key, "gamma"))
    assert isinstance(error, UserError)
    assert (error.line, error.source) == (
        DESIGN.split("\n").index("  - {name: btm, gamma: 1.3, horizons: sweep}") + 1,
        str(made.source.path),
    )


def test_runs_are_counted_or_listed_by_their_seeds():
    assert minimal(runs=3, seed=7).run_count == 3
    assert minimal(runs=None, seeds=[5, 3]).run_count == 2


def test_many_seeds_take_no_time():
    """Each was compared with all before it: minutes."""
    began = time.process_time()
    assert minimal(runs=None, seeds=list(range(90_000))).run_count == 90_000
    with pytest.raises(ValidationError, match="repeats 3"):
        minimal(runs=None, seeds=[*range(90_000), 3])
    assert time.process_time() - began < 20


def test_horizons_are_sorted_whole_numbers():
    made = minimal(horizon=None, horizons=[1e6, 100, 1e4])
    assert made.horizons == (100, 10_000, 1_000_000)
    assert all(type(horizon) is int for horizon in made.horizons)


@pytest.mark.parametrize(
    ("key", "largest"), [("horizon", 10**12), ("runs", 10**7), ("checkpoints_per_decade", 1000), ("seed", 2**63 - 1)]
)
def test_bounds_are_allowed_and_no_more(key, largest):
    assert getattr(minimal(**{key: largest}), key) == largest
    with pytest.raises(ValidationError):
        minimal(**{key: largest + 1})


@pytest.mark.parametrize("label", ["D-TS+", "a b", "x=1,y=2", "_".join("ab"), "v1.2", "x" * 100])
def test_labels_that_can_name_directories(label):
    assert minimal(algorithms=[{"name": "rucb", "label": label}]).expanded_algorithms()[0].label == label


def test_a_spec_is_frozen():
    with pytest.raises(ValidationError, match="frozen"):
        minimal().runs = 5


def test_a_dumped_spec_is_a_spec():
    made = minimal(regret="borda", algorithms=[{"name": "rucb", "alpha": [1, 2]}], figures=[{"kind": "std", "at": 3}])
    dumped = made.model_dump()
    assert Spec.model_validate(dumped).model_dump() == dumped


def models(model):
    yield model
    for child in model.__subclasses__():
        yield from models(child)


def test_every_field_is_described():
    ours = [model for model in models(BaseModel) if model.__module__.startswith("duelbench.spec.")]
    ours = [model for model in ours if model.__module__ != "duelbench.spec.resolved"]  # nobody writes these
    assert Spec in ours
    assert [
        f"{model.__name__}.{name}"
        for model in ours
        for name, field in model.model_fields.items()
        if not field.description
    ] == []


def test_a_name_beside_a_file_is_its_label(tmp_path):
    spec = tmp_path / "named.yaml"
    spec.write_text("horizon: 10\nruns: 1\ndatasets: [{name: mine, file: m.csv}]\nalgorithms: [rucb]\n")
    (entry,) = load(spec).expanded_datasets()
    assert (entry.name, entry.file, entry.label) == (None, "m.csv", "mine")


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


def test_smoke_replaces_keys_and_their_alternatives(tmp_path):
    path = tmp_path / "big.yaml"
    path.write_text(SMOKE)
    full, small = load(path), load(path, smoke=True)
    assert (full.horizons, full.seeds) == ((100_000, 1_000_000), (3, 4))
    assert (small.horizons, small.seeds, small.runs, small.title) == ((100,), None, 2, "Big")
    assert small.source.line(("runs",)) == 9
    assert small.source.line(("title",)) == 2


def test_smoke_is_asked_for_where_there_is_none(tmp_path):
    path = tmp_path / "big.yaml"
    path.write_text(SMOKE.partition("smoke:")[0])
    with pytest.raises(UserError, match="no small variant"):
        load(path, smoke=True)


@pytest.mark.parametrize(
    ("block", "line", "sentence"),
    [
        ("smoke: small", 7, "'smoke' must be a mapping"),
        ("smoke:\n  horizon: 0", 8, "'horizon' must be at least 1"),
        ("smoke:\n  runs: 2\n  horizn: 10", 9, "unknown key 'horizn'"),
        ("smoke:\n  name: other", 8, "'smoke' cannot change 'name'"),
        ("smoke:\n  figures:\n    - {kind: std, normalize_by: nobody}", 9, "no algorithm has the label 'nobody'"),
    ],
)
def test_mistakes_in_smoke_are_found_without_asking_for_it(tmp_path, block, line, sentence):
    path = tmp_path / "big.yaml"
    path.write_text(SMOKE.partition("smoke:")[0] + block + "\n")
    with pytest.raises(UserError, match=sentence) as caught:
        load(path)
    assert caught.value.line == line


def test_grids_of_datasets_and_delays_multiply():
    made = minimal(
        datasets=["a", {"name": "b", "label": "B", "arms": [3, 5], "condorcet": True}], feedback={"delay": [1, 1e2]}
    )
    entries = made.expanded_datasets()
    assert [(entry.label, entry.grid, entry.delay, entry.parameters) for entry in entries] == [
        ("a-delay=1", "a", 1, {}),
        ("a-delay=100", "a", 100, {}),
        ("B-arms=3-delay=1", "B", 1, {"arms": 3, "condorcet": True}),
        ("B-arms=3-delay=100", "B", 100, {"arms": 3, "condorcet": True}),
        ("B-arms=5-delay=1", "B", 1, {"arms": 5, "condorcet": True}),
        ("B-arms=5-delay=100", "B", 100, {"arms": 5, "condorcet": True}),
    ]
    (alone,) = minimal(feedback={"delay": 7}).expanded_datasets()
    assert (alone.label, alone.grid, alone.delay) == ("a", None, 7)


def test_a_literal_run_says_so_in_its_label_unless_it_has_one():
    entries = minimal(
        algorithms=[
            "rucb",
            {"name": "rucb", "literal": True, "alpha": [1, 2]},
            {"name": "d-ts", "literal": True, "label": "x"},
        ]
    ).expanded_algorithms()
    assert [(entry.label, entry.literal) for entry in entries] == [
        ("rucb", False),
        ("rucb-literal-alpha=1", True),
        ("rucb-literal-alpha=2", True),
        ("x", True),
    ]


def test_labels_of_grids_collide_with_none():
    with pytest.raises(ValidationError, match="two datasets would be called"):
        minimal(datasets=[{"name": "b", "arms": [3, 5]}, {"name": "c", "label": "b-arms=3"}])
