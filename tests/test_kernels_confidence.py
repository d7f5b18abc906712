"""The counts and what they decide, against the bounds computed anew at every round."""

import math

import numpy as np
import pytest

from duelbench.kernels.confidence import advance, count_duels, no_comparisons, upper_bound
from duelbench.kernels.thresholds import NEVER
from duelbench.literal import arithmetic


def brute_signs(w, t, alpha):
    K = len(w)
    sign = np.zeros((K, K), int)
    for i in range(K):
        for j in range(K):
            if i != j and not arithmetic.undecided(w, i, j, t, alpha):
                sign[i, j] = 1 if w[i][j] > w[j][i] else -1
    return sign


def check(comparisons, w, t, alpha):
    """Everything ``comparisons`` says at round t, after ``advance``, is what the counts say."""
    sign = brute_signs(w, t, alpha)
    assert np.array_equal(comparisons.wins, w)
    assert np.array_equal(comparisons.sign, sign)
    assert np.array_equal(comparisons.losses, np.sum(sign < 0, axis=1))
    for i, j in np.argwhere(sign):
        evidence = (w[i][j] - w[j][i]) ** 2 / (4 * (w[i][j] + w[j][i]))
        assert comparisons.evidence[i, j] == comparisons.evidence[j, i] == evidence
        assert comparisons.weakest[i] <= evidence
    # Until the expiry time alone changes nothing.
    assert comparisons.clock[0].now == t < comparisons.clock[0].expiry
    if comparisons.clock[0].expiry < NEVER:
        assert np.array_equal(brute_signs(w, int(comparisons.clock[0].expiry) - 1, alpha), sign)
    for i in range(len(w)):
        for j in range(len(w)):
            if i != j:
                assert upper_bound(comparisons, i, j, t) == arithmetic.upper(w, i, j, t, alpha)


@pytest.mark.parametrize("arms", [2, 3, 5])
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.145, 0.51])
def test_signs_are_those_of_the_bounds_at_every_round(arms, alpha):
    rng = np.random.default_rng([arms, int(1000 * alpha)])
    comparisons = no_comparisons(arms, alpha)
    w = [[0] * arms for _ in range(arms)]
    seen = {"decided": 0, "undecided by time": 0, "reversed": 0}
    t = 1
    before = np.zeros((arms, arms), int)
    p = rng.choice([0.03, 0.97], (arms, arms))
    for step in range(700):
        if step % 60 == 59:
            p = 1 - p  # so that decided pairs come back and change sides
        t += 1 if rng.random() < 0.99 else int(rng.integers(1, t + 2))
        changed = advance(comparisons, t)
        check(comparisons, w, t, alpha)
        assert changed == np.any(before != comparisons.sign)
        if changed:
            assert np.array_equal(comparisons.expired, np.any(before != comparisons.sign, axis=1))
        seen["undecided by time"] += changed
        i, j = rng.choice(arms, 2, replace=False).tolist()
        count = int(rng.choice([1, 1, 1, 7]))
        wins = int(rng.binomial(count, p[i, j] if i < j else 1 - p[j, i]))
        count_duels(comparisons, i, j, wins, count)
        w[i][j] += wins
        w[j][i] += count - wins
        before, old = comparisons.sign.astype(int), before
        assert np.array_equal(before, brute_signs(w, t, alpha))
        seen["decided"] += int(np.any(before != old))
        seen["reversed"] += int(np.any(before * old == -1))
    assert seen["decided"] >= 8
    assert seen["undecided by time"] >= (1 if arms == 5 else 0)
    assert seen["reversed"] >= (1 if arms == 5 and alpha < 0.1 else 0)


def test_a_pair_is_undecided_exactly_at_the_threshold():
    met = 0
    for wins in range(3, 60):
        for t in (2, 3, 10, 97, 1000):
            evidence = wins**2 / (4 * wins)
            alpha = evidence / math.log(t)
            if alpha * math.log(t) != evidence:
                continue
            met += 1
            comparisons = no_comparisons(2, alpha)
            advance(comparisons, t - 1)
            count_duels(comparisons, 0, 1, wins, wins)
            assert comparisons.sign[0, 1] == 1
            assert comparisons.clock[0].expiry == t
            assert not advance(comparisons, t - 1)
            assert advance(comparisons, t)
            assert comparisons.sign[0, 1] == 0
            assert comparisons.losses[1] == 0
            # Counted at t itself, the same evidence decides nothing.
            late = no_comparisons(2, alpha)
            advance(late, t)
            count_duels(late, 1, 0, 0, wins)
            assert late.sign[0, 1] == 0
    assert met > 100


def test_time_alone_undoes_pairs_one_after_another_at_their_own_round():
    alpha, arms = 0.51, 4
    comparisons = no_comparisons(arms, alpha)
    w = [[0] * arms for _ in range(arms)]
    for i, j, wins in ((0, 1, 6), (0, 2, 9), (1, 2, 12), (2, 3, 14), (0, 3, 1)):
        count_duels(comparisons, i, j, wins, wins)
        w[i][j] += wins
    crossings = []
    t = 1
    while comparisons.clock[0].expiry < NEVER:
        t = int(comparisons.clock[0].expiry)
        assert not np.array_equal(brute_signs(w, t, alpha), brute_signs(w, t - 1, alpha))
        assert advance(comparisons, t)
        check(comparisons, w, t, alpha)
        crossings.append(t)
    # The least t with n / 4 <= 0.51 log t.
    assert crossings == [math.ceil(math.exp(n / 4 / 0.51)) for n in (1, 6, 9, 12, 14)]
    assert np.all(comparisons.sign == 0)
