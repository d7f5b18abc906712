"""A copy goes its own way."""

import numpy as np

from duelbench.conformance.rounds import contents
from duelbench.engine.copies import copied, generator_at


def test_states_of_any_kind_are_copied():
    class Own:
        def __init__(self):
            self.wins = [1, 2]

    one = (mine := Own(),)
    assert copied(mine).wins == [1, 2]
    assert copied(mine).wins is not mine.wins
    assert contents(one) == []


def test_a_stream_is_copied_where_it_is():
    one = np.random.default_rng(3)
    one.random(5)
    other = generator_at(one)
    assert other is not one
    assert [one.random(), one.random()] == [other.random(), other.random()]
