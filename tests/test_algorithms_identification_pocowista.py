"""POCOWISTA: its duels beside those of its authors' program."""

import numpy as np
import pytest

from duelbench.algorithms.identification.pocowista import Pocowista
from duelbench.conformance.rounds import simulate, streams
from tests.mean_duels import FOREVER, INSTANCES, Count, agrees
from tests.random_orders import copeland_problem, count_drawn, in_line, with_a_winner


def count_in_line(algorithm, instance, runs, seed=1):
    """Count duels when arms are taken in the order of the rows: the best, which comes first, meets all others."""
    P, duels = INSTANCES[instance].P, []
    for run in range(runs):
        Q = in_line(P, seed, run)
        played = simulate(algorithm, Q, np.zeros((1, *P.shape)), np.array([FOREVER]), *streams(seed, run))
        assert played.declaration[0] == (Q > 0.5).sum(axis=1).argmax()
        duels.append(played.informative)
    return Count(float(np.mean(duels)), float(np.std(duels) / np.sqrt(runs)), 1.0)


@pytest.mark.parametrize(
    ("instance", "mean", "error"), [("0.6 model", 4028, 21), ("arithmetic8", 2661, 31), ("btl", 1329, 14)]
)
def test_the_duels_are_as_many_as_counted(instance, mean, error):
    assert agrees(count_in_line(Pocowista(delta=0.1), instance, 700), mean, error)


def test_a_test_for_two_outcomes_is_seen():
    assert not agrees(count_in_line(Pocowista(delta=0.1, outcomes=2), "0.6 model", 700), 4028, 21)


@pytest.mark.parametrize(
    ("delta", "draw", "mean", "error"),
    [
        (0.05, copeland_problem(10, 0.6, 1.0), 2491, 28),
        pytest.param(0.01, copeland_problem(10, 0.6, 1.0), 2950, 33, marks=pytest.mark.slow),
        pytest.param(0.1, copeland_problem(10, 0.6, 1.0), 2303, 26, marks=pytest.mark.slow),
        pytest.param(0.05, copeland_problem(20, 0.6, 1.0), 13611, 79, marks=pytest.mark.slow),
        pytest.param(0.05, copeland_problem(20, 0.55, 0.7), 73715, 430, marks=pytest.mark.slow),
        pytest.param(0.05, with_a_winner(20, 0.6, 1.0), 3537, 43, marks=pytest.mark.slow),
    ],
)
def test_the_instances_of_aistats_2024(delta, draw, mean, error):
    counted = count_drawn(Pocowista(delta=delta), draw, 600)
    assert agrees(counted, mean, error)
    assert counted.right > 1 - delta
