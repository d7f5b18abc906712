"""PCOMP, SCOMP, SCOMP2: their batches, and conclusions from a batch."""

import math

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.algorithms.elimination.batched import Pcomp, batch_sizes, eliminate, outgrown
from duelbench.conformance.reference import course
from duelbench.conformance.rounds import streams
from duelbench.experiment.answers import answers
from tests.catalogue import BATCHED
from tests.instances import INSTANCES
from tests.reference import pcomp
from tests.reference.pcomp import Batches

NAMES = ("pcomp", "scomp", "scomp2")
REFERENCE = {"pcomp": pcomp.algorithm_1, "scomp": pcomp.algorithm_2, "scomp2": pcomp.algorithm_3}


@pytest.mark.parametrize("parameters", ["delta", "kl, delta"])
def test_rows_reach_every_rare_line(parameters):
    seen = {name: set() for name in NAMES}
    for name in NAMES:
        row = BATCHED[f"{name}, {parameters}"]
        chosen = {"elimination": "hoeffding"} | row.parameters
        for instance, rounds, seed in row.each():
            environment, policy = streams(seed, 0)
            theirs = Batches(
                INSTANCES[instance].P, rounds, environment, chosen["batches"], chosen["elimination"], chosen["delta"]
            )
            course(REFERENCE[name](theirs, policy), rounds)
            seen[name] |= theirs.events
    assert seen["pcomp"] == {"all lost"}
    assert seen["scomp"] == {"no seeds", "seeds lost", "switch", "all lost"}
    assert seen["scomp2"] >= {"no seeds", "switch"}


@pytest.mark.parametrize(
    ("horizon", "batches"), [(1, 3), (1000, 3), (10**5, 16), (10**6, 6), (10**12, 12), (10**12, 1000), (7, 40)]
)
def test_batch_sizes(horizon, batches):
    for r, c in enumerate(map(int, batch_sizes(horizon, batches)), start=1):
        assert c**batches <= horizon**r < (c + 1) ** batches


@pytest.mark.parametrize(("name", "limit"), [("pcomp", 8), ("scomp", 9), ("scomp2", 17)])
def test_number_of_batches(name, limit):
    """PCOMP uses at most B batches, SCOMP B + 1 and SCOMP2 2B + 1; the largest number seen is at most 2 less."""
    most = 0
    for elimination in ("hoeffding", "kl"):
        algorithm = catalogue()[name](batches=8, elimination=elimination)
        for matrix in ("six-rankers", "no difference", "one winner, the rest tied", "two arms, close", "order of 9"):
            for seed in range(4):
                states = []
                rngs = streams(seed, 0)
                answers(algorithm, INSTANCES[matrix].P, 100_000, rngs, look=lambda run, _: states.append(run.state))  # noqa: B023
                most = max(most, int(states[-1].course[0].batches))
    assert limit - 2 <= most <= limit


# Conclusions from a batch, by hand


def state_of(wins, seeds=(), **parameters):
    """The state after a batch of 100 duels of every pair with these ``wins``, δ = 0.1."""
    arms = len(wins)
    state = Pcomp(batches=2, delta=0.1, **parameters).start(arms, 10_000)
    state.wins[:] = wins
    state.seeds[list(seeds)] = True
    return state


def by_divergence(won, duels):
    """``duels`` · kl(p̂, 1/2) of a pair in which one arm won ``won`` duels."""
    shares = np.array([won / duels, 1 - won / duels])
    return duels * (np.log(2) + (shares * np.log(shares)).sum())


def radius(count):
    return math.sqrt(math.log(10) / (2 * count))


@pytest.mark.parametrize("radii", [1, 3])
def test_elimination_by_radii(radii, interpreted):
    limit = 100 * (0.5 + radii * radius(100))
    for won, kept in ((math.floor(limit), True), (math.floor(limit) + 1, False)):
        state = state_of([[0, won, 50], [100 - won, 0, 50], [50, 50, 0]])
        eliminate(state, state.active, radii)
        assert state.active.tolist() == [True, kept, True]


@pytest.mark.parametrize("judges", ["active", "seeds"])
def test_elimination_by_divergence(judges, interpreted):
    threshold = math.log(10)
    won = next(won for won in range(51, 100) if by_divergence(won, 100) > threshold)
    for wins, kept in ((won - 1, True), (won, False)):
        for radii in (1, 3):
            state = state_of([[0, wins], [100 - wins, 0]], seeds=[0], elimination="kl")
            eliminate(state, getattr(state, judges), radii)
            assert state.active.tolist() == [True, kept]


@pytest.mark.parametrize("radii", [3, 5])
def test_switch_by_divergence(radii, interpreted):
    """Arm 2 eliminates the only seed, arm 0; the threshold of arm 1 is scaled by the square of the ratio of radii."""
    threshold = math.log(10)
    whole, part = (
        next(won for won in range(51, 100) if by_divergence(won, 100) > share * threshold)
        for share in (1, ((radii - 2) / radii) ** 2)
    )
    for first, second, switches, goes_on in (
        (part, whole, True, True),
        (part - 1, whole, True, False),
        (part, whole - 1, False, True),
    ):
        wins = np.array([[0, 100 - first, 100 - second], [first, 0, 50], [second, 50, 0]])
        state = state_of(wins, seeds=[0], elimination="kl")
        assert outgrown(state, state.seeds, radii) == switches
        assert state.active.tolist() == [not switches, goes_on, True]
