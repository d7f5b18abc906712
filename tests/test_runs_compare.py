"""Whether two directories of results agree, and where not."""

import json
import shutil

import pytest
from click.testing import CliRunner

from duelbench.cli import main
from duelbench.errors import UserError
from duelbench.runs.compare import compare
from duelbench.runs.frames import load_results
from tests.experiments import COMPARED, ONES_OWN, played, seal

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


def test_too_few_runs_agree_with_nothing(results, tmp_path):
    """Two runs are no evidence against forty: nor for them."""
    for runs in (1, 2):
        played(tmp_path, COMPARED.replace("runs: 40", f"runs: {runs}").replace("seed: 5", "seed: 6"), str(runs))
        found = compare(results / "a", tmp_path / str(runs))
        assert (found.agrees, found.too_few) == (False, True)
        assert all(each.too_few and not each.differs for each in found.differences if each.place == DTS)
        said = say(results / "a", ".", tmp_path / str(runs), code=1)
        assert "too few runs to tell" in said
    assert not compare(results / "a", results / "reseeded").too_few
    assert not compare(results / "a", results / "wider").too_few


def test_code_that_differs_is_a_line_for_each_algorithm(results, tmp_path):
    shutil.copytree(results / "a", tmp_path / "b")
    manifest = json.loads((tmp_path / "b" / "manifest.json").read_text())
    for algorithm in manifest["spec"]["algorithms"]:
        algorithm["code"] |= dict.fromkeys([*list(algorithm["code"])[:8], "numpy"], "other")
    (tmp_path / "b" / "manifest.json").write_text(json.dumps(manifest))
    found = compare(results / "a", tmp_path / "b")
    assert [(label, len(names)) for label, names in found.code] == [("rucb", 9), ("d-ts", 9)]
    assert found.conditions == []
    said = CliRunner().invoke(main, ["compare", str(results / "a"), str(tmp_path / "b")]).output
    assert len([line for line in said.splitlines() if line.startswith("  code of ")]) == 2
    assert " and 3 more\n" in said


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


ONE = "horizon: 10\nruns: 4\ndatasets: [six-rankers]\nalgorithms: ['one.py:One']\n"
CODE = ONES_OWN.replace("DO", "pass")
FAILING = ONES_OWN.replace("DO", "raise ValueError")


def say(base, *directories, code):
    done = CliRunner().invoke(main, ["compare", *(str(base / each) for each in directories)])
    assert done.exit_code == code, done.output
    return done.output


def test_what_has_nothing_in_common_does_not_agree(tmp_path):
    (tmp_path / "one.py").write_text(CODE)
    played(tmp_path, ONE, "a")
    played(tmp_path, ONE + "regret: borda\n", "b")
    found = compare(tmp_path / "a", tmp_path / "b")
    assert not found.agrees
    assert found.unknown == [(("six-rankers", "One"), "no kind of regret, or no t, is in both summaries")]
    assert "nothing to compare, as no kind of regret" in say(tmp_path, "a", "b", code=1)
    played(tmp_path, ONE.replace("10", "7"), "c")
    text = (tmp_path / "c" / "summary.csv").read_text().replace(",copeland,", ",copeland,9")
    (tmp_path / "c" / "summary.csv").write_text(text)
    seal(tmp_path / "c")
    assert "no t, is in both" in say(tmp_path, "a", "c", code=1)


def test_where_all_runs_have_failed_nothing_agrees(tmp_path):
    (tmp_path / "one.py").write_text(FAILING)
    for name in "ab":
        played(tmp_path, ONE, name)
    assert not compare(tmp_path / "a", tmp_path / "b").identical
    said = say(tmp_path, "a", "b", code=1)
    assert "six-rankers/One: nothing to compare, as no run has finished in either" in said
    assert "No series is in both: there is nothing to compare" in said
    (tmp_path / "two.py").write_text(CODE)
    for name in "ab":
        played(tmp_path, ONE.replace("One']", "One', {name: 'two.py:One', label: Two}]"), name)
    found = compare(tmp_path / "a", tmp_path / "b")
    assert [each.identical for each in found.series] == [True]
    assert not found.agrees
    assert [place for place, _ in found.unknown] == [("six-rankers", "One")]


def test_runs_that_a_shortened_spec_asks_for_no_more_do_not_count(tmp_path):
    (tmp_path / "one.py").write_text(CODE)
    seeds = ONE.replace("runs: 4", "seeds: [1, 2, 3, 4]")
    played(tmp_path, seeds, "a")
    shortened = seeds.replace(", 3, 4", "")
    played(tmp_path, shortened, "a")
    played(tmp_path, shortened, "b")
    found = compare(tmp_path / "a", tmp_path / "b")
    assert found.identical
    assert [(each.same, each.only) for each in found.series] == [(2, (0, 0))]
    assert set(load_results(tmp_path / "a").runs["run"]) == {0, 1}
    status = CliRunner().invoke(main, ["status", str(tmp_path / "spec.yaml"), "-o", str(tmp_path / "a")])
    assert "One has 2 runs beyond those of the spec; nothing counts or touches them\n" in status.output


def test_files_that_are_gone_from_both_are_not_identical(tmp_path):
    (tmp_path / "one.py").write_text(CODE)
    for name in "ab":
        played(tmp_path, ONE, name)
        (tmp_path / name / "six-rankers" / "One" / "run-00001.csv").unlink()
    found = compare(tmp_path / "a", tmp_path / "b")
    assert (found.identical, found.agrees, found.series[0].lost) == (False, True, (1, 1))
    said = say(tmp_path, "a", "b", code=0)
    assert "3 runs identical, 1 without a file in A, 1 without a file in B" in said
    assert "are identical" not in said
