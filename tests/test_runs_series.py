"""What is in the key of a run, and what travels to other processes."""

import pickle

from tests.experiments import VARIED, planned


def test_every_determinant_of_the_numbers_is_in_the_key(tmp_path):
    changes = [
        ("horizon: 3e3", "horizon: 4e3"),
        ("seed: 5", "seed: 6"),
        ("[copeland, borda]", "[borda]"),
        ("six-rankers", "sushi16"),
        ("arms: 4", "arms: 5"),
        ("regret:", "shuffle_arms: false\nregret:"),
        ("regret:", "checkpoints_per_decade: 10\nregret:"),
    ]

    def keys(text):
        plan = planned(tmp_path, text)
        return {series.labels: plan.run(series, 0).key for series in plan.series}

    before = keys(VARIED)
    assert len(set(before.values())) == len(before)
    for old, new in changes:
        changed = keys(VARIED.replace(old, new))
        same = [place for place, key in changed.items() if before.get(place) == key]
        if old == "six-rankers":
            assert {dataset for dataset, _ in same} == {"btl-uniform"}
        elif old == "arms: 4":
            assert {dataset for dataset, _ in same} == {"six-rankers"}
        elif old.startswith("horizon") or "checkpoints" in new:
            assert {label for _, label in same} == {"btm"}  # it has horizons of its own
        else:
            assert same == [], new
    renamed = keys(VARIED.replace("- six-rankers", "- {name: six-rankers, label: other}"))
    assert renamed["other", "d-ts"] == before["six-rankers", "d-ts"]  # names do not matter, content does


MINE = """
from duelbench.algorithms import Algorithm
class Mine(Algorithm):
    name = "mine"
    State = list
    patience: int = 3
    def start(self, arms, horizon): return []
"""


def test_a_series_of_ones_own_algorithm_is_the_same_elsewhere_after_the_file_is_gone(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    text = "horizon: 10\nruns: 2\ndatasets: [six-rankers]\nalgorithms: [{name: 'mine.py:Mine', patience: 4}]\n"
    (series,) = planned(tmp_path, text).series
    sent = pickle.dumps(series)
    (tmp_path / "mine.py").unlink()
    there = pickle.loads(sent)
    assert there.key(1, 0) == series.key(1, 0)
    assert there.algorithm.build().patience == 4
