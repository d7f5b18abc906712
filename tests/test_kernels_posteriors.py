"""Posterior chances, updated by additions and subtractions, compared with exact binomial tails."""

import math
from fractions import Fraction

import numba
import numpy as np
import pytest
from scipy import special, stats

from duelbench.kernels.posteriors import (
    TINY,
    add_results,
    add_win,
    is_negligible,
    mass_of,
    new_posteriors,
    value_above_half,
)


def tail(fewer, more):
    """``P(Bin(m, 1/2) <= fewer)``, m = fewer + more + 1, from one exact binomial coefficient."""
    m = fewer + more + 1
    terms = []
    term = 1.0
    for k in range(fewer, -1, -1):
        terms.append(term)
        term *= k / (m - k + 1)
        if term < 1e-18:
            break
    return math.fsum(terms) * coin_flips(m, fewer)


def coin_flips(m, k):
    """``C(m, k) / 2^m``, correctly rounded: Fraction would look for common factors first."""
    ways = math.comb(m, k)
    shift = max(0, ways.bit_length() - 64)
    return math.ldexp(float(ways >> shift), shift - m)


def mass(a, b):
    return coin_flips(a + b, a)


@numba.njit
def walk(posteriors, results, stops):
    """Let arm 0 win where ``results`` is True; return (wins, losses, chance of 0, of 1, mass) after each stop."""
    rows = np.zeros((len(stops), 5))
    a = b = k = 0
    for r in range(len(stops)):
        while k < stops[r]:
            if results[k]:
                add_win(posteriors, 0, 1, a, b)
                a += 1
            else:
                add_win(posteriors, 1, 0, b, a)
                b += 1
            k += 1
        rows[r, 0], rows[r, 1] = a, b
        rows[r, 2], rows[r, 3], rows[r, 4] = posteriors.chance[0, 1], posteriors.chance[1, 0], posteriors.mass[0, 1]
    return rows


def worst_error(results, stops):
    """Return the largest relative error of the smaller tail, and the smallest tail met."""
    posteriors = new_posteriors(2)
    worst, least = 0.0, 1.0
    for a, b, up, down, _ in walk(posteriors, np.asarray(results), np.asarray(stops)):
        fewer, more = sorted((int(a), int(b)))
        small = up if a <= b else down
        exact = tail(fewer, more)
        assert up + down == pytest.approx(1.0, abs=1e-15)
        if exact > 1e-290:
            worst = max(worst, abs(small / exact - 1))
            least = min(least, exact)
    assert np.array_equal(posteriors.mass, posteriors.mass.T)
    return worst, least


def test_every_small_record_in_every_order():
    for a in range(12):
        for b in range(12):
            exact = Fraction(sum(math.comb(a + b + 1, k) for k in range(a + 1)), 2 ** (a + b + 1))
            for order in (
                [1] * a + [0] * b,
                [0] * b + [1] * a,
                np.random.default_rng(a).permutation([1] * a + [0] * b),
            ):
                posteriors = new_posteriors(2)
                rows = walk(posteriors, np.array(order, bool), np.array([a + b]))
                assert rows[0, 2] == pytest.approx(float(exact), rel=1e-13)
                assert rows[0, 3] == pytest.approx(float(1 - exact), rel=1e-13)
                assert rows[0, 4] == pytest.approx(mass(a, b), rel=1e-13)


@pytest.mark.parametrize(
    ("p", "length"),
    [(0.5, 10**5), (0.502, 2 * 10**5), (0.49, 10**5), (0.6, 10**4), (0.4, 10**4), (0.95, 2000), (0.05, 2000)],
)
def test_walks_keep_the_smaller_tail(p, length):
    rng = np.random.default_rng([int(1000 * p), length])
    results = rng.random(length) < p
    stops = np.unique(np.geomspace(1, length, 20 if length < 10**5 else 8).astype(int))
    worst, least = worst_error(results, stops)
    assert worst < 1e-9
    assert least < {0.5: 0.4, 0.502: 0.2, 0.51: 1e-8, 0.6: 1e-40, 0.95: 1e-200}[max(p, 1 - p)]


@pytest.mark.parametrize(("p", "length"), [(0.95, 2500), (0.8, 6000)])
def test_tail_after_underflow(p, length):
    """The winner of a pair changes long after its tail has underflowed."""
    rng = np.random.default_rng(length)
    results = np.concatenate([rng.random(length) < p, rng.random(2 * length) < 1 - p])
    ends = np.arange(length, 3 * length + 1, length // 10)
    posteriors = new_posteriors(2)
    tails = []
    for a, b, up, down, _ in walk(posteriors, results, ends):
        fewer, more = sorted((int(a), int(b)))
        tails.append(tail(fewer, more))
        if tails[-1] > 1e-280:
            assert (up if a <= b else down) == pytest.approx(tails[-1], rel=1e-9)
    assert tails[0] < 1e-308
    assert max(tails) > 1e-3


def test_negligible_masses_are_far_below_tiny():
    records = [(a, b) for b in (10, 800, 3000, 10**5) for a in range(0, b, 1 + b // 200)]
    negligible = [record for record in records if is_negligible(*record)]
    assert len(negligible) > 100
    assert all(mass_of(a, b) < 1e-300 for a, b in negligible)
    assert any(not is_negligible(a, b) and mass_of(a, b) < TINY for a, b in records)


def test_results_in_blocks_are_results_one_by_one():
    block, single = new_posteriors(3), new_posteriors(3)
    a = b = 0
    for wins, losses in ((5, 0), (0, 9), (3, 4), (40, 11), (0, 30)):
        add_results(block, 2, 1, a, b, wins, losses)
        for won in [True] * wins + [False] * losses:
            if won:
                add_win(single, 2, 1, a, b)
                a += 1
            else:
                add_win(single, 1, 2, b, a)
                b += 1
    assert all(np.array_equal(x, y) for x, y in zip(block, single, strict=True))
    assert block.chance[2, 1] == pytest.approx(stats.beta.sf(0.5, a + 1, b + 1), rel=1e-11)
    assert block.chance[0, 1] == block.chance[0, 2] == 0.5


# Values given their side: Kolmogorov–Smirnov test against the truncated distribution.


def given_side_cdf(x, a, b):
    """``P(θ <= x | θ > 1/2)`` by tails, which is accurate even if θ > 1/2 is rare."""
    return 1 - special.betainc(b + 1, a + 1, 1 - np.asarray(x)) / special.betainc(b + 1, a + 1, 0.5)


@numba.njit
def draw_values(drawn, a, b, up, mass, rng):
    for k in range(len(drawn)):
        drawn[k] = value_above_half(a, b, up, mass, rng)


RECORDS = [(0, 0), (5, 3), (40, 20), (9, 13), (0, 3), (0, 40), (1, 12), (10, 30), (40, 90), (300, 420)]


@pytest.mark.parametrize(("a", "b"), RECORDS)
def test_values_follow_the_truncated_posterior(a, b):
    drawn = np.empty(20_000)
    draw_values(drawn, a, b, stats.beta.sf(0.5, a + 1, b + 1), mass(a, b), np.random.default_rng([a, b]))
    assert np.all((drawn > 0.5) & (drawn <= 1))
    assert stats.kstest(drawn, given_side_cdf, args=(a, b)).pvalue > 0.001
