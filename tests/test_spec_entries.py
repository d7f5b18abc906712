"""Entries of datasets and algorithms: how they are written, and what they expand to."""

import pytest
from pydantic import ValidationError

from duelbench.errors import UserError
from duelbench.spec.entries import AlgorithmEntry, DatasetEntry
from duelbench.spec.load import load
from tests.specs import DESIGN, minimal


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
        *("savage", "SAVAGE-epsilon=0", (1000, 100_000), {"epsilon": 0}, ("algorithms", 4)),
        grid="SAVAGE",
        point={"epsilon": 0},
    )


def test_datasets(spec):
    submatrix = {"size": 16, "per_run": True, "min_gap": 0.005}
    assert spec(DESIGN).expanded_datasets() == (
        DatasetEntry("mslr5-condorcet", None, "mslr5-condorcet", {}, None, ("datasets", 0)),
        DatasetEntry("mslr-informational", None, "mslr-informational", {}, submatrix, ("datasets", 1)),
        DatasetEntry(None, "data/my_matrix.csv", "my_matrix", {}, None, ("datasets", 2)),
        DatasetEntry("btl-uniform", None, "BTL 100", {"arms": 100}, None, ("datasets", 3)),
    )


def test_a_name_beside_a_file_is_its_label(tmp_path):
    spec = tmp_path / "named.yaml"
    spec.write_text("horizon: 10\nruns: 1\ndatasets: [{name: mine, file: m.csv}]\nalgorithms: [rucb]\n")
    (entry,) = load(spec).expanded_datasets()
    assert (entry.name, entry.file, entry.label) == (None, "m.csv", "mine")


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


def test_lists_in_a_submatrix_are_grids_but_for_that_of_the_arms():
    made = minimal(datasets=[{"name": "a", "submatrix": {"size": [4, 5], "seed": [0, 1], "condorcet": True}}])
    entries = made.expanded_datasets()
    assert [(entry.label, entry.grid, entry.submatrix) for entry in entries] == [
        (f"a-size={size}-seed={seed}", "a", {"size": size, "seed": seed, "condorcet": True})
        for size in (4, 5)
        for seed in (0, 1)
    ]
    (alone,) = minimal(datasets=[{"name": "a", "submatrix": {"arms": [3, 1]}}]).expanded_datasets()
    assert (alone.label, alone.submatrix) == ("a", {"arms": [3, 1]})
    assert minimal(datasets=[{"name": "a", "submatrix": {"size": 4, "seed": list(range(8))}}]).datasets[0].size == 8


@pytest.mark.parametrize(
    ("seeds", "said"), [([], "'seed' is empty: give at least one value"), ([1, 1], "'seed' repeats 1: remove it"),
                        ([[1]], "a grid is a flat list of values")],
)  # fmt: skip
def test_mistakes_in_the_grid_of_a_submatrix_are_said(tmp_path, seeds, said):
    path = tmp_path / "s.yaml"
    submatrix = f"{{size: 4, seed: {seeds}}}"
    path.write_text(
        f"horizon: 9\nruns: 1\nalgorithms: [rucb]\ndatasets:\n  - {{name: sushi16, submatrix: {submatrix}}}\n"
    )
    with pytest.raises(UserError, match=said) as error:
        load(path)
    assert error.value.line == 5


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
