import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import KINDS, needs_condorcet_winner, regret_table
from duelbench.sources.tables import TABLES

# Arm 1 beats everyone; arms 0 and 2 tie.
P = PreferenceMatrix([[0.5, 0.4, 0.5], [0.6, 0.5, 0.9], [0.5, 0.1, 0.5]], source="three arms")
CYCLE = PreferenceMatrix([[0.5, 0.6, 0.3], [0.4, 0.5, 0.8], [0.7, 0.2, 0.5]], source="cycle")

BY_HAND = {
    "copeland": [[1, 0.5, 1], [0.5, 0, 0.5], [1, 0.5, 1]],
    "condorcet": [[0.1, 0.05, 0.25], [0.05, 0, 0.2], [0.25, 0.2, 0.4]],
    "weak": [[0.1, 0, 0.1], [0, 0, 0], [0.1, 0, 0.4]],
    "strong": [[0.1, 0.1, 0.4], [0.1, 0, 0.4], [0.4, 0.4, 0.4]],
    "borda": [[0.3, 0.15, 0.375], [0.15, 0, 0.225], [0.375, 0.225, 0.45]],
    "binary-weak": [[1, 0, 1], [0, 0, 0], [1, 0, 1]],
    "binary-strong": [[1, 1, 1], [1, 0, 1], [1, 1, 1]],
}


@pytest.mark.parametrize("kind", KINDS)
def test_table_by_hand(kind):
    np.testing.assert_allclose(regret_table(P, kind), BY_HAND[kind], atol=1e-15)


def possible(matrix):
    return [kind for kind in KINDS if matrix.condorcet_winner() is not None or not needs_condorcet_winner(kind)]


def test_the_kinds_that_need_a_condorcet_winner():
    assert possible(CYCLE) == ["copeland", "borda"]
    assert possible(P) == list(KINDS)


@pytest.mark.parametrize("name", TABLES)
def test_regret_is_never_negative_and_free_only_where_the_best_duel_themselves(name):
    matrix = TABLES[name].matrix()
    for kind in possible(matrix):
        table = regret_table(matrix, kind)
        scores = matrix.borda_scores() if kind == "borda" else matrix.copeland_scores()
        assert table.min() == 0
        assert np.flatnonzero(table.diagonal() == 0).tolist() == np.flatnonzero(scores == scores.max()).tolist()
        assert np.array_equal(table, table.T)


@pytest.mark.parametrize("name", TABLES)
def test_regret_does_not_depend_on_the_numbering(name):
    matrix = TABLES[name].matrix()
    order = np.random.default_rng(5).permutation(matrix.arms)
    for kind in possible(matrix):
        expected = regret_table(matrix, kind)[np.ix_(order, order)]
        assert np.array_equal(regret_table(matrix.relabelled(order), kind), expected)


@pytest.mark.parametrize("kind", ["condorcet", "weak", "strong", "binary-weak", "binary-strong"])
def test_without_a_condorcet_winner_the_error_says_what_works(kind):
    with pytest.raises(UserError) as caught:
        regret_table(CYCLE, kind)
    assert caught.value.message == (
        f"{kind} regret needs a Condorcet winner (an arm that beats every other) and cycle has none: "
        "ask for copeland or borda regret"
    )


def test_unknown_kind():
    with pytest.raises(UserError, match=r"unknown kind of regret 'copland' \(did you mean 'copeland'\?\)"):
        regret_table(P, "copland")
