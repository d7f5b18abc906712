"""What runs are compared by: the same numbers from the engine and from a path, and what is said of them."""

import time

import numpy as np
import pytest

from duelbench.algorithms.confidence.rucb import Rucb
from duelbench.algorithms.elimination.interleaved_filter import InterleavedFilter
from duelbench.conformance import samples
from duelbench.conformance.against_literal import ours
from duelbench.conformance.claims import CheckFailed
from duelbench.conformance.instances import USUAL
from tests.proved import PLAIN, changed, toy

MARKS = (10, 100, 500)
CIRCLE = USUAL["cyclic4"]


@pytest.mark.parametrize("algorithm", [Rucb(), InterleavedFilter()], ids=["rucb", "if"])
def test_a_path_has_the_row_of_its_run(algorithm):
    fast = samples.engine_run(algorithm, USUAL["order of 4"], MARKS, 5)
    literal = samples.literal_run(ours(algorithm), USUAL["order of 4"], MARKS, 5)
    for run in range(2):
        np.testing.assert_allclose(fast(run), literal(run))
        assert len(fast(run)) == len(samples.names(MARKS, 4))


def test_columns_have_their_names():
    row = dict(zip(samples.names(MARKS, 4), samples.engine_run(Rucb(), CIRCLE, MARKS, 5)(0), strict=True))
    duels = sum(row[f"the number of duels ({i}, {j}) until t = 500"] for i in range(4) for j in range(4) if i != j)
    assert row["the number of duels of different arms at t = 500"] == duels
    assert row["the declared winner"] == -1
    assert row["the round of the declaration"] == 500
    merged = samples.engine_run(Rucb(), CIRCLE, MARKS, 5, costs=samples.merged_tables(CIRCLE))(0)
    assert len(merged) == len(samples.names(MARKS, 4, pairs=False))
    regret = samples.regret_run(Rucb(), CIRCLE, MARKS, 5)(0)
    assert regret.tolist() == [row[f"the Copeland regret at t = {t}"] for t in MARKS]


def test_a_comparison_says_what_it_would_have_seen(tmp_path):
    right = toy(tmp_path, PLAIN)
    matrix = USUAL["order of 4"]
    one, other = (samples.engine_run(right, matrix, (20, 60), seed) for seed in (1, 2))
    found = samples.compare(one, other, (20, 60), 4, ("here", "there"), time.process_time())
    assert found.runs == 64
    assert 0 < found.regret < 1
    wrong = toy(tmp_path, changed(PLAIN, ("    alpha: float = Field(0.51", "    alpha: float = Field(0.05")))
    other = samples.engine_run(wrong, matrix, (20, 60), 2)
    with pytest.raises(CheckFailed, match="differs in distribution"):
        samples.compare(one, other, (20, 60), 4, ("here", "there"), time.process_time())


def test_comparisons_to_one_round_are_said_together():
    seen = [(100, (64, 0.1, 0.02)), (500, (8, 0.0, 0.0)), (100, (32, 0.05, 0.03))]
    said = samples.in_words((t, samples.Resolved(*each)) for t, each in seen)
    assert said.startswith("32 runs each to t = 100: 10 % more or less regret would have been seen, or 3 % more")
    assert "8 runs each to t = 500: 0 %" in said
