"""BtW: its weak regret beside numbers computed elsewhere. Its literal paths are in test_algorithms_winner_stays."""

import pytest

from tests.winners import Stated, deviation, make

STATED = [
    Stated("cyclic4", 100_000, 246, 5, 600),
    Stated("cyclic4", 1000, 120, 2.5, 600),
    Stated("cyclic4", 10_000, 235, 5, 600),
    Stated("order of 50", 4000, 545, 16, 600),
    Stated("mslr5-condorcet", 1000, 261, 4, 600),
    Stated("mslr5-condorcet", 10_000, 1497, 25, 600),
    Stated("mslr5-condorcet", 100_000, 5417, 65, 600),
]


@pytest.mark.parametrize("stated", [STATED[0], *(pytest.param(each, marks=pytest.mark.slow) for each in STATED[1:])])
def test_regret_as_stated(stated):
    assert abs(deviation(make("btw"), stated)) < 3


def test_another_algorithm_is_seen():
    assert abs(deviation(make("btwr"), STATED[0]._replace(runs=100))) > 5
