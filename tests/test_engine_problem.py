"""What the loop is played on: the regret of each piece against its own best."""

import numpy as np
import pytest

from duelbench.engine.play import Problem
from duelbench.engine.problem import problem_of, regret_of
from duelbench.errors import UserError
from duelbench.preferences.changing import Changing
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table
from tests.test_preferences_changing import ONE, TWO

KINDS = ("copeland", "weak")


def test_what_does_not_change_is_one_matrix():
    matrix = PreferenceMatrix(ONE)
    problem = problem_of(matrix, KINDS)
    assert problem.P is matrix.P
    assert problem.begins.tolist() == [1]
    assert np.array_equal(problem.regrets, [regret_table(matrix, kind) for kind in KINDS])


def test_each_piece_has_its_own_tables():
    found = Changing([(1, ONE), (5, TWO)])
    problem = problem_of(found, KINDS)
    assert (problem.arms, problem.P.shape, problem.regrets.shape) == (3, (6, 3), (2, 6, 3))
    assert not problem.P.flags.writeable
    for t, matrix in ((1, ONE), (4, ONE), (5, TWO), (99, TWO)):
        assert np.array_equal(problem.regrets_at(t)[1], regret_table(PreferenceMatrix(matrix), "weak"))
    duels = np.arange(9).reshape(3, 3)
    assert np.allclose(regret_of(problem, 7, duels), (problem.regrets[:, 3:] * duels).sum(axis=(1, 2)), rtol=1e-14)
    assert not np.allclose(regret_of(problem, 7, duels), regret_of(problem, 4, duels))


def test_self_duels_are_equal_only_if_they_are_in_every_piece():
    tied = [[0.5, 0.5, 0.7], [0.5, 0.5, 0.7], [0.3, 0.3, 0.5]]
    equal = problem_of(PreferenceMatrix(tied), KINDS[:1]).equal_self_duels()
    assert equal.tolist() == [[True, True, False], [True, True, False], [False, False, True]]
    both = problem_of(Changing([(1, tied), (9, ONE)]), KINDS[:1]).equal_self_duels()
    assert np.array_equal(both, np.eye(3, dtype=bool))


def test_a_piece_without_the_winner_that_regret_needs_is_refused():
    circle = [[0.5, 0.6, 0.4], [0.4, 0.5, 0.6], [0.6, 0.4, 0.5]]
    with pytest.raises(UserError, match="needs a Condorcet winner"):
        problem_of(Changing([(1, ONE), (5, circle)]), KINDS)


@pytest.mark.parametrize("begins", [[1], [2, 5], [1, 1], [5, 1]])
def test_pieces_begin_at_rounds_that_increase_from_1(begins):
    with pytest.raises(ValueError, match="increase from 1"):
        Problem.changing(begins, [np.eye(2)] * 2, [np.zeros((1, 2, 2))] * 2)
