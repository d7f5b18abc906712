"""Sparring over EXP3.S: its literal path, weights of long runs, and that it forgets."""

from types import SimpleNamespace

import numpy as np
import pytest

from duelbench.algorithms.exponential_weights import sparring_exp3s as fast
from duelbench.algorithms.exponential_weights.sparring_exp3s import SparringExp3s
from duelbench.conformance.paths import engine_path, literal_path
from duelbench.conformance.rounds import streams
from duelbench.literal import sparring_exp3, sparring_exp3s
from tests.comparison import mutated
from tests.paths import DIFFERENT, INSTANCES, leaves_the_path, plays_as_written

PLAIN = {"from duelbench.compiling.jit import kernel": "kernel = lambda function: function"}


@pytest.mark.parametrize("parameters", [{}, {"S": 3}, {"gamma": 0.03, "alpha": 1e-4}], ids=str)
@pytest.mark.parametrize("name", DIFFERENT)
def test_the_path_is_the_literal_one(name, parameters):
    assert plays_as_written(SparringExp3s, sparring_exp3s, name, 1500, parameters)


@pytest.mark.parametrize("mistake", [{"S": 1}, {"gamma": 0.12}, {"alpha": 0.012}])
def test_other_parameters_have_another_path(mistake):
    assert leaves_the_path(SparringExp3s, SimpleNamespace(run=default), mistake)


def default(P, horizon, policy, environment, **ignored):
    return sparring_exp3s.run(P, horizon, policy, environment)


@pytest.mark.parametrize(
    "mistake",
    [
        {"state.share, second, 1 - won": "state.share, first, 1 - won"},  # as in a published program
        {"        both_learn(state, first, second, int(rng.random() < 0.5))": "        rng.random()"},
        {"weights.common += shared / K": "weights.common += shared"},
        {"math.expm1(gamma / (K * bandit.p[arm]))": "math.expm1(gamma / bandit.p[arm])"},
        {"share=math.e * ": "share="},
    ],
)
def test_a_mistaken_algorithm_has_another_path(mistake, tmp_path):
    matrix = INSTANCES["cyclic4"]
    literal = literal_path(sparring_exp3s.run, matrix, 500, 1)
    for replaced, alike in ((PLAIN, True), (PLAIN | mistake, False)):
        path = engine_path(mutated("sparring_exp3s", replaced, tmp_path, "SparringExp3s")(), matrix, 500, 1)
        assert np.array_equal(path, literal) == alike


def test_without_forgetting_it_is_exp3():
    matrix = INSTANCES["six-rankers"]
    exp3 = literal_path(sparring_exp3.run, matrix, 1500, 1, gamma=0.1)
    assert np.array_equal(engine_path(SparringExp3s(gamma=0.1, alpha=0.0), matrix, 1500, 1), exp3)
    assert not np.array_equal(engine_path(SparringExp3s(gamma=0.1, alpha=1e-3), matrix, 1500, 1), exp3)


def test_weights_are_divided_before_they_overflow_and_keep_their_shares():
    bandit, shares = fast.new_bandit(3), np.full(3, 1 / 3)
    rng, divided = np.random.default_rng(2), 0
    for _ in range(3000):
        before = bandit.weights[0].total
        arm = fast.choose_arm(bandit, 0.3, rng)
        np.testing.assert_allclose(bandit.p, 0.7 * shares + 0.1, rtol=1e-9)
        fast.learn(bandit, 0.3, 0.02, arm, 1)
        gain = 0.3 / (3 * bandit.p[arm]) * (np.arange(3) == arm)
        shares = shares * np.exp(gain) + 0.02 / 3
        shares /= shares.sum()
        divided += bandit.weights[0].total < before
    assert divided > 5
    assert bandit.weights[0].total <= fast.LARGE


def test_it_follows_a_best_arm_that_changes():
    """After 5000 rounds in which arm 0 has won and 1000 in which arm 1 wins; what does not forget is still with 0."""

    def later(algorithm):
        policy, state = streams(1, 0)[1], algorithm.start(3, 6000)
        seen = np.zeros(3)
        for t in range(1, 6001):
            best = 0 if t <= 5000 else 1
            first, second, count = algorithm.select(state, t, 6000, policy)
            algorithm.update(state, first, second, int(first == best or (second != best and first < second)), count)
            seen[[first, second]] += t > 5500
        return seen / seen.sum()

    assert later(SparringExp3s(S=1))[1] > 0.6
    assert later(SparringExp3s(gamma=0.05, alpha=0.0))[1] < 0.2
