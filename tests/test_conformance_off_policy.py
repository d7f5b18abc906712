"""Algorithms that learn from foreign duels, and failures of others. The list of checks has the rest."""

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.conformance import contract
from duelbench.conformance.case import USUAL, CheckFailed
from duelbench.conformance.rounds import streams
from duelbench.engine.streams import copied

ORDER = {(0, 1), (0, 2), (1, 2)}
CYCLE = {(0, 1), (1, 2), (2, 0)}


def rngs():
    return streams(4, 0)


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("name", ["sparring", "doubler", "multisbm", "scb"])
def test_others_fail(name):
    with pytest.raises((CheckFailed, IndexError)):
        contract.takes_foreign_duels_in_any_order(catalogue()[name](), USUAL["six-rankers"], 600, rngs)
        contract.follows_foreign_duels(catalogue()[name](), 5, 600, rngs)


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("name", ["d-ts", "d-ts+", "rcs"])
def test_foreign_duel_ends_a_hold(name):
    """After a foreign duel, the drawn end of a hold is forgotten."""
    algorithm = catalogue()[name]()
    state, rng = algorithm.start(3, 1), np.random.default_rng(1)
    t, seen = 1, 0
    while t < 10**6:
        first, second, count = algorithm.select(state, t, t + 1_000_000, rng)
        if is_due(state):
            seen += 1
            other = copied(state)
            algorithm.update(other, 1, 2, 1, 1)
            assert not is_due(other)
        algorithm.update(state, first, second, count if (first, second) in ORDER else 0, count)
        t += count
    assert seen > 0


def is_due(state):
    """Return whether the end of a hold is drawn."""
    state = getattr(state, "dts", state)
    return (state.status if hasattr(state, "status") else state.hold)[0].due
