"""``reference: true``: the reference implementation of an algorithm, run from a spec and compared with its kernels."""

import json
from itertools import pairwise

import numpy as np
import pytest
import yaml

from duelbench.algorithms.catalogue import catalogue, find
from duelbench.analysis.compare import compare
from duelbench.conformance.rounds import streams
from duelbench.engine.checkpoints import checkpoints
from duelbench.engine.play import Problem
from duelbench.engine.rollout import Streams, rollout
from duelbench.experiment import reference_runs
from duelbench.experiment.plan import make_plan
from duelbench.experiment.reference_runs import play_reference
from duelbench.preferences.regret import regret_table
from duelbench.sources.published_matrices import TABLES
from duelbench.spec.load import load
from tests.commands import here
from tests.playing import interpreting

BLOCKS = {"btw", "btwr", "mbtw", "ws-s", "ws-w", "wsw-pe", "detect", "mdb"}
"""Their kernels ask for several duels at once, with one number of wins. test_catalogue.py steps them."""
OTHER_DRAWS = {
    "anaconda",
    "btm",
    "d-ts",
    "d-ts+",
    "merge-dts",
    "nts",
    "probe-rank-se",
    "rcs",
    "rex3",
    "scb",
    "scomp2",
} | BLOCKS
"""Their kernels draw from the policy's stream in another order, or hold."""
SAME_DRAWS = ["rucb", "rmed1", "sparring", "pcomp", "wrapped"]
COMPARED = [*SAME_DRAWS, "d-ts", "btm"]
RUNS = 6


def spec(reference, names=COMPARED, alpha=0.6):
    own = {"rucb": {"alpha": alpha}, "btm": {"horizons": [100, 300]}}
    shared = {"reference": True} if reference else {}
    algorithms = [{"name": name, "label": name} | shared | own.get(name, {}) for name in names]
    about = {"horizon": 300, "runs": RUNS, "seed": 4, "regret": ["copeland", "condorcet"]}
    return yaml.safe_dump(about | {"datasets": ["six-rankers"], "algorithms": algorithms})


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    base = tmp_path_factory.mktemp("reference")
    for name, reference in (("fast", False), ("slow", True)):
        (base / f"{name}.yaml").write_text(spec(reference))
        with interpreting():
            done = here("run", base / f"{name}.yaml", "-o", base / name, "-j", 0)
        assert done.exit_code == 0, done.output
    return base


def test_equal_draws_give_equal_results(both):
    found = compare(both / "fast", both / "slow")
    assert not found.missing
    identical = {each.labels for each in found.series if each.identical}
    assert identical == {("six-rankers", each) for each in SAME_DRAWS}
    assert all(each.same == RUNS for each in found.series if each.identical)


def test_where_they_do_not_no_difference_is_seen(both):
    """A few runs show that the command works, but not that the means agree."""
    found = compare(both / "fast", both / "slow")
    assert {each.labels.algorithm for each in found.differences} == {"d-ts", "btm"}
    assert found.inconclusive
    done = here("compare", both / "fast", both / "slow")
    assert done.exit_code == 1, done.output
    assert f"inconclusive: {RUNS} runs" in done.output


def test_reference_of_something_else(both, tmp_path):
    """α × 1.2 changes every run."""
    (tmp_path / "wrong.yaml").write_text(spec(True, ["rucb"], alpha=0.72))
    assert here("run", tmp_path / "wrong.yaml", "-o", tmp_path / "wrong", "-j", 1).exit_code == 0
    (series,) = compare(both / "fast", tmp_path / "wrong").series
    assert (series.same, series.other) == (0, RUNS)


def test_results_say_that_they_are_reference(both):
    record = json.loads((both / "slow" / "six-rankers" / "rucb" / "series.json").read_text())
    assert record["reference"] is True
    assert set(record["code"]) == {"engine", "random streams", "reference implementation of rucb"}
    record = json.loads((both / "fast" / "six-rankers" / "rucb" / "series.json").read_text())
    assert "reference" not in record
    assert set(record["code"]) == {"engine", "random streams", "rucb"}
    manifest = json.loads((both / "slow" / "manifest.json").read_text())
    assert [each["reference"] for each in manifest["spec"]["algorithms"]] == [True] * len(COMPARED)


def test_second_command(both, tmp_path):
    (tmp_path / "spec.yaml").write_text(spec(True))
    done = here("run", tmp_path / "spec.yaml", "-o", both / "slow", "-j", 1)
    assert f"runs: 0 played, {len(COMPARED) * RUNS} reused" in done.output
    slow, fast = (make_plan(load(both / f"{name}.yaml")).series[0] for name in ("slow", "fast"))
    assert slow.run(4).key != fast.run(4).key


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("name", list(catalogue()))
def test_every_algorithm(name):
    """It has a reference implementation, which runs like its kernels."""
    matrix, algorithm = TABLES["cyclic4"].matrix(), catalogue()[name]()
    problem = Problem(matrix.P, np.stack([regret_table(matrix, kind) for kind in ("copeland", "borda")]))
    marks = checkpoints([300], 10)
    reports = []
    slow = play_reference(algorithm, problem, marks, Streams(*streams(7, 0)), progress=reports.append)
    fast = rollout(algorithm, problem, marks, Streams(*streams(7, 0)))
    assert slow.regret.shape == fast.regret.shape
    assert slow.duels.shape == (4, 4)
    assert slow.duels.sum() == 300 == sum(reports)
    assert all(np.all(late >= early) for early, late in pairwise(slow.regret.T))
    assert np.array_equal(slow.regret, fast.regret) or name in OTHER_DRAWS
    if name not in OTHER_DRAWS:
        assert slow.declaration == fast.declaration
        assert np.array_equal(slow.duels, fast.duels)


def test_user_algorithm_without_reference(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from duelbench import Algorithm\nclass Rucb(Algorithm):\n    name = 'rucb'\n    State = list\n"
        "    def start(self, arms, horizon): return []\n"
    )
    with pytest.raises(LookupError, match="no reference implementation of Rucb"):
        reference_runs.reference_of(find("mine.py:Rucb", tmp_path))
