"""D-TS and D-TS+ in whole runs: tables for comparison, and a version without holds."""

from typing import NamedTuple

import numpy as np
import pytest

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.thompson.dts import Dts, DtsState, free_round
from duelbench.algorithms.thompson.dts import update as update_dts
from duelbench.algorithms.thompson.dts_plus import DtsPlus
from duelbench.algorithms.thompson.election import find_contenders
from duelbench.compiling.jit import kernel
from duelbench.conformance.rounds import pair_tables
from duelbench.kernels.confidence import advance
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table
from tests.comparison import MATRICES as EVERYWHERE
from tests.comparison import kernel_regret
from tests.thompson import core

TWO_FAR_WINNERS = PreferenceMatrix(
    # 0 and 1 beat two arms each by far, 2 and 3 one: D-TS self-duels 0 and 1 in turn, in common holds.
    [[0.5, 0.9, 0.95, 0.1], [0.1, 0.5, 0.9, 0.95], [0.05, 0.1, 0.5, 0.9], [0.9, 0.05, 0.1, 0.5]]
)
MATRICES = EVERYWHERE | {"two far winners": TWO_FAR_WINNERS}
REFERENCE = [
    pytest.param(name, marks=pytest.mark.slow if name not in ("six-rankers", "cyclic4") else ()) for name in MATRICES
]
"""Those that are slow have one winner, as six-rankers has, or several, as cyclic4 has."""


def tables_of(matrix, merged=False):
    """Return tables: Copeland regret, informative duels of every unordered pair, and self-duels of every arm.

    With ``merged`` there are no tables of self-duels, so that arms of the same score may share holds.
    """
    K = matrix.arms
    ordered = pair_tables(K)
    pairs = [ordered[i * K + j] + ordered[j * K + i] for i in range(K) for j in range(i + 1, K)]
    return np.stack([regret_table(matrix, "copeland"), *pairs, *([] if merged else ordered[:: K + 1])])


def ours(algorithm, matrix, marks, runs, seed=11, tables=None):
    tables = tables_of(matrix) if tables is None else tables
    return kernel_regret(algorithm, matrix, marks, runs, seed, tables=tables)


class FreeState(NamedTuple):
    dts: DtsState


@kernel
def select_freely(state, t, last, rng):
    advance(state.dts.comparisons, t)
    find_contenders(state.dts.election, state.dts.comparisons.losses)
    return *free_round(state.dts, rng), 1


@kernel
def update_freely(state, first, second, wins, count):
    update_dts(state.dts, first, second, wins, count)


class Free(Algorithm):
    """D-TS or D-TS+ without holds and conditioned votes, for runs too long for the reference implementation."""

    name = "free"
    State = FreeState
    select = staticmethod(select_freely)
    update = staticmethod(update_freely)
    inner: Dts | DtsPlus

    def start(self, arms, horizon):
        return FreeState(core(self.inner.start(arms, horizon)))
