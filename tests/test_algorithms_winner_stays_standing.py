"""Winner Stays: the tie rule by hand, and blocks in which nothing but the wins can differ."""

import numpy as np
import pytest
from scipy import stats

from duelbench.algorithms.winner_stays.standing import Standing
from duelbench.algorithms.winner_stays.ws_w import WsW, WsWState
from duelbench.conformance.instances import order
from duelbench.conformance.rounds import will_draw_the_same


def copy_of(state):
    return WsWState(Standing(state.standing.net.copy(), state.standing.duel.copy()))


def standing(net, first, second):
    state = WsW().start(len(net), 100)
    state.standing.net[:] = net
    state.standing.duel[0].first, state.standing.duel[0].second = first, second
    return state


def asked(state, seed=0):
    return WsW.select(state, 5, 5, np.random.default_rng(seed))[:2]


def test_among_ties_the_last_duel_goes_first():
    assert asked(standing([0, 3, 3, 3], 2, 1)) == (2, 1)
    assert asked(standing([0, 3, 3, 3], 1, 2)) == (1, 2)
    assert asked(standing([3, 2, 2, 1], 2, 0)) == (0, 2)
    assert asked(standing([3, 2, 2, 1], 0, 1)) == (0, 1)
    assert asked(standing([5, -1, -1, -1], 3, 2)) == (0, 3)
    assert {asked(standing([5, 0, 0, 0], 0, -1), seed) for seed in range(40)} == {(0, 1), (0, 2), (0, 3)}
    assert {asked(standing([1, 1, 1, 0], 3, -1), seed) for seed in range(90)} == {
        (i, j) for i in range(3) for j in range(3) if i != j
    }


def stays(state, pair, outcomes):
    """Tell whether a pair is asked for once more before each of these outcomes, and nothing is drawn."""
    state, policy = copy_of(state), np.random.default_rng(0)
    for won in outcomes:
        if WsW.select(state, 1, 1, policy)[:2] != pair:
            return False
        WsW.update(state, *pair, int(won), 1)
    return will_draw_the_same(policy, np.random.default_rng(0))


@pytest.mark.parametrize("K", [2, 3, 6])
def test_no_outcomes_of_a_block_change_the_pair_and_one_duel_more_may(K):
    rng, blocks, longer = np.random.default_rng(K), 0, 0
    for p in (0.5, 0.55, 0.8):
        P, state, t = order(K, p).P, WsW().start(K, 1), 1
        for _ in range(150):
            first, second, count = WsW.select(state, t, t + 10**6, rng)
            before = copy_of(state)
            if 1 < count < 1000:
                blocks += 1
                worst = (np.zeros(count + 1), np.ones(count + 1))
                for outcomes in (*worst, rng.random(count) < 0.5):
                    assert stays(before, (first, second), outcomes[:count])
                longer += not all(stays(before, (first, second), outcomes) for outcomes in worst)
            WsW.update(state, first, second, int(rng.binomial(count, P[first, second])), count)
            t += count
    assert blocks > 20
    assert longer == blocks


def test_an_incumbent_stays_as_often_as_a_walk_says():
    """Of four arms, at the start of round 3: it leads by E − 1 wins, its challenger is one loss from the end."""
    rng, q, E = np.random.default_rng(1), 0.45, 9
    stayed, runs = 0, 3000
    for _ in range(runs):
        state = standing([6, -2, -2, -2], 0, 1)
        while state.standing.net.min() > -3:
            first, second, count = WsW.select(state, 1, 10**6, rng)
            assert {first, second} == {0, 1}
            WsW.update(state, first, second, int(rng.binomial(count, q if first == 0 else 1 - q)), count)
        stayed += state.standing.net[0] > 0
    odds = (1 - q) / q
    assert stats.binomtest(stayed, runs, (1 - odds**E) / (1 - odds ** (E + 1))).pvalue > 0.001
    without_drift = E / (E + 1)
    assert stats.binomtest(stayed, runs, without_drift).pvalue < 1e-7
