"""Blocks of duels: multinomial parts, and every duel of them is answered once."""

import numpy as np
import pytest
from scipy import stats

from duelbench.kernels.blocks import allocate_to_all, allocate_to_pair, emit_block, no_block


def allocated(pairs, rounds, rng, arms=4):
    """Return a block in which ``rounds`` duels are allocated evenly to the pairs."""
    block = no_block(arms)
    for place, (i, j) in enumerate(pairs):
        rounds -= allocate_to_pair(block, i, j, rounds, len(pairs) - place, rng)
    block.cursor[0].pair = 0
    assert rounds == 0
    return block


def test_parts_are_multinomial():
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
    # As if there were one pair more to come.
    wrong = [6000 * stats.multinomial.pmf(parts, rounds, [1 / 4, 3 / 8, 3 / 8]) for parts in seen]
    assert stats.chisquare(list(seen.values()), wrong).pvalue < 1e-7


def test_all_pairs_of_different_arms_have_an_even_share():
    block, rng = no_block(3), np.random.default_rng(4)
    total = np.zeros((3, 3), int)
    for rounds in (1, 7, 5000, 5000):
        allocate_to_all(block, rounds, rng)
        assert block.pending.sum() == rounds
        assert np.trace(block.pending) == 0
        assert emit_block(block, 10**6)[2] > 0
        total += block.pending
    assert stats.chisquare(total[~np.eye(3, dtype=bool)][1:]).pvalue > 0.001  # the first pair's are answered


@pytest.mark.parametrize("most", [1, 7, 10**6])
def test_every_duel_is_answered_once(most):
    rng = np.random.default_rng(2)
    block = allocated([(i, j) for i in range(4) for j in range(4) if i != j], 1000, rng)
    pending, answered = block.pending.copy(), np.zeros((4, 4), int)
    while (answer := emit_block(block, most))[2] > 0:
        assert answer[2] <= most
        answered[answer[:2]] += answer[2]
    assert np.array_equal(answered, pending)
    assert emit_block(block, most) == (0, 0, 0)
    assert emit_block(no_block(4), most) == (0, 0, 0)
