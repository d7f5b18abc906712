"""Whether two directories of results agree, and where not."""

import json
import shutil

import pytest

from duelbench.errors import UserError
from duelbench.runs.compare import compare

RUCB, DTS = ("six-rankers", "rucb"), ("six-rankers", "d-ts")


def test_the_same_command_twice_is_identical(results):
    found = compare(results / "a", results / "again")
    assert found.identical
    assert found.agrees
    assert found.differences == []
    assert [(each.place, each.same) for each in found.series] == [(DTS, 40), (RUCB, 40)]
    assert found.conditions == []


def test_another_seed_agrees_in_the_mean(results):
    found = compare(results / "a", results / "reseeded")
    assert not found.identical
    assert found.agrees
    assert {each.place for each in found.differences} == {DTS, RUCB}
    assert all(each.half_width > 0 for each in found.differences)
    assert found.conditions == [("spec.seed", 5, 6)]


def test_another_parameter_is_found(results):
    found = compare(results / "a", results / "wider")
    assert not found.agrees
    assert [(each.place, each.identical) for each in found.series] == [(DTS, True), (RUCB, False)]
    (difference,) = found.differences
    assert difference.place == RUCB
    assert difference.means[1] > difference.means[0] + difference.half_width
    assert ("spec.algorithms.rucb.parameters.alpha", 0.51, 1.5) in found.conditions


def test_fewer_runs_and_other_horizons_compare_what_both_have(results):
    found = compare(results / "a", results / "fewer")
    assert [(each.same, each.only) for each in found.series] == [(30, (10, 0))] * 2
    assert found.agrees
    assert not found.identical
    longer = compare(results / "a", results / "longer")
    assert {each.t for each in longer.differences} == {10_000}
    assert longer.agrees


def test_a_series_in_one_alone_is_no_agreement(results):
    found = compare(results / "a", results / "alone")
    assert found.missing == [(DTS, "A")]
    assert not found.agrees


def test_a_damaged_file_is_not_the_same(results, tmp_path):
    shutil.copytree(results / "a", tmp_path / "b")
    file = tmp_path / "b" / "six-rankers" / "rucb" / "run-00007.csv"
    file.write_text(file.read_text()[:-2])
    found = compare(results / "a", tmp_path / "b")
    assert next(each for each in found.series if each.place == RUCB).other == 1


def test_what_is_not_complete_cannot_be_compared(results, tmp_path):
    shutil.copytree(results / "a", tmp_path / "b")
    (tmp_path / "b" / "summary.csv").unlink()
    with pytest.raises(UserError, match=r"no summary.csv"):
        compare(results / "a", tmp_path / "b")
    with pytest.raises(UserError, match="no manifest"):
        compare(results / "a", tmp_path)
    (tmp_path / "b" / "manifest.json").write_text(json.dumps({"spec": 3}))
    with pytest.raises(UserError, match="not a manifest"):
        compare(results / "a", tmp_path / "b")
