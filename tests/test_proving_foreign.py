"""Algorithms that learn from any duel: all that say so do, and what does not is seen."""

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.proving import foreign
from duelbench.proving.claims import DisprovedError
from duelbench.proving.instances import USUAL
from duelbench.proving.rounds import streams

CLAIMING = {
    "ccb", "cw-rmed", "d-ts", "d-ts+", "ecw-rmed", "rcs", "rmed1", "rmed2", "rmed2fh", "rucb", "uniform",
}  # fmt: skip


def luck():
    return streams(4, 0)


def test_these_say_so():
    assert {name for name, kind in catalogue().items() if kind.learns_from_any_duel} == CLAIMING


@pytest.mark.parametrize("name", sorted(CLAIMING))
def test_only_the_counts_of_foreign_duels_matter(name):
    for matrix in ("six-rankers", "cyclic4", "two arms"):
        foreign.takes_them_in_any_order(catalogue()[name](), USUAL[matrix], 600, luck)


@pytest.mark.parametrize("name", sorted(CLAIMING))
def test_the_arm_that_wins_is_played(name):
    for arms in (2, 5):
        foreign.follows_them(catalogue()[name](), arms, 600, luck)


@pytest.mark.parametrize("name", ["sparring", "doubler", "btm", "multisbm", "scb"])
def test_of_others_it_is_not_true(name):
    with pytest.raises((DisprovedError, IndexError)):
        foreign.takes_them_in_any_order(catalogue()[name](), USUAL["six-rankers"], 600, luck)
        foreign.follows_them(catalogue()[name](), 5, 600, luck)


@pytest.mark.parametrize("name", ["d-ts", "d-ts+", "rcs", "ccb"])
def test_a_foreign_duel_ends_a_hold(name):
    """Of a hold that was drawn nothing is left: neither its end nor the rounds that other arms have of it."""
    algorithm, ended = catalogue()[name](), 0
    for seed in range(20):
        state, rng = algorithm.start(3, 1), np.random.default_rng(seed)
        for i, j, wins in ((0, 1, 12), (0, 2, 12), (1, 2, 6)):
            algorithm.update(state, i, j, wins, 12)
        t, count = 1, 0
        while t < 400 and count < 2:
            first, second, count = algorithm.select(state, t, t + 10_000, rng)
            algorithm.update(state, first, second, count if first < second else 0, count)
            t += count
        algorithm.update(state, 1, 2, 1, 1)
        dts = getattr(state, "dts", state)
        pending = getattr(dts, "pending", np.zeros(1))
        assert not pending.any()
        status = getattr(dts, "status", getattr(dts, "hold", None))
        assert status is None or not status[0].due
        ended += count > 1
    assert ended > 10
