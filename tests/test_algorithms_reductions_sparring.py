"""Sparring: what the two sides hear. Its literal paths are in test_algorithms_reductions."""

import numpy as np

from duelbench.algorithms.reductions.sparring import Sparring
from duelbench.conformance.rounds import streams
from tests.comparison import MATRICES


def test_one_side_wins_what_the_other_loses():
    P = MATRICES["six-rankers"].P
    environment, policy = streams(3, 0)
    state, plays, self_duels = Sparring().start(6, 500), np.zeros((2, 6), int), 0
    for t in range(1, 501):
        first, second, _ = Sparring.select(state, t, t, policy)
        plays[0, first] += 1
        plays[1, second] += 1
        self_duels += first == second
        Sparring.update(state, first, second, int(first != second and environment.random() < P[first, second]), 1)
    assert np.array_equal(state.bandits.plays, plays)
    assert state.bandits.won.sum() == 500  # one reward in every round, for the coin of a self-duel, too
    assert 0 < self_duels < 500
