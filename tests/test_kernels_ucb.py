"""UCB bandits beside one that keeps its rewards one by one and computes everything anew."""

import math

import numpy as np
import pytest

from duelbench.kernels.ucb import choose_arm, factor_of, forget, reward, unplayed
from duelbench.literal.ucb import Ucb


def choices(alpha, arms, plays, right_alpha=None):
    """Play both side by side; yield our choice and the literal one."""
    ours, theirs = unplayed(2, arms, alpha), Ucb(arms, right_alpha or alpha)
    policy, literal_policy, coins = (np.random.default_rng(seed) for seed in (1, 1, 2))
    for play in range(plays):
        chosen = choose_arm(ours, 1, factor_of(ours, 1), policy)
        yield chosen, theirs.advance(literal_policy)
        won = int(coins.random() < (chosen + 1) / (arms + 1))
        reward(ours, 1, chosen, won, 1)
        theirs.feedback(chosen, won)
        assert ours.total.tolist() == [0, play + 1]  # the other bandit hears nothing
        assert ours.won[1].tolist() == [sum(rewards) for rewards in theirs.rewards]
    assert policy.random() == literal_policy.random()


@pytest.mark.parametrize("alpha", [0.6, 3.0])
@pytest.mark.parametrize("arms", [2, 3, 9])
def test_the_arm_with_the_largest_index_is_chosen(arms, alpha):
    assert all(ours == theirs for ours, theirs in choices(alpha, arms, 800))


def test_a_factor_a_bit_off_chooses_otherwise():
    assert any(ours != theirs for ours, theirs in choices(3.0, 9, 800, right_alpha=2.94))


def test_several_plays_at_once_are_single_ones():
    at_once, one_by_one = unplayed(1, 3, 2.0), unplayed(1, 3, 2.0)
    reward(at_once, 0, 1, 2, 5)
    for won in (1, 0, 1, 0, 0):
        reward(one_by_one, 0, 1, won, 1)
    assert all(np.array_equal(a, b) for a, b in zip(at_once, one_by_one, strict=True))
    assert at_once.mean[0, 1] == 0.4
    assert at_once.width[0, 1] == 1 / math.sqrt(5)


def test_a_bandit_that_forgets_is_unplayed_and_the_others_are_not():
    bandits = unplayed(2, 3, 2.0)
    for b in range(2):
        reward(bandits, b, 2, 1, 1)
    forget(bandits, 0)
    fresh = unplayed(2, 3, 2.0)
    for ours, theirs in zip(bandits[1:-1], fresh[1:-1], strict=True):
        assert np.array_equal(ours[0], theirs[0])
    assert bandits.plays[1].tolist() == [0, 0, 1]
