"""BCB: when it commits. Its literal paths are in test_algorithms_elimination."""

import numpy as np
import pytest

from duelbench.algorithms.elimination.bcb import Bcb
from duelbench.conformance.instances import order
from duelbench.conformance.paths import engine_course
from duelbench.conformance.rounds import simulate, streams
from duelbench.literal import bcb
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table
from duelbench.sources.tables import TABLES
from tests.paths import counts_of_answers, share_of_the_winner
from tests.transcribed import literal_course, mistaken, plays_as

P = np.full((5, 5), 0.5)
P[0, 1:], P[1:, 0] = 0.9, 0.1
ONE_WINNER = PreferenceMatrix(P)


@pytest.mark.parametrize("delta", [0.1, 0.9])
def test_path_and_declaration_are_the_literal_ones(delta):
    for matrix, rounds in ((ONE_WINNER, 10_000), (order(4, 0.9), 10_000), (order(2, 0.9), 1500), (order(3, 1.0), 1)):
        assert plays_as(bcb, Bcb, matrix, rounds, 1, delta=delta)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("s[x] += K * o", "s[x] += o"),
        ("width = 2 *", "width = 2.04 *"),
        ("2 * K * horizon", "2 * horizon"),
        ("b[best] - width > b[i] + width", "b[best] > b[i] + width"),
        ("s[x] += K * o", "s[y] += K * o"),
    ],
)
def test_a_mistaken_transcription_ends_otherwise(old, new):
    path, declared = literal_course(bcb, ONE_WINNER, 12_000, 1)
    assert declared is not None
    _, other = literal_course(mistaken(bcb, old, new), ONE_WINNER, 12_000, 1)
    assert other != declared
    ours, said = engine_course(Bcb(), ONE_WINNER, 12_000, 1)
    assert np.array_equal(ours, path)
    assert said == declared


@pytest.mark.parametrize(
    ("matrix", "commits", "mean", "error"),
    [
        pytest.param(ONE_WINNER, 6194, 2479, 52, id="one winner"),
        pytest.param(TABLES["cyclic4"].matrix(), 69_166, 6916, 103, id="cyclic4"),
    ],
)
def test_it_commits_when_others_have_counted(matrix, commits, mean, error):
    table, runs = regret_table(matrix, "borda")[None], 200
    played = [simulate(Bcb(), matrix.P, table, np.array([10**6]), *streams(1, run)) for run in range(runs)]
    regret = np.array([each.regret[0, 0] for each in played])
    rounds = np.array([each.declaration[1] for each in played])
    assert all(each.declaration[0] == 0 for each in played)
    assert abs(regret.mean() - mean) < 3.5 * np.hypot(regret.std(ddof=1) / np.sqrt(runs), error)
    # Rounds before the commitment are of random pairs: their regret is in proportion to their number.
    assert abs(rounds.mean() - commits) < 3.5 * np.hypot(rounds.std(ddof=1) / np.sqrt(runs), error * commits / mean)
    # A width a fifth larger would end 1.44 times later.
    assert abs(1.44 * rounds.mean() - commits) > 10 * error * commits / mean


def test_it_holds_to_the_end():
    counts = counts_of_answers(Bcb(), order(2, 0.9), 10**6, 1)
    assert len(counts) < 500
    assert max(counts) == 900_000


@pytest.mark.parametrize("seed", range(10))
def test_no_block_can_end_the_exploration(seed):
    """However its duels end: if all are won by one arm, and told in any order, no arm is far enough ahead."""
    rng = np.random.default_rng(seed)
    arms = int(rng.integers(2, 5))
    algorithm, best, longest, t = Bcb(delta=0.9), int(rng.integers(arms)), 0, 1
    state, fair = algorithm.start(arms, 10**5), rng.integers(200, 20_000)
    while t < 10**5 and state.declared[0].winner < 0:
        first, second, count = algorithm.select(state, t, 10**5, rng)
        if state.declared[0].winner < 0:
            certain = count if first == best else 0 if second == best else count // 2
            algorithm.update(state, first, second, int(rng.binomial(count, 0.5)) if t < fair else certain, count)
            longest = max(longest, count)
        t += count
    assert not state.block.pending.any()  # it was declared between two blocks
    assert state.declared[0].winner == best
    assert longest > 5


@pytest.mark.parametrize("delay", [2, 30, 1000])
def test_late_outcomes_teach_all_the_same(delay):
    assert share_of_the_winner(Bcb(), delay) > 0.4
