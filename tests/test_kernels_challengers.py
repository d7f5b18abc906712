"""The challenger that is found by cheap bounds is the one with the largest bound, and ties draw what they drew."""

import numpy as np
import pytest

from duelbench.kernels.challengers import OWN, UNMET, challenger, no_bounds, renew_bounds
from duelbench.kernels.confidence import advance, count_duels, no_comparisons
from duelbench.literal import arithmetic


def literal_challenger(w, c, t, alpha, policy, undecided):
    rivals = [j for j in range(len(w)) if j != c and arithmetic.may_beat(w, j, c, t, alpha)]
    if undecided:
        rivals = [j for j in rivals if arithmetic.may_lose(w, j, c, t, alpha)]
    if not rivals:
        return c
    highest = max(arithmetic.upper(w, j, c, t, alpha) for j in rivals)
    return arithmetic.pick([j for j in rivals if arithmetic.upper(w, j, c, t, alpha) == highest], policy)


def check_groups(bounds, w):
    """Every arm is in one group of each row, which has its record; of a group without arms nothing is left."""
    arms = len(w)
    for c in range(arms):
        for j in range(arms):
            n = w[c][j] + w[j][c]
            record = (0.5, 0.0) if j == c else (w[j][c] * (1 / n), np.sqrt(1 / n)) if n > 0 else (2.0, 0.0)
            g = bounds.group[c, j]
            assert (bounds.rate[c, g], bounds.width[c, g]) == record
            assert (g == OWN) == (j == c)
            assert g == UNMET or j == c or n > 0
        used = bounds.used[c]
        assert used <= arms
        assert np.array_equal(bounds.size[c, :used], np.bincount(bounds.group[c], minlength=used))
        assert np.array_equal(bounds.places[c, :used], np.bincount(bounds.group[c], np.arange(arms), minlength=used))
        assert np.all(bounds.rate[c, :used][bounds.size[c, :used] == 0] == -1.0)
        assert np.all(bounds.width[c, :used][bounds.size[c, :used] == 0] == 0.0)


@pytest.mark.parametrize("alpha", [0.02, 0.51])
@pytest.mark.parametrize(("arms", "rounds"), [(2, 3000), (5, 3000), (12, 3000), (40, 1500)])
def test_the_challenger_is_the_literal_one(arms, rounds, alpha):
    """Also where every fifth duel is of arms that nobody has asked for, and where only undecided pairs count."""
    rng = np.random.default_rng([arms, int(100 * alpha)])
    comparisons, bounds = no_comparisons(arms, alpha), no_bounds(arms)
    w = arithmetic.no_counts(arms)
    policy, literal_policy = np.random.default_rng(1), np.random.default_rng(1)
    met = set()
    t = 1
    for round_ in range(rounds):
        t += int(rng.integers(1, 3))
        advance(comparisons, t)
        c = int(rng.integers(arms))
        before = literal_policy.bit_generator.state
        for undecided in (True, False):
            expected = literal_challenger(w, c, t, alpha, literal_policy, undecided)
            assert challenger(bounds, comparisons, c, t, undecided, policy) == expected
            assert policy.bit_generator.state == literal_policy.bit_generator.state
        met.add("self" if expected == c else "tie" if before != literal_policy.bit_generator.state else "clear")
        d = int(rng.integers(arms)) if expected == c or rng.random() < 0.2 else expected
        if c != d:
            wins = int(rng.random() < (0.8 if c < d else 0.2))
            wins, losses = (2, 2) if rng.random() < 0.3 else (wins, 1 - wins)
            w[c][d] += wins
            w[d][c] += losses
            count_duels(comparisons, c, d, wins, wins + losses)
            renew_bounds(bounds, comparisons, c, d)
        if round_ % 100 == 99:
            check_groups(bounds, w)
    assert met >= ({"clear"} if arms == 2 else {"clear", "tie"}) | ({"self"} if alpha < 0.1 and arms < 40 else set())


def test_many_arms_have_few_groups_and_as_many_as_there_are_arms_at_most():
    arms, rng = 70, np.random.default_rng(1)
    comparisons, bounds = no_comparisons(arms, 0.51), no_bounds(arms)
    for _ in range(arms**2 // 2):
        i, j = rng.choice(arms, 2, replace=False).tolist()
        count_duels(comparisons, i, j, int(rng.random() < 0.6), 1)
        renew_bounds(bounds, comparisons, i, j)
    check_groups(bounds, comparisons.wins.tolist())
    assert bounds.used.max() < 20
    for i in range(arms):
        for j in range(i):
            duels = int(rng.integers(50, 10**4))
            count_duels(comparisons, i, j, int(rng.binomial(duels, 0.6)), duels)
            renew_bounds(bounds, comparisons, i, j)
    check_groups(bounds, comparisons.wins.tolist())
    assert bounds.used.min() > arms * 0.9
