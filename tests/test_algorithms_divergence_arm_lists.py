"""The lists of arms, and the round at which a hold ends, against a search through the rounds."""

import math

import numpy as np
import pytest

from duelbench.algorithms.divergence import arm_lists
from duelbench.arrays import record


def test_every_pair_comes_once_before_the_lists():
    lists = arm_lists.all_arms(4, 0.0)
    pairs = []
    while lists.cursor[0].first < 3:
        pairs.append(arm_lists.first_duel(lists)[:2])
    assert pairs == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def test_the_next_list_is_built_while_one_is_played():
    lists = arm_lists.all_arms(3, 1.0)
    indices = np.array([0.5, 4.0, 0.0])
    order = []
    for t in (4, 5, 6):
        order.append(arm_lists.next_arm(lists))
        arm_lists.add_candidates(lists, indices, 2, t, record(outcomes=1, first=order[-1], second=2))
    assert order == [0, 1, 2]
    # Arm 0 was taken at round 4 and lies within log 4 + 1, arm 1 never does, arm 2 is the best one.
    cursor = lists.cursor[0]
    assert (cursor.position, cursor.length, cursor.next_length) == (0, 2, 0)
    assert lists.current[:2].tolist() == [0, 2]
    assert lists.remaining.tolist() == [True, False, True]
    assert not lists.listed.any()


@pytest.mark.parametrize("f", [0.0, 1.5])
def test_a_hold_ends_in_the_round_whose_list_is_longer(f):
    rng = np.random.default_rng(3)
    lists = arm_lists.all_arms(3, f)
    assert arm_lists.hold(lists, np.zeros(3), 0, 5, 100) == 1  # the list is longer than one arm
    lists.cursor[0].length = 1
    ends = set()
    for _ in range(200):
        indices = np.array([*rng.uniform(f, f + 6, 1), 0.0, *rng.uniform(f + 1, f + 9, 1)])
        t = int(rng.integers(2, 200))
        found = arm_lists.hold(lists, indices, 1, t, 300)
        count = 1
        while t + count - 1 < 300 and min(indices[0], indices[2]) > math.log(t + count - 1) + f:
            count += 1
        assert found == count
        ends.add("at once" if count == 1 else "late" if t + count - 1 == 300 else "between")
    assert ends == {"at once", "between", "late"}


def plain_candidates(indices, best, t, f, remaining, listed):
    """Return the arms that the text lists after round t."""
    limit = math.log(t) + f
    waiting = [j for j in range(len(indices)) if not remaining[j] and not listed[j]]
    return [j for j in waiting if indices[j] - indices[best] <= limit]


def disagreements(seed, mistake=None):
    """Play lists with outcomes now and then of other pairs, none or several; return how often they are others."""
    rng, arms, f = np.random.default_rng(seed), 8, 1.0
    lists, indices = arm_lists.all_arms(arms, f), rng.uniform(0, 4, arms)
    told, wrong, several = record(outcomes=0, first=0, second=0), 0, 0
    for t in range(10, 1500):
        taken = arm_lists.next_arm(lists)
        for _ in range(int(rng.choice([0, 1, 2], p=[0.1, 0.8, 0.1]))):
            pair = (taken, rng.integers(arms)) if rng.random() < 0.8 else rng.choice(arms, 2)
            told[0].first, told[0].second = pair
            told[0].outcomes += 1
            indices[list(pair)] = rng.uniform(0, rng.choice([1, 12, 40]), 2)
        best = int(indices.argmin())
        expected = plain_candidates(indices, best, t, f, lists.remaining, lists.listed)
        length = int(lists.cursor[0].next_length)
        ends = lists.cursor[0].position == lists.cursor[0].length
        if mistake == "nearest":
            lists.cursor[0].nearest = np.inf
        elif mistake == "outcomes":
            told[0].outcomes = 1
        arm_lists.add_candidates(lists, indices, best, t, told)
        found = lists.current[length : lists.cursor[0].length] if ends else lists.upcoming[length:]
        found = found if ends else found[: lists.cursor[0].next_length - length]
        wrong += found.tolist() != expected
        several += len(expected) > 1
        if lists.cursor[0].length == 0:  # as i* is never too unlikely this takes a mistake
            return wrong + 1
    assert several > 20
    return wrong


def test_whom_an_outcome_concerns_are_all_candidates():
    assert [disagreements(seed) for seed in range(4)] == [0] * 4
    for mistake in ("nearest", "outcomes"):
        assert disagreements(0, mistake) > 0
