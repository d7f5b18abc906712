"""Trace-the-Best: its literal path, its number of duels, its champion."""

import numpy as np
import pytest

from duelbench.algorithms.identification.trace_the_best import TraceTheBest
from duelbench.conformance.instances import order
from duelbench.conformance.paths import engine_course
from duelbench.conformance.rounds import streams
from duelbench.literal import trace_the_best
from tests.comparison import MATRICES
from tests.exploring import DECISIVE, OTHERS, literal_path, make, same, whole
from tests.mean_duels import count_duels

LABEL = "trace the best"


@pytest.mark.parametrize("name", [*MATRICES, *OTHERS, *DECISIVE])
def test_the_path_is_the_literal_one(name):
    matrix = (MATRICES | OTHERS | DECISIVE)[name]
    assert same(engine_course(make(LABEL), matrix, 4000, 2), literal_path(LABEL, matrix, 4000, 2))


def test_a_transcription_that_asks_for_more_leaves_the_path(monkeypatch):
    """More than ε/2 above 1/2 is what takes the champion's place: with 3 ε/2 another arm is left."""
    close = order(4, 0.75)
    ours = [engine_course(TraceTheBest(epsilon=0.2), close, 3000, seed) for seed in range(8)]

    def with_epsilon(asked, seed):
        environment, policy = streams(seed, 0)
        explore = trace_the_best.explore(close.P, 3000, policy, environment, epsilon=asked)
        return trace_the_best.course(explore, 3000)

    assert all(same(each, with_epsilon(0.2, seed)) for seed, each in enumerate(ours))
    right = trace_the_best.first_wins
    monkeypatch.setattr(trace_the_best, "first_wins", lambda *arguments: not right(*arguments))
    assert not any(same(each, with_epsilon(0.2, seed)) for seed, each in enumerate(ours))


def test_every_arm_but_one_has_its_duels():
    """⌈4/ε² ln(2K/δ)⌉ = 8478 duels each for K = 10, ε = 0.05 and δ = 0.1."""
    counted = count_duels(TraceTheBest(), "0.6 model", 20)
    assert (counted.mean, counted.error, counted.right) == (9 * 8478, 0.0, 1.0)
    assert count_duels(TraceTheBest(epsilon=0.06), "0.6 model", 2).mean == 9 * 5888


def test_one_better_by_half_of_epsilon_takes_the_place_of_the_champion():
    algorithm = TraceTheBest(epsilon=0.5, delta=0.9)  # 36 duels: a challenger must win more than 27 of them
    for wins, champion in ((27, "stays"), (28, "goes")):
        state, rng = algorithm.start(5, 1), np.random.default_rng(1)
        assert algorithm.recommendation(state) is None
        first, second, count = algorithm.select(state, 1, 1000, rng)
        assert (count, algorithm.recommendation(state)) == (39, second)
        algorithm.update(state, first, second, wins + 2, count)
        algorithm.select(state, 40, 1000, rng)
        assert algorithm.recommendation(state) == (second if champion == "stays" else first)


def test_the_champion_is_declared():
    played = whole(TraceTheBest(epsilon=0.2), order(4, 0.9), 10_000, seed=1)
    winner, rounds = played.declaration
    assert winner == 0
    assert rounds == played.informative == 3 * 439
    assert played.duels[0, 0] == 10_000 - rounds
