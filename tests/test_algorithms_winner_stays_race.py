"""Races: who wins one how often, blocks that cannot end one on the way, and outcomes that come late."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import betainc

from duelbench.algorithms.winner_stays.race import begin_race, go_on, no_race, outcome


def raced(goal, p, rng):
    """Return who wins a race, the number of its duels, and of the requests for them."""
    race, duels, requests = no_race(), 0, 0
    begin_race(race, 3, 5, goal)
    while True:
        first, second, count = go_on(race, 10**9)
        assert (first, second) == (3, 5)
        assert count == goal - max(race[0].won, race[0].lost)  # as many as cannot end it before the last
        duels, requests = duels + count, requests + 1
        won = outcome(race, int(rng.binomial(count, p)), count)
        if won:
            assert max(race[0].won, race[0].lost) == goal
            assert not race[0].running
            return won, duels, requests


@pytest.mark.parametrize(("goal", "p"), [(1, 0.3), (4, 0.6), (30, 0.52)])
def test_who_wins_and_after_how_many_duels(goal, p):
    rng = np.random.default_rng(goal)
    won, duels, _ = np.array([raced(goal, p, rng) for _ in range(2000)]).T
    assert stats.binomtest(int((won > 0).sum()), 2000, betainc(goal, goal, p)).pvalue > 0.001
    single = [np.flatnonzero(np.cumsum(rng.random(2 * goal) < p) == goal) for _ in range(2000)]
    first = np.array([each[0] if len(each) else 2 * goal for each in single])
    if goal > 1:
        assert stats.ks_2samp(duels[won > 0], first[first < 2 * goal - 1] + 1).pvalue > 0.001
        wrong = betainc(goal + 1, goal + 1, p + 0.05)
        assert stats.binomtest(int((won > 0).sum()), 2000, wrong).pvalue < 1e-3


def test_a_race_takes_a_few_requests():
    rng = np.random.default_rng(0)
    assert np.mean([raced(1000, 0.55, rng)[2] for _ in range(50)]) < 12


def test_what_was_asked_before_a_race_is_no_part_of_it():
    race = no_race()
    begin_race(race, 0, 1, 2)
    assert go_on(race, 9) == (0, 1, 2)
    assert go_on(race, 9) == (0, 1, 1)  # outcomes are late
    assert go_on(race, 9) == (0, 1, 1)
    assert outcome(race, 2, 2) == 1
    assert outcome(race, 0, 1) == 0  # there is no race
    begin_race(race, 0, 2, 2)
    assert go_on(race, 9) == (0, 2, 1)
    assert outcome(race, 1, 1) == 0  # of the first race
    assert race[0].won == 0
    assert outcome(race, 1, 1) == 0
    assert race[0].won == 1
    assert go_on(race, 9) == (0, 2, 1)
    assert outcome(race, 1, 1) == 1
    begin_race(race, 0, 1, 7)
    assert go_on(race, 9) == (0, 1, 1)  # though nothing is outstanding now
