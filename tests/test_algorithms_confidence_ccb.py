"""CCB: the path of its literal transcription, and its holds: the same path for one winner, the same law for several."""

import json

import numpy as np
import pytest

from duelbench.algorithms.confidence.ccb import Ccb
from duelbench.conformance.paths import engine_path, literal_path, plays
from duelbench.conformance.rounds import pair_tables, simulate, streams
from duelbench.literal import ccb
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.generators import BtlUniform, LinearOrder
from tests.comparison import output_of
from tests.paths import INSTANCES, counts_of_answers, share_of_the_winner

NAMES = (
    *("six-rankers", "mslr5-condorcet", "mslr5-non-condorcet", "cyclic4", "random10"),
    *("two arms", "sushi16", "tennis8", "three winners"),
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_path_is_the_literal_one(name, seed):
    matrix = INSTANCES[name]
    path = literal_path(ccb.run, matrix, 500 if matrix.arms > 10 else 1500, seed)
    assert plays(Ccb(), matrix, path, seed, holds=len(matrix.copeland_winners()) == 1)


@pytest.mark.parametrize("alpha", [0.05, 0.2, 1.3])
@pytest.mark.parametrize("name", ["mslr5-non-condorcet", "random10", "three winners", "tennis8"])
def test_the_path_is_the_literal_one_at_other_alphas(name, alpha, monkeypatch):
    matrix = INSTANCES[name]
    trimmed = []
    subset = ccb.random_subset
    monkeypatch.setattr(ccb, "random_subset", lambda *inputs: trimmed.append(inputs) or subset(*inputs))
    horizon = 1200 if name == "random10" else 2500
    path = literal_path(ccb.run, matrix, horizon, 3, alpha=alpha)
    assert plays(Ccb(alpha=alpha), matrix, path, 3, holds=False)
    if alpha < 1 and matrix.arms > 5:
        assert trimmed  # the random part of line 9C was seen


@pytest.mark.parametrize("alpha", [0.05, 0.51])
def test_the_path_of_many_arms_is_the_literal_one(alpha):
    matrix = BtlUniform(arms=50).draw(np.random.default_rng(1))
    path = literal_path(ccb.run, matrix, 200, 1, alpha=alpha)
    assert np.array_equal(engine_path(Ccb(alpha=alpha), matrix, 200, 1), path)


def test_a_small_mistake_leaves_the_path():
    matrix = INSTANCES["mslr5-non-condorcet"]
    path = literal_path(ccb.run, matrix, 1500, 1)
    assert not np.array_equal(engine_path(Ccb(alpha=0.51 * 1.02), matrix, 1500, 1), path)


@pytest.mark.parametrize("name", ["mslr5-non-condorcet", "tennis8", "three winners", "all tied"])
def test_nothing_breaks_without_a_condorcet_winner(name):
    matrix = PreferenceMatrix(np.full((5, 5), 0.5)) if name == "all tied" else INSTANCES[name]
    course = simulate(Ccb(), matrix.P, pair_tables(matrix.arms), np.array([1, 1000, 300_000]), *streams(1, 0))
    assert course.duels.sum() == 300_000


def test_feedback_may_come_late():
    assert share_of_the_winner(Ccb(), delay=7) > 0.9


def test_there_is_no_hold_in_the_round_of_a_late_reset():
    """Line 9B may empty S after the removals: they are due again in the next round, draws included."""
    paths = []
    for last in (2, 1000):
        algorithm, policy = Ccb(), np.random.default_rng(1)
        state = algorithm.start(4, 1000)
        algorithm.select(state, 1, 1, policy)
        for winner, loser in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)):
            algorithm.update(state, winner, loser, 100, 100)
        state.hypotheses.shortlist[:] = [False, True, False, True]
        assert algorithm.select(state, 2, last, policy) == (0, 0, 1)
        assert state.hypotheses.shortlist.all()
        assert state.hypotheses.totals[0].most_losses == 0
        first, second, count = algorithm.select(state, 3, last + 1, policy)
        assert (first, second, count) == (0, 0, last - 1)
        assert state.hypotheses.shortlist.tolist() == [True, False, False, False]
        assert state.hypotheses.size.tolist() == [0, 1, 1, 1]
        algorithm.select(state, 3 + count, 3 + count, policy)
        paths.append((state.hypotheses.beaters.tolist(), policy.random()))
    assert paths[0] == paths[1]


def test_a_hundred_million_rounds_cost_the_informative_duels():
    """By answers, not by the clock: a converged run gives far fewer of them than it plays rounds."""
    matrix = LinearOrder(arms=4).draw(np.random.default_rng(0))
    assert len(counts_of_answers(Ccb(), matrix, 10**8, 1)) < 20_000


SHARED = """
import json
import numpy as np
from duelbench.algorithms.confidence.ccb import Ccb
from duelbench.conformance.rounds import pair_tables, simulate
from tests.paths import INSTANCES
P = INSTANCES["three winners"].P
streams = [np.random.default_rng([5, k]) for k in range(2)]
course = simulate(Ccb(), P, pair_tables(5), np.array([1, 10, 700, 8000]), *streams)
print(json.dumps([Ccb.compiled(), [int(n) for n in course.regret.ravel()], [each.random() for each in streams]]))
"""


def test_shared_holds_are_the_same_compiled_and_interpreted():
    """``test_algorithms_algorithm`` has no matrix on which CCB shares a hold."""
    interpreted, compiled = (json.loads(output_of(SHARED, interpreted=each)) for each in (True, False))
    assert (interpreted[0], compiled[0]) == (False, True)
    assert interpreted[1:] == compiled[1:]
