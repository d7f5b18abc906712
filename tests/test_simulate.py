"""``simulate``, runs without a spec, and its names; refused answers; copies of states and streams."""

import numpy as np
import pytest

from duelbench import load_results
from duelbench.algorithms.catalogue import find
from duelbench.algorithms.confidence.rucb import Rucb
from duelbench.engine.problem import checkpoints
from duelbench.errors import UserError
from duelbench.experiment.named import algorithm, matrix
from duelbench.experiment.plan import make_plan
from duelbench.experiment.run import play_run
from duelbench.experiment.simulate import simulate
from duelbench.spec.model import load
from tests import toys
from tests.experiments import played
from tests.instances import INSTANCES

CYCLIC = INSTANCES["cyclic4"]
SPEC = """\
horizon: 1000
runs: 3
seed: 5
regret: [copeland, borda]
feedback: {delay: 7}
checkpoints_per_decade: 10
datasets: [cyclic4]
algorithms: [{name: rucb, alpha: 0.6}]
"""


def test_simulate_plays_the_runs_of_a_spec(tmp_path):
    """``simulate`` plays the runs of a spec, also with default options such as arms in random order."""
    (tmp_path / "spec.yaml").write_text(SPEC)
    (series,) = make_plan(load(tmp_path / "spec.yaml")).series
    for run in range(3):
        how = {"seed": 5, "run": run, "regret": ["copeland", "borda"], "per_decade": 10, "delay": 7}
        trajectory = simulate(Rucb(alpha=0.6), CYCLIC, 1000, **how)
        rows = play_run(series, 5, run)
        assert [row.t for row in rows] == trajectory.checkpoints.tolist()
        assert [row.regret for row in rows] == trajectory.regret.T.tolist()
        assert simulate(Rucb(alpha=0.61), CYCLIC, 1000, **how).regret.tolist() != trajectory.regret.tolist()


SEVERAL = """\
horizon: 1000
runs: 5
seed: 3
regret: [copeland, borda]
datasets: [{name: btl-uniform, arms: 4}]
algorithms: [{name: knockout, epsilon: 0.3}]
"""


def test_several_runs_are_those_of_a_spec(tmp_path, monkeypatch):
    """Several runs equal those of a spec, in this process or with all but the first in workers."""
    known = load_results(played(tmp_path, SEVERAL).directory).to_frame()
    entry, how = {"name": "btl-uniform", "arms": 4}, {"seed": 3, "regret": ["copeland", "borda"]}
    here = simulate("knockout", entry, 1e3, runs=5, epsilon=0.3, jobs=0, **how)
    columns = ["regret", "run", "t", "value", "declared_at"]
    order = [*columns[:3]]
    for mine, theirs in zip(
        *(frame[columns].sort_values(order).itertuples(index=False) for frame in (here.to_frame(), known)), strict=True
    ):
        assert str(mine) == str(theirs)
    assert here.to_frame().declared_at.notna().any()
    assert here.regret.shape == (5, 2, len(here.checkpoints))
    assert "5 runs: mean copeland regret" in repr(here)
    monkeypatch.setattr("duelbench.experiment.simulate._ALONE", 0.0)
    there = simulate("knockout", entry, 1e3, runs=5, epsilon=0.3, jobs=2, **how)
    assert there.to_frame().equals(here.to_frame())
    assert there.declaration == here.declaration


def test_arms_have_the_numbers_of_the_matrix(interpreted):
    """Results number the arms as the matrix does, whether runs shuffle them or not."""
    P = [[0.5, 0.9, 0.9, 0.9], [0.1, 0.5, 0.8, 0.8], [0.1, 0.2, 0.5, 0.7], [0.1, 0.2, 0.3, 0.5]]
    for shuffle_arms in (False, True):
        found = simulate("knockout", P, 2000, runs=8, shuffle_arms=shuffle_arms, jobs=0)
        assert [winner for winner, _ in found.declaration] == [0] * 8
        assert found.duels.sum(axis=(1, 2)).tolist() == [2000] * 8
        assert (found.duels[:, 0, 0] > 500).all()


def test_simulate_by_name(tmp_path):
    one = simulate("rucb", CYCLIC.P.tolist(), 500, seed=3)
    np.save(tmp_path / "mine.npy", CYCLIC.P)
    for algorithm_, matrix_ in [
        (Rucb(), CYCLIC),
        (Rucb, "cyclic4"),
        (algorithm("rucb"), {"name": "cyclic4"}),
        ("rucb", tmp_path / "mine.npy"),
        ("rucb", matrix("cyclic4")),
    ]:
        assert np.array_equal(one.duels, simulate(algorithm_, matrix_, 500, seed=3).duels)
    assert one.duels.sum() == 500
    assert one.checkpoints.tolist() == checkpoints([500], 20).tolist()
    for how in ({"seed": 4}, {"seed": 3, "run": 1}):
        assert not np.array_equal(simulate("rucb", CYCLIC, 500, **how).duels, one.duels)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: simulate("rucb", "six-ranker", 9),
            "matrix: unknown dataset 'six-ranker' .did you mean",
        ),
        (lambda: simulate("rucb", "nowhere.csv", 9), "nowhere.csv: there is no such file"),
        (lambda: simulate("rucb", {"name": "btl-uniform", "arm": 3}, 9), "matrix: there is no parameter 'arm'"),
        (lambda: simulate("rucb", {"name": "btl-uniform", "arms": [3, 4]}, 9), "matrix: a list of values is a grid"),
        (lambda: simulate("rucb", CYCLIC, 9, alpa=1), r"there is no parameter 'alpa' \(did you mean 'alpha'"),
        (lambda: simulate(Rucb(), CYCLIC, 9, alpha=-1), "alpha is -1: it must be greater than 0"),
        (lambda: simulate(3, CYCLIC, 9), "algorithm must be a name or an Algorithm, not 3"),
        (lambda: simulate("rucb", CYCLIC, 9, runs=0), "runs must be a whole number from 1"),
        (lambda: simulate("rucb", CYCLIC, 9, jobs=-1), "jobs must be a whole number from 0"),
        (lambda: matrix("cyclic4", arms=3), "matrix: .* is a fixed table and has no parameters: remove 'arms'"),
        (lambda: matrix("btl-uniform", seed=-1), "seed must be a whole number of at least 0, not -1"),
        (lambda: algorithm("rucbb"), r"unknown algorithm 'rucbb' \(did you mean 'rucb'"),
    ],
)
def test_mistakes_have_the_name_of_the_argument(call, sentence):
    with pytest.raises((UserError, ValueError), match=sentence):
        call()


# Answers. In plain Python their types are also checked, as numba does in compiled code.

SIX = INSTANCES["six-rankers"]
WHOLE = "it must be three whole numbers, two arms from 0 … 5 and a count"


COMPILED = """
from typing import NamedTuple
import numpy as np
from duelbench import Algorithm, kernel

class State(NamedTuple):
    answer: np.ndarray

@kernel
def select(state, t, last, rng):
    if t < 12:
        return 0, 1, 1
    return state.answer[0], state.answer[1], state.answer[2]

@kernel
def update(state, first, second, wins, count):
    pass

class Mine(Algorithm):
    name = "mine"
    State = State
    select = select
    update = update
    first: int
    second: int
    count: int
    def start(self, arms, horizon):
        return State(np.array([self.first, self.second, self.count]))
"""
WRONG = {
    (6, 0, 1): "(6, 0, 1) at t = 12: arms are 0 … 5",
    (0, 6, 1): "(0, 6, 1) at t = 12: arms are 0 … 5",
    (-1, 0, 1): "(-1, 0, 1) at t = 12: arms are 0 … 5",
    (0, -1, 1): "(0, -1, 1) at t = 12: arms are 0 … 5",
    (0, 0, 0): "(0, 0, 0) at t = 12: the count must be 1 … 999999999, to end by t = 1000000010",
    (0, 0, 10**9): "(0, 0, 1000000000) at t = 12: the count must be 1 … 999999999, to end by t = 1000000010",
}


def mine(tmp_path, answer="0, 1, 1", declared="None"):
    (tmp_path / "mine.py").write_text(toys.plain(toys.mine(answer, "if t < 12: return 0, 1, 1", declared)))
    return find("mine.py:Mine", tmp_path)


@pytest.mark.parametrize("compiled", [False, True])
def test_answer_out_of_range(tmp_path, compiled):
    (tmp_path / "mine.py").write_text(COMPILED if compiled else toys.plain(COMPILED))
    kind = find("mine.py:Mine", tmp_path)
    assert kind.compiled() == compiled
    for (first, second, count), sentence in WRONG.items():
        answer = {"first": first, "second": second, "count": count}
        with pytest.raises(ValueError) as caught:
            simulate(kind(**answer), SIX, 13, per_decade=1)
        assert str(caught.value) == f"select answered {sentence}"


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("True, 0, 1", "(True, 0, 1)"),
        ("0, np.True_, 1", "(0, np.True_, 1)"),
        ("0, 1, 1.5", "(0, 1, 1.5)"),
        ("np.float64(0), 1, 1", "(np.float64(0.0), 1, 1)"),
        ("0, '1', 1", "(0, '1', 1)"),
        ("(0, 1)", "(0, 1)"),
        ("None", "None"),
        ("{5, 2, 1}", "{1, 2, 5}"),
        ("bytes([5, 2, 1])", "b'\\x05\\x02\\x01'"),
        ("0, 1, 10**30", f"(0, 1, {10**30})"),
    ],
)
def test_answer_that_is_no_whole_numbers(tmp_path, answer, shown):
    kind = mine(tmp_path, answer)
    with pytest.raises(ValueError) as caught:
        simulate(kind(), SIX, 20)
    assert str(caught.value) == f"select answered {shown} at t = 12: {WHOLE}"


@pytest.mark.parametrize(
    "declared", ["(-1, 3)", "(6, 3)", "(0, -5)", "(0, 21)", "(True, 3)", "(0, 2.0)", "0", "(1, 2, 3)"]
)
def test_declaration_out_of_range(tmp_path, declared):
    with pytest.raises(ValueError, match=r"declaration answered .*: it must be None, or a winner from 0 … 5 .None"):
        simulate(mine(tmp_path, declared=declared)(), SIX, 20)
    assert simulate(mine(tmp_path, declared="(np.int32(5), 20)")(), SIX, 20, shuffle_arms=False).declaration == (5, 20)
