"""What a valid spec becomes."""

import time

import pytest
from pydantic import BaseModel, ValidationError

from duelbench.errors import UserError
from duelbench.spec.load import load
from duelbench.spec.model import Spec
from tests.specs import DESIGN, minimal


def test_defaults(spec):
    made = spec("horizon: 1e4\nruns: 3\ndatasets: [sushi16]\nalgorithms: [rucb]\n")
    assert made.model_dump(exclude={"datasets", "algorithms", "figures"}) == {
        "name": "quick",
        "title": "quick",
        "horizons": (10_000,),
        "runs": 3,
        "seed": 0,
        "only_runs": None,
        "seeds": None,
        "shuffle_arms": True,
        "regret": ("copeland",),
        "count": "rounds",
        "recommend": "none",
        "find": None,
        "checkpoints_per_decade": 20,
        "feedback": {"delay": (1,)},
        "run_timeout": None,
    }
    assert [(f.kind, f.x, f.y, f.band, f.regret) for f in made.figures] == [
        ("regret", "log", "linear", "sem", "copeland"),
        ("regret", "log", "log", "sem", "copeland"),
    ]


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


def test_what_is_looked_for_is_judged_by_its_regret():
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
