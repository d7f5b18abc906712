"""Votes by the word: each lane's chance, their independence, and how lost votes are counted."""

from functools import cache

import numpy as np
import pytest

from duelbench.algorithms.thompson.words import (
    DIGITS,
    LANES,
    add_losses,
    forget_polled,
    losses_of,
    lowest,
    no_words,
    population,
    set_digits,
    won,
)
from duelbench.compiling.jit import kernel
from duelbench.kernels.votes import no_votes

ARMS = 2 * LANES + 10
CHANCES = (0.5, 0.75, 0.25, 0.875, 0.3, 0.7001, 0.5 + 2.0**-11, 1 / 256, 1e-3, 1e-290, 1.0, 1 - 1e-9, 255.5 / 256)
DRAWS = 500_000


def words_of(chances):
    """Return the words and votes of arm 0, whose chances against arms 1, 2, … these are; it has not met the others."""
    words, votes = no_words(ARMS), no_votes(ARMS)
    for j, chance in enumerate(chances, start=1):
        votes.chance[0, j] = chance
        set_digits(words, votes, 0, j)
    return words, votes


@kernel
def tally(words, votes, v, lanes, draws, rng, single, pairs):
    """Count how often arm 0 wins each lane of word v, and how often the first twenty win in pairs."""
    for _ in range(draws):
        wins = won(words, votes, 0, v, lanes, rng)
        for a in range(single.shape[0]):
            single[a] += wins >> a & 1
        for a in range(20):
            for b in range(a):
                pairs[a, b] += (wins >> a) & (wins >> b) & 1


@cache
def tallied():
    words, votes = words_of(CHANCES)
    single, pairs = np.zeros(LANES, np.int64), np.zeros((20, 20), np.int64)
    tally(words, votes, 0, int(words.arms[0]) & ~1, DRAWS, np.random.default_rng(1), single, pairs)
    return single / DRAWS, pairs / DRAWS


def chances():
    return np.array([0.0, *CHANCES, *[0.5] * (LANES - len(CHANCES) - 1)])


def deviations(shares, expected):
    """Return by how many standard errors shares of ``DRAWS`` differ from what is expected."""
    return np.abs(shares - expected) / np.sqrt(np.maximum(expected * (1 - expected), 1 / DRAWS) / DRAWS)


def test_lanes_are_won_as_often_as_they_should():
    single, _ = tallied()
    assert deviations(single, chances()).max() < 4.5
    assert single[1 + CHANCES.index(1.0)] == 1.0
    assert single[1 + CHANCES.index(1e-290)] == 0.0


def test_lanes_are_independent():
    _, pairs = tallied()
    expected = np.outer(chances()[:20], chances()[:20])
    assert deviations(pairs, expected)[np.tril_indices(20, -1)].max() < 4.5


def test_a_bias_in_the_last_digit_and_a_shared_coin_would_be_seen():
    single, pairs = tallied()
    assert deviations(single, np.floor(chances() * 2**DIGITS) / 2**DIGITS).max() > 5  # nothing after the digits
    assert deviations(single, chances() + 2.0**-DIGITS)[1:11].min() > 4
    shared = np.minimum.outer(chances()[:20], chances()[:20])  # one variate for two lanes
    open_lanes = (chances()[:20] > 0.1) & (chances()[:20] < 0.9)
    assert deviations(pairs, shared)[np.tril(np.outer(open_lanes, open_lanes), -1)].min() > 50


def test_only_lanes_that_are_asked_for_vote():
    words, votes = words_of(CHANCES)
    rng = np.random.default_rng(2)
    for lanes in (0, 1 << 5, 0b1010, int(words.arms[1])):
        for v in (0, 1):
            for _ in range(50):
                assert won(words, votes, 0, v, lanes, rng) & ~lanes == 0


@pytest.mark.parametrize(("met", "draws"), [((), 1), ((0.75, 0.25, 0.5), 2)])
def test_few_variates_settle_pairs_that_have_hardly_met(met, draws):
    words, votes = words_of(met)
    rng, other = np.random.default_rng(3), np.random.default_rng(3)
    won(words, votes, 0, 0, int(words.arms[0]), rng)
    other.random(draws)
    assert rng.random() == other.random()


def test_words_cover_the_arms():
    assert [population(int(lanes)) for lanes in no_words(ARMS).arms] == [LANES, LANES, 10]
    assert [population(int(lanes)) for lanes in no_words(2 * LANES).arms] == [LANES, LANES]
    assert len(no_words(0).arms) == 0


def test_ones_are_counted_and_found():
    rng = np.random.default_rng(4)
    for word in [1, 1 << 52, (1 << 53) - 1, *rng.integers(1, 1 << 53, 200).tolist()]:
        assert population(word) == bin(word).count("1")
        assert 1 << lowest(word) == word & -word
    assert population(0) == 0


def test_lost_votes_are_counted_for_each_arm():
    words, rng = no_words(ARMS), np.random.default_rng(5)
    for _ in range(2):
        lost = np.zeros((3, LANES), int)
        for _ in range(300):
            v = int(rng.integers(3))
            flags = rng.random(LANES) < rng.choice([0.02, 0.5, 1.0])
            add_losses(words, v, sum(1 << lane for lane in np.flatnonzero(flags).tolist()))
            lost[v] += flags
        assert [[losses_of(words, v, lane) for lane in range(LANES)] for v in range(3)] == lost.tolist()
        forget_polled(words)
    assert losses_of(words, 0, 0) == 0


def test_all_arms_can_lose_to_all_others():
    for arms in (2, 3, 4, 7, 8, 9, 31, 33):
        words = no_words(arms)
        for _ in range(arms - 1):
            add_losses(words, 0, int(words.arms[0]))
        assert {losses_of(words, 0, lane) for lane in range(arms)} == {arms - 1}


def test_digits_follow_a_chance_that_changes():
    words, votes = words_of([])
    for chance in (0.75, 0.3, 0.5, 1.0, 0.999, 0.25):
        votes.chance[0, 60] = chance
        set_digits(words, votes, 0, 60)
        v, lane = divmod(60, LANES)
        number = sum((int(words.digits[0, v, k]) >> lane & 1) << (DIGITS - 1 - k) for k in range(DIGITS))
        assert number == min(int(chance * 2**DIGITS), 2**DIGITS - 1)
        assert (words.longer[0, v] >> lane & 1) == (chance in (0.3, 1.0, 0.999))
        assert words.met[0, v] == 1 << lane
    elsewhere = words.digits.copy()
    elsewhere[0, v] &= ~(1 << lane)
    assert not elsewhere.any()
