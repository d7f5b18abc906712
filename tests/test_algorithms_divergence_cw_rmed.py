"""CW-RMED: the path of its literal transcription, and the same path with holds.

Its optimum by itself: test_algorithms_divergence_program.py. Some of the paths meet programs with several optima: those
with a comment differ where their ties are broken otherwise.
"""

import numpy as np
import pytest

from duelbench.algorithms.divergence.cw_rmed import CwRmed
from duelbench.algorithms.divergence.ecw_rmed import EcwRmed
from duelbench.algorithms.divergence.program import no_program, solve
from duelbench.conformance.paths import engine_path, literal_path, plays
from duelbench.conformance.rounds import simulate, streams
from duelbench.literal import cw_rmed, ecw_rmed
from duelbench.preferences.regret import regret_table
from duelbench.sources.generators import UniformRandom
from tests.paths import INSTANCES
from tests.tournaments import tournament_of

MATRICES = {
    name: INSTANCES[name]
    for name in (
        *("six-rankers", "mslr5-condorcet", "mslr5-non-condorcet", "cyclic4", "random10"),
        *("two arms, close", "tennis8", "hudry13"),
    )
} | {"random16": UniformRandom(arms=16, seed=16).draw(np.random.default_rng(16))}
USUAL, ODD = {"alpha": 3.0, "beta": 0.01}, {"alpha": 1.2, "beta": 0.05}
WITHOUT_BETA = {"alpha": 1.2, "beta": 0.0}


@pytest.mark.parametrize(
    ("instance", "seed", "parameters"),
    [
        ("six-rankers", 1, ODD),  # differs at 302
        ("six-rankers", 3, USUAL),  # differs at 249
        ("mslr5-condorcet", 2, USUAL),
        ("mslr5-non-condorcet", 1, ODD),  # differs at 329
        ("mslr5-non-condorcet", 2, USUAL),  # differs at 100
        ("cyclic4", 2, ODD),
        ("two arms, close", 1, USUAL),
        ("tennis8", 2, USUAL),  # differs at 237
        ("six-rankers", 1, WITHOUT_BETA),
    ],
)
def test_the_path_is_the_literal_one(instance, seed, parameters):
    matrix, horizon = MATRICES[instance], 350
    path = literal_path(cw_rmed.run, matrix, horizon, seed, **parameters)
    assert plays(CwRmed(**parameters), matrix, path, seed)
    if instance != "two arms, close":
        assert not np.array_equal(engine_path(EcwRmed(**parameters), matrix, horizon, seed), path)


@pytest.mark.parametrize("alpha", [3.6, 3.1])
def test_a_small_mistake_leaves_the_path(alpha):
    path = literal_path(cw_rmed.run, MATRICES["cyclic4"], 160, 7, alpha=alpha)
    assert not np.array_equal(engine_path(CwRmed(), MATRICES["cyclic4"], 160, 7), path)


@pytest.mark.parametrize("instance", ["random10", "hudry13", "random16"])
def test_the_path_given_our_optima_is_the_literal_one(instance):
    """Where all constraints are too many to be written down."""
    matrix, solved = MATRICES[instance], 0

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
        path = np.array(list(ecw_rmed.islice(steps, 1000)))
        assert plays(CwRmed(**parameters), matrix, path, seed)
    assert solved > 100


@pytest.mark.parametrize("instance", ["six-rankers", "mslr5-condorcet", "mslr5-non-condorcet", "cyclic4"])
def test_a_long_horizon_costs_few_duels_more(instance):
    matrix = MATRICES[instance]
    tables = regret_table(matrix, "copeland")[None]
    informative = [
        np.mean([simulate(CwRmed(), matrix.P, tables, np.array([T]), *streams(5, r)).informative for r in range(5)])
        for T in (10**6, 10**8)
    ]
    assert informative[1] < 2 * informative[0]
