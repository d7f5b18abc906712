"""The common rules of recommendation, by hand, and that no rule disturbs a run."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize

from duelbench.algorithms.catalogue import catalogue
from duelbench.conformance.rounds import streams
from duelbench.engine.play import Problem, Rules
from duelbench.engine.recommendation import RULES, borda, bradley_terry, copeland, recommended
from duelbench.engine.rollout import Streams, rollout
from duelbench.preferences.regret import regret_table
from tests.comparison import MATRICES

# Arm 0 has won 3 of 4 duels against 1 and none of 2 against 2, arm 1 both of 2 against 2; nobody has met arm 3.
WON = np.array([[0, 3, 0, 0], [1, 0, 2, 0], [2, 0, 0, 0], [0, 0, 0, 0]])


def asked(won):
    """Return the same outcomes as duels and wins of ordered pairs, some asked in one order and some in the other."""
    swapped = won // 2
    duels = (won - swapped) + swapped.T
    return duels, won - swapped


def test_copeland_and_borda_scores_by_hand():
    met = WON + WON.T
    assert copeland(WON, met).tolist() == [1.5, 1.5, 1.5, 1.5]
    assert borda(WON, met).tolist() == pytest.approx(
        [(0.75 + 0 + 0.5) / 3, (0.25 + 1 + 0.5) / 3, (1 + 0 + 0.5) / 3, 0.5]
    )


def test_order_in_a_duel():
    duels, wins = asked(WON)
    assert (wins + (duels - wins).T == WON).all()
    for rule in RULES:
        assert recommended(rule, duels, wins) == recommended(rule, WON, WON)


def test_ties():
    assert recommended("copeland", *asked(WON)) == 1  # all have 1.5; Borda 0.417, 0.583, 0.5, 0.5
    even = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    assert recommended("copeland", *asked(even)) == 0  # all scores even: 0 and 1 have a win each
    assert recommended("borda", *asked(np.zeros((3, 3), int))) == 0


def test_ties_in_everything():
    even = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    assert recommended("copeland", *asked(even), order=np.array([2, 1, 0])) == 1
    assert recommended("btl", *asked(even), order=np.array([1, 0, 2])) == 1
    assert recommended("borda", *asked(WON), order=np.array([3, 1, 2, 0])) == 1


def test_rounding_does_not_choose():
    rng = np.random.default_rng(6)
    for K in (4, 6, 8):
        half = rng.integers(0, 50, (K // 2, K))
        won = np.zeros((K, K), int)
        for i in range(K // 2):  # arms i and i + K/2 have the same wins and losses, against such a pair each
            won[i] = half[i]
            won[i + K // 2] = np.roll(half[i], K // 2)
        np.fill_diagonal(won, 0)
        for i in range(K // 2):
            won[i, i + K // 2] = won[i + K // 2, i] = 7
        for rule in RULES:
            order = rng.permutation(K)
            ours = recommended(rule, *asked(won), order)
            twin = (ours + K // 2) % K
            assert order.tolist().index(ours) < order.tolist().index(twin)


def by_definition(rule, won, i):
    """The score of an arm, opponent by opponent, as exact fractions."""
    others = [j for j in range(len(won)) if j != i]
    shares = [Fraction(int(won[i, j]), int(won[i, j] + won[j, i])) if won[i, j] + won[j, i] else None for j in others]
    if rule == "copeland":
        return sum(Fraction(1, 2) if p is None or 2 * p == 1 else Fraction(2 * p > 1) for p in shares)
    return sum(Fraction(1, 2) if p is None else p for p in shares) / len(others)


def test_copeland_and_borda():
    rng = np.random.default_rng(5)
    for _ in range(300):
        K = int(rng.integers(2, 7))
        won = rng.integers(0, 4, (K, K)) * rng.integers(0, 2, (K, K))
        np.fill_diagonal(won, 0)
        order = rng.permutation(K)
        wins = won.sum(axis=1)
        for rule in ("copeland", "borda"):
            key = {i: (by_definition(rule, won, i), by_definition("borda", won, i), wins[i]) for i in range(K)}
            assert recommended(rule, *asked(won), order) == max(order, key=key.get)


def test_bradley_terry():
    rng = np.random.default_rng(1)
    won = rng.integers(0, 30, (6, 6))
    np.fill_diagonal(won, 0)
    won[0, 1:] = 40  # an arm that never loses has a finite strength, by the ghost
    won[1:, 0] = 0

    def loss(s):
        return (won * np.logaddexp(0, s[None, :] - s[:, None])).sum() + (np.logaddexp(0, s) + np.logaddexp(0, -s)).sum()

    found = bradley_terry(won, won + won.T)
    assert found == pytest.approx(minimize(loss, np.zeros(6), tol=1e-12).x, abs=1e-4)
    assert found.argmax() == 0 and np.isfinite(found).all()


def test_bradley_terry_is_not_copeland():
    # Arm 1 beats both others narrowly; arm 0 loses to 1 narrowly and has beaten 2 a hundred times.
    won = np.array([[0, 9, 100], [10, 0, 6], [0, 5, 0]])
    assert [recommended(rule, *asked(won)) for rule in ("copeland", "borda", "btl")] == [1, 0, 0]


@pytest.mark.parametrize("name", ["rucb", "savage"])
@pytest.mark.parametrize("votes", [False, True])
def test_recommending_changes_nothing(name, votes):
    matrix = MATRICES["six-rankers"]
    problem = Problem(matrix.P, np.stack([regret_table(matrix, "copeland")]))

    def play(recommend):
        rules = Rules(votes=votes, max_rounds=200_000 if votes else 0)
        marks = np.array([10, 200, 1000])
        return rollout(catalogue()[name](), problem, marks, Streams(*streams(1, 0)), rules, recommend=recommend)

    silent, own, common = play(""), play("own"), play("btl")
    assert silent.recommended is None
    for each in (own, common):
        assert (each.regret == silent.regret).all() and (each.duels == silent.duels).all()
        assert each.declaration == silent.declaration
        assert ((each.recommended >= 0) & (each.recommended < 6)).all()
