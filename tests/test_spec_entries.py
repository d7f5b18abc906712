"""Entries of a spec: what they expand to, their titles, and the spec that a manifest keeps."""

import pytest
from pydantic import ValidationError

from duelbench.errors import UserError
from duelbench.spec.resolved import ResolvedSpec
from duelbench.spec.titles import distinct_titles, filled, plain, point_title
from tests.experiments import planned, resolved
from tests.specs import DESIGN, minimal


def test_algorithm_entries(spec):
    points = spec(DESIGN).expanded_algorithms()
    grid = [{"fast": True, "alpha": alpha, "mode": mode} for alpha in (0.51, 1.0) for mode in "ab"]
    labels = [f"rucb-alpha={alpha}-mode={mode}" for alpha in ("0.51", "1") for mode in "ab"]
    assert [(each.label, each.parameters, each.entry.name, each.entry.horizons, each.key[1]) for each in points] == [
        ("d-ts+", {}, "d-ts+", None, 0),
        *((label, point, "rucb", None, 1) for label, point in zip(labels, grid, strict=True)),
        ("btm", {"gamma": 1.3}, "btm", "sweep", 2),
        ("MyPolicy", {}, "sub/mine.py:MyPolicy", None, 3),
        ("SAVAGE-epsilon=0", {"epsilon": 0}, "savage", (1000, 100_000), 4),
        *((each.label, each.parameters, "savage", (1000, 100_000), 4) for each in points[8:]),
    ]
    assert list(points[1].parameters) == ["fast", "alpha", "mode"]
    assert (points[0].grid, points[7].grid, points[7].point) == (None, "SAVAGE", {"epsilon": 0})


def test_dataset_entries(spec):
    points = spec(DESIGN).expanded_datasets()
    assert [(each.label, each.parameters, each.submatrix, each.key) for each in points] == [
        ("mslr5-condorcet", {}, None, ("datasets", 0)),
        ("mslr-informational", {}, {"size": 16, "per_run": True, "min_gap": 0.005}, ("datasets", 1)),
        ("my_matrix", {}, None, ("datasets", 2)),
        ("BTL 100", {"arms": 100}, None, ("datasets", 3)),
    ]
    (point,) = minimal(datasets=[{"name": "mine", "file": "m.csv"}]).expanded_datasets()
    assert (point.label, point.title, point.grid) == ("mine", None, None)


def test_dataset_grids():
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


def test_submatrix_grids():
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

    for seeds, said in (([], "{it} is empty: give at least one value"), ([1, 1], "{it} repeats 1: remove it")):
        with pytest.raises(ValidationError, match=said):
            minimal(datasets=[{"name": "sushi16", "submatrix": {"size": 4, "seed": seeds}}])


@pytest.mark.parametrize(
    ("title", "said"),
    [
        (r"$\alpha$-RUCB", "α-RUCB"),
        (r"$\mathrm{RUCB}_{\varepsilon}$ ($\delta = 10^{-3}$)", "RUCB_ε (δ = 10⁻³)"),
        (r"D-TS$^+$, $\hat{p}_{12} \leq \frac{1}{2}$", "D-TS⁺, p̂₁₂ ≤ 1/2"),
        (r"a^2 and x_1 cost \$5", "a^2 and x_1 cost $5"),
        (r"$\Lambda\times\infty$ at \$5", "Λ×∞ at $5"),
        ("no $ mathematics", "no $ mathematics"),
    ],
)
def test_plain_text(title, said):
    assert plain(title) == said


def test_grid_values_in_titles():
    point = {"alpha": 0.5, "arms": 1000, "mode": "a$"}
    assert point_title("RUCB", point) == r"RUCB, α = 0.5, K = 1,000, mode = a\$"
    assert point_title("{mode} (α = {alpha})", point) == r"a\$ (α = 0.5), K = 1,000"
    assert point_title("RUCB ({alpha})", {"alpha": 0.5, "gamma": 2}, without="alpha") == "RUCB (…), γ = 2"
    assert point_title("RUCB", {"alpha": 0.5}, without="alpha") == "RUCB"
    assert point_title("X", {"delay": 1000}) == "X, delay 1,000"
    assert filled("$K_{arms}$ {arms} {other}", {"arms": 1000}) == "$K_{1{,}000}$ 1,000 {other}"
    assert point_title("X", {"lambda": 2, "Delta": 1, "min_gap": 3}) == "X, λ = 2, Δ = 1, min gap = 3"


def test_distinct_titles():
    titles = distinct_titles([("a", "T"), ("b", "T"), ("c", "T (b)"), ("d", r"$\alpha$"), ("e", "α"), ("f", "other")])
    assert titles == {"a": "T (a)", "b": "T (b)", "c": "T (b) (c)", "d": r"$\alpha$ (d)", "e": "α (e)", "f": "other"}
    assert len({plain(title) for title in titles.values()}) == 6


SPEC = resolved(["d"], ["a"], figures=[{"kind": "std", "at": 1000, "normalize_by": "a"}]).model_dump(mode="json")


BAD = [
    ("horizons", [10**13], "horizons.0"),
    ("regret", ["cost"], "regret.0"),
    ("datasets", [{"label": "../evil", "title": "x", "arms": 5}], "datasets.0.label"),
    ("datasets", [{"label": "d", "title": "x" * 1001, "arms": 5}], "datasets.0.title"),
    ("figures", [{"kind": "regret", "file": "../evil"}], "figures.0.regret.file"),
]


@pytest.mark.parametrize(("key", "value", "place"), BAD)
def test_resolved_errors(key, value, place):
    with pytest.raises(ValidationError) as caught:
        ResolvedSpec.model_validate(SPEC | {key: value})
    assert ".".join(map(str, caught.value.errors()[0]["loc"])) == place


def test_none(tmp_path):
    """A parameter may be None, written as a word or as YAML's null; in a grid, it is part of the label."""
    text = (
        "horizon: 10\nruns: 1\ndatasets: [{name: btl-uniform, arms: 4, seed: null}]\n"
        "algorithms: [{name: merge-dts, alpha: 0.8, C: [none, 5]}, {name: merge-rucb, C: null}]\n"
    )
    plan = planned(tmp_path, text)
    assert plan.datasets[0].source.varies
    assert [(each.label, each.parameters["C"]) for each in plan.algorithms] == [
        ("merge-dts-C=none", None),
        ("merge-dts-C=5", 5.0),
        ("merge-rucb", None),
    ]
    with pytest.raises(UserError, match="'alpha' must be a number, not 'none'"):
        planned(tmp_path, text.replace("merge-rucb, C", "rucb, alpha"))
