"""Who enters compiled code from Python leaves no reference and no memory behind, in every tier."""

import sys
from pathlib import Path

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.compiling.dispatcher import Kernel
from duelbench.compiling.jit import kernel
from duelbench.compiling.tiers import tier_of
from duelbench.conformance.instances import order
from duelbench.conformance.rounds import simulate
from duelbench.engine.streams import stream
from duelbench.sessions.session import Session

STATM = Path("/proc/self/statm")


def resident_kilobytes():
    return int(STATM.read_text().split()[1]) * 4 if STATM.exists() else 0


def count(*objects):
    return [sys.getrefcount(each) for each in objects]


def test_a_session_keeps_no_reference_and_no_memory():
    session = Session("uniform", arms=4, seed=3)
    player = session._player
    watched = (player._policy, player._policy.bit_generator, *player._state)

    def rounds(number):
        for _ in range(number):
            session.select()
            session.update(wins=1)

    rounds(1000)
    before, memory = count(*watched), resident_kilobytes()
    rounds(100_000)
    assert count(*watched) == before
    assert resident_kilobytes() - memory < 1500  # a block lost in each call makes 4700


def test_simulations_keep_no_generator():
    algorithm, matrix = catalogue()["uniform"](), order(3, 0.7)
    regrets, rounds = np.zeros((1, 3, 3)), np.array([2])

    def simulations(number):
        for run in range(number):
            streams = stream(1, run=run), stream(2, run=run)
            simulate(algorithm, matrix.P, regrets, rounds, *streams)
        return [*count(*streams, *(each.bit_generator for each in streams)), *count(matrix.P, regrets, rounds)]

    before = simulations(200)
    memory = resident_kilobytes()
    assert simulations(3000) == before
    assert resident_kilobytes() - memory < 3000  # the generators of all runs make 13000


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_kernel_that_raises_gives_references_back_as_well(number):
    def refuse(values, rng):
        if rng.random() < 2.0:
            raise ValueError("no")
        return values[0]

    tier = tier_of(number)
    refusing = Kernel(refuse, tier=lambda: tier, kept=False)
    values, rng = np.zeros(3), np.random.default_rng(1)
    counted = []
    for _ in range(50):
        with pytest.raises(ValueError, match="no"):
            refusing(values, rng)
        counted.append(count(values, rng, rng.bit_generator))
    assert counted[1:] == counted[:-1]


def test_arrays_stay_where_no_one_counts_them():
    """What the wrapper for Python would give back was never taken."""

    def whole(values):
        return values

    tier = tier_of(2)
    with pytest.raises(Exception, match="a kernel that Python calls returns numbers, not array"):
        Kernel(whole, tier=lambda: tier, kept=False)(np.zeros(3))


@kernel
def same(values):
    return values


@kernel
def total(values):
    total = 0.0
    for value in same(values):
        total += value
    return total


def test_kernels_may_hand_arrays_to_kernels():
    values = np.arange(5.0)
    before = count(values)
    assert [total(values) for _ in range(100)] == [10.0] * 100
    assert count(values) == before
