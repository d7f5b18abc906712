import hashlib
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from duelbench.errors import UserError
from duelbench.preferences.matrix import PreferenceMatrix

CYCLE = [[0.5, 0.6, 0.3], [0.4, 0.5, 0.8], [0.7, 0.2, 0.5]]
TIE = [[0.5, 0.7, 0.9, 0.5], [0.3, 0.5, 0.6, 0.9], [0.1, 0.4, 0.5, 0.8], [0.5, 0.1, 0.2, 0.5]]


def mirrored(upper):
    return np.triu(upper, 1) + np.tril(1 - upper.T, -1) + np.eye(len(upper)) / 2


matrices = (
    st.integers(2, 7)
    .flatmap(lambda k: arrays(np.float64, (k, k), elements=st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.52, 0.9, 1.0])))
    .map(mirrored)
)


def error_of(values):
    with pytest.raises(UserError) as caught:
        PreferenceMatrix(values, source="table.csv")
    assert caught.value.source == "table.csv"
    return caught.value


def changed(i, j, value):
    values = np.array(CYCLE)
    values[i, j] = value
    return values


@pytest.mark.parametrize(
    ("i", "j", "value", "says"),
    [
        (1, 2, 1.3, "row 2, column 3 (counted from 1) is 1.3: a probability lies between 0 and 1"),
        (2, 0, -0.1, "row 3, column 1 (counted from 1) is -0.1: a probability lies between 0 and 1"),
        (0, 1, np.nan, "row 1, column 2 (counted from 1) is nan: every entry must be a finite number"),
        (1, 0, -np.inf, "row 2, column 1 (counted from 1) is -inf: every entry must be a finite number"),
        (2, 2, 0.0, "row 3, column 3 (counted from 1) is 0.0: an arm against itself must be 0.5"),
    ],
)
def test_error_names_the_cell(i, j, value, says):
    error = error_of(changed(i, j, value))
    assert (error.message, error.key) == (says, (i, j))


def test_error_names_both_cells_that_do_not_match():
    error = error_of(changed(2, 1, 0.25))
    assert error.message == (
        "row 2, column 3 (counted from 1) is 0.8: with row 3, column 2, which is 0.25, it must add up to 1"
    )


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([[0.5, 0.6], [0.4]], "same number of columns"),
        ([["a", "b"], ["c", "d"]], "real numbers only"),
        (np.full((2, 2), 0.5 + 0j), "real numbers only"),
        (np.full((2, 3), 0.5), "this has 2 rows and 3 columns"),
        ([0.5, 0.5], "this has shape (2,)"),
        ([[0.5]], "at least two arms"),
    ],
)
def test_what_is_no_table_is_refused(values, says):
    assert says in error_of(values).message


def test_sum_may_be_off_by_rounding_only():
    assert PreferenceMatrix(changed(1, 0, 0.4 + 0.9e-6)).P[1, 0] == 0.4
    with pytest.raises(UserError, match="add up to 1"):
        PreferenceMatrix(changed(1, 0, 0.4 + 1.1e-6))


def test_upper_triangle_is_kept_and_lower_completes_it():
    P = PreferenceMatrix([[0.5000001, 0.1, 1 / 3], [0.9000005, 0.5, 0.5], [0.6666667, 0.4999996, 0.5]]).P
    assert P[0, 1] == 0.1 and P[1, 0] == 1 - 0.1
    assert P[0, 2] == 1 / 3 and P[2, 0] == 1 - 1 / 3
    assert P[1, 2] == P[2, 1] == 0.5
    assert np.array_equal(P.diagonal(), [0.5, 0.5, 0.5])


def test_a_tie_is_a_tie_from_both_sides():
    below = np.nextafter(0.5, 0)
    assert 1 - below == 0.5
    matrix = PreferenceMatrix([[0.5, below], [0.5, 0.5]])
    assert matrix.P[0, 1] == matrix.P[1, 0] == 0.5


@given(arrays(np.float64, (4, 4), elements=st.floats(0, 1)).map(mirrored))
def test_matrix_is_antisymmetric_in_floating_point(values):
    P = PreferenceMatrix(values).P
    assert np.all(P + P.T == 1)
    assert np.array_equal(P > 0.5, P.T < 0.5)
    assert np.array_equal(PreferenceMatrix(P).P, P)


def test_matrix_cannot_be_changed():
    values = np.array(CYCLE)
    matrix = PreferenceMatrix(values)
    values[0, 1] = 0.99
    assert matrix.P[0, 1] == 0.6
    with pytest.raises(ValueError, match="read-only"):
        matrix.P[0, 1] = 0.99
    with pytest.raises(AttributeError):
        matrix.P = values


def test_pickle_keeps_every_bit_and_stays_read_only():
    matrix = PreferenceMatrix(TIE, source="here").relabelled([3, 1, 0, 2])
    copy = pickle.loads(pickle.dumps(matrix))
    assert copy.digest() == matrix.digest() and copy.source == "here"
    assert not copy.P.flags.writeable
    assert copy != matrix


def test_scores_of_a_cycle():
    matrix = PreferenceMatrix(CYCLE)
    assert matrix.copeland_scores().tolist() == [0.5, 0.5, 0.5]
    assert matrix.copeland_winners().tolist() == [0, 1, 2]
    assert matrix.condorcet_winner() is None
    assert matrix.borda_scores() == pytest.approx([0.45, 0.6, 0.45])
    assert matrix.smallest_gap() == pytest.approx(0.1)


def test_a_tie_is_no_win():
    matrix = PreferenceMatrix(TIE)
    assert matrix.wins().tolist() == [2, 2, 1, 0]
    assert matrix.copeland_winners().tolist() == [0, 1]
    assert matrix.condorcet_winner() is None
    assert matrix.smallest_gap() == 0


def test_condorcet_winner_beats_everyone():
    assert PreferenceMatrix([[0.5, 0.4, 0.9], [0.6, 0.5, 0.51], [0.1, 0.49, 0.5]]).condorcet_winner() == 1


@given(matrices, st.randoms(use_true_random=False))
def test_numbers_do_not_depend_on_the_numbering(values, random):
    matrix = PreferenceMatrix(values)
    order = random.sample(range(matrix.arms), matrix.arms)
    renamed = matrix.relabelled(order)
    for i, j in itertools.product(range(matrix.arms), repeat=2):
        assert renamed.P[i, j] == matrix.P[order[i], order[j]]
    assert renamed.borda_scores().tolist() == matrix.borda_scores()[order].tolist()
    assert renamed.copeland_scores().tolist() == matrix.copeland_scores()[order].tolist()
    assert renamed.smallest_gap() == matrix.smallest_gap()
    assert renamed.relabelled(np.argsort(order)).digest() == matrix.digest()


@pytest.mark.parametrize("order", [[0, 1], [0, 0, 1], [1, 2, 3]])
def test_relabelling_needs_a_permutation(order):
    with pytest.raises(ValueError, match="permutation"):
        PreferenceMatrix(CYCLE).relabelled(order)


def test_submatrix_follows_the_given_order():
    part = PreferenceMatrix(TIE).submatrix([3, 0, 2])
    assert part.P.tolist() == [[0.5, 0.5, 1 - 0.8], [0.5, 0.5, 0.9], [0.8, 1 - 0.9, 0.5]]


@pytest.mark.parametrize(
    ("indices", "key", "says"),
    [
        ([0, 4], (1,), "there is no arm 4: the 4 arms are numbered from 0 to 3"),
        ([-1, 0], (0,), "there is no arm -1"),
        ([0, 1, 0], (2,), "arm 0 is listed twice"),
        ([2], (), "at least two arms"),
    ],
)
def test_submatrix_refuses_bad_arms(indices, key, says):
    with pytest.raises(UserError, match=says) as caught:
        PreferenceMatrix(TIE).submatrix(indices)
    assert caught.value.key == key


def test_digest_is_of_the_content():
    matrix = PreferenceMatrix([[0.5, 0.75], [0.25, 0.5]], source="a")
    content = b"(2, 2)" + np.array([0.5, 0.75, 0.25, 0.5], dtype="<f8").tobytes()
    assert matrix.digest() == hashlib.sha256(content).hexdigest()
    assert matrix.digest() == PreferenceMatrix(np.asfortranarray(matrix.P), source="b").digest()
    assert matrix.digest() != matrix.relabelled([1, 0]).digest()


NAMED = PreferenceMatrix([[0.5, 0.6, 0.7], [0.4, 0.5, 0.8], [0.3, 0.2, 0.5]], names=["a", "b c", "ü"])


def test_names_go_where_their_arms_go_and_change_no_digest():
    assert PreferenceMatrix(NAMED.P).names is None
    assert NAMED.digest() == PreferenceMatrix(NAMED.P).digest()
    assert NAMED.relabelled([2, 0, 1]).names == ("ü", "a", "b c")
    assert NAMED.submatrix([2, 1]).names == ("ü", "b c")
    assert PreferenceMatrix(NAMED.P).submatrix([2, 1]).names is None
    again = pickle.loads(pickle.dumps(NAMED))
    assert (again.names, again.digest(), again.source) == (NAMED.names, NAMED.digest(), NAMED.source)


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["a", "b"], "there are 2 names for 3 arms"),
        (["a", "b", "a"], "two arms are called 'a'"),
        (["a", "", "c"], "arm 1 is called ''"),
        (["a", "b", "c "], "arm 2 is called 'c '"),
        (["a", "b\nb", "c"], "one line of text"),
        (["a", "b", "\ud800"], "one line of text"),
    ],
)
def test_names_are_one_line_each_and_differ(names, says):
    with pytest.raises(UserError, match=says):
        PreferenceMatrix(NAMED.P, names=names)
