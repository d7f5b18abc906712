"""TRA-POCOWISTA: its duels and errors on total orders."""

import numpy as np

from duelbench.algorithms.identification.pocowista import Pocowista
from duelbench.algorithms.identification.tra_pocowista import TraPocowista
from tests.random_orders import count_drawn


def total_order(K, low, high):
    """Return a drawer of random orders with uniform probabilities."""

    def draw(rng):
        P = np.triu(rng.uniform(low, high, (K, K)), 1)
        P = P + np.tril(1 - P.T, -1) + np.eye(K) / 2
        arms = rng.permutation(K)
        return P[np.ix_(arms, arms)]

    return draw


def test_an_order_needs_fewer_duels_and_errs_seldom():
    plain, transitive = (count_drawn(kind(), total_order(10, 0.6, 1.0), 500) for kind in (Pocowista, TraPocowista))
    assert transitive.mean < 0.7 * plain.mean
    assert transitive.right > 0.95
    near = count_drawn(TraPocowista(delta=0.5), total_order(6, 0.6, 0.6), 500)
    assert 0.5 < near.right < 1
