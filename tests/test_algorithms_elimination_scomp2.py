"""SCOMP2: when it leaves its seeds. Its literal paths are in test_algorithms_elimination_batched."""

import numpy as np

from duelbench.algorithms.divergence.rmed1 import Rmed1
from duelbench.algorithms.elimination.scomp2 import Scomp2
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table
from tests.comparison import kernel_regret


def test_by_divergence_scomp2_leaves_poor_seeds_in_time():
    """One arm beats all others, which are alike: it is hardly ever a seed, and SCOMP2 has to find it."""
    P = np.full((30, 30), 0.5)
    P[12, :], P[:, 12], P[12, 12] = 0.75, 0.25, 0.5
    matrix = PreferenceMatrix(P)
    hoeffding, kl, rmed1 = (
        kernel_regret(algorithm, matrix, [30_000], 40, 26, regret_table(matrix, "condorcet")[None]).mean()
        for algorithm in (Scomp2(), Scomp2(elimination="kl"), Rmed1())
    )
    assert kl < 0.4 * hoeffding
    assert kl < 6 * rmed1
