"""Preferences that change: which matrix holds when, and what is no such sequence."""

import pickle

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.preferences.changing import Changing, measures, pieces
from duelbench.preferences.matrix import PreferenceMatrix

ONE = [[0.5, 0.8, 0.7], [0.2, 0.5, 0.6], [0.3, 0.4, 0.5]]
TWO = [[0.5, 0.1, 0.7], [0.9, 0.5, 0.6], [0.3, 0.4, 0.5]]


def test_a_new_matrix_holds_from_its_first_round_on():
    found = Changing([(1, ONE), (5, TWO), (6, ONE)])
    assert [found.at(t).condorcet_winner() for t in (1, 4, 5, 6, 10**12)] == [0, 0, 1, 0, 0]
    assert found.arms == 3
    assert repr(found) == "Changing(arms=3, begins=[1, 5, 6])"


def test_all_pieces_are_relabelled_alike():
    found, order = Changing([(1, ONE), (5, TWO)]), [2, 0, 1]
    other = found.relabelled(order)
    assert other.begins == found.begins
    for one, two in zip(found.matrices, other.matrices, strict=True):
        assert np.array_equal(two.P, one.P[np.ix_(order, order)])


def test_the_digest_is_that_of_rounds_and_numbers():
    found = Changing([(1, ONE), (5, TWO)])
    assert found.digest() == Changing([(1, PreferenceMatrix(ONE, "elsewhere")), (5, TWO)]).digest()
    others = [[(1, ONE), (6, TWO)], [(1, TWO), (5, ONE)], [(1, ONE)], [(1, ONE), (5, TWO), (7, TWO)]]
    assert len({found.digest(), *(Changing(each).digest() for each in others)}) == 5
    assert pickle.loads(pickle.dumps(found)).digest() == found.digest()


def test_measures():
    found = measures(Changing([(1, ONE), (5, TWO), (6, TWO)]))
    assert (found["S_P"], found["S_CW"]) == (1, 1)
    assert found["V"] == found["V_CW"] == pytest.approx(0.7)


def test_a_single_matrix_is_a_single_piece():
    matrix = PreferenceMatrix(ONE)
    begins, matrices = pieces(matrix)
    assert (begins.tolist(), matrices) == ([1], (matrix,))
    begins, matrices = pieces(Changing([(1, matrix), (9, TWO)]))
    assert begins.tolist() == [1, 9]
    assert matrices[0] is matrix


@pytest.mark.parametrize(
    ("given", "key", "words"),
    [
        ([], (), "from round 1 on: there is none"),
        ([(2, ONE)], (0,), "from round 1 on, not from 2"),
        ([(1, ONE), (1, TWO)], (1,), "round 1 does not come after round 1"),
        ([(1, ONE), (9, TWO), (8, ONE)], (2,), "round 8 does not come after round 9"),
        ([(1, ONE), (2.5, TWO)], (1,), "not at 2.5"),
        ([(1, ONE), (9, [[0.5, 0.6], [0.4, 0.5]])], (1,), "3 arms at first and 2 from round 9 on"),
        ([(1, ONE), (9, [[0.5, 0.6], [0.5, 0.5]])], (1, 0, 1), "it must add up to 1"),
    ],
)
def test_what_is_no_such_sequence_is_refused(given, key, words):
    with pytest.raises(UserError, match=words) as raised:
        Changing(given)
    assert raised.value.key == key
