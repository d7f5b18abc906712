"""D-TS in whole runs: against the literal transcription, in distribution.

Single rounds are tested in ``test_algorithms_thompson_rounds.py``, holds in ``test_holds_random.py``.
"""

from functools import cache

import numpy as np
import pytest

from duelbench.algorithms.thompson.dts import Dts
from duelbench.conformance.rounds import streams
from duelbench.conformance.statistics import agreement, resolution
from duelbench.literal import dts
from duelbench.preferences.matrix import PreferenceMatrix
from tests.comparison import crowd, crowd_regret, kernel_regret
from tests.thompson_runs import LITERAL, MATRICES, TWO_FAR_WINNERS, Free, ours, tables_of


@cache
def literal(matrix, marks, runs):
    return crowd_regret(MATRICES[matrix], marks, runs, 11, tables_of(MATRICES[matrix]), plus=False)


@pytest.mark.parametrize("matrix", MATRICES)
def test_the_crowd_is_the_reference(matrix):
    P = MATRICES[matrix].P
    for seed in range(2):
        environment, policy = streams(seed, 0)
        path = [(i[0], j[0]) for i, j in crowd(P, 150, 1, policy, environment)]
        environment, policy = streams(seed, 0)
        assert np.array_equal(path, dts.run(P, 150, policy, environment))


@pytest.mark.parametrize("matrix", LITERAL)
def test_runs_are_distributed_as_the_literal_ones(matrix):
    """Sized so that a difference of 6 % of the mean regret would be four standard errors."""
    marks, runs = ((100, 250), 1200) if matrix == "random10" else ((5, 150, 500), 2000)
    a, b = literal(matrix, marks, runs), ours(Dts(), MATRICES[matrix], marks, runs)
    assert agreement(a, b) > 0.001
    assert resolution(a[:, : len(marks)], b[:, : len(marks)]) < 0.06


def test_free_rounds_are_the_literal_ones():
    """What longer runs are compared with in test_holds_random."""
    marks, runs = (5, 150, 500), 2000
    assert agreement(literal("cyclic4", marks, runs), ours(Free(inner=Dts()), MATRICES["cyclic4"], marks, runs)) > 0.001


def test_where_the_checkpoints_lie_changes_no_distribution():
    tables, often = tables_of(TWO_FAR_WINNERS), np.arange(5, 5_001, 5)  # every checkpoint cuts a hold
    a = ours(Dts(), TWO_FAR_WINNERS, [5_000], 1500)
    b = kernel_regret(Dts(), TWO_FAR_WINNERS, often, 1500, 17, tables=tables)
    assert agreement(a, b.reshape(1500, len(tables), len(often))[:, :, -1]) > 0.001


# Small mistakes that must be seen. Holds that are too long: see test_algorithms_thompson_rounds.


class OtherPrior:
    """A stream whose Beta(w + 1, l + 1) is Beta(w, l), as nearly as that exists."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.random = self.rng.random

    def beta(self, a, b):
        return self.rng.beta(np.maximum(a - 1, 1e-3), np.maximum(b - 1, 1e-3))


def test_mistakes_are_seen():
    marks, runs = (5, 150, 500), 2000
    larger_alpha = ours(Dts(alpha=1.2 * 0.51), MATRICES["cyclic4"], marks, runs)
    assert agreement(literal("cyclic4", marks, runs), larger_alpha) < 1e-3
    matrix = MATRICES["six-rankers"]
    other_prior = crowd_regret(matrix, (50, 150), 1000, 11, tables_of(matrix), policy=OtherPrior(3))
    assert agreement(other_prior, ours(Dts(), matrix, (50, 150), 1000)) < 1e-3
    swapped = ours(Dts(), PreferenceMatrix(matrix.P.T), marks, 1000, tables=tables_of(matrix))
    assert agreement(literal("six-rankers", marks, runs), swapped) < 1e-3
