"""ANACONDA's layers: the law of the schedule of replays, and who is trusted by which layer."""

import itertools
import math

import numpy as np
import pytest

from duelbench.algorithms.monitored.replays import (
    NEVER,
    begin_episode,
    begins_within,
    distrust,
    draw_next,
    first_round_trusted,
    move_to,
    no_replays,
)
from duelbench.literal import anaconda as literal

T, EPISODE, EPISODES = 1000, 37, 250
LENGTHS = [2**k for k in range(1, 11)]
AGES = [1, 2, 5, 30, 200, T - EPISODE + 1]


@pytest.fixture(scope="module")
def schedules():
    """How often a replay of each length was the longest of its round, by the age of the episode."""
    replays, rng, found = no_replays(3, T), np.random.default_rng(1), np.zeros((len(AGES) - 1, len(LENGTHS)))
    for _ in range(EPISODES):
        begin_episode(replays, EPISODE)
        t = EPISODE
        while True:
            draw_next(replays, t + 1, rng)
            t = int(replays.course[0].next)
            if t == NEVER:
                break
            row = np.searchsorted(AGES, t - EPISODE, side="right") - 1
            found[row, int(math.log2(replays.course[0].length)) - 1] += 1
    return found


def expected():
    """The same, from the probability of each replay of each round by itself."""
    numbers = np.zeros((len(AGES) - 1, len(LENGTHS)))
    for row, (low, high) in enumerate(itertools.pairwise(AGES)):
        for age in range(low, high):
            none = 1.0
            for k in reversed(range(len(LENGTHS))):
                chance = literal.replay_chance(LENGTHS[k], age)
                numbers[row, k] += none * chance
                none *= 1 - chance
    return EPISODES * numbers


def unlikely(found, mean):
    """By how many standard errors the numbers of replays differ, of any age and length, of any age, of any length."""
    several = [(found, mean), *((found.sum(axis), mean.sum(axis)) for axis in (0, 1, None))]
    return max(np.max(np.abs(a - b) / np.sqrt(b + 1)) for a, b in several)


def test_replays_come_as_if_each_was_drawn_by_itself(schedules):
    assert unlikely(schedules, expected()) < 4.5


@pytest.mark.parametrize(
    "wrong", [lambda m, age: 1.05 / math.sqrt(m * (age + 1)), lambda m, age: 1 / math.sqrt(1.08 * m * age)]
)
def test_a_few_percent_more_or_less_would_be_seen(schedules, wrong, monkeypatch):
    monkeypatch.setattr(literal, "replay_chance", wrong)
    assert unlikely(schedules, expected()) > 5.5


def layers(replays):
    depth = replays.course[0].depth
    arms = [replays.arms[k, : replays.size[k]].tolist() for k in range(depth)]
    return list(zip(replays.start[:depth].tolist(), replays.end[:depth].tolist(), arms, strict=True))


def test_what_is_over_when_a_replay_ends_is_never_played_again():
    replays, rng, everybody = no_replays(3, 100), np.random.default_rng(1), [0, 1, 2]
    begin_episode(replays, 10)
    for t, length in ((20, 16), (22, 4), (24, 4), (25, 2)):
        replays.course[0].next, replays.course[0].length = t, length
        move_to(replays, t, rng)
    assert layers(replays) == [(10, NEVER, everybody), (20, 36, everybody), (24, 28, everybody), (25, 27, everybody)]
    replays.course[0].next = NEVER
    move_to(replays, 29, rng)
    assert layers(replays) == [(10, NEVER, everybody), (20, 36, everybody)]
    replays.course[0].next, replays.course[0].length = 30, 128
    move_to(replays, 30, rng)
    assert layers(replays) == [(10, NEVER, everybody), (30, 100, everybody)]


def test_an_arm_that_is_bad_from_a_round_on_is_so_to_layers_from_before():
    replays, rng = no_replays(3, 100), np.random.default_rng(1)
    begin_episode(replays, 10)
    for t, length in ((20, 16), (22, 4)):
        replays.course[0].next, replays.course[0].length = t, length
        move_to(replays, t, rng)
    distrust(replays, 1, 21)
    assert layers(replays) == [(10, NEVER, [0, 2]), (20, 36, [0, 2]), (22, 26, [0, 1, 2])]
    assert [first_round_trusted(replays, arm) for arm in range(3)] == [10, 22, 10]
    distrust(replays, 1, 50)
    assert first_round_trusted(replays, 1) == NEVER
    assert [begins_within(replays, 19, 20), begins_within(replays, 20, 21), begins_within(replays, 15, 40)] == [
        True,
        False,
        True,
    ]


@pytest.mark.parametrize("horizon", [1, 2, 3, 1000])
def test_lengths_are_powers_of_two_up_to_that_at_or_above_the_horizon(horizon):
    assert no_replays(3, horizon).levels == math.ceil(math.log2(horizon))
