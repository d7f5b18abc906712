"""MultiSBM: whose bandit chooses, and what it hears. Its literal paths are in test_algorithms_reductions."""

import numpy as np

from duelbench.algorithms.reductions.multisbm import MultiSbm
from duelbench.conformance.paths import engine_course
from tests.comparison import MATRICES


def test_the_second_arm_is_the_first_of_the_next_round():
    arms, _ = engine_course(MultiSbm(), MATRICES["six-rankers"], 400, 5)
    assert np.array_equal(arms[1:, 0], arms[:-1, 1])


def test_the_bandit_of_the_first_arm_is_rewarded_if_the_second_wins():
    state = MultiSbm().start(3, 100)
    MultiSbm.update(state, 0, 2, 1, 4)
    assert (state.bandits.plays[0, 2], state.bandits.won[0, 2]) == (4, 3)
    MultiSbm.update(state, 1, 1, 0, 1)  # heard when it was chosen
    assert state.bandits.plays.sum() == 4
