"""A spec file beside what was run of it: what may have changed since, and what may not."""

import json

import pytest

from duelbench.layout import MANIFEST
from duelbench.spec.resolved import ResolvedSpec
from duelbench.spec.since import recorded_path, since
from tests.experiments import SMALL, played


@pytest.fixture
def found(copy, tmp_path):
    """A function that says what has become of the spec ``SMALL`` when its file has this text."""

    def look(text):
        (tmp_path / "now.yaml").write_text(text)
        manifest = json.loads((copy / MANIFEST).read_text())
        return since(manifest, ResolvedSpec.model_validate(manifest["spec"]), tmp_path / "now.yaml")

    return look


def test_figures_and_titles_may_change(found):
    text = SMALL.replace("label: rucb}", "label: rucb, title: $R$}").replace("arms: 4}", "arms: 4, title: B}")
    spec, changed = found(f"title: New\n{text}figures: [{{kind: std}}]\nrun_timeout: 5\n# and comments\n")
    assert changed == ""
    assert [each.kind for each in spec.figures] == ["std"]
    assert list(spec.algorithm_titles().values()) == ["$R$", "btm"]
    assert list(spec.dataset_titles().values()) == ["Six rankers, K = 6", "B"]
    assert spec.title == "New"


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("runs: 6", "runs: 7", "it has changed in runs"),
        ("seed: 5", "seed: 6", "it has changed in seed"),
        ("alpha: 0.51", "alpha: 0.6", "it has changed in algorithms"),
        ("[six-rankers, ", "[", "it has changed in datasets"),
        ("horizon: 3e3", "horizon: 4e3", "it has changed in horizons"),
        ("runs: 6", "runs: six", "it cannot be read"),
        ("runs: 6", "runs: [", "it cannot be read"),
    ],
)
def test_all_else_may_not(found, before, after, words):
    spec, changed = found(SMALL.replace(before, after))
    assert spec is None
    assert words in changed


def test_a_small_variant_is_compared_with_that_of_the_file(tmp_path, monkeypatch):
    text = SMALL + "smoke: {runs: 2}\n"
    (tmp_path / "spec.yaml").write_text(text)
    from duelbench.runs.manifest import resolved  # imports the engine
    from duelbench.runs.plan import make_plan
    from duelbench.spec.load import load

    ran = resolved(make_plan(load(tmp_path / "spec.yaml", smoke=True)))
    (tmp_path / "now.yaml").write_text(text.replace("runs: 6", "runs: 60") + "figures: [{kind: std}]\n")
    spec, _ = since({"spec_text": text}, ran, tmp_path / "now.yaml")
    assert [each.kind for each in spec.figures] == ["std"]
    (tmp_path / "now.yaml").write_text(text.replace("runs: 2", "runs: 3"))
    assert since({"spec_text": text}, ran, tmp_path / "now.yaml").changed == "it has changed in runs"


def test_a_manifest_may_name_anything(tmp_path):
    (tmp_path / "spec.yaml").write_text(SMALL)
    assert recorded_path(tmp_path / "out", {"spec_path": "../spec.yaml"}) == tmp_path / "spec.yaml"
    for named in ("../gone.yaml", "..", 5, None, "a\0b"):
        assert recorded_path(tmp_path / "out", {"spec_path": named}) is None


def test_without_the_text_of_then_nothing_is_known(copy, tmp_path):
    played(tmp_path, SMALL)
    manifest = json.loads((copy / MANIFEST).read_text())
    ran = ResolvedSpec.model_validate(manifest["spec"])
    for text in (None, "a: [", "horizon: 5\n", 7):
        assert since({"spec_text": text}, ran, tmp_path / "spec.yaml").spec is None
