"""Parts that families share: blocks of duels, boundaries, draws, divergences, shared holds, UCB."""

import math
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from duelbench.kernels.arithmetic import kl, kl_from_half, least_place, most_place
from duelbench.kernels.blocks import (
    WHOLE,
    allocate,
    allocate_to_all,
    allocate_to_pair,
    emit_block,
    new_block,
    new_shares,
)
from duelbench.kernels.confidence import forget, reward, unplayed
from duelbench.kernels.draws import below, draw_arm, pick, shuffle
from duelbench.kernels.pair_tests import boundary, safe_duels
from tests.reference import conventions
from tests.reference.exponential_weights import drawn

# Blocks of duels


def allocated(pairs, rounds, rng, arms=4):
    """Return a block in which ``rounds`` duels are allocated evenly to the pairs."""
    block = new_block(arms)
    for place, (i, j) in enumerate(pairs):
        rounds -= allocate_to_pair(block, i, j, rounds, len(pairs) - place, rng)
    block.cursor[0].pair = 0
    assert rounds == 0
    return block


def test_block_parts_are_multinomial():
    pairs, rounds = [(0, 1), (2, 0), (1, 3)], 3
    rng = np.random.default_rng(1)
    seen = {}
    for _ in range(6000):
        pending = allocated(pairs, rounds, rng).pending
        parts = tuple(int(pending[pair]) for pair in pairs)
        assert pending.sum() == sum(parts)
        seen[parts] = seen.get(parts, 0) + 1
    expected = [6000 * stats.multinomial.pmf(parts, rounds, [1 / 3] * 3) for parts in seen]
    assert len(seen) == 10
    assert stats.chisquare(list(seen.values()), expected).pvalue > 0.001


def test_block_of_all_pairs_is_even():
    block, rng = new_block(3), np.random.default_rng(4)
    total = np.zeros((3, 3), int)
    for rounds in (1, 7, 5000, 5000):
        allocate_to_all(block, rounds, rng)
        assert block.pending.sum() == rounds
        assert np.trace(block.pending) == 0
        assert emit_block(block, 10**6)[2] > 0
        total += block.pending
    assert stats.chisquare(total[~np.eye(3, dtype=bool)][1:]).pvalue > 0.001  # the first pair's duels are answered


@pytest.mark.parametrize("most", [1, 7, 10**6])
def test_block_is_emitted_once(most):
    rng = np.random.default_rng(2)
    block = allocated([(i, j) for i in range(4) for j in range(4) if i != j], 1000, rng)
    pending, answered = block.pending.copy(), np.zeros((4, 4), int)
    while (answer := emit_block(block, most))[2] > 0:
        assert answer[2] <= most
        answered[answer[:2]] += answer[2]
    assert np.array_equal(answered, pending)
    assert emit_block(block, most) == (0, 0, 0)
    assert emit_block(new_block(4), most) == (0, 0, 0)


# Holds that arms share


def test_shared_hold_parts_are_multinomial():
    p_informative, arms = np.array([0.0, 0.2, 0.9, 0.6]), np.array([3, 1, 0, 2])
    weights = np.array([0.4, 0.8, 1.0]) / 2.2  # for arms 3, 1, 0 in the list
    rng, seen, shares = np.random.default_rng(1), {}, new_shares(4)
    for _ in range(6000):
        allocate(shares, arms, 3, p_informative, 3, rng)
        assert shares.sum() == shares[WHOLE].sum() == 3
        assert shares[WHOLE, 2] == 0
        parts = tuple(shares[WHOLE, [3, 1, 0]].tolist())
        seen[parts] = seen.get(parts, 0) + 1
    assert len(seen) == 10
    expected = [6000 * stats.multinomial.pmf(parts, 3, weights) for parts in seen]
    assert stats.chisquare(list(seen.values()), expected).pvalue > 0.001


def test_shared_hold_of_one_arm_draws_nothing():
    rng, untouched = np.random.default_rng(1), np.random.default_rng(1)
    shares = new_shares(3)
    allocate(shares, np.array([1, 0, 2]), 1, np.array([0.5, 0.5, 0.5]), 8, rng)
    assert shares[WHOLE].tolist() == [0, 8, 0]
    allocate(shares, np.array([1, 0, 2]), 3, np.array([0.5, 0.5, 0.5]), 0, rng)
    assert shares[WHOLE].tolist() == [0, 0, 0]
    assert rng.random() == untouched.random()


# The boundary of an interval around 1/2


@pytest.mark.parametrize("scale", [0.7, 4.0, 12.0])
def test_boundary(scale):
    for n in (1, 7, 1000):
        assert boundary(scale, n) == pytest.approx(n * math.sqrt((scale + 2 * math.log(n)) / (2 * n)))


@pytest.mark.parametrize("scale", [0.7, 4.0, 12.0])
@pytest.mark.parametrize("step", [0.3, 0.5])
def test_room_below_boundary(scale, step):
    for n in (0, 1, 10, 1000):
        for part in (-0.5, 0.0, 0.5, 0.9, 0.99):
            lead = part * boundary(scale, n + 1)
            s = safe_duels(scale, n, lead, step)
            assert all(lead + k * step <= boundary(scale, n + k) for k in range(1, s + 1))
            away = np.arange(1, 5 * s + 50)
            reached = [k for k in away if lead + k * step > boundary(scale, n + int(k))]
            assert not reached or part > 0 or n < 10 or s >= 0.3 * (reached[0] - 1)


# Draws


P = np.array([0.5, 0.0, 0.2, 0.25, 0.05])


def test_draw_arm_frequencies():
    rng = np.random.default_rng(1)
    counts = np.bincount([draw_arm(P, rng) for _ in range(20_000)], minlength=5)
    assert counts[1] == 0
    assert stats.chisquare(counts[P > 0], 20_000 * P[P > 0]).pvalue > 0.001


def test_draw_arm_rounding():
    class Largest:
        def random(self):
            return np.nextafter(1, 0)

    assert drawn([0.5, 0.4999], Largest()) == 1
    tenths = np.full(10, 0.1 - 1e-12)
    top = np.random.default_rng(3)
    assert max(draw_arm(tenths, top) for _ in range(1000)) == 9


def test_below_takes_one_double():
    ours, numpys = np.random.default_rng(1), np.random.default_rng(1)
    assert [below(n, ours) for n in range(1, 500)] == [int(numpys.random() * n) for n in range(1, 500)]
    counts = np.bincount([below(7, ours) for _ in range(14_000)], minlength=7)
    assert stats.chisquare(counts).pvalue > 0.001
    assert len(counts) == 7


def test_pick_draws_only_among_several():
    ours, numpys = np.random.default_rng(2), np.random.default_rng(2)
    candidates = np.array([8, 3, 5, 99, 99])
    assert pick(candidates, 1, ours) == 8
    assert [pick(candidates, 3, ours) for _ in range(200)] == [[8, 3, 5][int(numpys.random() * 3)] for _ in range(200)]
    assert ours.bit_generator.state == numpys.bit_generator.state


def test_shuffle_frequencies():
    rng, seen = np.random.default_rng(1), Counter()
    for _ in range(12_000):
        order = np.array([0, 1, 2, 7])
        shuffle(order, 3, rng)
        assert order[3] == 7
        seen[tuple(order[:3])] += 1
    assert len(seen) == 6
    assert all(abs(count - 2000) < 5 * np.sqrt(2000 * 5 / 6) for count in seen.values())


# Extremes and divergences


@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_extremes_take_the_lowest_place(kind):
    rng = np.random.default_rng(3)
    for size in (1, 2, 5, 20):
        for _ in range(20):
            values = rng.integers(0, 6, size).astype(kind)
            assert least_place(values) == np.argmin(values)
            assert most_place(values) == np.argmax(values)
    assert least_place(np.full(3, np.inf)) == 0


def test_kl_is_the_reference():
    for n in (1, 2, 3, 7, 100, 12_345):
        for w in range(0, n + 1, max(1, n // 100)):
            assert kl_from_half(w / n) == conventions.kl(w / n)


def test_kl_near_one_half():
    # kl(1/2 + x) = 2x² + 4x⁴/3 + …
    for x in (1e-2, 1e-3, 1e-4, 1e-5):
        assert kl_from_half(0.5 + x) == pytest.approx(2 * x**2 + 4 * x**4 / 3 + 32 * x**6 / 15, rel=1e-5)


def test_kl_of_two_coins():
    for p in (0.0, 0.2, 0.5, 0.9, 1.0):
        for q in (0.1, 0.5, 0.85):
            assert kl(p, q) == pytest.approx(stats.entropy([p, 1 - p], [q, 1 - q]), rel=1e-12, abs=1e-15)


# UCB, compared with a reference that stores all rewards


def test_ucb_plays_at_once():
    at_once, one_by_one = unplayed(1, 3, 2.0), unplayed(1, 3, 2.0)
    reward(at_once, 0, 1, 2, 5)
    for won in (1, 0, 1, 0, 0):
        reward(one_by_one, 0, 1, won, 1)
    assert all(np.array_equal(a, b) for a, b in zip(at_once, one_by_one, strict=True))
    assert at_once.mean[0, 1] == 0.4
    assert at_once.width[0, 1] == 1 / math.sqrt(5)


def test_ucb_forgets_one_bandit():
    bandits = unplayed(2, 3, 2.0)
    for b in range(2):
        reward(bandits, b, 2, 1, 1)
    forget(bandits, 0)
    fresh = unplayed(2, 3, 2.0)
    for ours, theirs in zip(bandits[1:-1], fresh[1:-1], strict=True):
        assert np.array_equal(ours[0], theirs[0])
    assert bandits.plays[1].tolist() == [0, 0, 1]
