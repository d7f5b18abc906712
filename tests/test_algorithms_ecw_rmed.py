"""ECW-RMED against its transcription, holding against stepping, and the family compiled and interpreted."""

import json

import numpy as np
import pytest

from duelbench.algorithms.divergence.ecw_rmed import EcwRmed
from duelbench.engine.simulate import simulate
from duelbench.literal import ecw_rmed
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table
from duelbench.sources.generators import UniformRandom
from duelbench.sources.tables import TABLES
from tests.comparison import (
    MATRICES,
    disagreement,
    kernel_path,
    kernel_regret,
    output_of,
    reference_regret,
    resolution,
    streams,
)

INSTANCES = MATRICES | {
    "two": PreferenceMatrix([[0.5, 0.55], [0.45, 0.5]]),
    "sushi16": TABLES["sushi16"].matrix(),
    "tennis8": TABLES["tennis8"].matrix(),
    "hudry13": TABLES["hudry13"].matrix(),
    "random7": UniformRandom(arms=7, seed=7).draw(np.random.default_rng(7)),
}
ODD = {"alpha": 1.2, "beta": 0.05}


def first_difference(a, b):
    different = np.flatnonzero((a != b).any(axis=1))
    return len(a) if len(different) == 0 else int(different[0])


def reference_path(matrix, horizon, seed, **parameters):
    environment, policy = streams(seed, 0)
    return ecw_rmed.run(matrix.P, horizon, policy, environment, **parameters)


@pytest.mark.parametrize("instance", INSTANCES)
def test_paths_are_those_of_the_transcription(instance):
    matrix = INSTANCES[instance]
    horizon = 3000 if matrix.arms > 10 else 2000  # every pair takes at least nine duels
    for seed, parameters in ((1, {}), (2, ODD)):
        expected = reference_path(matrix, horizon, seed, **parameters)
        assert first_difference(kernel_path(EcwRmed(**parameters), matrix, horizon, seed), expected) == horizon


def test_a_transcription_with_a_mistake_has_other_paths(monkeypatch):
    matrix = INSTANCES["cyclic4"]
    path = kernel_path(EcwRmed(), matrix, 2000, 1)
    assert first_difference(path, reference_path(matrix, 2000, 1, alpha=3.3)) < 2000
    smallest_sum = ecw_rmed.smallest_sum
    monkeypatch.setattr(ecw_rmed, "smallest_sum", lambda e, i1, x: 1.2 * smallest_sum(e, i1, x))
    assert first_difference(path, reference_path(matrix, 2000, 1)) < 2000


@pytest.mark.parametrize("instance", INSTANCES)
def test_holding_is_stepping(instance):
    matrix = INSTANCES[instance]
    tables = regret_table(matrix, "copeland")[None]
    checkpoints = np.unique(np.geomspace(1, 200_000, 60).astype(int))
    courses = [
        simulate(EcwRmed(), matrix.P, tables, checkpoints, *streams(4, 0), stepping=stepping)
        for stepping in (False, True)
    ]
    assert np.array_equal(courses[0].regret, courses[1].regret)
    assert np.array_equal(courses[0].duels, courses[1].duels)


def test_regret_is_distributed_as_the_transcription_s():
    matrix, checkpoints = MATRICES["cyclic4"], [200, 500]
    expected = reference_regret(ecw_rmed, matrix, checkpoints, 150, 7)
    found = kernel_regret(EcwRmed(), matrix, checkpoints, 4000, 7)
    assert disagreement(found, expected) > 1e-3
    assert resolution(found, expected) < 0.1
    assert disagreement(kernel_regret(EcwRmed(alpha=3.6), matrix, checkpoints, 4000, 8), expected) < 1e-3


@pytest.mark.parametrize("instance", ["cyclic4", "six-rankers", "mslr5-condorcet", "hudry13"])
def test_a_winner_is_found(instance):
    matrix = INSTANCES[instance]
    tables = regret_table(matrix, "copeland")[None]
    course = simulate(EcwRmed(), matrix.P, tables, np.array([10**7, 10**8]), *streams(1, 0))
    assert course.informative < 50_000
    assert course.regret[0, 1] - course.regret[0, 0] < 0.3 * course.regret[0, 0]
    favourite = np.diag(course.duels).argmax()
    assert favourite in matrix.copeland_winners()


SCRIPT = """
import json, sys
import numpy as np
from duelbench.algorithms.divergence.cw_rmed import CwRmed
from duelbench.algorithms.divergence.ecw_rmed import EcwRmed
from duelbench.algorithms.divergence.rmed1 import Rmed2, Rmed2Fh
from duelbench.engine.simulate import simulate
from duelbench.preferences.regret import regret_table
from tests.comparison import MATRICES, streams

for algorithm in (EcwRmed(), CwRmed(), Rmed2(), Rmed2Fh()):
    for name in ("six-rankers", "mslr5-non-condorcet", "random10"):
        matrix = MATRICES[name]
        tables = regret_table(matrix, "copeland")[None]
        course = simulate(algorithm, matrix.P, tables, np.array([10, 900, 2500]), *streams(1, 0))
        print(json.dumps([course.regret.tolist(), course.duels.tolist()]))
"""


def test_compiled_is_interpreted():
    outputs = [
        [json.loads(line) for line in output_of(SCRIPT, interpreted=each).splitlines()] for each in (False, True)
    ]
    assert len(outputs[0]) == 12
    assert outputs[0] == outputs[1]
