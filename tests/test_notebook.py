"""``run`` and ``plot`` as functions."""

import json
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from duelbench.cli.notebook import plot, run
from duelbench.errors import UserError
from tests.experiments import files, played

SPEC = {
    "name": "small",
    "horizon": 1e3,
    "runs": np.int64(3),
    "datasets": ("cyclic4", {"file": Path("mine.npy")}),
    "algorithms": ["rucb", {"name": "d-ts", "alpha": np.float64(0.7)}],
}


@pytest.fixture
def here(tmp_path, monkeypatch, interpreted):
    monkeypatch.chdir(tmp_path)
    np.save("mine.npy", [[0.5, 0.6], [0.4, 0.5]])
    return tmp_path


def test_run_gives_the_bytes_of_the_command(here):
    found = run(SPEC, jobs=0)
    assert repr(found) == "Experiment('small': rows of 4 series, 200 summary, 600 runs)"
    assert found.to_frame().equals(found.runs)
    written = json.dumps({**SPEC, "runs": 3, "datasets": ["cyclic4", {"file": "mine.npy"}]})
    assert files(here / "results" / "small") == files(played(here, written).directory)
    Path("spec.yaml").write_text(written)
    assert run("spec.yaml", "elsewhere", jobs=0).runs.equals(found.runs)
    figures = plot("results/small")
    assert [*figures] == ["regret", "regret-loglog"]
    assert all(isinstance(each, Figure) for each in figures.values())
    assert not [*here.rglob("*.png")]


def test_a_run_that_fails(here):
    Path("mine.py").write_text(
        "from duelbench import Algorithm\n"
        "class Mine(Algorithm):\n"
        "    name, State = 'mine', list\n"
        "    def select(state, t, last, rng): return 0, 1, (1 if t < 900 else 0)\n"
        "    def update(state, first, second, wins, count): pass\n"
        "    def start(self, arms, horizon): return []\n"
    )
    with pytest.raises(UserError, match=r"run-00000.failed: a run failed, and this has its traceback"):
        run({**SPEC, "algorithms": ["mine.py:Mine"]}, jobs=0)
