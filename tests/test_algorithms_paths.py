"""Uniform and BTM: the very path of the literal transcriptions."""

import numpy as np
import pytest

from duelbench.algorithms.elimination.btm import Btm
from duelbench.algorithms.uniform import Uniform
from duelbench.literal import btm, uniform
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.tables import TABLES
from tests.comparison import MATRICES, kernel_path, streams

TIED = np.full((5, 5), 0.5)
TIED[0, 1:], TIED[1:, 0] = 0.7, 0.3
ALL = MATRICES | {
    "two arms": PreferenceMatrix([[0.5, 0.3], [0.7, 0.5]]),
    "one winner, the rest tied": PreferenceMatrix(TIED),
    "no difference": PreferenceMatrix(np.full((3, 3), 0.5)),
    "certain": PreferenceMatrix([[0.5, 1, 1, 0], [0, 0.5, 1, 1], [0, 0, 0.5, 1], [1, 0, 0, 0.5]]),
    "certain order": PreferenceMatrix(np.triu(np.ones((4, 4)), 1) + np.eye(4) / 2),
    "tennis8": TABLES["tennis8"].matrix(),
}
VARIANTS = {
    "uniform": (Uniform, uniform, {}),
    "round-robin": (Uniform, uniform, {"variant": "round-robin"}),
    "btm": (Btm, btm, {}),
    "btm, scale 1, gamma 1": (Btm, btm, {"confidence_scale": 1.0, "gamma": 1.0}),
    "btm, eager": (Btm, btm, {"confidence_scale": 0.3, "gamma": 1.0}),
    "btm, rash": (Btm, btm, {"confidence_scale": 0.01, "gamma": 1.0}),
}


def literal_path(module, P, horizon, seed, parameters):
    environment, policy = streams(seed, 0)
    return module.run(P, horizon, policy, environment, **parameters)


def same_path(variant, matrix, horizon, seed, **mistakes):
    algorithm, module, parameters = VARIANTS[variant]
    ours = kernel_path(algorithm(**parameters | mistakes), ALL[matrix], horizon, seed)
    return np.array_equal(ours, literal_path(module, ALL[matrix].P, horizon, seed, parameters))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("matrix", ALL)
def test_the_path_is_the_literal_one(variant, matrix):
    assert same_path(variant, matrix, 1000 if matrix == "random10" else 3000, seed=1)
    for seed in range(2, 6):
        assert same_path(variant, matrix, 250, seed)


@pytest.mark.parametrize("horizon", [1, 2, 7])
def test_short_horizons_have_the_literal_path(horizon):
    for variant in VARIANTS:
        for matrix in ("six-rankers", "two arms", "certain"):
            assert same_path(variant, matrix, horizon, seed=9)


@pytest.mark.parametrize(
    ("variant", "mistake"),
    [
        ("btm, eager", {"confidence_scale": 0.36}),
        ("btm, eager", {"gamma": 1.1}),
    ],
)
def test_a_small_mistake_leaves_the_path(variant, mistake):
    assert not any(same_path(variant, "cyclic4", 3000, seed, **mistake) for seed in range(3))
