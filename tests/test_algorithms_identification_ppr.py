"""The prior-posterior-ratio test: its density, its level, and blocks that it cannot end within."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

from duelbench.algorithms.identification.pair import no_pair
from duelbench.algorithms.identification.ppr import log_density, ppr_block, ppr_decided, ppr_level
from duelbench.literal import ppr


def after(wins, duels):
    pair = no_pair()
    pair[0].wins, pair[0].duels = wins, duels
    return pair


def test_the_density_is_that_of_the_posterior():
    for a, b in ((0, 0), (3, 0), (17, 5), (600, 500)):
        assert log_density(a, a + b) == pytest.approx(stats.beta.logpdf(0.5, a + 1, b + 1), abs=1e-9)
        assert ppr.log_density(a, b) == pytest.approx(log_density(a, a + b), abs=1e-9)


def test_equality_decides_however_it_is_rounded():
    """With integers: the density is (n + 1) C(n, a) / 2^n, here each in its turn the level."""
    for duels in range(1, 50):
        for wins in range(duels + 1):
            density = Fraction((duels + 1) * math.comb(duels, wins), 2**duels)
            assert ppr_decided(after(wins, duels), ppr_level(float(density), 2))
            assert ppr_decided(after(wins, duels), ppr_level(float(2 * density), 3))
            assert not ppr_decided(after(wins, duels), ppr_level(float(density) * (1 - 1e-6), 2))


def reachable(wins, duels, count):
    """Every number of wins after 1, 2, …, count more duels."""
    return [(wins + won, duels + s) for s in range(1, count + 1) for won in range(s + 1)]


@pytest.mark.parametrize("gamma", [0.5, 0.05, 1e-4])
def test_blocks_end_where_the_test_may(gamma):
    level = ppr_level(gamma, 3)
    for duels, part in product((0, 1, 2, 7, 30, 111), (0.0, 0.2, 0.45, 0.5, 0.57, 0.8)):
        wins = round(part * duels)
        if ppr_decided(after(wins, duels), level):
            continue
        count = ppr_block(after(wins, duels), level, 10**6)
        assert not any(ppr_decided(after(w, n), level) for w, n in reachable(wins, duels, count - 1))
        ahead = count if 2 * wins >= duels else 0
        assert ppr_decided(after(wins + ahead, duels + count), level)  # it is no shorter than it may be
        assert ppr_block(after(wins, duels), level, 3) == min(count, 3)


def test_it_errs_seldom_on_a_fair_coin():
    """A fair coin stops the test with probability γ/(outcomes − 1) at most: 0.1 here, 0.06 within 3000 duels."""
    rng, stopped = np.random.default_rng(1), 0
    n = np.arange(1, 3001)
    for _ in range(400):
        wins = np.cumsum(rng.random(3000) < 0.5)
        stopped += (stats.beta.logpdf(0.5, wins + 1, n - wins + 1) <= ppr_level(0.2, 3)).any()
    assert stopped / 400 < 0.1 + 3 * 0.015
