"""CW-RMED against its transcription, and holding against stepping.

Its optimum is not always unique (early, pairs often have equal counts), and any one will do. So one set of tests
compares paths on runs where it is, the other lets the transcription use our optima and checks that they are optimal.
"""

import numpy as np
import pytest

from duelbench.algorithms.cw_rmed import CwRmed
from duelbench.algorithms.ecw_rmed import EcwRmed
from duelbench.engine.simulate import simulate
from duelbench.kernels import copeland
from duelbench.kernels.copeland_program import WinnerProgram
from duelbench.preferences.generators import UniformRandom
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table
from duelbench.preferences.tables import TABLES
from tests.comparison import MATRICES, disagreement, kernel_path, kernel_regret, reference_regret, resolution, streams
from tests.reference import cw_rmed, ecw_rmed

INSTANCES = MATRICES | {
    "two": PreferenceMatrix([[0.5, 0.55], [0.45, 0.5]]),
    "tennis8": TABLES["tennis8"].matrix(),
    "random6": UniformRandom(arms=6, seed=6).draw(np.random.default_rng(6)),
}
ODD = {"alpha": 1.2, "beta": 0.05}


def first_difference(a, b):
    different = np.flatnonzero((a != b).any(axis=1))
    return len(a) if len(different) == 0 else int(different[0])


@pytest.mark.parametrize(
    ("instance", "seed", "horizon"),
    [
        ("six-rankers", 1, 500),
        ("mslr5-condorcet", 2, 500),
        ("mslr5-non-condorcet", 3, 500),
        ("cyclic4", 2, 500),
        ("two", 1, 300),
        ("tennis8", 1, 450),
    ],
)
def test_paths_are_those_of_the_transcription(instance, seed, horizon):
    matrix = INSTANCES[instance]
    environment, policy = streams(seed, 0)
    expected = cw_rmed.run(matrix.P, horizon, policy, environment)
    path = kernel_path(CwRmed(), matrix, horizon, seed)
    assert first_difference(path, expected) == horizon
    assert instance == "two" or first_difference(kernel_path(EcwRmed(), matrix, horizon, seed), expected) < horizon


@pytest.mark.parametrize("instance", INSTANCES)
def test_paths_given_our_optima_are_those_of_the_transcription(instance):
    matrix = INSTANCES[instance]
    horizon = 700 if matrix.arms < 10 else 900
    programs, solved = {}, 0

    def choose(e):
        nonlocal solved
        if len(e.winners) > 1:
            return ecw_rmed.cheapest(e)
        (i,) = e.winners
        tournament = copeland.no_results(e.K)
        for a in range(e.K):
            for b in range(a + 1, e.K):
                copeland.count_results(tournament, a, b, round(e.p[a][b] * e.n[a][b]), e.n[a][b])
        copeland.refresh(tournament)
        program = programs.setdefault(tournament.sign.tobytes(), WinnerProgram(tournament, i))
        first, second, q = program.optimum(tournament)
        pairs = list(zip(first.tolist(), second.tolist(), strict=True))
        x = np.zeros((e.K, e.K))
        for (a, b), q_ab in zip(pairs, q, strict=True):
            x[a, b] = x[b, a] = q_ab * e.kl(a, b)
        assert ecw_rmed.smallest_sum(e, i, x.tolist()) > 1 - 1e-6
        if e.K < 7 and solved < 150:
            cost = sum(q_ab * e.r(*pair) for pair, q_ab in zip(pairs, q, strict=True))
            assert cost == pytest.approx(cw_rmed.optimum(e, i)[0], rel=1e-6)
        solved += 1
        return i, list(zip(pairs, q, strict=True))

    for seed, parameters in ((1, {"alpha": 3.0, "beta": 0.01}), (2, ODD)):
        environment, _ = streams(seed, 0)
        steps = ecw_rmed.rounds(matrix.P, environment, **parameters, choose=choose)
        expected = np.array(list(ecw_rmed.islice(steps, horizon)))
        path = kernel_path(CwRmed(**parameters), matrix, horizon, seed)
        assert first_difference(path, expected) == horizon
        programs.clear()
    assert solved > 10


@pytest.mark.parametrize("instance", ["six-rankers", "mslr5-condorcet", "mslr5-non-condorcet", "cyclic4", "two"])
def test_holding_is_stepping(instance):
    matrix = INSTANCES[instance]
    tables = regret_table(matrix, "copeland")[None]
    checkpoints = np.unique(np.geomspace(1, 8000, 30).astype(int))
    courses = [
        simulate(CwRmed(), matrix.P, tables, checkpoints, *streams(4, 0), stepping=stepping)
        for stepping in (False, True)
    ]
    assert np.array_equal(courses[0].regret, courses[1].regret)
    assert np.array_equal(courses[0].duels, courses[1].duels)


def test_regret_is_distributed_as_the_transcription_s():
    matrix, checkpoints = MATRICES["cyclic4"], [50, 160]
    expected = reference_regret(cw_rmed, matrix, checkpoints, 60, 7)
    found = kernel_regret(CwRmed(), matrix, checkpoints, 300, 7)
    assert disagreement(found, expected) > 1e-3
    assert resolution(found, expected) < 0.12
    assert disagreement(kernel_regret(CwRmed(alpha=3.6), matrix, checkpoints, 300, 8), expected) < 1e-3
