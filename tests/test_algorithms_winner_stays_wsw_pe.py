"""WSW-PE: its weak regret and when it stops beside numbers computed elsewhere, and its blocks. Its literal paths are in
test_algorithms_winner_stays, and here those to the declaration."""

import math

import numpy as np
import pytest

from duelbench.conformance.instances import order
from duelbench.conformance.paths import engine_course
from duelbench.conformance.rounds import simulate, streams
from tests.exploring import same
from tests.winners import INSTANCES, Stated, deviation, literal_path, make

STATED = [
    Stated("cyclic4", 1_000_000, 25.2, 1.8, 500),
    Stated("mslr5-condorcet", 1_000_000, 44.5, 3.9, 500),
    Stated("six-rankers", 1_000_000, 194, 15, 400),
]
STOPS = {"cyclic4": 2850, "mslr5-condorcet": 11_000, "six-rankers": 18_400}


@pytest.mark.parametrize("stated", [pytest.param(each, marks=pytest.mark.slow) for each in STATED])
def test_regret_as_stated(stated):
    assert abs(deviation(make("wsw-pe"), stated)) < 3


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "cyclic4" else pytest.mark.slow) for name in STOPS]
)
def test_it_stops_as_stated_and_names_the_winner(name):
    """The means are of 400 runs, all of which were right."""
    matrix = INSTANCES[name]

    def declarations(delta):
        marks, table = np.array([10_000_000]), np.zeros((1, *matrix.P.shape))
        algorithm = make("wsw-pe", delta=delta)
        played = [simulate(algorithm, matrix.P, table, marks, *streams(1, run)) for run in range(400)]
        return np.array([each.declaration for each in played]).T

    winners, stops = declarations(0.05)
    error = np.sqrt(2 / 400) * stops.std()
    assert set(winners) == {matrix.condorcet_winner()}
    assert abs(stops.mean() - STOPS[name]) < 3 * error
    assert abs(declarations(0.5)[1].mean() - STOPS[name]) > 5 * error


@pytest.mark.parametrize("seed", range(6))
def test_the_path_is_the_literal_one_to_the_declaration(seed):
    algorithm, matrix = make("wsw-pe", delta=0.5), order(5, 0.85)
    ours = engine_course(algorithm, matrix, 1500, seed)
    assert same(ours, literal_path(algorithm, matrix, 1500, seed))
    assert ours[1] is not None
    assert not same(ours, literal_path(make("wsw-pe", delta=0.2), matrix, 1500, seed))


def over(state, i, j, i_won, j_won):
    """Tell whether a meeting is over with so many wins more, by the paper's conditions."""
    won, lost = state.wins[i, j] + i_won, state.wins[j, i] + j_won
    n = won + lost
    if n and abs(won / n - 0.5) > math.sqrt((state.scale + 2 * math.log(n)) / (2 * n)):
        return True
    lead = i_won - j_won
    return bool(min(state.score[i] + lead, state.score[j] - lead) <= -state.course[0].epoch)


@pytest.mark.parametrize("p", [0.52, 0.6])
def test_no_outcomes_of_a_block_end_a_meeting_before_its_last_duel(p):
    algorithm, P, rng, longest, t = make("wsw-pe"), order(4, p).P, np.random.default_rng(3), 0, 1
    state = algorithm.start(4, 10**9)
    for _ in range(400):
        i, j, count = algorithm.select(state, t, 10**9, rng)
        if i == j:
            break
        for s in range(1, min(count, 300)):
            assert not any(over(state, i, j, won, s - won) for won in range(s + 1))
        longest = max(longest, count)
        algorithm.update(state, i, j, int(rng.binomial(count, P[i, j])), count)
        t += count
    assert longest > 5
