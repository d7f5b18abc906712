"""What a batch says, by hand. On whole runs, against the transcription: test_algorithms_elimination_batched."""

import math

import numpy as np
import pytest

from duelbench.algorithms.elimination.batched_rules import (
    ALL_PAIRS,
    SEEDED,
    SEEDS,
    choose_candidate,
    compared,
    eliminate,
    outgrown,
)
from duelbench.algorithms.elimination.pcomp import Pcomp


def state_of(wins, phase=ALL_PAIRS, seeds=(), **parameters):
    """A batch of 100 duels of every pair, δ = 0.1, that ended with ``wins``."""
    arms = len(wins)
    state = Pcomp(batches=2, delta=0.1, **parameters).start(arms, 10_000)
    state.wins[:] = wins
    state.active[:] = True
    state.seeds[list(seeds)] = True
    state.progress[0].phase = phase
    return state


def by_divergence(won, duels):
    """``duels`` · kl(p̂, 1/2) of a pair of which one arm won ``won``."""
    shares = np.array([won / duels, 1 - won / duels])
    return duels * (np.log(2) + (shares * np.log(shares)).sum())


def radius(count):
    return math.sqrt(math.log(10) / (2 * count))


@pytest.mark.parametrize("radii", [1, 3])
def test_an_arm_is_dropped_that_lost_by_more_than_so_many_radii(radii):
    limit = 100 * (0.5 + radii * radius(100))
    for won, kept in ((math.floor(limit), True), (math.floor(limit) + 1, False)):
        state = state_of([[0, won, 50], [100 - won, 0, 50], [50, 50, 0]])
        eliminate(state, radii)
        assert state.active.tolist() == [True, kept, True]


@pytest.mark.parametrize("phase", [ALL_PAIRS, SEEDED])
def test_by_divergence_an_arm_is_dropped_beyond_the_threshold_whatever_the_radii(phase):
    threshold = math.log(10)
    won = next(won for won in range(51, 100) if by_divergence(won, 100) > threshold)
    for wins, kept in ((won - 1, True), (won, False)):
        for radii in (1, 3):
            state = state_of([[0, wins], [100 - wins, 0]], phase=phase, seeds=[0], elimination="kl")
            eliminate(state, radii)
            assert state.active.tolist() == [True, kept]


@pytest.mark.parametrize("radii", [3, 5])
def test_by_divergence_the_switch_asks_for_what_eliminates_and_fewer_radii_of_those_that_go_on(radii):
    """Arm 2 eliminates the only seed, arm 0; what arm 1 needs to go on is a square of the share of the radii."""
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
        state = state_of(wins, phase=SEEDED, seeds=[0], elimination="kl")
        assert outgrown(state, radii) == switches
        assert state.active.tolist() == [not switches, goes_on, True]


def test_a_batch_that_would_drop_all_keeps_the_one_with_most_wins():
    state = state_of([[0, 95, 8], [5, 0, 96], [92, 4, 0]])  # 103, 101, 96
    eliminate(state, 1)
    assert state.active.tolist() == [True, False, False]


def test_only_seeds_drop_others_and_pairs_need_one():
    state = state_of([[0, 50, 95], [50, 0, 50], [5, 50, 0]], phase=SEEDED, seeds=[1])
    assert [compared(state, i, j) for i, j in ((0, 1), (0, 2), (1, 2))] == [True, False, True]
    eliminate(state, 1)
    assert state.active.all()
    state.progress[0].phase = SEEDS
    assert not any(compared(state, 0, j) for j in (1, 2))


def test_pcomp_takes_over_when_an_arm_beats_all_seeds_or_none_is_left():
    wins = np.array([[0, 90, 90], [10, 0, 50], [10, 50, 0]])
    state = state_of(wins, phase=SEEDED, seeds=[1, 2])
    assert outgrown(state, 3)
    assert state.active.tolist() == [True, False, False]  # the seeds do not beat themselves
    assert not outgrown(state_of(wins, phase=SEEDED, seeds=[0, 1]), 3)
    alone = state_of(wins, phase=SEEDED)
    assert outgrown(alone, 3)
    assert alone.active.all()


def test_the_candidate_has_the_mildest_worst_defeat():
    rng = np.random.default_rng(1)
    for _ in range(50):
        wins = np.triu(rng.integers(0, 101, (6, 6)), 1)
        wins += np.tril(100 - wins.T, -1)
        seeds = sorted(rng.choice(6, 3, replace=False).tolist())
        state = state_of(wins, phase=SEEDS, seeds=seeds)
        choose_candidate(state)
        worst = {i: max(wins[j, i] for j in seeds if j != i) for i in seeds}
        assert state.progress[0].candidate == min(seeds, key=worst.__getitem__)
