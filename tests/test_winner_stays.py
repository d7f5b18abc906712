"""Algorithms whose winner stays: what the paths in catalogue.py do not test, and their races, blocks and lines."""

import math

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.algorithms.winner_stays.btw import begin_race, go_on, new_race, outcome
from duelbench.algorithms.winner_stays.ws import WsS
from duelbench.algorithms.winner_stays.wsw_pe import WswPe, room_of_the_pair
from duelbench.conformance.holds import holds_as_it_steps
from duelbench.conformance.rounds import simulate, streams
from duelbench.preferences.regret import regret_table
from tests.instances import INSTANCES

NAMES = ("ws-w", "ws-s", "btw", "btwr", "mbtw")
WEAK = ("ws-w", "btw", "btwr", "mbtw")
"""Algorithms without self-duels."""
names = pytest.mark.parametrize("name", NAMES)
interpreted = pytest.mark.usefixtures("interpreted")


@names
@pytest.mark.parametrize("delay", [2, 30])
def test_late_outcomes_are_waited_for(name, delay):
    for label in ("mslr5-condorcet", "two arms", "no difference"):
        assert holds_as_it_steps(catalogue()[name](), INSTANCES[label], (100, 3000), 1, delay=delay)


@names
def test_winner_is_found_from_late_outcomes(name):
    """Binary weak regret, or binary strong for algorithms that settle on the winner, hardly grows in the end."""
    matrix = INSTANCES["certain order"]
    kind = "binary-weak" if name in WEAK else "binary-strong"
    table, marks = regret_table(matrix, kind)[None], np.array([50_000, 100_000])
    middle, end = simulate(catalogue()[name](), matrix.P, table, marks, *streams(1, 0), delay=20).regret[0]
    assert end - middle < 0.02 * 50_000


@interpreted
@names
def test_recommendation(name):
    algorithm, matrix = catalogue()[name](), INSTANCES["certain order"]
    policy, t = streams(1, 0)[1], 1
    state = algorithm.start(4, 1000)
    assert algorithm.recommendation(state) is None
    while t <= 1000:
        first, second, count = algorithm.select(state, t, 1000, policy)
        algorithm.update(state, first, second, int(count * matrix.P[first, second] * (first != second)), count)
        t += count
    assert algorithm.recommendation(state) == (None if name == "mbtw" else 0)


# Races


@interpreted
def test_race_ignores_earlier_requests():
    race = new_race()
    begin_race(race, 0, 1, 2)
    assert go_on(race, 9) == (0, 1, 2)
    assert go_on(race, 9) == (0, 1, 1)  # outcomes are late
    assert go_on(race, 9) == (0, 1, 1)
    assert outcome(race, 2, 2) == 1
    assert outcome(race, 0, 1) == 0  # without a race
    begin_race(race, 0, 2, 2)
    assert go_on(race, 9) == (0, 2, 1)
    assert outcome(race, 1, 1) == 0  # of the first race
    assert race[0].won == 0
    assert outcome(race, 1, 1) == 0
    assert race[0].won == 1
    assert go_on(race, 9) == (0, 2, 1)
    assert outcome(race, 1, 1) == 1
    begin_race(race, 0, 1, 7)
    assert go_on(race, 9) == (0, 1, 1)  # although nothing is outstanding now


# Winner Stays


@interpreted
def test_ws_s_cut_self_duels():
    algorithm = WsS(beta=30.5)
    policy = streams(1, 0)[1]
    state = algorithm.start(2, 100)
    first, second, count = algorithm.select(state, 1, 100, policy)
    assert count == 1
    algorithm.update(state, first, second, 1, 1)
    assert algorithm.select(state, 2, 11, policy) == (first, first, 10)
    algorithm.update(state, first, first, 0, 10)
    assert algorithm.select(state, 12, 100, policy) == (first, first, 20)
    algorithm.update(state, first, first, 0, 20)
    assert algorithm.select(state, 32, 100, policy) == (first, second, 1)  # C = 1 and −1; round 2 ends at −2


# WSW-PE


STOPS = {"cyclic4": 2850, "mslr5-condorcet": 11_000, "six-rankers": 18_400}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "cyclic4" else pytest.mark.slow) for name in STOPS]
)
def test_wsw_pe_stops_as_stated(name):
    """Mean stopping times agree with stated means of 400 runs, and all runs are right."""
    matrix = INSTANCES[name]

    def declarations(delta):
        marks, table = np.array([10_000_000]), np.zeros((1, *matrix.P.shape))
        algorithm = WswPe(delta=delta)
        played = [simulate(algorithm, matrix.P, table, marks, *streams(1, run)) for run in range(400)]
        return np.array([each.declaration for each in played]).T

    winners, stops = declarations(0.05)
    error = np.sqrt(2 / 400) * stops.std()
    assert set(winners) == {matrix.condorcet_winner()}
    assert abs(stops.mean() - STOPS[name]) < 3 * error
    assert abs(declarations(0.5)[1].mean() - STOPS[name]) > 5 * error


def over(state, epoch, i_won, j_won):
    """Tell whether a meeting of arms 0 and 1 is over with a given lead, by the paper's conditions."""
    won, lost = state.wins[0, 1] + i_won, state.wins[1, 0] + j_won
    n = won + lost
    if n and abs(won / n - 0.5) > math.sqrt((state.scale + 2 * math.log(n)) / (2 * n)):
        return True
    lead = i_won - j_won
    return bool(min(state.score[0] + lead, state.score[1] - lead) <= -epoch)


@interpreted
@pytest.mark.parametrize("seed", range(20))
def test_wsw_pe_blocks_end_no_meeting(seed):
    """Only the last duel of a block can end a meeting."""
    state, rng = WswPe().start(4, 10**9), np.random.default_rng(seed)
    while True:
        epoch, duels = int(rng.integers(1, 40)), int(rng.integers(2000))
        state.wins[0, 1] = rng.binomial(duels, 0.5)
        state.wins[1, 0] = duels - state.wins[0, 1]
        state.score[:2] = rng.integers(1 - epoch, 10, 2)
        if not over(state, epoch, 0, 0):
            break
    count = room_of_the_pair(state, 0, 1, epoch)
    assert not any(over(state, epoch, won, s - won) for s in range(1, count) for won in range(s + 1))
    if count == epoch + state.score[:2].min():
        assert over(state, epoch, 0, count) or over(state, epoch, count, 0)
