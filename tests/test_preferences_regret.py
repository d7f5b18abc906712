import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import KINDS, by_kind, needs_condorcet_winner, regret_table, regret_tables
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


@pytest.mark.parametrize("name", ["six-rankers", "cyclic4", "mslr5-non-condorcet"])
def test_adversarial_regret_is_that_of_the_best_arm_throughout(name):
    """By the definitions, for some duels of two matrices; and on one matrix the Borda kind is borda to the bit."""
    matrix = TABLES[name].matrix()
    other = matrix.relabelled(np.roll(np.arange(matrix.arms), 1))
    rng = np.random.default_rng(1)
    counts = rng.integers(0, 50, (2, matrix.arms, matrix.arms))
    wanted = {"adversarial": np.zeros(matrix.arms), "adversarial-borda": np.zeros(matrix.arms)}
    for duels, each in zip(counts, (matrix, other), strict=True):
        b = each.borda_scores()
        for x, y in np.ndindex(duels.shape):
            gain = (each.P[:, x] - 0.5 + each.P[:, y] - 0.5) / 2
            wanted["adversarial"] += duels[x, y] * gain
            wanted["adversarial-borda"] += duels[x, y] * (b - (b[x] + b[y]) / 2)
    kinds = ("adversarial", "copeland", "adversarial-borda")
    tables = [np.concatenate([regret_tables(each, kind) for kind in kinds]) for each in (matrix, other)]
    sums = sum((table * duels).sum(axis=(1, 2)) for table, duels in zip(tables, counts, strict=True))
    found = by_kind(sums[:, None], kinds, matrix.arms)[:, 0]
    assert found[0] == pytest.approx(wanted["adversarial"].max())
    assert found[2] == pytest.approx(wanted["adversarial-borda"].max())
    alone = (regret_tables(matrix, "adversarial-borda") * counts[0]).reshape(matrix.arms, -1).cumsum(axis=1)[:, -1]
    assert alone.max() == (regret_table(matrix, "borda") * counts[0]).ravel().cumsum()[-1]


def test_adversarial_regret_has_no_table():
    with pytest.raises(UserError, match="adversarial-borda"):
        regret_table(CYCLE, "adversarial-bordas")
    with pytest.raises(ValueError, match="no sum over duels"):
        regret_table(CYCLE, "adversarial")
    assert not needs_condorcet_winner("adversarial")
