"""The spec in a manifest: complete, and read with care, as results may come from anybody."""

import json

import pytest
from pydantic import ValidationError

from duelbench.spec.resolved import ResolvedSpec
from tests.comparison import ROOT
from tests.experiments import resolved

SPEC = resolved(["d"], ["a"], figures=[{"kind": "std", "at": 1000, "normalize_by": "a"}]).model_dump(mode="json")


def test_it_reads_back_as_it_was_written():
    assert ResolvedSpec.model_validate(json.loads(json.dumps(SPEC))).model_dump(mode="json") == SPEC


@pytest.mark.parametrize("path", sorted((ROOT / "results").glob("*/manifest.json")), ids=lambda path: path.parent.name)
def test_the_manifests_that_are_kept_read_back(path):
    written = json.loads(path.read_text(encoding="utf-8"))["spec"]
    found = ResolvedSpec.model_validate(written)
    assert found.model_dump(mode="json", exclude_unset=True) == written  # later versions say more


def test_what_another_version_says_beside_it_is_ignored():
    datasets = [SPEC["datasets"][0] | {"colour": "red"}]
    assert ResolvedSpec.model_validate(SPEC | {"datasets": datasets, "mood": "calm"}).model_dump(mode="json") == SPEC


BAD = [
    ("horizons", [], "horizons"),
    ("horizons", [10**13], "horizons.0"),
    ("runs", 0, "runs"),
    ("regret", [], "regret"),
    ("regret", ["cost"], "regret.0"),
    ("datasets", [], "datasets"),
    ("datasets", [{"label": "../evil", "title": "x", "arms": 5}], "datasets.0.label"),
    ("datasets", [{"label": "d", "title": "x" * 1001, "arms": 5}], "datasets.0.title"),
    ("datasets", [{"label": "d", "title": "x", "arms": 1}], "datasets.0.arms"),
    ("algorithms", [{"label": "a/b", "name": "d-ts"}], "algorithms.0.label"),
    ("figures", [{"kind": "pie"}], "figures.0"),
    ("figures", [{"kind": "regret", "file": "../evil"}], "figures.0.regret.file"),
]


@pytest.mark.parametrize(("key", "value", "place"), BAD)
def test_what_nobody_writes_is_refused_with_its_place(key, value, place):
    with pytest.raises(ValidationError) as caught:
        ResolvedSpec.model_validate(SPEC | {key: value})
    assert ".".join(map(str, caught.value.errors()[0]["loc"])) == place
