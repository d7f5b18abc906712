"""Algorithms that learn an order, or the best arm in the same way: what their rows in catalogue.py do not test."""

import numpy as np
import pytest

from duelbench.algorithms.ranking.mallows import MallowsMpi
from duelbench.algorithms.ranking.plackett_luce import (
    PlPac,
    PlpacAmpr,
    count_orders,
    good_arm,
    is_good,
    leading_arm,
    quicksort,
)
from duelbench.conformance.case import order
from duelbench.engine.play import Problem
from duelbench.engine.rollout import LiveRun, Streams
from duelbench.experiment.answers import answers
from tests.playing import Shares

pytestmark = pytest.mark.usefixtures("interpreted")


def test_mallows_mpi_recommends_the_champion():
    algorithm, champions = MallowsMpi(), []
    assert algorithm.recommendation(algorithm.start(4, 200)) is None
    rngs = Streams(Shares(), np.random.default_rng(1))
    look = lambda run, answer: champions.append(algorithm.recommendation(run.state))  # noqa: E731
    blocks = answers(algorithm, order(4, 1.0).P, 200, rngs, look=look)
    assert champions[:-1] == [block.first for block in blocks[1:]]
    assert len(set(champions)) > 1 and champions[-1] == 0


class Cut(PlpacAmpr):
    """A single quicksort with a budget of six duels."""

    def explore(world, state, rng):
        quicksort(world, state, 0, world.arms, 6, rng)
        count_orders(state, state.line, 0, world.arms)
        return state.line


def test_plpac_ampr_where_the_budget_ends():
    """Arms that the budget cannot partition share a class; pairs within a class do not count."""
    problem = Problem(order(6, 1.0).P, np.zeros((1, 6, 6)))
    run = LiveRun(Cut(), problem, np.array([100]), Streams(Shares(), Shares()))
    run.play()
    counted = np.triu(np.ones((6, 6), int), 1)
    counted[:3, :3] = 0  # the winners of the first pivot, arm 3; then its two losers are sorted
    assert np.triu(run.ledger.duels, 1).sum() + np.tril(run.ledger.duels, -1).sum() == 6
    assert run.state.won.tolist() == counted.tolist()
    assert run.state.met.tolist() == (counted + counted.T).tolist()


def test_pl_pac_recommends_the_best_of_those_left():
    """The recommended arm beats most others, even if another arm has more wins."""
    state = PlPac().start(4, 100)
    state.order[:] = [1, 2, 3, 0]
    for i, j, wins in ((0, 1, 2), (0, 2, 2), (0, 3, 2), (1, 2, 2), (1, 3, 2), (3, 2, 29)):
        state.met[i, j] = state.met[j, i] = wins + 1
        state.won[i, j], state.won[j, i] = wins, 1
    assert [leading_arm(state, left) for left in (4, 3)] == [0, 1]


def test_pl_pac_declares_the_arm_with_most_wins():
    """If several arms are good enough at once, as in about one run in a thousand, most wins decide."""
    state = PlPac(epsilon=0.3).start(3, 100)
    for i, j, wins in ((0, 1, 490), (0, 2, 480), (1, 2, 495)):
        state.met[i, j] = state.met[j, i] = 1000
        state.won[i, j], state.won[j, i] = wins, 1000 - wins
    assert [is_good(state, i, 3) for i in range(3)] == [True] * 3
    assert good_arm(state, 3) == 2
