"""SAVAGE: what it looks for and when it stops. Its literal paths are in test_algorithms_elimination."""

import numpy as np
import pytest

from duelbench.algorithms.elimination.savage import Savage
from duelbench.literal import savage
from tests.comparison import output_of
from tests.exploring import DECISIVE, from_upper_triangle, whole


class Turn:
    """An environment without chance, on a matrix that turns into its opposite after so many duels."""

    def __init__(self, P, duels):
        self.P, self.duels = P, duels

    def random(self):
        if self.duels == 0:
            self.P[:] = 1 - self.P
        self.duels -= 1
        return 0.5


WRONG = """
from tests.test_algorithms_elimination_savage import wrong_intervals
print(wrong_intervals(variant="borda", delta=0.9), wrong_intervals(variant="copeland"))
"""


def wrong_intervals(**parameters):
    """Play where the intervals turn out to be wrong, as the transcription does; tell whether one collapsed."""
    horizon = 900
    environment = Turn(DECISIVE["certain cycle"].P.copy(), 108)
    theirs = savage.run(environment.P, horizon, np.random.default_rng(0), environment, **parameters)
    environment = Turn(DECISIVE["certain cycle"].P.copy(), 108)
    algorithm, policy = Savage(**parameters), np.random.default_rng(0)
    state = algorithm.start(3, horizon)
    for t in range(1, horizon + 1):
        first, second, _ = algorithm.select(state, t, t, policy)
        assert (first, second) == tuple(theirs[t - 1])
        if first != second:
            algorithm.update(state, first, second, int(environment.random() < environment.P[first, second]), 1)
    assert np.all(state.low <= state.high)
    return bool(np.any(state.low == state.high))


def test_it_survives_intervals_that_turn_out_wrong():
    assert output_of(WRONG, interpreted=True).split() == ["True", "False"]  # Copeland stops sampling a pair before


def test_the_last_condorcet_candidate_stays_whatever_comes_late():
    algorithm = Savage(variant="condorcet", delta=0.5)
    state = algorithm.start(3, 1000)
    for first, second in ((0, 1), (1, 2), (0, 2)):
        algorithm.update(state, first, second, 0 if (first, second) == (0, 2) else 400, 400)  # a cycle, all at once
    assert state.candidate.tolist() == [True, False, False]
    assert algorithm.select(state, 401, 1000, np.random.default_rng(0)) == (0, 0, 600)
    assert algorithm.declaration(state) == (0, 400)


def test_the_variants_look_for_different_winners():
    matrix = from_upper_triangle([0.6, 0.6, 0.6], [1.0, 1.0], [0.7])
    assert (matrix.condorcet_winner(), int(np.argmax(matrix.borda_scores()))) == (0, 1)
    for variant, best in (("condorcet", 0), ("copeland", 0), ("borda", 1)):
        assert whole(Savage(variant=variant), matrix, 10**6, seed=0).declaration[0] == best


def test_it_stops_when_the_winner_no_longer_depends_on_an_open_pair():
    """Arm 0 beats all but arm 4; the others beat two arms, so that the tie of 0 and 4 does not matter."""
    matrix = from_upper_triangle([0.9, 0.9, 0.9, 0.5], [0.9, 0.1, 0.9], [0.9, 0.9], [0.1])
    played = whole(Savage(), matrix, 10**6, seed=0)
    winner, explored = played.declaration
    assert winner == 0
    assert explored < 10_000
    assert 0 < played.duels[0, 4] < 1000


@pytest.mark.parametrize("variant", ["condorcet", "copeland", "borda"])
def test_epsilon_ends_exploration_sooner_at_an_arm_that_is_good_enough(variant):
    matrix = from_upper_triangle([0.52, 0.9, 0.9], [0.9, 0.9], [0.8])
    exact, rough = (whole(Savage(variant=variant, epsilon=epsilon), matrix, 10**7, seed=0) for epsilon in (0.0, 0.35))
    winner, rounds = rough.declaration
    assert winner in (0, 1)
    assert rounds < exact.declaration[1] / 10
