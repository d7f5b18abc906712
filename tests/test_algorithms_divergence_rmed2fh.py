"""RMED2FH: what it does before its opponents are fixed. Its literal paths are in test_algorithms_divergence_rmed2."""

import math
from itertools import islice

import numpy as np
import pytest

from duelbench.algorithms.divergence.rmed2fh import Rmed2Fh
from duelbench.conformance.paths import engine_path
from duelbench.conformance.rounds import streams
from duelbench.literal import rmed2
from tests.comparison import MATRICES


@pytest.mark.parametrize(("horizon", "alpha", "passes"), [(135, 3.0, 5), (10**8, 0.5, 2), (2, 3.0, 1)])
def test_the_horizon_decides_how_often_all_pairs_are_duelled(horizon, alpha, passes):
    assert passes == (max(1, math.ceil(alpha * math.log(math.log(horizon)))) if horizon > 2 else 1)
    algorithm, matrix = Rmed2Fh(alpha=alpha), MATRICES["six-rankers"]
    environment, policy = streams(5, 0)
    state = algorithm.start(6, horizon)
    expected = [(i, j) for _ in range(passes) for i in range(6) for j in range(i + 1, 6)]
    for t, pair in enumerate(expected[:horizon], start=1):
        first, second, count = algorithm.select(state, t, t, policy)
        assert sorted((first, second)) == list(pair)
        algorithm.update(state, first, second, int(environment.random() < matrix.P[first, second]), count)


def test_opponents_stay_what_they_were_after_the_passes():
    """Two passes tell little: whoever chooses again as data comes in, as RMED2 does, has another path."""
    matrix, horizon = MATRICES["random10"], 1500

    def literal(fixed):
        return list(islice(rmed2.rounds(matrix.P, horizon, streams(2, 0)[0], 0.5, 0.3, 1.01, fixed), horizon))

    path = engine_path(Rmed2Fh(alpha=0.5), matrix, horizon, 2)
    assert np.array_equal(path, literal(True))
    assert not np.array_equal(path, literal(False))
