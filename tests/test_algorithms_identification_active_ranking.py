"""Active ranking: the duels it takes beside what others have counted; whom arms meet."""

import numpy as np
import pytest

from duelbench.algorithms.identification.active_ranking import ActiveRanking
from duelbench.conformance.instances import order
from duelbench.conformance.paths import engine_course
from tests.mean_duels import agrees, count_duels

COUNTED = {  # mean duels and standard error: an independent transcription, and Heckel et al. (2019), 200 and 100 runs
    ("0.6 model", 0.1, "experiments"): (92_126, 1431),
    ("arithmetic8", 0.1, "experiments"): (12_840, 216),
    ("btl", 0.1, "experiments"): (13_460, 202),
    ("0.6 model", 0.1, "paper"): (969_844, 7793),
    ("arithmetic8", 0.1, "paper"): (143_634, 1095),
    ("btl", 0.1, "paper"): (143_473, 1092),
    ("heckel 3", 0.7, "experiments"): (17_087, 5386 / 200**0.5),
    ("heckel 5", 0.7, "experiments"): (9528, 2854 / 200**0.5),
    ("heckel 9", 0.7, "experiments"): (6412, 1549 / 200**0.5),
    ("heckel, 10 arms", 0.7, "experiments"): (13_118, 400),  # errors as ours: theirs are not printed
    ("heckel, 20 arms", 0.7, "experiments"): (75_377, 2000),
}
QUICK = [("btl", 0.1, "experiments"), ("arithmetic8", 0.1, "paper"), ("heckel 5", 0.7, "experiments")]


@pytest.mark.parametrize(
    "case", [each if each in QUICK else pytest.param(each, marks=pytest.mark.slow) for each in COUNTED]
)
def test_as_many_duels_as_others_have_counted(case):
    instance, delta, radius = case
    counted = count_duels(ActiveRanking(delta=delta, radius=radius), instance, 60 if radius == "paper" else 300)
    assert agrees(counted, *COUNTED[case])
    assert counted.right == 1.0
    if case in QUICK:  # a fifth in the threshold is seen
        assert not agrees(counted, COUNTED[case][0] * 1.2**2)


def test_every_arm_meets_a_random_other_one_in_every_round():
    arms, _ = engine_course(ActiveRanking(), order(5, 0.52), 10_000, seed=1)
    assert all(set(round_) == set(range(5)) for round_ in arms[:, 0].reshape(-1, 5))
    met = np.zeros((5, 5), int)
    np.add.at(met, (arms[:, 0], arms[:, 1]), 1)
    assert met.trace() == 0
    assert met[~np.eye(5, dtype=bool)].min() > 400


def test_the_best_score_of_those_left_is_recommended():
    algorithm = ActiveRanking()
    state = algorithm.start(4, 100)
    state.won[:] = [5, 9, 7, 12]
    assert algorithm.recommendation(state) == 3
    state.cursor[0].left = 3
    assert algorithm.recommendation(state) == 1
