"""Preference matrices: entries, names, sequences, tournaments, regret and assumptions."""

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from duelbench.algorithms.catalogue import catalogue
from duelbench.errors import UserError
from duelbench.preferences.assumptions import CONDITIONS, ranking, unmet
from duelbench.preferences.changing import Changing, measures, segments
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import KINDS, by_kind, needs_condorcet_winner, regret_table, regret_tables
from duelbench.sources.published_matrices import TABLES
from tests.choosing import mirrored
from tests.instances import from_upper_triangle

# One matrix


CYCLE = [[0.5, 0.6, 0.3], [0.4, 0.5, 0.8], [0.7, 0.2, 0.5]]
TIE = [[0.5, 0.7, 0.9, 0.5], [0.3, 0.5, 0.6, 0.9], [0.1, 0.4, 0.5, 0.8], [0.5, 0.1, 0.2, 0.5]]


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
        (2, 2, 0.0, "row 3, column 3 (counted from 1) is 0.0: an arm against itself must be 0.5"),
        (
            1,
            2,
            0.75,
            "row 2, column 3 (counted from 1) is 0.75: with row 3, column 2, which is 0.2, it must add up to 1",
        ),
    ],
)
def test_cell_errors(i, j, value, says):
    error = error_of(changed(i, j, value))
    assert (error.message, error.key) == (says, (i, j))


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
def test_no_matrix(values, says):
    assert says in error_of(values).message


def test_rounded_sums():
    assert PreferenceMatrix(changed(1, 0, 0.4 + 0.9e-6)).P[1, 0] == 0.4
    with pytest.raises(UserError, match="add up to 1"):
        PreferenceMatrix(changed(1, 0, 0.4 + 1.1e-6))


def test_upper_triangle():
    P = PreferenceMatrix([[0.5000001, 0.1, 1 / 3], [0.9000005, 0.5, 0.5], [0.6666667, 0.4999996, 0.5]]).P
    assert P[0, 1] == 0.1 and P[1, 0] == 1 - 0.1
    assert P[0, 2] == 1 / 3 and P[2, 0] == 1 - 1 / 3
    assert P[1, 2] == P[2, 1] == 0.5
    assert np.array_equal(P.diagonal(), [0.5, 0.5, 0.5])
    below = np.nextafter(0.5, 0)  # 1 - below == 0.5
    assert (PreferenceMatrix([[0.5, below], [0.5, 0.5]]).P == 0.5).all()


@given(arrays(np.float64, (4, 4), elements=st.floats(0, 1)).map(mirrored))
def test_antisymmetric(values):
    P = PreferenceMatrix(values).P
    assert np.all(P + P.T == 1)
    assert np.array_equal(P > 0.5, P.T < 0.5)
    assert np.array_equal(PreferenceMatrix(P).P, P)


def test_scores():
    matrix = PreferenceMatrix(CYCLE)
    assert matrix.copeland_scores().tolist() == [0.5, 0.5, 0.5]
    assert matrix.copeland_winners().tolist() == [0, 1, 2]
    assert matrix.condorcet_winner() is None
    assert matrix.borda_scores() == pytest.approx([0.45, 0.6, 0.45])
    assert matrix.smallest_gap() == pytest.approx(0.1)
    tied = PreferenceMatrix(TIE)
    assert tied.wins().tolist() == [2, 2, 1, 0]
    assert tied.copeland_winners().tolist() == [0, 1]
    assert tied.condorcet_winner() is None
    assert tied.smallest_gap() == 0
    assert P.condorcet_winner() == 1


@given(matrices, st.randoms(use_true_random=False))
def test_relabelled(values, random):
    matrix = PreferenceMatrix(values)
    order = random.sample(range(matrix.arms), matrix.arms)
    renamed = matrix.relabelled(order)
    for i, j in itertools.product(range(matrix.arms), repeat=2):
        assert renamed.P[i, j] == matrix.P[order[i], order[j]]
    assert renamed.borda_scores().tolist() == matrix.borda_scores()[order].tolist()
    assert renamed.copeland_scores().tolist() == matrix.copeland_scores()[order].tolist()
    assert renamed.smallest_gap() == matrix.smallest_gap()
    assert renamed.relabelled(np.argsort(order)).digest() == matrix.digest()


NAMED = PreferenceMatrix([[0.5, 0.6, 0.7], [0.4, 0.5, 0.8], [0.3, 0.2, 0.5]], names=["a", "b c", "ü"])


def test_arm_names():
    assert PreferenceMatrix(NAMED.P).names is None
    assert NAMED.digest() == PreferenceMatrix(NAMED.P).digest()
    assert NAMED.relabelled([2, 0, 1]).names == ("ü", "a", "b c")
    assert NAMED.submatrix([2, 1]).names == ("ü", "b c")
    assert PreferenceMatrix(NAMED.P).submatrix([2, 1]).names is None
    with pytest.raises(UserError, match="arm 0 is listed twice"):
        NAMED.submatrix([0, 1, 0])
    again = pickle.loads(pickle.dumps(NAMED))
    assert (again.names, again.digest(), again.source) == (NAMED.names, NAMED.digest(), NAMED.source)
    assert not again.P.flags.writeable


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["a", "b"], "2 names for 3 arms"),
        (["a", "b", "a"], "two arms are called 'a'"),
        (["a", "", "c"], "arm 1 is called ''"),
        (["a", "b", "c "], "arm 2 is called 'c '"),
        (["a", "b\nb", "c"], "one line of text"),
        (["a", "b", "\ud800"], "one line of text"),
    ],
)
def test_arm_name_errors(names, says):
    with pytest.raises(UserError, match=says):
        PreferenceMatrix(NAMED.P, names=names)


# Sequences of matrices


ONE = [[0.5, 0.8, 0.7], [0.2, 0.5, 0.6], [0.3, 0.4, 0.5]]
TWO = [[0.5, 0.1, 0.7], [0.9, 0.5, 0.6], [0.3, 0.4, 0.5]]


def test_changing():
    found = Changing([(1, ONE), (5, TWO), (6, ONE)])
    assert [found.at(t).condorcet_winner() for t in (1, 4, 5, 6, 10**12)] == [0, 0, 1, 0, 0]
    assert found.arms == 3
    found, order = Changing([(1, ONE), (5, TWO)]), [2, 0, 1]
    other = found.relabelled(order)
    assert other.starts == found.starts
    for one, two in zip(found.matrices, other.matrices, strict=True):
        assert np.array_equal(two.P, one.P[np.ix_(order, order)])


def test_measures_and_segments():
    found = measures(Changing([(1, ONE), (5, TWO), (6, TWO)]))
    assert (found["S_P"], found["S_CW"]) == (1, 1)
    assert found["V"] == found["V_CW"] == pytest.approx(0.7)
    matrix = PreferenceMatrix(ONE)
    starts, matrices = segments(matrix)
    assert (starts.tolist(), matrices) == ([1], (matrix,))
    starts, matrices = segments(Changing([(1, matrix), (9, TWO)]))
    assert starts.tolist() == [1, 9]
    assert matrices[0] is matrix


@pytest.mark.parametrize(
    ("given", "key", "words"),
    [
        ([], (), "need at least one matrix, from round 1 on"),
        ([(2, ONE)], (0,), "must begin at round 1, not 2"),
        ([(1, ONE), (1, TWO)], (1,), "round 1 does not come after round 1"),
        ([(1, ONE), (2.5, TWO)], (1,), "not 2.5"),
        ([(1, ONE), (9, [[0.5, 0.6], [0.4, 0.5]])], (1,), "round 9 has 2 arms and round 1 has 3"),
        ([(1, ONE), (9, [[0.5, 0.6], [0.5, 0.5]])], (1, 0, 1), "it must add up to 1"),
    ],
)
def test_changing_errors(given, key, words):
    with pytest.raises(UserError, match=words) as raised:
        Changing(given)
    assert raised.value.key == key


# Tournaments, compared with enumeration


def random_matrix(seed):
    """Return a matrix of three to six arms with ties, wins and losses."""
    rng = np.random.default_rng(seed)
    arms = int(rng.integers(3, 7))
    return PreferenceMatrix(mirrored(rng.choice([0.3, 0.5, 0.7], (arms, arms), p=[0.4, 0.2, 0.4])))


MATRICES = [random_matrix(seed) for seed in range(150)]


# Arm 1 beats everyone; arms 0 and 2 tie.
P = PreferenceMatrix([[0.5, 0.4, 0.5], [0.6, 0.5, 0.9], [0.5, 0.1, 0.5]], source="three arms")

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
def test_regret_by_hand(kind):
    np.testing.assert_allclose(regret_table(P, kind), BY_HAND[kind], atol=1e-15)


def possible(matrix):
    return [kind for kind in KINDS if matrix.condorcet_winner() is not None or not needs_condorcet_winner(kind)]


@pytest.mark.parametrize("name", TABLES)
def test_free_duels(name):
    matrix = TABLES[name].matrix()
    for kind in possible(matrix):
        table = regret_table(matrix, kind)
        scores = matrix.borda_scores() if kind == "borda" else matrix.copeland_scores()
        assert table.min() == 0
        assert np.flatnonzero(table.diagonal() == 0).tolist() == np.flatnonzero(scores == scores.max()).tolist()
        assert np.array_equal(table, table.T)


@pytest.mark.parametrize("name", ["six-rankers", "cyclic4", "mslr5-non-condorcet"])
def test_adversarial_regret(name):
    """Both kinds follow their definitions on two matrices; on a single one, adversarial-borda equals borda exactly."""
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


# Assumptions, on matrices that barely meet or barely violate them


def meets(condition, matrix, also="", **parameters):
    return condition not in unmet(matrix, f"{condition}, {also}" if also else condition, parameters)


WITHOUT_ORDER = from_upper_triangle([0.6, 0.4], [0.6])
TIED = from_upper_triangle([0.6, 0.6], [0.5])
STEPS = from_upper_triangle([0.6, 0.8], [0.7])  # 0.1 + 0.2 = 0.3: SST holds, and STI with equality


def test_conditions_of_catalogue():
    assumed = {condition for kind in catalogue().values() for condition in kind.assumes.split(", ")}
    assert set(CONDITIONS) == assumed


def test_ranking():
    assert ranking(STEPS.relabelled([2, 0, 1])) == [1, 2, 0]
    assert ranking(WITHOUT_ORDER) is None
    assert ranking(from_upper_triangle([0.5, 0.5, 0.6], [0.6, 0.5], [0.6])) is not None  # ties do not make a cycle
    assert ranking(from_upper_triangle([0.6, 0.5, 0.4], [0.6, 0.5], [0.6])) is None  # a cycle of four
    tied = TIED.relabelled([2, 1, 0])
    assert ranking(tied)[0] == 2


@pytest.mark.parametrize(
    ("condition", "matrix", "parameters", "met"),
    [
        ("nothing", WITHOUT_ORDER, {}, True),
        ("Condorcet winner", TIED, {}, True),
        ("Condorcet winner", WITHOUT_ORDER, {}, False),
        ("β < p / (1 − p)", WITHOUT_ORDER, {"beta": 1.49}, True),
        ("β < p / (1 − p)", WITHOUT_ORDER, {"beta": 1.51}, False),
        ("β < p / (1 − p)", from_upper_triangle([1.0, 1.0], [1.0]), {"beta": 9.0}, True),
        ("Condorcet winner", from_upper_triangle([0.5, 0.6], [0.6]), {}, False),
        ("no ties", TIED, {}, False),
        ("no pair at 1/2", WITHOUT_ORDER, {}, True),
        ("no pair within h of 1/2", WITHOUT_ORDER, {"h": 0.1}, True),
        ("no pair within h of 1/2", WITHOUT_ORDER, {"h": 0.11}, False),
        ("Condorcet winner by a known gap", TIED, {"gap": 0.1}, True),
        ("Condorcet winner by a known gap", TIED, {"gap": 0.11}, False),
        ("Condorcet winner by a known gap", WITHOUT_ORDER, {"gap": 0.01}, False),
        ("total order", TIED, {}, True),
        ("total order", WITHOUT_ORDER, {}, False),
        ("SST", STEPS, {}, True),
        ("SST", from_upper_triangle([0.7, 0.69], [0.6]), {}, False),
        ("SST", from_upper_triangle([0.6, 0.69], [0.7]), {}, False),
        ("SST", WITHOUT_ORDER, {}, False),
        ("γ-SST", from_upper_triangle([0.7, 0.6], [0.6]), {"gamma": 2.0}, True),
        ("γ-SST", from_upper_triangle([0.7, 0.6], [0.6]), {"gamma": 1.9}, False),
        ("STI", STEPS, {}, True),
        ("STI", from_upper_triangle([0.6, 0.81], [0.7]), {}, False),
        ("one Borda winner", TIED, {}, True),
        ("one Borda winner", WITHOUT_ORDER, {}, False),
        ("one Borda winner", from_upper_triangle([0.5, 0.7], [0.7]), {}, False),
        ("Plackett–Luce model", from_upper_triangle([4 / 7, 4 / 5], [3 / 4]), {}, True),
        ("Bradley–Terry–Luce model", from_upper_triangle([4 / 7, 4 / 5], [0.751]), {}, False),
        ("Bradley–Terry–Luce model", from_upper_triangle([1.0, 1.0], [1.0]), {}, False),
        ("utilities", STEPS, {}, True),
        ("linear link", from_upper_triangle([0.6, 0.79], [0.7]), {}, False),
        ("arm 0 is a baseline", STEPS, {}, False),
        ("depends on the variant", STEPS, {"variant": "argmax"}, False),
        ("depends on the variant", STEPS, {"variant": "copeland"}, True),
        ("depends on the variant", WITHOUT_ORDER, {"variant": "condorcet"}, False),
        ("depends on the variant", WITHOUT_ORDER, {"variant": "copeland"}, True),
    ],
)
def test_conditions(condition, matrix, parameters, met):
    for order in ([0, 1, 2], [2, 0, 1], [1, 0, 2]):
        assert meets(condition, matrix.relabelled(order), **parameters) is met


def test_relaxed_conditions():
    later = from_upper_triangle([0.9, 0.9, 0.9], [0.7, 0.6], [0.6])  # SST fails for arms 1, 2, 3 only
    assert not meets("SST", later)
    assert meets("relaxed SST", later, gamma=1.0)
    first = from_upper_triangle([0.7, 0.6], [0.6])
    assert not meets("relaxed SST", first, gamma=1.9)
    assert meets("relaxed SST", first, gamma=2.0)
    later = from_upper_triangle([0.9, 0.9, 0.9], [0.6, 0.81], [0.7])
    assert not meets("STI", later)
    assert meets("STI", later, also="relaxed SST", gamma=1.0)
