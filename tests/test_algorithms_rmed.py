"""RMED2 and RMED2FH against their transcription, and holding against stepping."""

import numpy as np
import pytest

from duelbench.algorithms.divergence.rmed1 import Rmed2, Rmed2Fh
from duelbench.engine.simulate import simulate
from duelbench.kernels.thresholds import NEVER, first_round_beyond_log_log
from duelbench.literal import rmed2
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table
from duelbench.sources.tables import TABLES
from tests.comparison import MATRICES, disagreement, kernel_path, kernel_regret, reference_regret, resolution, streams

INSTANCES = MATRICES | {
    "two": PreferenceMatrix([[0.5, 0.55], [0.45, 0.5]]),
    "sushi16": TABLES["sushi16"].matrix(),
    "tennis8": TABLES["tennis8"].matrix(),
}
KINDS = {"rmed2": (Rmed2, False), "rmed2fh": (Rmed2Fh, True)}
ODD = {"alpha": 1.3, "f_scale": 0.7, "f_power": 0.9}


def reference_path(matrix, horizon, seed, **parameters):
    environment, policy = streams(seed, 0)
    return rmed2.run(matrix.P, horizon, policy, environment, **parameters)


def first_difference(a, b):
    different = np.flatnonzero((a != b).any(axis=1))
    return len(a) if len(different) == 0 else int(different[0])


@pytest.mark.parametrize("instance", INSTANCES)
@pytest.mark.parametrize("name", KINDS)
def test_paths_are_those_of_the_transcription(name, instance):
    kind, fixed = KINDS[name]
    matrix = INSTANCES[instance]
    horizon = 600 if matrix.arms > 10 else 1500
    for seed, parameters in ((1, {}), (2, {}), (3, ODD)):
        expected = reference_path(matrix, horizon, seed, fixed=fixed, **parameters)
        assert first_difference(kernel_path(kind(**parameters), matrix, horizon, seed), expected) == horizon


@pytest.mark.parametrize("name", KINDS)
def test_a_transcription_with_a_mistake_has_other_paths(name, monkeypatch):
    kind, fixed = KINDS[name]
    matrix = MATRICES["random10"]
    path = kernel_path(kind(), matrix, 1500, 1)
    assert first_difference(path, reference_path(matrix, 1500, 1, fixed=fixed, f_scale=0.36)) < 1500
    b_star = rmed2.b_star
    monkeypatch.setattr(rmed2, "b_star", lambda w, i: b_star([list(row) for row in zip(*w, strict=True)], i))
    assert first_difference(path, reference_path(matrix, 1500, 1, fixed=fixed)) < 1500


@pytest.mark.parametrize("instance", INSTANCES)
@pytest.mark.parametrize("name", KINDS)
def test_holding_is_stepping(name, instance):
    matrix = INSTANCES[instance]
    tables = regret_table(matrix, "copeland")[None]
    checkpoints = np.unique(np.geomspace(1, 100_000, 60).astype(int))
    courses = [
        simulate(KINDS[name][0](), matrix.P, tables, checkpoints, *streams(4, 0), stepping=stepping)
        for stepping in (False, True)
    ]
    assert np.array_equal(courses[0].regret, courses[1].regret)
    assert np.array_equal(courses[0].duels, courses[1].duels)


@pytest.mark.parametrize("name", KINDS)
def test_regret_is_distributed_as_the_transcription_s(name):
    kind, fixed = KINDS[name]
    matrix, checkpoints = MATRICES["six-rankers"], [120, 400]
    expected = reference_regret(rmed2, matrix, checkpoints, 150, 7, fixed=fixed)
    found = kernel_regret(kind(), matrix, checkpoints, 4000, 7)
    assert disagreement(found, expected) > 1e-3
    assert resolution(found, expected) < 0.1
    assert disagreement(kernel_regret(kind(alpha=3.6), matrix, checkpoints, 4000, 8), expected) < 1e-3


def test_every_pair_keeps_its_share():
    matrix = MATRICES["six-rankers"]
    tables = regret_table(matrix, "copeland")[None]
    course = simulate(Rmed2(), matrix.P, tables, np.array([10**8]), *streams(5, 0))
    duels = course.duels + course.duels.T
    assert (duels[~np.eye(6, dtype=bool)] >= 3 * np.log(np.log(1e8))).all()
    course = simulate(Rmed2Fh(), matrix.P, tables, np.array([9 * 15]), *streams(5, 0))
    passes = np.ceil(3 * np.log(np.log(9 * 15)))
    assert (np.triu(course.duels, 1)[np.triu_indices(6, 1)] >= passes).all()


@pytest.mark.parametrize("scale", [0.3, 3.0])
def test_first_round_beyond_log_log(scale):
    rounds = np.arange(3, 3000)
    growth = np.array([scale * np.log(np.log(t)) for t in rounds])
    for value in (0.1 * scale, 0.7 * scale, 1.0, 2.0, float(growth[100])):
        expected = rounds[growth > value][0] if (growth > value).any() else None
        found = first_round_beyond_log_log(value, scale)
        assert found == expected if expected else found >= 3000
    assert first_round_beyond_log_log(4.0 * scale, scale) == NEVER
