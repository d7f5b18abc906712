"""What is in the key of a run, and what travels to other processes."""

import pickle
import subprocess
import sys

from duelbench.runs.record import changes, record_of
from tests.experiments import ENVIRONMENT, VARIED, planned


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
    select = staticmethod(lambda state, t, last, rng: (0, 1, 1))
    update = staticmethod(lambda state, first, second, wins, count: None)
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


def test_two_classes_of_one_file_and_one_name_have_keys_of_their_own(tmp_path):
    (tmp_path / "two.py").write_text(MINE + MINE.replace("class Mine", "class Other"))
    text = "horizon: 10\nruns: 2\ndatasets: [six-rankers]\nalgorithms: ['two.py:Mine']\n"
    (series,) = planned(tmp_path, text).series
    (other,) = planned(tmp_path, text.replace(":Mine", ":Other")).series
    assert series.key(1, 0) != other.key(1, 0)
    assert changes(record_of(planned(tmp_path, text), series), record_of(planned(tmp_path, text), other)) == [
        'class "Mine" → "Other"'
    ]


SETS = """
from duelbench import Algorithm
class Mine(Algorithm):
    name = "mine"
    State = list
    select = staticmethod(lambda state, t, last, rng: (0, 1, 1))
    update = staticmethod(lambda state, first, second, wins, count: None)
    words: frozenset[str] = frozenset({"one", "two", "three", "four", "five"})
    pairs: dict[str, set[tuple[str, int]]] = {"here": {("a", 1), ("b", 2), ("c", 3)}}
    nested: frozenset[frozenset[str]] = frozenset({frozenset("abc"), frozenset("de"), frozenset("xyz")})
    def start(self, arms, horizon): return []
"""
KEYS = """
from pathlib import Path
from duelbench.algorithms.catalogue import find
from duelbench.engine.streams import policy_stream
from tests.experiments import planned
text = "horizon: 10\\nruns: 2\\ndatasets: [six-rankers]\\nalgorithms: ['mine.py:Mine']\\n"
(series,) = planned(Path(), text).series
print(series.key(1, 0), policy_stream(1, {}, 0, series.algorithm.build()).random())
"""


def test_a_set_among_the_parameters_has_no_order(tmp_path):
    (tmp_path / "mine.py").write_text(SETS)
    seen = set()
    for seed in range(3):
        environment = ENVIRONMENT | {"PYTHONHASHSEED": str(seed)}
        done = subprocess.run(
            [sys.executable, "-c", KEYS], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        seen.add(done.stdout)
    assert len(seen) == 1


def test_what_is_looked_for_is_in_the_key_and_borda_stands_in_for_a_rule_of_its_own(tmp_path):
    text = "budget: 9\nruns: 1\nregret: {}\ndatasets: [six-rankers]\nalgorithms: [uniform]\n"
    (plain,) = planned(tmp_path, text.format("borda")).series
    (borda,) = planned(tmp_path, text.format("borda") + "find: borda\n").series
    (copeland,) = planned(tmp_path, text.format("copeland") + "find: copeland\n").series
    (common,) = planned(tmp_path, text.format("borda") + "find: borda\nrecommend: btl\n").series
    assert [each.rule for each in (plain, borda, copeland, common)] == ["own", "own or borda", "own", "btl"]
    assert plain.digest != borda.digest
