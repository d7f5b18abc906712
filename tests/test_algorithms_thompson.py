"""D-TS and D-TS+ in whole runs: against the literal transcription, and with holds against none, in distribution."""

from typing import NamedTuple

import numpy as np
import pytest

from duelbench.algorithms.algorithm import KERNELS, Algorithm
from duelbench.algorithms.thompson.dts import Dts
from duelbench.algorithms.thompson.dts_plus import DtsPlus
from duelbench.algorithms.thompson.election import find_contenders
from duelbench.algorithms.thompson.rounds import DtsState, free_first, second
from duelbench.algorithms.thompson.rounds import update as update_dts
from duelbench.compiling.jit import kernel
from duelbench.kernels.confidence import advance
from duelbench.literal import dts, dts_plus
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table
from tests.comparison import MATRICES, agreement, crowd, crowd_regret, kernel_regret, pair_tables, resolution, streams
from tests.test_algorithms_thompson_choice import core

OURS = {"d-ts": Dts, "d-ts+": DtsPlus}
LITERAL = {"d-ts": dts, "d-ts+": dts_plus}
TWO_FAR_WINNERS = PreferenceMatrix(
    # 0 and 1 beat two arms each by far, 2 and 3 one: D-TS self-duels 0 and 1 in turn, in common holds.
    [[0.5, 0.9, 0.95, 0.1], [0.1, 0.5, 0.9, 0.95], [0.05, 0.1, 0.5, 0.9], [0.9, 0.05, 0.1, 0.5]]
)
ALL = MATRICES | {"two far winners": TWO_FAR_WINNERS}


def tables_of(matrix):
    """The Copeland regret, the informative duels of every unordered pair, and the self-duels of every arm."""
    K = matrix.arms
    ordered = pair_tables(K)
    pairs = [ordered[i * K + j] + ordered[j * K + i] for i in range(K) for j in range(i + 1, K)]
    return np.stack([regret_table(matrix, "copeland"), *pairs, *ordered[:: K + 1]])


def alike_tables_of(matrix):
    """The same without the self-duels, which only cost what they cost: arms of the same score are alike."""
    return tables_of(matrix)[: 1 + matrix.arms * (matrix.arms - 1) // 2]


def literal(name, matrix, marks, runs, **how):
    return crowd_regret(matrix, marks, runs, 11, tables_of(matrix), plus=name == "d-ts+", **how)


def ours(name, matrix, marks, runs, alpha=0.51, **how):
    return kernel_regret(OURS[name](alpha=alpha), matrix, marks, runs, 11, tables=tables_of(matrix), **how)


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("matrix", ALL)
def test_the_crowd_is_the_reference(name, matrix):
    P = ALL[matrix].P
    for seed in range(3):
        environment, policy = streams(seed, 0)
        path = [(i[0], j[0]) for i, j in crowd(P, 150, 1, policy, environment, plus=name == "d-ts+")]
        environment, policy = streams(seed, 0)
        assert np.array_equal(path, LITERAL[name].run(P, 150, policy, environment))


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("matrix", ALL)
def test_runs_are_distributed_as_the_literal_ones(name, matrix):
    small = matrix == "random10"
    marks, runs = ([100, 250], 1200) if small else ([150, 500], 2000)
    a, b = literal(name, ALL[matrix], marks, runs), ours(name, ALL[matrix], marks, runs)
    assert agreement(a, b) > 0.001
    assert resolution(a[:, :2], b[:, :2]) < 0.06


def test_first_rounds_are_distributed_as_the_literal_ones():
    for name in OURS:
        for matrix in ("cyclic4", "six-rankers"):
            marks = [1, 2, 5, 20]
            assert agreement(literal(name, ALL[matrix], marks, 4000), ours(name, ALL[matrix], marks, 4000)) > 0.001


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


def free(name, matrix, marks, runs, alpha=0.51):
    algorithm = Free(inner=OURS[name](alpha=alpha))
    return kernel_regret(algorithm, matrix, marks, runs, 29, tables=tables_of(matrix))


@pytest.mark.parametrize("name", OURS)
def test_free_rounds_are_the_literal_ones(name):
    a, b = literal(name, ALL["cyclic4"], [150, 500], 2000), free(name, ALL["cyclic4"], [150, 500], 2000)
    assert agreement(a, b) > 0.001


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize(
    ("matrix", "marks", "alpha"),
    [
        ("six-rankers", [2_000, 10_000], 0.51),
        ("mslr5-condorcet", [2_000, 10_000], 0.51),
        ("mslr5-non-condorcet", [2_000, 10_000], 0.1),
        ("cyclic4", [2_000, 10_000], 0.51),
        ("cyclic4", [2_000, 10_000], 0.05),
        ("two far winners", [300, 3_000, 20_000], 0.51),
        ("two far winners", [300, 3_000, 20_000], 0.1),
    ],
)
def test_holding_is_no_holding_in_distribution(name, matrix, marks, alpha):
    if (name, matrix) == ("d-ts+", "two far winners"):
        marks = marks[:2]  # it does not hold for leaders whose self-duels are told apart, so here it rarely does
    a, b = free(name, ALL[matrix], marks, 1000, alpha), ours(name, ALL[matrix], marks, 1000, alpha)
    assert agreement(a, b) > 0.001


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize(("matrix", "alpha"), [("cyclic4", 0.51), ("two far winners", 0.1), ("two far winners", 0.51)])
def test_holding_is_stepping_in_distribution(name, matrix, alpha):
    marks = [1_000, 10_000] if name == "d-ts" else [500, 3_000]
    a = ours(name, ALL[matrix], marks, 1000, alpha)
    b = kernel_regret(
        OURS[name](alpha=alpha), ALL[matrix], marks, 1000, 5, tables=tables_of(ALL[matrix]), stepping=True
    )
    assert agreement(a, b) > 0.001


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize(
    ("matrix", "marks", "alpha"),
    [
        ("mslr5-non-condorcet", [2_000, 10_000], 0.51),
        ("mslr5-non-condorcet", [2_000, 10_000], 0.1),
        ("two far winners", [300, 3_000, 10_000], 0.51),
        ("two far winners", [300, 3_000, 10_000], 0.1),
    ],
)
def test_holding_in_common_is_no_holding_in_distribution(name, matrix, marks, alpha):
    tables = alike_tables_of(ALL[matrix])
    a = kernel_regret(Free(inner=OURS[name](alpha=alpha)), ALL[matrix], marks, 1000, 29, tables=tables)
    b = kernel_regret(OURS[name](alpha=alpha), ALL[matrix], marks, 1000, 11, tables=tables)
    assert agreement(a, b) > 0.001


def test_long_runs_with_large_gaps_hold_as_they_step():
    marks = [10_000, 100_000]
    a, b = free("d-ts", TWO_FAR_WINNERS, marks, 250), ours("d-ts", TWO_FAR_WINNERS, marks, 1000)
    assert agreement(a, b) > 0.001


def test_where_the_checkpoints_lie_changes_no_distribution():
    tables, often = tables_of(TWO_FAR_WINNERS), np.arange(5, 5_001, 5)  # every checkpoint cuts a hold
    a = ours("d-ts", TWO_FAR_WINNERS, [5_000], 1500)
    b = kernel_regret(Dts(), TWO_FAR_WINNERS, often, 1500, 17, tables=tables)
    assert agreement(a, b.reshape(1500, len(tables), len(often))[:, :, -1]) > 0.001


# Small mistakes that must be seen.


def test_a_larger_alpha_is_seen():
    for name in OURS:
        marks = [150, 500]
        assert (
            agreement(literal(name, ALL["cyclic4"], marks, 2000), ours(name, ALL["cyclic4"], marks, 2000, 1.2 * 0.51))
            < 1e-3
        )


class OtherPrior:
    """A stream whose Beta(w + 1, l + 1) is Beta(w, l), as nearly as that exists."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.random = self.rng.random

    def beta(self, a, b):
        return self.rng.beta(np.maximum(a - 1, 1e-3), np.maximum(b - 1, 1e-3))


def test_another_prior_is_seen():
    marks = [50, 150]
    for name in OURS:
        wrong = literal(name, ALL["six-rankers"], marks, 1000, policy=OtherPrior(3))
        assert agreement(wrong, ours(name, ALL["six-rankers"], marks, 1000)) < 1e-3


def test_swapped_wins_are_seen():
    for name in OURS:
        matrix, marks = ALL["six-rankers"], [150, 500]
        tables = tables_of(matrix)
        mirrored = PreferenceMatrix(matrix.P.T)
        wrong = kernel_regret(OURS[name](), mirrored, marks, 1000, 11, tables=tables)
        assert agreement(literal(name, matrix, marks, 1000), wrong) < 1e-3


def test_dts_is_seen_to_be_another_algorithm_than_dts_plus():
    marks = [150, 500]
    assert agreement(literal("d-ts", ALL["cyclic4"], marks, 2000), ours("d-ts+", ALL["cyclic4"], marks, 2000)) < 1e-3


class StretchedState(NamedTuple):
    dts: DtsState


@kernel
def select_stretched(state, t, last, rng):
    first, other, count = KERNEL_OF_DTS(state.dts, t, last, rng)
    return first, other, min(last - t + 1, count + count // 5)


KERNEL_OF_DTS = KERNELS[DtsState].select


class Stretched(Algorithm):
    name = "stretched"
    State = StretchedState
    select = staticmethod(select_stretched)
    update = staticmethod(update_freely)

    def start(self, arms, horizon):
        return StretchedState(Dts().start(arms, horizon))


def test_holds_that_are_too_long_are_seen():
    marks, tables = [3_000, 20_000], tables_of(TWO_FAR_WINNERS)
    wrong = kernel_regret(Stretched(), TWO_FAR_WINNERS, marks, 1000, 11, tables=tables)
    assert agreement(free("d-ts", TWO_FAR_WINNERS, marks, 1000), wrong) < 1e-3
