"""BtWR: its weak regret beside numbers computed elsewhere. Its literal paths are in test_algorithms_winner_stays."""

import pytest

from tests.winners import Stated, deviation, make

STATED = [
    Stated("mslr5-condorcet", 10_000, 2333, 15, 400),
    Stated("mslr5-condorcet", 1000, 268, 4, 400),
    Stated("mslr5-condorcet", 100_000, 22628, 69, 400),
    Stated("order of 50", 4000, 639, 25, 400),
    Stated("cyclic4", 1000, 186, 3, 400),
    Stated("cyclic4", 10_000, 1256, 25, 400),
    Stated("cyclic4", 100_000, 3471, 107, 400),
]


@pytest.mark.parametrize("stated", [STATED[0], *(pytest.param(each, marks=pytest.mark.slow) for each in STATED[1:])])
def test_regret_as_stated(stated):
    assert abs(deviation(make("btwr"), stated)) < 3


def test_another_algorithm_is_seen():
    assert abs(deviation(make("btw"), STATED[0]._replace(runs=100))) > 5
