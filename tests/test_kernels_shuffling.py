"""Random orders of the arms: every order equally often, and nothing beyond the part that is asked for."""

from collections import Counter

import numpy as np

from duelbench.kernels.shuffling import shuffle
from duelbench.literal.random_order import shuffled


def test_every_order_is_as_likely():
    rng, seen = np.random.default_rng(1), Counter()
    for _ in range(12_000):
        order = np.array([0, 1, 2, 7])
        shuffle(order, 3, rng)
        assert order[3] == 7
        seen[tuple(order[:3])] += 1
    assert len(seen) == 6
    assert all(abs(count - 2000) < 5 * np.sqrt(2000 * 5 / 6) for count in seen.values())


def test_the_order_is_the_literal_one():
    for seed in range(20):
        order = np.arange(9)
        shuffle(order, 9, np.random.default_rng(seed))
        assert order.tolist() == shuffled(range(9), np.random.default_rng(seed))
