"""Confidence: counts and decisions, the challenger, and the round at which log t catches up."""

import math

import numpy as np
import pytest

from duelbench.kernels.arithmetic import (
    NEVER,
    first_round_beyond_log,
    first_round_beyond_log_log,
    first_round_beyond_root_log,
    first_round_reaching,
)
from duelbench.kernels.confidence import (
    advance,
    challenger,
    count_duels,
    new_bounds,
    new_comparisons,
    renew_bounds,
    upper_bound,
)
from tests.reference import conventions

# Counts and decisions, compared with bounds computed in every round.


def brute_signs(w, t, alpha):
    K = len(w)
    sign = np.zeros((K, K), int)
    for i in range(K):
        for j in range(K):
            if i != j and not conventions.undecided(w, i, j, t, alpha):
                sign[i, j] = 1 if w[i][j] > w[j][i] else -1
    return sign


def check(comparisons, w, t, alpha):
    """Check that all of ``comparisons`` at round t, after ``advance``, follows from the counts."""
    sign = brute_signs(w, t, alpha)
    assert np.array_equal(comparisons.wins, w)
    assert np.array_equal(comparisons.sign, sign)
    assert np.array_equal(comparisons.losses, np.sum(sign < 0, axis=1))
    for i, j in np.argwhere(sign):
        evidence = (w[i][j] - w[j][i]) ** 2 / (4 * (w[i][j] + w[j][i]))
        assert comparisons.evidence[i, j] == comparisons.evidence[j, i] == evidence
        assert comparisons.weakest[i] <= evidence
    # Before the expiry, time alone changes nothing.
    assert comparisons.clock[0].now == t < comparisons.clock[0].expiry
    if comparisons.clock[0].expiry < NEVER:
        assert np.array_equal(brute_signs(w, int(comparisons.clock[0].expiry) - 1, alpha), sign)
    for i in range(len(w)):
        for j in range(len(w)):
            if i != j:
                assert upper_bound(comparisons, i, j, t) == conventions.upper(w, i, j, t, alpha)


@pytest.mark.parametrize("arms", [2, 5])
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.145, 0.51])
def test_signs_at_every_round(arms, alpha):
    rng = np.random.default_rng([arms, int(1000 * alpha)])
    comparisons = new_comparisons(arms, alpha)
    w = [[0] * arms for _ in range(arms)]
    seen = {"decided": 0, "undecided by time": 0, "reversed": 0}
    t = 1
    before = np.zeros((arms, arms), int)
    p = rng.choice([0.03, 0.97], (arms, arms))
    for step in range(700):
        if step % 60 == 59:
            p = 1 - p  # so that decided pairs become undecided and change sides
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


def test_undecided_exactly_at_the_threshold():
    met = 0
    for wins in range(3, 60):
        for t in (2, 3, 10, 97, 1000):
            evidence = wins**2 / (4 * wins)
            alpha = evidence / math.log(t)
            if alpha * math.log(t) != evidence:
                continue
            met += 1
            comparisons = new_comparisons(2, alpha)
            advance(comparisons, t - 1)
            count_duels(comparisons, 0, 1, wins, wins)
            assert comparisons.sign[0, 1] == 1
            assert comparisons.clock[0].expiry == t
            assert not advance(comparisons, t - 1)
            assert advance(comparisons, t)
            assert comparisons.sign[0, 1] == 0
            assert comparisons.losses[1] == 0
            # At t itself, the same evidence decides nothing.
            late = new_comparisons(2, alpha)
            advance(late, t)
            count_duels(late, 1, 0, 0, wins)
            assert late.sign[0, 1] == 0
    assert met > 100


# The round at which log t catches up, compared with a search.


def reached(value, scale, offset, t):
    return value <= scale * math.log(t) + offset


@pytest.mark.parametrize("offset", [0.0, 0.6, 30.0])
def test_small_rounds(offset):
    rng = np.random.default_rng(3)
    found = set()
    for scale in (0.05, 0.51, 1.0, 3.0):
        for value in (scale * math.log(5000) * rng.random(150) + offset).tolist():
            expected = next(t for t in range(1, 10_000) if reached(value, scale, offset, t))
            assert first_round_reaching(value, scale, offset) == expected
            found.add(expected)
    assert len(found) > 100


def test_values_on_a_round():
    for scale, offset in ((0.51, 0.0), (1.0, 1.524), (0.145, 0.0), (7.0, 2.0)):
        for t in [*range(2, 300), 10**4, 10**6 + 1, 10**9 + 7, 10**12]:
            value = scale * math.log(t) + offset
            # Earlier than t if rounding makes scale · log + offset the same for t - 1 and t.
            expected = t
            while reached(value, scale, offset, expected - 1):
                expected -= 1
            assert first_round_reaching(value, scale, offset) == expected
            above = math.nextafter(value, math.inf)
            assert first_round_reaching(above, scale, offset) > expected - (above == value)


def test_threshold_range():
    assert first_round_reaching(0.0, 1.0, 0.0) == 1
    assert first_round_reaching(-5.0, 1.0, 0.0) == 1
    assert first_round_reaching(2.0, 1.0, 2.0) == 1
    assert first_round_reaching(math.nextafter(0.0, 1.0), 1.0, 0.0) == 2
    assert first_round_reaching(43.0, 1.0, 0.0) == NEVER
    assert first_round_reaching(math.inf, 0.51, 0.0) == NEVER
    assert first_round_reaching(1.0, 1e-300, 0.0) == NEVER
    assert 10**12 < first_round_reaching(41.0, 1.0, 0.0) < NEVER


def test_first_round_beyond_log():
    for value in (0.0, 0.3, math.log(7), 5.5, 20.0):
        t = first_round_beyond_log(value)
        assert math.log(t) > value
        assert math.log(t - 1) <= value
    assert first_round_beyond_log(-1.0) == 1
    assert first_round_beyond_log(math.inf) == NEVER
    for value in range(1, 13):
        t = first_round_beyond_root_log(value, 3.0)
        assert 3.0 * math.sqrt(math.log(t)) > value
        assert 3.0 * math.sqrt(math.log(t - 1)) <= value
    assert first_round_beyond_root_log(0.0, 3.0) == 2
    assert first_round_beyond_root_log(20.0, 3.0) == NEVER


@pytest.mark.parametrize("scale", [0.3, 3.0])
def test_first_round_beyond_log_log(scale):
    rounds = np.arange(3, 3000)
    growth = np.array([scale * np.log(np.log(t)) for t in rounds])
    for value in (0.1 * scale, 0.7 * scale, 1.0, 2.0, float(growth[100])):
        expected = rounds[growth > value][0] if (growth > value).any() else None
        found = first_round_beyond_log_log(value, scale)
        assert found == expected if expected else found >= 3000
    assert first_round_beyond_log_log(4.0 * scale, scale) == NEVER


# The challenger by cheap bounds is the one with the largest bound, and ties draw as before.


def reference_challenger(w, c, t, alpha, policy, undecided):
    rivals = [j for j in range(len(w)) if j != c and conventions.may_beat(w, j, c, t, alpha)]
    if undecided:
        rivals = [j for j in rivals if conventions.may_lose(w, j, c, t, alpha)]
    if not rivals:
        return c
    highest = max(conventions.upper(w, j, c, t, alpha) for j in rivals)
    return conventions.pick([j for j in rivals if conventions.upper(w, j, c, t, alpha) == highest], policy)


@pytest.mark.parametrize(("arms", "rounds", "alpha"), [(2, 3000, 0.51), (5, 3000, 0.02), (40, 1500, 0.51)])
def test_challenger_is_the_reference(arms, rounds, alpha):
    """The challenger is the reference's, also with foreign duels and if only undecided pairs count."""
    rng = np.random.default_rng([arms, int(100 * alpha)])
    comparisons, bounds = new_comparisons(arms, alpha), new_bounds(arms)
    w = conventions.no_counts(arms)
    policy, reference_policy = np.random.default_rng(1), np.random.default_rng(1)
    met = set()
    t = 1
    for _ in range(rounds):
        t += int(rng.integers(1, 3))
        advance(comparisons, t)
        c = int(rng.integers(arms))
        before = reference_policy.bit_generator.state
        for undecided in (True, False):
            expected = reference_challenger(w, c, t, alpha, reference_policy, undecided)
            assert challenger(bounds, comparisons, c, t, undecided, policy) == expected
            assert policy.bit_generator.state == reference_policy.bit_generator.state
        met.add("self" if expected == c else "tie" if before != reference_policy.bit_generator.state else "clear")
        d = int(rng.integers(arms)) if expected == c or rng.random() < 0.2 else expected
        if c != d:
            wins = int(rng.random() < (0.8 if c < d else 0.2))
            wins, losses = (2, 2) if rng.random() < 0.3 else (wins, 1 - wins)
            w[c][d] += wins
            w[d][c] += losses
            count_duels(comparisons, c, d, wins, wins + losses)
            renew_bounds(bounds, comparisons, c, d)
    assert met >= ({"clear"} if arms == 2 else {"clear", "tie"}) | ({"self"} if alpha < 0.1 and arms < 40 else set())
