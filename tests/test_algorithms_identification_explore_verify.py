"""Explore-Verify: its path to the winner beside the literal one, a wrong candidate, and arms that are equal."""

import numpy as np
import pytest

from duelbench.algorithms.identification.explore_verify import ExploreVerify
from duelbench.conformance.instances import order
from duelbench.conformance.paths import engine_course
from duelbench.conformance.rounds import streams
from duelbench.literal import explore_verify
from duelbench.literal.exploration import course
from duelbench.preferences.matrix import PreferenceMatrix
from tests.exploring import TIED, same, whole

# Arm 0 beats all others, which beat each other in a circle.
CIRCLE = np.array([[0.5, 0.9, 0.95, 0.85], [0.1, 0.5, 1.0, 0.0], [0.05, 0.0, 0.5, 1.0], [0.15, 1.0, 0.0, 0.5]])


def literal_course(matrix, horizon, seed, **parameters):
    environment, policy = streams(seed, 0)
    return course(explore_verify.explore(matrix.P, horizon, policy, environment, **parameters), horizon)


@pytest.mark.parametrize("matrix", [order(3, 0.9), PreferenceMatrix(CIRCLE)], ids=["order", "circle"])
def test_the_path_is_the_literal_one_to_the_winner(matrix):
    for seed, delta in enumerate([0.05, 0.9]):
        ours = engine_course(ExploreVerify(delta=delta), matrix, 5000, seed)
        assert ours[1][0] == 0
        assert same(ours, literal_course(matrix, 5000, seed, delta=delta))
        assert not same(ours, literal_course(matrix, 5000, seed, delta=delta / 20))


@pytest.mark.parametrize("name", ["exploration", "verification"])
def test_an_interval_a_fifth_too_wide_leaves_the_path(name, monkeypatch):
    ours = engine_course(ExploreVerify(), order(3, 0.9), 5000, 0)
    interval, step = explore_verify.interval, getattr(explore_verify, name)

    def wide(*arguments):
        low, high = interval(*arguments)
        return low - 0.1 * (high - low), high + 0.1 * (high - low)

    def mistaken(*arguments):
        monkeypatch.setattr(explore_verify, "interval", wide)
        found = yield from step(*arguments)
        monkeypatch.setattr(explore_verify, "interval", interval)
        return found

    monkeypatch.setattr(explore_verify, name, mistaken)
    assert not same(ours, literal_course(order(3, 0.9), 5000, 0))


def test_a_wrong_candidate_is_found_out_and_all_begins_anew():
    algorithm, luck = ExploreVerify(), streams(1, 0)
    P = order(4, 0.8).P
    state = algorithm.start(4, 1)
    algorithm.select(state, 1, 1, luck.policy)
    state.beats[1] = True  # as if arm 1 had been seen to beat all others
    state.beats[1, 1] = False
    state.settled[:] = True
    state.met[:] = 10
    state.won[:] = np.round(10 * P)
    state.cursor[0].place = 100
    t = 1
    while state.cursor[0].stage == 1:
        first, second, count = algorithm.select(state, t, t, luck.policy)
        if state.cursor[0].stage == 1:
            assert algorithm.recommendation(state) == 1
            assert first != 1
        algorithm.update(state, first, second, int(luck.environment.random() < P[first, second]), count)
        t += 1
        assert t < 5000
    assert algorithm.declaration(state) is None
    assert not state.met.sum() - 2  # the first duel of the next exploration
    assert algorithm.recommendation(state) is None


def test_arms_that_are_equal_among_the_others_do_not_keep_it():
    for seed in range(3):
        assert whole(ExploreVerify(), PreferenceMatrix(TIED), 10**6, seed).declaration[0] == 0


def test_without_a_winner_it_goes_on():
    certain = np.array([[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]])
    played = whole(ExploreVerify(), PreferenceMatrix(certain), 5000, 1)
    assert played.declaration is None
    assert played.informative == 5000
