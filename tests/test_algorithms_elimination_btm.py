"""BTM: the winner of a long run, blocks and all. Its literal paths are in test_algorithms_elimination."""

import numpy as np

from duelbench.algorithms.algorithm import parameters_of
from duelbench.algorithms.elimination.btm import Btm
from duelbench.conformance.instances import order
from duelbench.conformance.paths import engine_course
from duelbench.sources.tables import TABLES
from tests.exploring import whole


def test_the_arm_that_is_left_is_declared():
    played = whole(Btm(gamma=1.0, confidence_scale=1.0), TABLES["arithmetic8"].matrix(), 1_000_000, seed=3)
    winner, rounds = played.declaration
    assert winner == 0
    assert played.duels[0, 0] >= 1_000_000 - rounds
    assert 1_000 < rounds < 1_000_000


def test_the_variant_of_komiyama_duels_nobody_against_itself_and_prefers_the_lowest_index():
    algorithm = Btm(gamma=1.0, confidence_scale=0.5, variant="komiyama")
    arms, (winner, rounds) = engine_course(algorithm, order(4, 0.8), 3000, seed=1)
    assert arms[:4, 0].tolist() == [0, 1, 2, 3]
    assert np.all(arms[:rounds, 0] != arms[:rounds, 1])
    assert np.all(arms[rounds:] == winner)


def test_without_self_duels_arms_are_told_apart_sooner():
    """A coin in K duels moves the means of 6 arms towards 1/2 by a sixth, those of the last two by a half."""
    matrix = order(6, 0.8)
    paper, komiyama = (
        np.mean([whole(Btm(confidence_scale=1.0, variant=each), matrix, 100_000, k).declaration[1] for k in range(5)])
        for each in ("paper", "komiyama")
    )
    assert 0.25 * paper < komiyama < 0.6 * paper


def test_the_usual_variant_is_not_among_the_parameters_that_name_random_streams():
    assert parameters_of(Btm()) == {"gamma": 1.3, "confidence_scale": 3.0}
    assert parameters_of(Btm(variant="komiyama"))["variant"] == "komiyama"
    for algorithm in (Btm(), Btm(variant="komiyama")):
        assert type(algorithm)(**algorithm.model_dump()) == algorithm


def test_the_best_mean_of_those_still_in_is_recommended():
    state = Btm().start(4, 1000)
    state.total[:], state.won[:] = [10, 10, 5, 0], [6, 7, 5, 0]
    state.active[2] = False
    assert Btm().recommendation(state) == 1
    state.active[1] = False
    assert Btm().recommendation(state) == 0
