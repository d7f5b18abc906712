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


def test_argmax_looks_for_the_best_arm_against_arm_0_and_plays_no_other_pair():
    matrix = from_upper_triangle([0.9, 0.4, 0.7], [0.9, 0.9], [0.1])
    for independence in ("exact", "sampled"):
        played = whole(Savage(variant="argmax", independence=independence), matrix, 10**5, seed=0)
        assert played.declaration[0] == 2
        assert played.informative == played.duels[0].sum()


@pytest.mark.parametrize("variant", ["copeland", "borda", "argmax"])
def test_sampled_tests_end_exploration_where_the_exact_ones_do_or_sooner(variant):
    """A simulation sees what matters, but for what has a small probability: pairs that are all but decided."""
    matrix = from_upper_triangle([0.9, 0.4, 0.7], [0.9, 0.9], [0.1])
    exact, sampled = (
        whole(Savage(variant=variant, independence=independence, delta=0.05), matrix, 10**6, 0).declaration
        for independence in ("exact", "sampled")
    )
    assert exact[0] == sampled[0]
    assert 0.1 * exact[1] < sampled[1] < 1.1 * exact[1]


def test_results_of_exact_tests_do_not_depend_on_what_means_nothing_to_them():
    assert Savage().model_dump() == {"variant": "copeland", "delta": None, "epsilon": 0.0}
    assert Savage(independence="sampled").model_dump() == {
        "variant": "copeland",
        "delta": None,
        "epsilon": 0.0,
        "independence": "sampled",
        "starts": 20,
        "steps": 50,
    }


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [({"variant": "condorcet"}, "choose another variant"), ({"epsilon": 0.1}, "remove it, or choose")],
)
def test_what_cannot_be_sampled_is_refused(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        Savage(independence="sampled", **parameters)
