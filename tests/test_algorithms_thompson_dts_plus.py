"""D-TS+ against its literal transcription: choices at frozen counts, and whole runs."""

from functools import cache

import numpy as np
import pytest

from duelbench.algorithms.thompson.dts_plus import DtsPlus
from duelbench.conformance.rounds import streams
from duelbench.conformance.statistics import agreement, resolution
from duelbench.literal import dts_plus
from duelbench.preferences.matrix import PreferenceMatrix
from tests.comparison import crowd, crowd_regret
from tests.thompson import choice, crowd_table, fit, lumped, p_of_same, random_state, tally
from tests.thompson_runs import LITERAL, MATRICES, ours, tables_of

# At frozen counts. 100,000 rounds of the transcription show an error of 10 % where 1 % of the rounds are informative,
# of 2 % where 20 % are.

SEEDS = {3: (1, 2, 4, 8, 11, 18, 22, 80), 4: (2, 3, 7, 14, 27, 31, 34, 36, 67, 298), 5: (0, 1, 3, 69, 161, 757)}
STATES = [(K, seed) for K in SEEDS for seed in SEEDS[K]]
SOME = [pytest.param(*state, marks=pytest.mark.slow if k % 2 else ()) for k, state in enumerate(STATES)]


@cache
def played(K, seed, equal=False):
    w, t, alpha = random_state(seed, K)
    return tally(DtsPlus(alpha=alpha), w, t, 20_000, seed, longest=1000, equal=equal)


@pytest.mark.parametrize(("K", "seed"), SOME)
def test_duels_are_as_frequent_as_in_the_transcription(K, seed):
    transcribed = crowd_table(*random_state(seed, K), 100_000)
    assert p_of_same(transcribed, played(K, seed)) > 0.001
    assert p_of_same(lumped(transcribed), lumped(played(K, seed, equal=True))) > 0.001


def test_plain_dts_is_seen_to_be_another_algorithm():
    assert sum(fit(played(K, seed), choice(*random_state(seed, K))) < 1e-3 for K, seed in STATES[::2]) >= 5


# Whole runs.


@pytest.mark.parametrize("matrix", MATRICES)
def test_the_crowd_is_the_reference(matrix):
    P = MATRICES[matrix].P
    for seed in range(2):
        environment, policy = streams(seed, 0)
        path = [(i[0], j[0]) for i, j in crowd(P, 150, 1, policy, environment, plus=True)]
        environment, policy = streams(seed, 0)
        assert np.array_equal(path, dts_plus.run(P, 150, policy, environment))


@cache
def literal(matrix, marks, runs):
    return crowd_regret(MATRICES[matrix], marks, runs, 11, tables_of(MATRICES[matrix]), plus=True)


@pytest.mark.parametrize("matrix", LITERAL)
def test_runs_are_distributed_as_the_literal_ones(matrix):
    """Sized so that a difference of 6 % of the mean regret would be four standard errors."""
    marks, runs = ((100, 250), 1200) if matrix == "random10" else ((5, 150, 500), 2000)
    a, b = literal(matrix, marks, runs), ours(DtsPlus(), MATRICES[matrix], marks, runs)
    assert agreement(a, b) > 0.001
    assert resolution(a[:, : len(marks)], b[:, : len(marks)]) < 0.06


def test_mistakes_are_seen():
    marks, runs = (5, 150, 500), 2000
    a = literal("cyclic4", marks, runs)
    assert agreement(a, ours(DtsPlus(alpha=1.2 * 0.51), MATRICES["cyclic4"], marks, runs)) < 1e-3
    assert agreement(a, crowd_regret(MATRICES["cyclic4"], marks, runs, 12, tables_of(MATRICES["cyclic4"]))) < 1e-3
    a = literal("six-rankers", marks, runs)
    mirrored = PreferenceMatrix(MATRICES["six-rankers"].P.T)
    assert agreement(a, ours(DtsPlus(), mirrored, marks, 1000, tables=tables_of(MATRICES["six-rankers"]))) < 1e-3
