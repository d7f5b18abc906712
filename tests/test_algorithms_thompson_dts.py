"""D-TS in whole runs: against the literal transcription, and with holds against none, in distribution.

What it does in single rounds is tested in ``test_algorithms_thompson_rounds.py``.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.thompson.dts import Dts
from duelbench.algorithms.thompson.dts_plus import DtsPlus
from duelbench.algorithms.thompson.election import find_contenders
from duelbench.algorithms.thompson.rounds import DtsState, free_first, second
from duelbench.algorithms.thompson.rounds import update as update_dts
from duelbench.compiling.jit import kernel
from duelbench.kernels.confidence import advance
from duelbench.literal import dts
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table
from tests.comparison import (
    MATRICES as EVERYWHERE,
)
from tests.comparison import (
    agreement,
    crowd,
    crowd_regret,
    kernel_regret,
    pair_tables,
    resolution,
    streams,
)
from tests.thompson import core

TWO_FAR_WINNERS = PreferenceMatrix(
    # 0 and 1 beat two arms each by far, 2 and 3 one: D-TS self-duels 0 and 1 in turn, in common holds.
    [[0.5, 0.9, 0.95, 0.1], [0.1, 0.5, 0.9, 0.95], [0.05, 0.1, 0.5, 0.9], [0.9, 0.05, 0.1, 0.5]]
)
MATRICES = EVERYWHERE | {"two far winners": TWO_FAR_WINNERS}


def tables_of(matrix, merged=False):
    """The Copeland regret, the informative duels of every unordered pair, and the self-duels of every arm.

    Without the self-duels (``merged``) arms of the same score may share holds.
    """
    K = matrix.arms
    ordered = pair_tables(K)
    pairs = [ordered[i * K + j] + ordered[j * K + i] for i in range(K) for j in range(i + 1, K)]
    return np.stack([regret_table(matrix, "copeland"), *pairs, *([] if merged else ordered[:: K + 1])])


def ours(algorithm, matrix, marks, runs, seed=11, tables=None, **how):
    tables = tables_of(matrix) if tables is None else tables
    return kernel_regret(algorithm, matrix, marks, runs, seed, tables=tables, **how)


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


@pytest.mark.parametrize("matrix", MATRICES)
def test_runs_are_distributed_as_the_literal_ones(matrix):
    """Sized so that a difference of 6 % of the mean regret would be four standard errors."""
    marks, runs = ((100, 250), 1200) if matrix == "random10" else ((5, 150, 500), 2000)
    a, b = literal(matrix, marks, runs), ours(Dts(), MATRICES[matrix], marks, runs)
    assert agreement(a, b) > 0.001
    assert resolution(a[:, : len(marks)], b[:, : len(marks)]) < 0.06


# No hold at all and no vote conditioned on anything, for runs longer than the literal ones can be.


class FreeState(NamedTuple):
    dts: DtsState


@kernel
def select_freely(state, t, last, rng):
    advance(state.dts.comparisons, t)
    find_contenders(state.dts.election, state.dts.comparisons.losses)
    first = free_first(state.dts, rng)
    return first, second(state.dts, first, -1.0, rng), 1


@kernel
def update_freely(state, first, second, wins, count):
    update_dts(state.dts, first, second, wins, count)


class Free(Algorithm):
    name = "free"
    State = FreeState
    select = staticmethod(select_freely)
    update = staticmethod(update_freely)
    inner: Dts | DtsPlus

    def start(self, arms, horizon):
        return FreeState(core(self.inner.start(arms, horizon)))


def free(algorithm, matrix, marks, runs, tables):
    return kernel_regret(Free(inner=algorithm), matrix, marks, runs, 29, tables=tables)


def test_free_rounds_are_the_literal_ones():
    marks, runs = (5, 150, 500), 2000
    assert (
        agreement(
            literal("cyclic4", marks, runs),
            free(Dts(), MATRICES["cyclic4"], marks, runs, tables_of(MATRICES["cyclic4"])),
        )
        > 0.001
    )


@pytest.mark.parametrize(
    ("matrix", "marks", "alpha", "merged"),
    [
        ("mslr5-non-condorcet", (2_000, 10_000), 0.1, True),
        ("cyclic4", (2_000, 10_000), 0.05, False),
        ("two far winners", (300, 3_000, 20_000), 0.51, False),
        ("two far winners", (300, 3_000, 10_000), 0.1, True),
    ],
)
def test_holding_is_no_holding_in_distribution(matrix, marks, alpha, merged):
    tables = tables_of(MATRICES[matrix], merged)
    a = free(Dts(alpha=alpha), MATRICES[matrix], marks, 500, tables)
    assert agreement(a, ours(Dts(alpha=alpha), MATRICES[matrix], marks, 1000, tables=tables)) > 0.001


def test_where_the_checkpoints_lie_changes_no_distribution():
    tables, often = tables_of(TWO_FAR_WINNERS), np.arange(5, 5_001, 5)  # every checkpoint cuts a hold
    a = ours(Dts(), TWO_FAR_WINNERS, [5_000], 1500)
    b = kernel_regret(Dts(), TWO_FAR_WINNERS, often, 1500, 17, tables=tables)
    assert agreement(a, b.reshape(1500, len(tables), len(often))[:, :, -1]) > 0.001


# Stepping = holding.


@pytest.mark.parametrize(("matrix", "alpha"), [(MATRICES["cyclic4"], 0.51), (TWO_FAR_WINNERS, 0.1)])
def test_holding_is_stepping_in_distribution(matrix, alpha):
    marks = (1_000, 10_000)
    a = ours(Dts(alpha=alpha), matrix, marks, 1000)
    assert agreement(a, ours(Dts(alpha=alpha), matrix, marks, 1000, seed=5, stepping=True)) > 0.001


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
