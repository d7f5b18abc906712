"""Algorithms that learn an order of the arms: what their rows in catalogue.py do not cover."""

import numpy as np
import pytest

from duelbench.algorithms.ranking.plpac_ampr import PlpacAmpr, count_orders, next_component, next_list, partition

pytestmark = pytest.mark.usefixtures("interpreted")


def test_plpac_ampr_where_the_budget_ends():
    """Arms of a list that the budget cannot partition are in one class, whose order does not count."""
    state, rng = PlpacAmpr().start(6, 100), np.random.default_rng(1)
    assert next_component(state)
    state.sorts[0].budget = 6
    assert next_list(state, rng)
    pivot, others = int(state.sorts[0].pivot), [arm for arm in range(6) if arm != state.sorts[0].pivot]
    state.ahead[others[:2]] = True
    partition(state)
    assert state.sorts[0].budget == 1
    assert next_list(state, rng)  # the two winners
    partition(state)
    assert not next_list(state, rng)
    count_orders(state, 0, 6)
    losers = others[2:]
    assert not state.met[np.ix_(losers, losers)].any()
    assert (state.won[pivot, losers] == 1).all()
    assert (state.won[np.ix_(others[:2], losers)] == 1).all()
    assert state.met[others[0], others[1]] == 1
