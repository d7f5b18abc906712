"""``simulate``: a run of a spec, without the spec."""

from pathlib import Path

import numpy as np
import pytest

from duelbench.algorithms.confidence.rucb import Rucb
from duelbench.engine.checkpoints import checkpoints
from duelbench.engine.simulate import simulate
from duelbench.errors import UserError
from duelbench.runs.plan import make_plan
from duelbench.runs.run import play_run
from duelbench.sources.tables import TABLES
from duelbench.spec.load import load

CYCLIC = TABLES["cyclic4"].matrix()
SPEC = """\
horizon: 1000
runs: 3
seed: 5
shuffle_arms: false
regret: [copeland, borda]
feedback: {delay: 7}
checkpoints_per_decade: 10
datasets: [cyclic4]
algorithms: [{name: rucb, alpha: 0.6}]
"""


def test_it_plays_the_runs_of_a_spec_without_shuffled_arms(tmp_path):
    (tmp_path / "spec.yaml").write_text(SPEC)
    (series,) = make_plan(load(tmp_path / "spec.yaml")).series
    for run in range(3):
        how = {"seed": 5, "run": run, "regret": ["copeland", "borda"], "per_decade": 10, "delay": 7}
        trajectory = simulate(Rucb(alpha=0.6), CYCLIC, 1000, **how)
        rows = play_run(series, 5, run)
        assert [row.t for row in rows] == trajectory.checkpoints.tolist()
        assert [row.regret for row in rows] == trajectory.regret.T.tolist()
        assert simulate(Rucb(alpha=0.61), CYCLIC, 1000, **how).regret.tolist() != trajectory.regret.tolist()


def test_a_name_is_the_algorithm_with_its_defaults_and_a_table_the_matrix():
    one = simulate("rucb", CYCLIC.P.tolist(), 500, seed=3)
    other = simulate(Rucb(), CYCLIC, 500, seed=3)
    assert np.array_equal(one.duels, other.duels)
    assert one.duels.sum() == 500
    assert one.checkpoints.tolist() == checkpoints([500], 20).tolist()
    for how in ({"seed": 4}, {"seed": 3, "run": 1}):
        assert not np.array_equal(simulate("rucb", CYCLIC, 500, **how).duels, one.duels)


def test_mistakes_are_named():
    with pytest.raises(UserError, match="did you mean"):
        simulate("rucbb", CYCLIC, 10)
    with pytest.raises(UserError, match=r"add up to"):
        simulate("rucb", [[0.5, 0.7], [0.7, 0.5]], 10)
    with pytest.raises(UserError, match="unknown kind of regret"):
        simulate("rucb", CYCLIC, 10, regret="weakest")
    with pytest.raises(UserError, match=r"no Algorithm|cannot read"):
        simulate("nowhere.py:Mine", CYCLIC, 10)
    assert not Path("nowhere.py").exists()
    for wrong in (0, -1, 1.5, 1e3, True, "10", None):
        with pytest.raises(ValueError, match="horizon must be a whole number"):
            simulate("rucb", CYCLIC, wrong)
        with pytest.raises(ValueError, match="delay must be a whole number"):
            simulate("rucb", CYCLIC, 10, delay=wrong)
    with pytest.raises(ValueError, match="waits for the outcomes of its batches"):
        simulate("pcomp", CYCLIC, 10, delay=2)
