"""The challenger that is found by cheap bounds is the one with the largest bound, and ties draw what they drew."""

import numpy as np
import pytest

from duelbench.kernels.challengers import challenger, no_bounds, renew_bounds
from duelbench.kernels.confidence import advance, count_duels, no_comparisons
from duelbench.literal import arithmetic


def literal_challenger(w, c, t, alpha, policy):
    rivals = [j for j in range(len(w)) if j != c and arithmetic.may_beat(w, j, c, t, alpha)]
    if not rivals:
        return c
    highest = max(arithmetic.upper(w, j, c, t, alpha) for j in rivals)
    return arithmetic.pick([j for j in rivals if arithmetic.upper(w, j, c, t, alpha) == highest], policy)


@pytest.mark.parametrize("alpha", [0.02, 0.51])
@pytest.mark.parametrize("arms", [2, 5, 12])
def test_the_challenger_is_the_literal_one(arms, alpha):
    rng = np.random.default_rng([arms, int(100 * alpha)])
    comparisons, bounds = no_comparisons(arms, alpha), no_bounds(arms)
    w = arithmetic.no_counts(arms)
    policy, literal_policy = np.random.default_rng(1), np.random.default_rng(1)
    met = set()
    t = 1
    for _ in range(3000):
        t += int(rng.integers(1, 3))
        advance(comparisons, t)
        c = int(rng.integers(arms))
        before = literal_policy.bit_generator.state
        expected = literal_challenger(w, c, t, alpha, literal_policy)
        assert challenger(bounds, comparisons, c, t, policy) == expected
        assert policy.bit_generator.state == literal_policy.bit_generator.state
        met.add("self" if expected == c else "tie" if before != literal_policy.bit_generator.state else "clear")
        if expected != c:
            wins = int(rng.random() < (0.8 if c < expected else 0.2))
            wins, losses = (2, 2) if rng.random() < 0.3 else (wins, 1 - wins)
            w[c][expected] += wins
            w[expected][c] += losses
            count_duels(comparisons, c, expected, wins, wins + losses)
            renew_bounds(bounds, comparisons, c, expected)
    assert met >= ({"clear"} if arms == 2 else {"clear", "tie"}) | ({"self"} if alpha < 0.1 else set())
