"""MergeRUCB: its literal paths, late outcomes, its hold, and its regret beside published numbers."""

import numpy as np
import pytest

from duelbench.algorithms.merging.merge_rucb import MergeRucb
from duelbench.conformance.instances import order
from duelbench.conformance.paths import engine_path, literal_path, plays
from duelbench.conformance.rounds import pair_tables, simulate, streams
from duelbench.literal import merge_rucb, merging
from duelbench.preferences.matrix import PreferenceMatrix
from tests.merging import ALL, ORDERS, PUBLISHED_ALPHA, errors_from, regrets

PARAMETERS = ({}, {"prior": 1}, {"alpha": 0.3, "C": 2.0}, {"alpha": 0.3, "C": 2.0, "batch": 9, "prior": 1})


@pytest.mark.parametrize("parameters", PARAMETERS)
@pytest.mark.parametrize("label", ALL)
def test_the_path_is_the_literal_one(label, parameters):
    for seed, horizon in ((1, 1200), (2, 300), (3, 5)):
        path = literal_path(merge_rucb.run, ALL[label], horizon, seed, **parameters)
        assert plays(MergeRucb(**parameters), ALL[label], path, seed)


EAGER = {"alpha": 0.3, "C": 2.0}


def leaves_the_path(**mistake):
    matrix = ORDERS["order of 33"]
    return not np.array_equal(
        engine_path(MergeRucb(**EAGER | mistake), matrix, 2000, 1),
        literal_path(merge_rucb.run, matrix, 2000, 1, **EAGER),
    )


@pytest.mark.parametrize("mistake", [{"alpha": 0.36}, {"batch": 5}, {"C": 4.0}, {"prior": 1}, {"prior": 2}])
def test_a_mistaken_parameter_has_another_path(mistake):
    assert not leaves_the_path()
    assert leaves_the_path(**mistake)


def merged_up_to_twice(batches, batch, policy, right=merging.merge_once):
    return right(batches, 1.3 * batch, policy)


MISTAKES = {
    "stages begin at K": (merge_rucb, "few_enough", lambda batches, K, s: merging.few_enough(batches, K, s - 1)),
    "stages end with one arm less": (
        merge_rucb,
        "few_enough",
        lambda batches, K, s: merging.few_enough(batches, K - 2**s, s),
    ),
    "merged up to twice the size": (merging, "merge_once", merged_up_to_twice),
    "never merged again": (merge_rucb, "merge", merging.merge_once),
    "the least bound": (merge_rucb, "upper", lambda *about: -merging.upper(*about)),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistaken_transcription_has_another_path(mistake, monkeypatch):
    module, name, wrong = MISTAKES[mistake]
    monkeypatch.setattr(module, name, wrong)
    assert leaves_the_path()


@pytest.mark.parametrize("delay", [2, 50])
def test_the_winner_is_found_though_outcomes_come_late(delay):
    for seed in range(10):
        marks, algorithm = np.array([10_000, 20_000]), MergeRucb(**EAGER)
        late = simulate(algorithm, order(12, 0.95).P, pair_tables(12), marks, *streams(seed, 0), delay=delay).regret
        assert late[:, 1].sum() == 20_000
        assert late[0, 1] - late[0, 0] == 10_000


def test_of_a_batch_that_has_lost_to_itself_one_arm_stays():
    """Late outcomes of a certain cycle, all at once."""
    algorithm, policy = MergeRucb(alpha=0.3, C=2.0), np.random.default_rng(1)
    cycle = PreferenceMatrix([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]])
    state = algorithm.start(3, 1000)
    asked = [algorithm.select(state, t, 1000, policy) for t in range(1, 200)]
    for first, second, count in asked:
        algorithm.update(state, first, second, int(cycle.P[first, second]), count)
    first, second, count = algorithm.select(state, 200, 1000, policy)
    assert first == second == algorithm.recommendation(state)
    assert count == 801


def test_the_last_arm_is_recommended_and_held():
    algorithm, policy, matrix = MergeRucb(**EAGER), np.random.default_rng(1), order(6, 1.0)
    state, t = algorithm.start(6, 1000), 1
    while True:
        first, second, count = algorithm.select(state, t, 1000, policy)
        if first == second:
            break
        assert algorithm.recommendation(state) is None
        algorithm.update(state, first, second, int(matrix.P[first, second]), count)
        t += count
    assert (first, count) == (0, 1001 - t)
    assert algorithm.recommendation(state) == 0


# MSLR navigational: the curves of Li's code at p = 8, C = 1e6, which is within 5 % of what the MergeDTS authors show.
STATED = [(5800, 25), (9652, 45), (17544, 160), (21861, 495)]
MARKS = [100_000, 200_000, 500_000, 100_000_000]


def at_p_8(**changed):
    return MergeRucb(**{"alpha": PUBLISHED_ALPHA, "batch": 8, "C": 1e6, "prior": 1} | changed)


@pytest.mark.slow
def test_regret_as_stated(mslr):
    matrix = mslr["mslr-navigational"]
    assert errors_from(regrets(at_p_8(), matrix, MARKS, 60), STATED).max() < 3
    for mistake in ({"alpha": 1.2 * PUBLISHED_ALPHA}, {"batch": 4}):
        assert errors_from(regrets(at_p_8(**mistake), matrix, MARKS, 15), STATED).max() > 5
