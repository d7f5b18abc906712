"""The JSON schema for editors knows the keys of a spec, and accepts all loadable specs."""

import jsonschema
import pytest

from duelbench.spec.model import Spec, json_schema
from duelbench.spec.yaml_file import read
from tests.comparison import ROOT

SCHEMA = json_schema()
BASE = {"horizon": 1000, "runs": 2, "datasets": ["sushi16"], "algorithms": ["rucb"]}
GOOD = [
    {"horizon": 1e6, "regret": "borda", "feedback": {"delay": 10}},
    {"runs": {"until": "2 %", "least": 50, "most": 1e4}},
    {"datasets": [{"name": "btl-uniform", "arms": [5, 10]}, {"file": "m.csv", "submatrix": {"size": 3}}]},
    {"algorithms": ["x/mine.py:Mine", {"name": "rucb", "alpha": [0.51, 1], "horizons": "sweep"}]},
    {"datasets": [{"name": "sushi16", "changes": [{"at": 5e2, "name": "btl-uniform", "arms": 16}]}]},
    {"figures": [{"kind": "regret", "y": "log"}, {"kind": "std", "at": 1000}], "smoke": {"horizon": 10}},
]
BAD = [
    {"horizn": 5},
    {"regret": "copland"},
    {"runs": {"until": 0.02, "lest": 5}},
    {"figures": [{"kind": "bars"}]},
]


@pytest.fixture(scope="module")
def validator():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return jsonschema.Draft202012Validator(SCHEMA)


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_specs(validator, path):
    validator.validate(read(path).data)


@pytest.mark.parametrize("changes", GOOD)
def test_accepts(validator, changes):
    validator.validate(BASE | changes)
    Spec.model_validate({"name": "x"} | BASE | changes)


@pytest.mark.parametrize("changes", BAD)
def test_rejects(validator, changes):
    assert not validator.is_valid(BASE | changes)
    with pytest.raises(ValueError, match="validation error"):
        Spec.model_validate({"name": "x"} | BASE | changes)


def test_every_key_is_described():
    for written in (SCHEMA, *SCHEMA["$defs"].values()):
        assert all("description" in field for field in written.get("properties", {}).values()), written
