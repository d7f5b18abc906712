"""The line of those who wait: a circle of K − 2 places, written beside a list."""

import numpy as np
import pytest

from duelbench.algorithms.winner_stays.race import outcome
from duelbench.algorithms.winner_stays.waiting import incumbent, next_race, no_line, race_on
from duelbench.literal.random_order import shuffled


@pytest.mark.parametrize("K", [2, 3, 7])
def test_the_loser_goes_to_the_end_and_the_head_comes_next(K):
    line = no_line(K)
    assert incumbent(line) is None
    first, second, *waiting = shuffled(range(K), np.random.default_rng(1))
    rng, luck = np.random.default_rng(1), np.random.default_rng(2)
    for _ in range(50):
        assert race_on(line, 10, rng) == (first, second, 1)
        assert incumbent(line) == first
        stayed = bool(luck.random() < 0.5)
        assert outcome(line.race, int(stayed), 1) == (1 if stayed else -1)
        next_race(line, stayed, 1)
        waiting.append(second if stayed else first)
        first, second = first if stayed else second, waiting.pop(0)
    assert sorted(line.order) == list(range(K))
