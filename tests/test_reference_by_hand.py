"""Reference implementations, compared with examples worked out by hand."""

import math

import numpy as np
import pytest

from duelbench.conformance.reference import course
from tests.reference import conventions, dts
from tests.reference.beat_the_mean import btm
from tests.reference.dts import dts_plus
from tests.reference.rmed import rmed1
from tests.reference.rucb import rucb
from tests.reference.uniform import uniform

CERTAIN = np.array([[0.5, 1.0], [0.0, 0.5]])
CYCLE = np.array([[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]])


class Script:
    """A fake Generator: returns the draws in order and checks the requests."""

    def __init__(self, *draws):
        self.draws = list(draws)

    def take(self, *asked):
        assert self.draws, f"unexpected draw {asked}"
        *expected, value = self.draws.pop(0)
        assert asked == tuple(expected)
        return value

    def beta(self, a, b):
        return self.take("beta", a, b)

    def random(self):
        if self.draws and self.draws[0][0] == "below":  # one of n, drawn as int(random() * n)
            _, n, value = self.draws.pop(0)
            return (value + 0.5) / n
        return self.take("random")


class Outcomes:
    """An environment for matrices of zeros and ones."""

    def random(self):
        return 0.5


def path(function, P, policy, horizon, **parameters):
    """Play the rounds of a script, which must be used up."""
    arms, _ = course(function(P, horizon, policy, Outcomes(), **parameters), horizon)
    assert policy.draws == []
    return [tuple(pair) for pair in arms.tolist()]


# Conventions


def test_undecided():
    seen = set()
    for a, b, t in np.ndindex(12, 12, 40):
        w, t = [[0, a], [b, 0]], t + 1
        u, l = conventions.upper(w, 0, 1, t, 0.51), conventions.lower(w, 0, 1, t, 0.51)  # noqa: E741
        if min(abs(u - 0.5), abs(l - 0.5)) < 1e-9:
            continue
        case = (u > 0.5, l < 0.5)
        assert case == (conventions.may_beat(w, 0, 1, t, 0.51), conventions.may_lose(w, 0, 1, t, 0.51))
        assert case == (conventions.may_lose(w, 1, 0, t, 0.51), conventions.may_beat(w, 1, 0, t, 0.51))
        assert all(case) == conventions.undecided(w, 0, 1, t, 0.51)
        seen.add(case)
    assert len(seen) == 3


def test_bounds():
    w = [[0, 3, 0], [1, 0, 0], [0, 0, 0]]
    radius = math.sqrt(0.51 * math.log(10) / 4)  # 0.5418
    assert conventions.upper(w, 0, 1, 10, 0.51) == 0.75 + radius
    assert conventions.upper(w, 1, 0, 10, 0.51) == 0.25 + radius
    assert conventions.lower(w, 0, 1, 10, 0.51) == 0.75 - radius
    assert [conventions.upper(w, 0, 2, 10, 0.51), conventions.lower(w, 0, 2, 10, 0.51)] == [2.0, 0.0]
    assert [conventions.upper(w, 0, 0, 10, 0.51), conventions.lower(w, 0, 0, 10, 0.51)] == [0.5, 0.5]


def test_kl():
    assert [conventions.kl(p) for p in (0.0, 0.5, 1.0)] == [math.log(2), 0.0, math.log(2)]
    assert conventions.kl(0.9) == pytest.approx(0.368064, abs=1e-6)
    assert conventions.kl(0.1) == pytest.approx(conventions.kl(0.9), abs=1e-15)


# uniform


def test_uniform():
    policy = Script(("below", 3, 1), ("below", 2, 0), ("below", 3, 1), ("below", 2, 1))
    assert path(uniform, CYCLE, policy, 2) == [(1, 0), (1, 2)]


def test_round_robin():
    assert path(uniform, CYCLE, Script(), 5, variant="round-robin") == [(0, 1), (0, 2), (1, 2), (0, 1), (0, 2)]


# RUCB


def test_rucb_with_two_arms():
    # Arm 0 always wins: after n duels the pair is decided at t exactly when n / 4 > 0.51 log t.
    policy = Script(
        ("below", 2, 1),  # t = 1: unseen, C = {0, 1}, B = ∅
        ("below", 2, 0),  # t = 2: 0.25 <= 0.353, still undecided
        ("below", 2, 1),  # t = 3: 0.5 <= 0.560
        # t = 4: 0.75 > 0.707, C = B = {0} and d = c
        ("random", 0.7),  # t = 5: 0.75 <= 0.821, C = {0, 1}, not B's arm, so the only other
        # t = 6, 7: 1 > 0.914 and 1 > 0.992
        ("random", 0.2),  # t = 8: 1 <= 1.061, B's arm
        # t = 9: 1.25 > 1.121
    )
    expected = [(1, 0), (0, 1), (1, 0), (0, 0), (1, 0), (0, 0), (0, 0), (0, 1), (0, 0)]
    assert path(rucb, CERTAIN, policy, 9) == expected


def test_rucb_with_a_cycle():
    # A pair with a single duel is decided while 0.145 log t < 1/4, that is for t <= 5.
    policy = Script(
        ("below", 3, 0),  # t = 1: all unseen
        ("below", 2, 0),  # u[1, 0] = u[2, 0] = 2
        ("below", 2, 1),  # t = 2: 0 has beaten 1, C = {0, 2}
        ("below", 2, 1),  # u[0, 2] = u[1, 2] = 2
        # t = 3: 1 has beaten 2, C = B = {0}; only arm 2 may beat 0
        ("below", 3, 0),  # t = 4: 2 has beaten 0, C = ∅ and so B = ∅; only arm 2 may beat 0
        ("below", 3, 0),  # t = 5: the same
        ("below", 2, 0),  # t = 6: C = {1, 2}, no coin as B is empty; u[0, 1] = 1.51 > u[2, 1] = 0.51
    )
    expected = [(0, 1), (2, 1), (0, 2), (0, 2), (0, 2), (1, 0)]
    assert path(rucb, CYCLE, policy, 6, alpha=0.145) == expected


# RMED1


def test_rmed1_with_two_arms():
    # After n duels I_0 = 0 and I_1 = n log 2, f = 0.604. Arm 1 is listed when n log 2 <= log t + f at the end of a
    # round t: with n = 2 at 3, n = 3 at 5; n = 4 not at 7 and 8 but at 9; n = 5 not from 11 to 17 but at 18.
    expected = [(0, 1), (0, 0), (1, 0), (0, 0), (1, 0), (0, 0), (1, 0), (0, 0), (0, 0), (0, 0), (1, 0)]
    expected += [(0, 0)] * 8 + [(1, 0)]
    assert path(rmed1, CERTAIN, Script(), 20) == expected


def test_rmed1_with_a_cycle():
    # i* is never in O_l and O_l is never empty, so every arm meets the one arm it loses to.
    assert path(rmed1, CYCLE, Script(), 9) == [(0, 1), (0, 2), (1, 2)] + [(0, 2), (1, 0), (2, 1)] * 2


# BTM


def test_btm():
    # Arm 0 beats all, 1 beats 2. Without a radius the worst arm goes as soon as every arm has a duel.
    P = np.array([[0.5, 1.0, 1.0], [0.0, 0.5, 1.0], [0.0, 0.0, 0.5]])
    policy = Script(
        ("below", 3, 0),  # t = 1: no arm has a duel
        ("below", 3, 1),
        ("below", 2, 0),  # t = 2: 1 or 2
        ("below", 3, 2),
        ("below", 3, 0),  # t = 3: 2 has the fewest duels; it loses and goes, and with it arm 1's only duel
        ("below", 2, 1),  # t = 4: so arm 1 now has the fewest duels, against itself
        ("random", 0.3),  # it wins the coin
        ("below", 2, 0),  # both have p̂ = 1: one of them goes
    )
    assert path(btm, P, policy, 7, confidence_scale=0.0) == [(0, 1), (1, 2), (2, 0), (1, 1), (1, 1), (1, 1), (1, 1)]


@pytest.mark.parametrize(("parameters", "rounds"), [({}, 2180), ({"confidence_scale": 1.0}, 244), ({"gamma": 0.5}, 48)])
def test_btm_commits(parameters, rounds):
    # p̂ = 1 and 0: they part at c <= 1/2, that is at the first n_min >= log(4 T) (2 scale gamma²)²: 1089.6, 121.1, 23.8.
    turn = [("below", 2, 0), ("below", 2, 1), ("below", 2, 0)]  # 0 against 1, then 1 against 0
    arms = path(btm, CERTAIN, Script(*turn * (rounds // 2)), 10_000, **parameters)
    assert arms == [(0, 1), (1, 0)] * (rounds // 2) + [(0, 0)] * (10_000 - rounds)


# D-TS and D-TS+


def test_dts():
    policy = Script(
        # t = 1: votes 1, 2, 0; arm 2 has the largest second sample
        *[("beta", 1, 1, theta) for theta in (0.3, 0.6, 0.8)],
        *[("beta", 1, 1, theta) for theta in (0.4, 0.9)],
        # t = 2: 1 has beaten 2; votes 1, 0, 2; both second samples are below 1/2
        ("beta", 1, 1, 0.6),
        ("beta", 1, 1, 0.3),
        ("beta", 2, 1, 0.4),
        ("beta", 1, 1, 0.45),
        ("beta", 2, 1, 0.3),
        # t = 3: the self-duel taught nothing; one vote each
        ("beta", 1, 1, 0.6),
        ("beta", 1, 1, 0.3),
        ("beta", 2, 1, 0.8),
        ("below", 3, 0),
        ("beta", 1, 1, 0.2),
        ("beta", 1, 1, 0.7),
    )
    assert path(dts.dts, CYCLE, policy, 3) == [(1, 2), (2, 2), (0, 2)]


@pytest.mark.parametrize("function", [dts.dts, dts_plus])
def test_dts_elimination(function):
    # alpha = 0: one win decides a pair.
    policy = Script(
        # t = 1: votes 2, 1, 0
        *[("beta", 1, 1, theta) for theta in (0.9, 0.9, 0.9)],
        *[("beta", 1, 1, theta) for theta in (0.8, 0.6)],
        # t = 2: votes 0, 2, 1 but 1 has lost to 0: C = {0, 2}
        ("beta", 2, 1, 0.1),
        ("beta", 1, 1, 0.3),
        ("beta", 1, 1, 0.9),
        ("beta", 1, 1, 0.6),
        ("beta", 1, 1, 0.8),
        # t = 3: 1 has beaten 2 too: C = {0}
        ("beta", 2, 1, 0.1),
        ("beta", 1, 1, 0.1),
        ("beta", 2, 1, 0.9),
        ("beta", 1, 2, 0.2),
        ("beta", 1, 1, 0.9),
        # t = 4: 2 has beaten 0, C is all arms; votes 2, 1, 0. 2's second sample is the largest but l[2, 0] > 1/2
        ("beta", 2, 1, 0.9),
        ("beta", 1, 2, 0.9),
        ("beta", 2, 1, 0.9),
        ("beta", 1, 2, 0.6),
        ("beta", 2, 1, 0.95),
    )
    assert path(function, CYCLE, policy, 4, alpha=0.0) == [(0, 1), (2, 1), (0, 2), (0, 1)]


def samples(K, **above):
    theta = [[0.5] * K for _ in range(K)]
    for pair, value in above.items():
        i, j = int(pair[1]), int(pair[2])
        theta[i][j], theta[j][i] = value, 1 - value
    return theta


def test_dts_plus_estimated_regret():
    # 0 beats 1 and 2, 1 beats 2 and 3, 2 beats 3, 3 beats 0: scores 2/3, 2/3, 1/3, 1/3. A tie of 0 and 1, whose duels
    # with 2 and 3 lose 1/6 each: R_0 = 1/3 / kl(0.9) = 0.906, R_1 = 1/3 / kl(0.6) = 16.55.
    theta = samples(4, t01=0.51, t02=0.9, t03=0.1, t12=0.6, t13=0.6, t23=0.99)
    assert dts.estimated_regret(theta, 0) == pytest.approx(0.905640, abs=1e-5)
    assert dts.estimated_regret(theta, 1) == pytest.approx(16.5545, abs=1e-3)
    assert dts.first_candidate_by_regret(theta, [0, 1, 2, 3], Script()) == 0
    assert dts.first_candidate_by_regret(theta, [1, 2, 3], Script()) == 1
    assert dts.first_candidate(theta, [0, 1, 2, 3], Script(("below", 2, 1))) == 1
    # A pair sampled at exactly 1/2 is left out, one so close that the divergence vanishes is as bad as can be.
    theta = samples(4, t01=0.51, t02=0.9, t03=0.5, t12=0.6, t13=0.6, t23=0.99)
    assert dts.estimated_regret(theta, 0) == pytest.approx(0.452820, abs=1e-5)
    theta[0][3] = 0.5 - 2**-54
    assert dts.estimated_regret(theta, 0) == math.inf
