"""Uniform exploration: its literal paths. Its blocks are compared with stepping in test_holds_random."""

import numpy as np
import pytest

from duelbench.algorithms.uniform import Uniform
from duelbench.conformance.paths import engine_course
from duelbench.conformance.rounds import streams
from duelbench.literal import uniform
from tests.comparison import MATRICES
from tests.exploring import DECISIVE, OTHERS

ALL = MATRICES | OTHERS | DECISIVE


@pytest.mark.parametrize("variant", ["random", "round-robin"])
@pytest.mark.parametrize("matrix", ALL)
def test_the_path_is_the_literal_one(variant, matrix):
    P = ALL[matrix].P
    for horizon, seed in ((1, 9), (2, 9), (7, 9), (2000, 1), (250, 2)):
        environment, policy = streams(seed, 0)
        expected = uniform.run(P, horizon, policy, environment, variant=variant)
        assert np.array_equal(engine_course(Uniform(variant=variant), ALL[matrix], horizon, seed)[0], expected)


def test_another_arm_or_another_pair_is_another_path():
    """The variants differ, and so do seeds."""
    paths = [
        engine_course(Uniform(variant=v), ALL["cyclic4"], 50, seed)[0]
        for v in ("random", "round-robin")
        for seed in (0, 1)
    ]
    assert not np.array_equal(paths[0], paths[1])
    assert not np.array_equal(paths[0], paths[2])
    assert np.array_equal(paths[2], paths[3])
