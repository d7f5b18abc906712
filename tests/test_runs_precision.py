"""As many runs as it takes: decided by these runs alone, and right on average; and tails that say it is not."""

import json

import numpy as np
import pandas as pd
import pytest

from duelbench.runs.backends import local
from duelbench.runs.compare import compare
from duelbench.runs.frames import load_results
from duelbench.runs.precision import TOO_FEW, is_heavy_tailed, precise
from duelbench.runs.summary import Final
from tests.experiments import files, planned, played

SPEC = """\
horizon: 60
seed: 5
runs: {until: 1 %, least: 4, most: 100}
datasets: [cyclic4, {name: btl-uniform, arms: 3}]
algorithms: [uniform, {name: btm, label: B}]
"""


def ends(directory, dataset, algorithm):
    """The regret at the end of each run that counts, in order."""
    runs = load_results(directory).runs
    mine = runs[(runs.dataset == dataset) & (runs.algorithm == algorithm) & (runs.t == 60)]
    assert list(mine["run"]) == list(range(len(mine)))
    return mine["value"].to_numpy()


def wanted(values, until=0.01, least=4, most=100):
    """The number of runs, from all that there may be: the literal rule."""
    runs = least
    while runs < most and np.std(values[:runs], ddof=1) / np.sqrt(runs) > until * np.mean(values[:runs]):
        runs *= 2
    return min(runs, most)


@pytest.fixture(scope="module")
def enough(tmp_path_factory):
    return played(tmp_path_factory.mktemp("until"), SPEC)


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    return played(tmp_path_factory.mktemp("all"), SPEC.replace("{until: 1 %, least: 4, most: 100}", "100"))


def test_each_series_has_as_many_runs_as_it_takes(enough, everything):
    manifest = json.loads((enough.directory / "manifest.json").read_text())["spec"]
    took = set()
    for dataset in ("cyclic4", "btl-uniform"):
        for algorithm in ("uniform", "B"):
            values = ends(everything.directory, dataset, algorithm)
            runs = wanted(values)
            mine = ends(enough.directory, dataset, algorithm)
            assert np.array_equal(mine, values[:runs])
            assert manifest["taken"][dataset][algorithm] == runs
            took.add(runs)
    assert len(took) > 1
    summary = pd.read_csv(enough.directory / "summary.csv")
    assert set(summary["runs"]) == took


def test_the_bytes_do_not_depend_on_the_workers_nor_on_what_was_there(enough, tmp_path):
    _, two, _, _ = played(tmp_path, SPEC, "two", workers=2)
    assert files(two) == files(enough.directory)
    played(tmp_path, SPEC.replace("1 %", "30 %"), "resumed")
    _, resumed, execution, _ = played(tmp_path, SPEC, "resumed")
    assert execution.kept > 0
    assert files(resumed) == files(enough.directory)
    _, resumed, execution, _ = played(tmp_path, SPEC, "resumed")
    assert execution.played == 0
    assert files(resumed) == files(enough.directory)
    assert compare(resumed, enough.directory).identical


def test_what_is_missing_of_a_batch_is_played_and_decides_anew(enough, tmp_path):
    played(tmp_path, SPEC, "out")
    (tmp_path / "out" / "cyclic4" / "uniform" / "run-00002.csv").unlink()
    (tmp_path / "out" / "btl-uniform" / "B" / "run-00031.csv").unlink(missing_ok=True)
    _, out, execution, _ = played(tmp_path, SPEC, "out")
    assert 1 <= execution.played <= 2
    assert files(out) == files(enough.directory)


def test_the_decision_sees_the_runs_of_the_batch_alone(enough, tmp_path):
    """Runs beyond it, as of when more were asked for, count nowhere."""
    _, out, _, _ = played(tmp_path, SPEC.replace("{until: 1 %, least: 4, most: 100}", "100"), "out")
    _, _, execution, _ = played(tmp_path, SPEC, "out")
    assert execution.played == 0
    assert (out / "summary.csv").read_bytes() == (enough.directory / "summary.csv").read_bytes()


def test_of_a_difference_both_have_as_many(tmp_path, everything):
    text = SPEC.replace("least: 4", "least: 4, difference: [B, uniform]")
    _, out, _, _ = played(tmp_path, text, "out", workers=2)
    for dataset in ("cyclic4", "btl-uniform"):
        b, uniform = (ends(everything.directory, dataset, label) for label in ("B", "uniform"))
        runs = 4
        while runs < 100 and not precise(b[:runs] - uniform[:runs], 0.01, float(uniform[:runs].mean())):
            runs *= 2
        assert [len(ends(out, dataset, label)) for label in ("B", "uniform")] == [min(runs, 100)] * 2
    _, _, execution, _ = played(tmp_path, text, "out")
    assert execution.played == 0


def test_where_all_runs_fail_no_more_of_them_are_tried(tmp_path):
    from tests.experiments import ONES_OWN

    (tmp_path / "one.py").write_text(ONES_OWN.replace("DO", "raise ValueError"))
    text = SPEC.replace("algorithms: [uniform, {name: btm, label: B}]", "algorithms: ['one.py:One']")
    _, _, execution, _ = played(tmp_path, text, backend=local(0))
    assert len(execution.failures) == 8


def final(values):
    squares = (values - values.mean()) ** 2
    return Final(
        len(values), float(values.mean()), float(values.std(ddof=1)), largest=float(squares.max() / squares.sum())
    )


@pytest.mark.parametrize(
    ("runs", "draw", "low", "high"),
    [
        (50, lambda rng, n: rng.normal(size=n), 0.0, 0.001),
        (50, lambda rng, n: rng.exponential(size=n), 0.02, 0.06),
        (100, lambda rng, n: rng.exponential(size=n), 0.0, 0.01),
        (500, lambda rng, n: rng.exponential(size=n), 0.0, 0.001),
        (50, lambda rng, n: rng.pareto(1.2, size=n), 0.6, 0.7),
        (500, lambda rng, n: rng.pareto(1.2, size=n), 0.5, 0.6),
        (500, lambda rng, n: (rng.random(n) < 0.002) * 1000 + rng.normal(100, 10, n), 0.3, 0.7),
    ],
)
def test_one_run_has_most_of_the_variance_where_tails_are_heavy(runs, draw, low, high):
    rng = np.random.default_rng(8)
    share = np.mean([is_heavy_tailed(final(draw(rng, runs))) for _ in range(1000)])
    assert low <= share <= high


def test_of_few_runs_it_is_not_said():
    assert not is_heavy_tailed(final(np.array([0.0] * (TOO_FEW - 2) + [1.0])))
    assert is_heavy_tailed(final(np.array([0.0] * (TOO_FEW - 1) + [1.0])))


def test_the_plan_says_which_runs_there_may_be(tmp_path):
    plan = planned(tmp_path, SPEC)
    assert [len(each) for each in plan.batches] == [4, 8, 16, 32, 64, 100]
    assert plan.runs == 100
