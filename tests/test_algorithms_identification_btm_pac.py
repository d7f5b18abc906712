"""BTM-PAC: the duels it takes beside what others have counted; how it ends. Its literal paths are with the others'."""

import math

import numpy as np
import pytest

from duelbench.algorithms.identification.btm_pac import BtmPac, duels_of_every_arm
from duelbench.conformance.instances import order
from duelbench.conformance.paths import engine_course
from duelbench.conformance.rounds import streams
from duelbench.kernels.thresholds import NEVER
from duelbench.literal import btm_pac
from duelbench.literal.exploration import course
from tests.exploring import same
from tests.mean_duels import agrees, count_duels

COUNTED = {  # mean duels and standard error of an independent transcription
    ("0.6 model", True): (592_760, 2502),
    ("arithmetic8", True): (865_035, 4934),
    ("btl", True): (429_631, 3430),
    ("0.6 model", False): (353_641, 4519),
}
QUICK = [("btl", True), ("0.6 model", False)]
PRACTICAL = {  # published, the data behind Fig. 4(b) of Heckel et al. (2019), of 200 runs
    "heckel 9": (3845, 911 / 200**0.5),
    "heckel 5": (11_425, 2656 / 200**0.5),
    "heckel 3": (31_740, 7587 / 200**0.5),
}


@pytest.mark.parametrize(
    "case", [each if each in QUICK else pytest.param(each, marks=pytest.mark.slow) for each in COUNTED]
)
def test_as_many_duels_as_others_have_counted(case):
    instance, self_duels = case
    counted = count_duels(BtmPac(self_duels=self_duels), instance, 15 if case in QUICK else 40)
    assert agrees(counted, *COUNTED[case])
    assert counted.right == 1.0
    assert not agrees(counted, COUNTED[case][0] * 1.05)  # the wrong 4 instead of 3 in the radius is 1.8 times


@pytest.mark.parametrize("instance", PRACTICAL)
def test_the_practical_variant_takes_as_many_duels_as_its_authors_have_published(instance):
    counted = count_duels(BtmPac(variant="heckel", delta=0.7), instance, 150)
    assert agrees(counted, *PRACTICAL[instance])
    assert counted.right == 1.0
    without = count_duels(BtmPac(variant="heckel", delta=0.7, self_duels=False), instance, 50)
    assert not agrees(without, *PRACTICAL[instance])  # it counts self-duels, too


@pytest.mark.parametrize("gamma", [1.0, 1.3, 2.0])
def test_enough_duels_are_a_fixed_point_at_which_the_radius_is_half_of_epsilon(gamma):
    K, epsilon, delta = 7, 0.1, 0.05
    N = duels_of_every_arm(K, epsilon, delta, gamma)
    assert math.ceil(36 * gamma**6 / epsilon**2 * math.log(K**3 * N / delta)) == N
    assert btm_pac.radius(N, K, N, delta, gamma, "paper") == pytest.approx(epsilon / (2 * gamma), rel=1e-4)


def test_numbers_out_of_proportion_are_never_over():
    assert duels_of_every_arm(5, 1e-9, 1e-300, 1000.0) == NEVER


@pytest.mark.parametrize("self_duels", [False, True])
@pytest.mark.parametrize(("arms", "p"), [(2, 0.5), (2, 0.9), (3, 0.97)])
def test_the_path_is_the_literal_one_to_the_end(arms, p, self_duels):
    """Equal arms have enough duels at last; of clear ones the worse are dropped."""
    matrix, algorithm = order(arms, p), BtmPac(epsilon=0.5, delta=0.99, self_duels=self_duels)
    ours = engine_course(algorithm, matrix, 5000, 0)
    environment, policy = streams(0, 0)
    explore = btm_pac.explore(matrix.P, 5000, policy, environment, **algorithm.model_dump())
    assert same(ours, course(explore, 5000))
    winner, rounds = ours[1]
    assert p == 0.5 or winner == 0
    if not self_duels:
        assert (rounds == 2 * duels_of_every_arm(2, 0.5, 0.99, 1.0)) == (p == 0.5)


def test_a_wrong_radius_leaves_the_path(monkeypatch):
    matrix, algorithm = order(2, 0.9), BtmPac(epsilon=0.5, self_duels=False)

    def literal(seed):
        environment, policy = streams(seed, 0)
        return course(btm_pac.explore(matrix.P, 3000, policy, environment, **algorithm.model_dump()), 3000)

    ours = [engine_course(algorithm, matrix, 3000, seed) for seed in range(3)]
    assert all(same(each, literal(seed)) for seed, each in enumerate(ours))
    right = btm_pac.radius
    monkeypatch.setattr(btm_pac, "radius", lambda *arguments: 1.1 * right(*arguments))
    assert not any(same(each, literal(seed)) for seed, each in enumerate(ours))


def test_the_best_mean_of_those_left_is_recommended():
    state = BtmPac().start(4, 1000)
    state.total[:], state.won[:] = [10, 10, 5, 0], [6, 7, 5, 0]
    state.active[2] = False
    assert BtmPac().recommendation(state) == 1
    state.active[1] = False
    assert BtmPac().recommendation(state) == 0


def test_without_self_duels_no_arm_meets_itself():
    arms, _ = engine_course(BtmPac(self_duels=False), order(4, 0.8), 2000, seed=1)
    assert np.all(arms[:, 0] != arms[:, 1])
