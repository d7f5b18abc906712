"""Open duels are answered in their order, however many there are."""

import pytest

from duelbench.algorithms.monitored.open_duels import ROOM, ask, no_open_duels, told


@pytest.mark.parametrize("late", [1, 7, ROOM])
def test_outcomes_find_what_they_were_asked_for(late):
    duels, open_ones = no_open_duels(), []
    for t in range(1, 2 * ROOM):
        ask(duels, t, 3 * t)
        open_ones.append((t, 3 * t))
        if len(open_ones) == late:
            assert told(duels) == open_ones.pop(0)


def test_of_too_many_the_oldest_are_forgotten():
    duels = no_open_duels()
    for t in range(1, ROOM + 6):
        ask(duels, t, t)
    assert [told(duels) for _ in range(7)] == [(0, 0)] * 5 + [(6, 6), (7, 7)]
