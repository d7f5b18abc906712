"""BTM: the winner of a long run, blocks and all. Its literal paths are in test_algorithms_elimination."""

from duelbench.algorithms.elimination.btm import Btm
from duelbench.sources.tables import TABLES
from tests.exploring import whole


def test_the_arm_that_is_left_is_declared():
    played = whole(Btm(gamma=1.0, confidence_scale=1.0), TABLES["arithmetic8"].matrix(), 1_000_000, seed=3)
    winner, rounds = played.declaration
    assert winner == 0
    assert played.duels[0, 0] >= 1_000_000 - rounds
    assert 1_000 < rounds < 1_000_000
