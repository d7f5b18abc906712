"""The common rules of recommendation, by hand, and their independence of a run."""

from fractions import Fraction

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.conformance.rounds import streams
from duelbench.engine.play import Problem, Rules
from duelbench.engine.recommendation import POSTERIOR, RULES, posterior, recommended
from duelbench.engine.rollout import Streams, rollout
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.posterior import Posterior
from duelbench.preferences.regret import regret_table
from duelbench.preferences.samples import best_arms
from tests.comparison import MATRICES

# Arm 0 won 3 of 4 duels against 1 and none of 2 against 2, arm 1 both of 2 against 2; arm 3 has no duels.
WON = np.array([[0, 3, 0, 0], [1, 0, 2, 0], [2, 0, 0, 0], [0, 0, 0, 0]])


def asked(won):
    """Return the outcomes as duels and wins of ordered pairs, in both orders."""
    swapped = won // 2
    duels = (won - swapped) + swapped.T
    return duels, won - swapped


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


def test_rounding_does_not_choose():
    rng = np.random.default_rng(6)
    for K in (4, 6, 8):
        half = rng.integers(0, 50, (K // 2, K))
        won = np.zeros((K, K), int)
        for i in range(K // 2):  # arms i and i + K/2 have equal wins and losses, each against such a pair
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


def test_rules_differ():
    won = np.array([[0, 5, 2, 20], [5, 0, 0, 20], [1, 1, 0, 1], [10, 1, 0, 0]])
    assert [recommended(rule, *asked(won)) for rule in ("copeland", "borda", "btl")] == [0, 2, 1]


# The most probable best arm


@pytest.mark.parametrize(("rule", "notion"), POSTERIOR.items())
def test_posterior(rule, notion):
    """The named arm is the most probable one, up to sampling and approximation errors."""
    rng, lost = np.random.default_rng(8), []
    for seed in range(25):
        won = rng.integers(0, 6, (5, 5)) * rng.integers(0, 2, (5, 5))
        np.fill_diagonal(won, 0)
        counts = PairCounts(tuple("abcde"), won.astype(float), np.zeros((5, 5)))
        chances = Posterior(counts).chances(np.random.default_rng(seed), 2000, notion)
        lost.append(chances.max() - chances[recommended(rule, *asked(won), draw_seed=seed)])
    assert max(lost) < 0.1 and np.mean(lost) < 0.01


def test_matrices_of_a_seed():
    won = np.array([[0, 3, 2], [2, 0, 3], [3, 2, 0]])
    first, again, other = (posterior(won, won + won.T, 0 * won, "copeland", seed).tolist() for seed in (1, 1, 2))
    assert first == again != other


def test_posterior_without_votes():
    assert recommended("posterior", *asked(np.zeros((3, 3), int)), order=np.array([2, 0, 1])) == 2


def test_notions_of_best():
    """Arm 0 beats all others narrowly; arm 1 has the largest Borda score."""
    won = np.array([[0, 60, 60, 60], [50, 0, 400, 400], [50, 10, 0, 30], [50, 10, 30, 0]])
    found = {rule: recommended(rule, *asked(won)) for rule in POSTERIOR}
    assert found == {"posterior": 0, "posterior condorcet": 0, "posterior borda": 1}


def votes_in(P, votes, rng):
    """Return wins after votes on pairs drawn uniformly."""
    arms = len(P)
    first, second = np.triu_indices(arms, 1)
    met = rng.multinomial(votes, np.full(len(first), 1 / len(first)))
    won = np.zeros((arms, arms), int)
    won[first, second] = rng.binomial(met, P[first, second])
    won[second, first] = met - won[first, second]
    return won


def test_right_more_often_given_the_votes():
    """The rule is right more often in worlds drawn from the posterior, as in ``advise``: 12 arms after 600 votes."""
    rng, right = np.random.default_rng(4), {"copeland": [], "posterior": []}
    for seed in range(15):
        strengths = rng.normal(0, 0.7, 12)
        won = votes_in(1 / (1 + np.exp(strengths - strengths[:, None])), 600, rng)
        counts = PairCounts(tuple(map(str, range(12))), won.astype(float), np.zeros((12, 12)))
        best = best_arms(np.concatenate(list(Posterior(counts).stacks(rng, 300))), "copeland").mean(axis=0)
        for rule, shares in right.items():
            shares.append(best[recommended(rule, *asked(won), draw_seed=seed)])
    gain = np.subtract(right["posterior"], right["copeland"])
    assert gain.min() > -0.03 and gain.mean() > 0.01  # single cases are worse only by the noise of 300 worlds


@pytest.mark.parametrize("name", ["rucb", "savage"])
@pytest.mark.parametrize("votes", [False, True])
def test_recommending_changes_nothing(name, votes):
    matrix = MATRICES["six-rankers"]
    problem = Problem(matrix.P, np.stack([regret_table(matrix, "copeland")]))

    def play(recommend):
        rules = Rules(votes=votes, max_rounds=200_000 if votes else 0)
        marks = np.array([10, 200, 1000])
        return rollout(catalogue()[name](), problem, marks, Streams(*streams(1, 0)), rules, recommend=recommend)

    silent, own, common, probable = play(""), play("own"), play("btl"), play("posterior")
    assert silent.recommended is None
    for each in (own, common, probable):
        assert (each.regret == silent.regret).all() and (each.duels == silent.duels).all()
        assert each.declaration == silent.declaration
        assert ((each.recommended >= 0) & (each.recommended < 6)).all()
