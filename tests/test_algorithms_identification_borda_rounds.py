"""Rounds against one random opponent: who meets whom, and who is dropped and recommended."""

import numpy as np

from duelbench.algorithms.identification.borda_elimination import BordaElimination
from duelbench.algorithms.identification.borda_rounds import finish_round
from duelbench.algorithms.identification.secs import Secs
from duelbench.conformance.instances import order
from duelbench.conformance.paths import engine_course


def test_a_round_has_one_opponent_of_all_arms_and_all_that_are_left_but_it():
    arms, _ = engine_course(BordaElimination(), order(5, 0.52), 2000, seed=1)
    opponents, t = [], 0
    while t < 1990:
        opponent = arms[t, 1]
        met = arms[t : t + 4]
        assert np.all(met[:, 1] == opponent)
        assert {*met[:, 0], opponent} == set(range(5))
        opponents.append(opponent)
        t += 4
    assert np.bincount(opponents).min() > 60


def test_dropped_arms_are_opponents_still():
    arms, (winner, rounds) = engine_course(BordaElimination(delta=0.9), order(4, 0.95), 4000, seed=1)
    assert winner == 0
    assert set(arms[rounds - 30 : rounds, 1]) == {0, 1, 2, 3}
    assert len(set(arms[rounds - 30 : rounds, 0])) == 2


def test_if_all_arms_would_go_the_best_score_stays():
    algorithm = Secs(constant=1e-9)
    state = algorithm.start(3, 100)
    state.cursor[0].rounds = 1000
    state.won[:] = [500, 510, 505]  # in a circle by what is known of their duels
    state.against[:] = [[0, 500, 0], [0, 0, 510], [505, 0, 0]]
    finish_round(state)
    assert (state.cursor[0].left, state.remaining[0]) == (1, 1)


def test_the_best_score_of_those_left_is_recommended():
    for algorithm in (BordaElimination(), Secs()):
        state = algorithm.start(4, 100)
        state.won[:] = [5, 9, 7, 12]
        assert algorithm.recommendation(state) == 3
        state.cursor[0].left = 3
        assert algorithm.recommendation(state) == 1
