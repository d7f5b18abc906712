"""The JSON schema for editors accepts all loadable specs, and rejects mistakes that a schema can detect."""

from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from duelbench.sources.sequences import ChangeRules
from duelbench.spec.model import Spec
from duelbench.spec.schema import json_schema
from duelbench.votes.entries import VoteEntry

jsonschema = pytest.importorskip("jsonschema")


class Rucb(BaseModel):
    model_config = ConfigDict(extra="forbid")
    alpha: float = Field(0.51, gt=0, description="Confidence constant.")
    variant: Literal["a", "b"] = "a"


class Nothing(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Btl(BaseModel):
    model_config = ConfigDict(extra="forbid")
    arms: int = Field(100, ge=2, description="Number of arms.")
    seed: int | None = Field(None, description="One matrix for all runs.")


SCHEMA = json_schema({"rucb": Rucb, "uniform": Nothing}, {"sushi16": None, "btl-uniform": Btl}, VoteEntry, ChangeRules)
BASE = {"horizon": 1000, "runs": 2, "datasets": ["sushi16"], "algorithms": ["rucb"]}
GOOD = [
    {"horizon": 1e6},
    {"name": "a b", "title": "x", "seed": 3, "shuffle_arms": False, "checkpoints_per_decade": 5},
    {"regret": "borda"},
    {"regret": ["borda", "copeland"]},
    {"datasets": [{"name": "btl-uniform", "arms": 5, "seed": 1, "label": "B"}]},
    {"datasets": [{"file": "m.csv", "submatrix": {"size": 3}}]},
    {"algorithms": [{"name": "rucb", "alpha": 1.5, "label": "R"}, "uniform", {"name": "uniform", "label": "u"}]},
    {"algorithms": [{"name": "rucb", "alpha": [0.51, 1], "variant": ["a", "b"], "horizons": [1e3, 1e4]}]},
    {
        "algorithms": [
            {"name": "rucb", "reference": True, "alpha": [1, 2]},
            {"name": "mine.py:Mine", "reference": False},
        ]
    },
    {"algorithms": ["x/mine.py:Mine", {"name": "mine.py:Other", "depth": [1, 2], "mode": "q", "horizons": "sweep"}]},
    {"datasets": [{"name": "btl-uniform", "arms": [5, 10]}], "feedback": {"delay": [1, 10]}},
    {"figures": [{"kind": "scaling", "show": "duels", "at": 10, "against": "delay"}]},
    {"smoke": {"horizon": 10, "runs": 1, "algorithms": ["uniform"]}},
    {"runs": {"until": 0.02}},
    {
        "runs": {"until": "2 %", "least": 50, "most": 1e4, "difference": ["rucb", "rucb-b"]},
        "algorithms": ["rucb", {"name": "rucb", "label": "rucb-b"}],
    },
    {"runs": 50, "only_runs": [49]},
    {"datasets": [{"name": "sushi16", "submatrix": {"size": 3, "seed": [0, 1]}}]},
    {"datasets": [{"votes": "v.csv", "draw": "posterior", "strength": [5, 50], "continue": True, "label": "v"}]},
    {"find": "borda", "recommend": "own"},
    {
        "datasets": [
            {"name": "sushi16", "changes": {"breakpoints": 9, "from": {"name": "sushi16"}, "winner": "may stay"}}
        ]
    },
    {
        "datasets": [
            {"file": "m.csv", "changes": [{"at": 5e2, "name": "btl-uniform", "arms": 16}, {"at": 600, "file": "m"}]}
        ]
    },
    {"datasets": [{"name": "btl-uniform", "changes": {"rounds": [100, 2e2], "walk": 0.1}}], "regret": "adversarial"},
    {"figures": [{"kind": "regret", "y": "log", "band": "none"}, {"kind": "std", "at": 1000, "normalize_by": "rucb"}]},
]
BAD = [
    {"horizn": 5},
    {"horizon": 0},
    {"horizon": "1e6"},
    {"horizon": 1.5},
    {"smoke": {"name": "b"}},
    {"horizon": 10**13},
    {"horizons": [1]},
    {"horizon": None},
    {"seeds": [1]},
    {"runs": 0},
    {"runs": {"least": 50}},
    {"runs": {"until": 1.5}},
    {"runs": {"until": "2 pct"}},
    {"runs": {"until": 0.02, "lest": 5}},
    {"only_runs": []},
    {"only_runs": [-1]},
    {"name": "a/b"},
    {"regret": "copland"},
    {"regret": []},
    {"datasets": []},
    {"datasets": "sushi16"},
    {"datasets": [{"file": 5}]},
    {"datasets": [{"votes": ""}]},
    {"find": "best", "recommend": "own"},
    {"datasets": [{"name": "sushi16", "changes": 5}]},
    {"algorithms": []},
    {"algorithms": [5]},
    {"algorithms": [{"alpha": 1}]},
    {"algorithms": ["mine.py"]},
    {"algorithms": [{"name": "rucb", "label": "a/b"}]},
    {"algorithms": [{"name": "rucb", "reference": "yes"}]},
    {"algorithms": [{"name": "rucb", "reference": [True, False]}]},
    {"algorithms": [{"name": "mine.py:Mine", "reference": True}]},
    {"algorithms": [{"name": "rucb", "horizons": 5}]},
    {"algorithms": [{"name": "rucb", "horizons": []}]},
    {"algorithms": [{"name": "rucb", "alpha": []}]},
    {"algorithms": [{"name": "mine.py:Mine", "depth": {"a": 1}}]},
    {"figures": [{"kind": "regret", "bounds": ["CCB"]}]},
    {"figures": [{"kind": "std", "x": "log"}]},
    {"figures": [{"y": "log"}]},
]
BAD_NAMES = [
    {"algorithms": ["rubc"]},
    {"algorithms": [{"name": "rucb", "alhpa": 1}]},
    {"algorithms": [{"name": "rucb", "alpha": 0}]},
    {"algorithms": [{"name": "rucb", "alpha": [1, 0]}]},
    {"algorithms": [{"name": "uniform", "alpha": 1}]},
    {"datasets": ["sushi17"]},
    {"datasets": [{"name": "sushi16", "changes": {"breakpoint": 9}}]},
    {"datasets": [{"name": "sushi16", "changes": [{"name": "sushi16"}]}]},
    {"datasets": [{"name": "sushi16", "changes": [{"at": 9}]}]},
    {"datasets": [{"name": "sushi16", "changes": {"every": 0}}]},
    {"datasets": [{"name": "sushi16", "arms": 5}]},
    {"datasets": [{"name": "btl-uniform", "arms": 1}]},
    {"datasets": [{"votes": "v.csv", "draw": "posterior", "strength": 0}]},
    {"datasets": [{"votes": "v.csv", "drawn": "posterior"}]},
]
"""Unknown names and parameters of the catalogues."""


@pytest.fixture(scope="module")
def validator():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return jsonschema.Draft202012Validator(SCHEMA)


def spec_of(changes):
    return {"name": "x", **BASE, **changes}


@pytest.mark.parametrize("changes", GOOD)
def test_schema_accepts(validator, changes):
    validator.validate(spec_of(changes))
    Spec.model_validate(spec_of(changes))


@pytest.mark.parametrize("changes", BAD)
def test_schema_rejects(validator, changes):
    assert not validator.is_valid(spec_of(changes))
    with pytest.raises(ValueError, match="validation error"):
        Spec.model_validate(spec_of(changes))


@pytest.mark.parametrize("changes", BAD_NAMES)
def test_schema_names(validator, changes):
    assert not validator.is_valid(spec_of(changes))


def test_schema_alternatives(validator):
    rest = {key: BASE[key] for key in ("datasets", "algorithms")}
    assert validator.is_valid({"horizons": [10, 20], "seeds": [1, 2], **rest})
    assert not validator.is_valid({"horizons": [10], **rest})
    assert not validator.is_valid({"seeds": [1], **rest})
    assert not validator.is_valid({"horizons": [10], "seeds": [1], "seed": 3, **rest})


def test_schema_descriptions():
    def properties(kind, name):
        (found,) = [
            each["properties"]
            for each in SCHEMA["$defs"][kind]["anyOf"]
            if each.get("properties", {}).get("name", {}).get("const") == name
        ]
        return found

    alpha = properties("algorithm", "rucb")["alpha"]
    assert (alpha["description"], alpha["default"]) == ("Confidence constant.", 0.51)
    seed = properties("dataset", "btl-uniform")["seed"]
    assert seed["description"] == "One matrix for all runs."
    assert seed["anyOf"][0] == {"anyOf": [{"type": "integer"}, {"enum": ["none", None]}]}
    for written in (SCHEMA, *SCHEMA["$defs"].values()):
        assert all("description" in field for field in written.get("properties", {}).values()), written


def test_schema_of_smoke(validator):
    assert not validator.is_valid(spec_of({"smoke": {"horizon": 1.5}}))
    assert not validator.is_valid(spec_of({"smoke": {"figures": [{"kind": "bars"}]}}))
