"""Algorithms that learn from foreign duels, and failures of others. The list of checks has the rest."""

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.conformance import off_policy
from duelbench.conformance.case import CheckFailed
from duelbench.conformance.instances import USUAL
from duelbench.conformance.rounds import streams
from duelbench.engine.copies import copied

CLAIMING = {
    "arena-pairs", "asap", "ccb", "crowd-bt", "cw-rmed", "d-ts", "d-ts+", "doubt", "ecw-rmed", "gap-variance",
    "hybrid-mst", "rcs", "rmed1", "rmed2", "rmed2fh", "rucb", "self-sparring", "swiss", "uniform",
}  # fmt: skip

ORDER = {(0, 1), (0, 2), (1, 2)}
CYCLE = {(0, 1), (1, 2), (2, 0)}


def rngs():
    return streams(4, 0)


def test_off_policy_algorithms():
    assert {name for name, kind in catalogue().items() if kind.learns_off_policy} == CLAIMING


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("name", ["sparring", "doubler", "multisbm", "scb"])
def test_others_fail(name):
    with pytest.raises((CheckFailed, IndexError)):
        off_policy.takes_them_in_any_order(catalogue()[name](), USUAL["six-rankers"], 600, rngs)
        off_policy.follows_them(catalogue()[name](), 5, 600, rngs)


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize(
    ("name", "field", "beats"),
    [
        ("d-ts", "due", ORDER),
        ("d-ts", "pending", CYCLE),
        ("d-ts+", "due", ORDER),
        ("rcs", "due", ORDER),
        ("ccb", "pending", CYCLE),
    ],
)
def test_foreign_duel_ends_a_hold(name, field, beats):
    """Nothing is left of a drawn hold: neither its end nor the rounds of other arms in it."""
    algorithm = catalogue()[name]()
    state, rng = algorithm.start(3, 1), np.random.default_rng(1)
    t, seen = 1, 0
    while t < 10**6:
        first, second, count = algorithm.select(state, t, t + 1_000_000, rng)
        if held(state, field):
            seen += 1
            other = copied(state)
            algorithm.update(other, 1, 2, 1, 1)
            assert not held(other, field)
        algorithm.update(state, first, second, count if (first, second) in beats else 0, count)
        t += count
    assert seen > 0


def held(state, field):
    """Tell whether a part of a hold is still pending."""
    state = getattr(state, "dts", state)
    if field == "pending":
        return state.pending.any()
    return (state.status if hasattr(state, "status") else state.hold)[0].due
