"""Batches as linked lists, beside those of the transcription, which are lists."""

import numpy as np
import pytest

from duelbench.algorithms.merging.batches import deal, is_due, join_next, keep, list_arms, merge, no_batches
from duelbench.literal import merging
from duelbench.literal.random_order import shuffled


def dealt(K, batch, seed=1):
    batches = no_batches(K, batch)
    deal(batches, np.random.default_rng(seed))
    return batches


def as_lists(batches):
    lists = []
    for b in batches.numbers[: batches.course[0].count]:
        n = list_arms(batches, b)
        lists.append(batches.listed[:n].tolist())
        assert batches.after[batches.final[b]] == -1
    return lists


@pytest.mark.parametrize(("K", "batch"), [(2, 4), (4, 4), (5, 4), (33, 16), (100, 7)])
def test_arms_are_cut_in_random_order(K, batch):
    expected = merging.cut(shuffled(range(K), np.random.default_rng(1)), batch)
    assert as_lists(dealt(K, batch)) == expected
    assert sorted(arm for arms in expected for arm in arms) == list(range(K))


def test_arms_that_are_not_kept_are_gone():
    batches = dealt(9, 4)
    second = as_lists(batches)[1]
    list_arms(batches, batches.numbers[1])
    batches.listed[:2] = second[1], second[3]
    keep(batches, batches.numbers[1], 2)
    assert as_lists(batches)[1] == [second[1], second[3]]
    assert batches.course[0].left == 7


@pytest.mark.parametrize("current", [0, 1, 2])
def test_the_next_batch_joins_the_current_one_in_a_circle(current):
    batches = dealt(9, 4)
    lists = as_lists(batches)
    batches.course[0].current = current
    join_next(batches)
    following = (current + 1) % 3
    expected = [lists[k] + (lists[following] if k == current else []) for k in range(3) if k != following]
    assert as_lists(batches) == expected
    assert as_lists(batches)[batches.course[0].current][: len(lists[current])] == lists[current]


@pytest.mark.parametrize("seed", range(8))
def test_batches_are_merged_as_in_the_transcription(seed):
    """Whatever their sizes: all but one arm may be gone of each."""
    rng = np.random.default_rng(seed)
    K, batch = int(rng.integers(5, 120)), int(rng.integers(4, 17))
    batches, stages = dealt(K, batch), 1
    lists = as_lists(batches)
    while len(lists) > 1:
        for k, arms in enumerate(lists):
            lists[k] = arms[: int(rng.integers(1, len(arms) + 1))]
            b = batches.numbers[k]
            list_arms(batches, b)
            keep(batches, b, len(lists[k]))
        assert is_due(batches) == merging.few_enough(lists, K, stages)
        merge(batches, np.random.default_rng(seed))
        lists = merging.merge(lists, batch, np.random.default_rng(seed))
        stages += 1
        assert as_lists(batches) == lists
        assert batches.course[0].left == sum(len(arms) for arms in lists)
    assert batches.course[0].stage == stages


def test_small_batches_go_to_large_ones_by_hand():
    sizes = [1, 1, 2, 3, 5, 6]  # batches of four: at most six arms together
    lists = [[size] * size for size in sizes]
    merged = [sorted(arms) for arms in merging.merge_once(lists, 4, np.random.default_rng(1))]
    assert sorted(merged) == [[1, 3, 3, 3], [1, 5, 5, 5, 5, 5], [2, 2], [6] * 6]


def test_a_small_batch_that_is_left_is_merged_again():
    class Still:
        """No shuffle: each place keeps what it has."""

        def random(self):
            return 1 - 1e-9

    lists = [[0], [1], [2]]  # of four: first [0, 2] and [1], then all
    assert merging.merge_once(lists, 4, Still()) == [[0, 2], [1]]
    assert merging.merge(lists, 4, Still()) == [[1, 0, 2]]


def test_a_batch_of_half_the_size_is_small():
    batches = dealt(12, 4)
    lists = [arms[:2] for arms in as_lists(batches)]
    for b, arms in enumerate(lists):
        batches.listed[:2] = arms
        keep(batches, b, 2)
    merge(batches, np.random.default_rng(1))
    assert as_lists(batches) == merging.merge(lists, 4, np.random.default_rng(1))
    assert len(as_lists(batches)) == 1


@pytest.mark.parametrize("K", range(2, 40))
def test_where_no_batch_has_two_arms_they_are_few_enough_to_be_merged(K):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        lists, s = merging.cut(list(range(K)), 4), 1
        while len(lists) > 1:
            assert merging.few_enough([arms[:1] for arms in lists], K, s)
            while not merging.few_enough(lists, K, s):
                arms = lists[int(rng.integers(len(lists)))]
                if len(arms) > 1:
                    arms.pop()
            lists, s = merging.merge(lists, 4, rng), s + 1
