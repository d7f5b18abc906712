"""``runs: {until: …}``: how it is written, and after which runs is decided."""

import pytest

from duelbench.errors import UserError
from duelbench.runs.plan import make_plan
from duelbench.spec.load import load
from duelbench.spec.until import Until

SPEC = "horizon: 9\ndatasets: [cyclic4]\nalgorithms: [rucb, {name: uniform, label: U}]\nruns: RUNS\n"


def loaded(tmp_path, runs):
    (tmp_path / "s.yaml").write_text(SPEC.replace("RUNS", runs))
    return load(tmp_path / "s.yaml")


@pytest.mark.parametrize("share", ["2 %", "2%", "0.02", "2e-2", "'2.0 %'"])
def test_a_share_may_be_written_in_percent(tmp_path, share):
    spec = loaded(tmp_path, f"{{until: {share}, least: 50, most: 1e4}}")
    assert spec.until == Until(until=0.02, least=50, most=10_000)
    assert spec.run_count == 10_000
    assert loaded(tmp_path, "7").until is None


def test_batches_double_up_to_the_most():
    assert list(Until(until=0.02, least=50, most=300).batches()) == [50, 100, 200, 300]
    assert list(Until(until=0.02, least=50, most=400).batches()) == [50, 100, 200, 400]
    assert list(Until(until=0.02, least=50, most=50).batches()) == [50]


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ("{until: 2 pct}", "'until' is a share of the mean: write 2 % or 0.02, not '2 pct'"),
        ("{until: 200 %}", "'until' must be less than 1, not"),
        ("{until: 2 %, least: 1}", "'least' must be at least 2, not 1"),
        ("{until: 2 %, least: 50, most: 20}", "'least' is 50 and 'most' 20: make 'most' the larger"),
        ("{least: 50}", "'until' is missing: add it"),
        ("{until: 2 %, lest: 5}", "unknown key 'lest' .did you mean 'least'"),
        ("{until: 2 %, difference: [U, U]}", "name two labels"),
        ("{until: 2 %, difference: [rucb, V]}", "no algorithm has the label 'V'"),
        ("many", "'runs' must be a whole number, not 'many'"),
        ("0", "'runs' must be at least 1, not 0"),
    ],
)
def test_mistakes(tmp_path, runs, said):
    with pytest.raises(UserError, match=said) as error:
        loaded(tmp_path, runs)
    assert error.value.line == 4


def test_runs_can_be_named(tmp_path):
    for runs in ("50\nonly_runs: [49, 7]", "50\nonly_runs: [7, 49]\nsmoke: {runs: 2}"):
        assert make_plan(loaded(tmp_path, runs)).numbers == (7, 49)
    (tmp_path / "s.yaml").write_text(SPEC.replace("runs: RUNS", "only_runs: [49]"))
    assert make_plan(load(tmp_path / "s.yaml")).numbers == (49,)
    assert make_plan(loaded(tmp_path, "50\nonly_runs: [7]\nsmoke: {runs: 2}")).runs == 1
    for runs, said in (("50\nonly_runs: [50]", "no run 50"), ("{until: 2 %}\nonly_runs: [3]", "keep one")):
        with pytest.raises(UserError, match=said):
            loaded(tmp_path, runs)
