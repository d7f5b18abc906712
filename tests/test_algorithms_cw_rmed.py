"""CW-RMED against its transcription, and holding against stepping; its optimum: test_kernels_copeland_program.py.

Some of the paths meet programs with several optima: those with a comment differ where their ties are broken otherwise.
"""

import numpy as np
import pytest

from duelbench.algorithms.divergence.cw_rmed import CwRmed
from duelbench.algorithms.divergence.ecw_rmed import EcwRmed
from duelbench.algorithms.divergence.program import no_program, solve
from duelbench.engine.simulate import simulate
from duelbench.literal import cw_rmed, ecw_rmed
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table
from duelbench.sources.generators import UniformRandom
from duelbench.sources.tables import TABLES
from tests.comparison import MATRICES, disagreement, kernel_path, kernel_regret, reference_regret, resolution, streams
from tests.test_kernels_copeland_program import tournament_of

INSTANCES = MATRICES | {
    "two": PreferenceMatrix([[0.5, 0.55], [0.45, 0.5]]),
    "tennis8": TABLES["tennis8"].matrix(),
    "hudry13": TABLES["hudry13"].matrix(),
    "random16": UniformRandom(arms=16, seed=16).draw(np.random.default_rng(16)),
}
USUAL, ODD = {"alpha": 3.0, "beta": 0.01}, {"alpha": 1.2, "beta": 0.05}


@pytest.mark.parametrize(
    ("instance", "seed", "parameters"),
    [
        ("six-rankers", 1, ODD),  # differs at 302
        ("six-rankers", 3, USUAL),  # differs at 249
        ("mslr5-condorcet", 2, USUAL),
        ("mslr5-non-condorcet", 1, ODD),  # differs at 329
        ("mslr5-non-condorcet", 2, USUAL),  # differs at 100
        ("cyclic4", 2, ODD),
        ("two", 1, USUAL),
        ("tennis8", 2, USUAL),  # differs at 237
    ],
)
def test_paths_are_those_of_the_transcription(instance, seed, parameters):
    matrix, horizon = INSTANCES[instance], 500
    environment, policy = streams(seed, 0)
    expected = cw_rmed.run(matrix.P, horizon, policy, environment, **parameters)
    assert np.array_equal(kernel_path(CwRmed(**parameters), matrix, horizon, seed), expected)
    assert instance == "two" or not np.array_equal(kernel_path(EcwRmed(**parameters), matrix, horizon, seed), expected)


@pytest.mark.parametrize("instance", ["random10", "hudry13", "random16"])
def test_paths_given_our_optima_are_those_of_the_transcription(instance):
    """Where all constraints are too many to be written down."""
    matrix, solved = INSTANCES[instance], 0

    def choose(e):
        nonlocal solved
        if len(e.winners) > 1:
            return ecw_rmed.cheapest(e)
        (i,) = e.winners
        tournament = tournament_of(np.array(e.p))
        program = no_program(e.K)
        solve(program, tournament, i)
        solved += 1
        return i, [((a, b), program.q[a, b]) for a in range(e.K) for b in range(a + 1, e.K)]

    for seed, parameters in ((1, USUAL), (2, ODD)):
        environment, _ = streams(seed, 0)
        steps = ecw_rmed.rounds(matrix.P, environment, **parameters, choose=choose)
        expected = np.array(list(ecw_rmed.islice(steps, 1000)))
        assert np.array_equal(kernel_path(CwRmed(**parameters), matrix, 1000, seed), expected)
    assert solved > 100


@pytest.mark.parametrize("instance", INSTANCES)
def test_holding_is_stepping(instance):
    matrix = INSTANCES[instance]
    tables = regret_table(matrix, "copeland")[None]
    checkpoints = np.unique(np.geomspace(1, 300_000, 30).astype(int))
    courses = [
        simulate(CwRmed(), matrix.P, tables, checkpoints, *streams(4, 0), stepping=stepping)
        for stepping in (False, True)
    ]
    assert np.array_equal(courses[0].regret, courses[1].regret)
    assert np.array_equal(courses[0].duels, courses[1].duels)


@pytest.mark.parametrize("instance", ["six-rankers", "mslr5-condorcet", "mslr5-non-condorcet", "cyclic4"])
def test_a_long_horizon_costs_few_duels_more(instance):
    matrix = INSTANCES[instance]
    tables = regret_table(matrix, "copeland")[None]
    informative = [
        np.mean([simulate(CwRmed(), matrix.P, tables, np.array([T]), *streams(5, r)).informative for r in range(5)])
        for T in (10**6, 10**8)
    ]
    assert informative[1] < 2 * informative[0]


def test_regret_is_distributed_as_the_transcription_s():
    matrix, checkpoints = MATRICES["cyclic4"], [50, 160]
    expected = reference_regret(cw_rmed, matrix, checkpoints, 60, 7)
    found = kernel_regret(CwRmed(), matrix, checkpoints, 300, 7)
    assert disagreement(found, expected) > 1e-3
    assert resolution(found, expected) < 0.12
    assert disagreement(kernel_regret(CwRmed(alpha=3.6), matrix, checkpoints, 300, 8), expected) < 1e-3
