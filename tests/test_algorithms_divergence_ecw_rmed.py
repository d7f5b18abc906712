"""ECW-RMED: the path of its literal transcription, and the same path with holds."""

import numpy as np
import pytest

from duelbench.algorithms.divergence.ecw_rmed import EcwRmed
from duelbench.conformance.paths import engine_path, literal_path, plays
from duelbench.conformance.rounds import simulate, streams
from duelbench.literal import ecw_rmed
from duelbench.preferences.regret import regret_table
from duelbench.sources.generators import UniformRandom
from tests.paths import INSTANCES

MATRICES = {
    name: INSTANCES[name]
    for name in (
        *("six-rankers", "mslr5-condorcet", "mslr5-non-condorcet", "cyclic4", "random10"),
        *("two arms, close", "sushi16", "tennis8", "hudry13"),
    )
} | {"random7": UniformRandom(arms=7, seed=7).draw(np.random.default_rng(7))}
ODD = {"alpha": 1.2, "beta": 0.05}
WITHOUT_BETA = {"alpha": 2.0, "beta": 0.0}


@pytest.mark.parametrize("instance", MATRICES)
def test_the_path_is_the_literal_one(instance):
    matrix = MATRICES[instance]
    cases = [(1, {}), (2, ODD)]
    if instance in ("mslr5-non-condorcet", "cyclic4", "random7"):
        cases.append((3, WITHOUT_BETA))
    for seed, parameters in cases:
        # With α = 3 every pair takes nine duels or so before anything else happens.
        horizon = 1500 if matrix.arms < 10 else 800 if parameters else 9 * matrix.arms * (matrix.arms - 1) // 2 + 300
        path = literal_path(ecw_rmed.run, matrix, horizon, seed, **parameters)
        assert plays(EcwRmed(**parameters), matrix, path, seed)


def test_a_small_mistake_leaves_the_path(monkeypatch):
    matrix = MATRICES["cyclic4"]
    path = engine_path(EcwRmed(), matrix, 2000, 1)
    assert not np.array_equal(literal_path(ecw_rmed.run, matrix, 2000, 1, alpha=3.3), path)
    smallest_sum = ecw_rmed.smallest_sum
    monkeypatch.setattr(ecw_rmed, "smallest_sum", lambda e, i1, x: 1.2 * smallest_sum(e, i1, x))
    assert not np.array_equal(literal_path(ecw_rmed.run, matrix, 2000, 1), path)


@pytest.mark.parametrize("instance", ["cyclic4", "six-rankers", "mslr5-condorcet", "hudry13"])
def test_a_winner_is_found(instance):
    matrix = MATRICES[instance]
    tables = regret_table(matrix, "copeland")[None]
    course = simulate(EcwRmed(), matrix.P, tables, np.array([10**7, 10**8]), *streams(1, 0))
    assert course.informative < 50_000
    assert course.regret[0, 1] - course.regret[0, 0] < 0.3 * course.regret[0, 0]
    assert np.diag(course.duels).argmax() in matrix.copeland_winners()
