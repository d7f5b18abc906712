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
