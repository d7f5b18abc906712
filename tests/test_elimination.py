"""Algorithms that explore, declare a winner and play it to the end: what their paths in catalogue.py do not show."""

import math

import numpy as np
import pytest

from duelbench.algorithms.algorithm import parameters_of
from duelbench.algorithms.catalogue import catalogue
from duelbench.algorithms.elimination.bcb import Bcb
from duelbench.algorithms.elimination.best_arm import eliminate
from duelbench.algorithms.elimination.btm import Btm, drop_worst
from duelbench.algorithms.elimination.interleaved_filter import InterleavedFilter
from duelbench.algorithms.elimination.naive import Naive
from duelbench.algorithms.elimination.racing import Pbr
from duelbench.algorithms.elimination.rankel import RankEl
from duelbench.algorithms.elimination.savage import narrow
from duelbench.algorithms.elimination.uniform_exploration import UniformExploration
from duelbench.algorithms.elimination.wrapped import Wrapped
from duelbench.conformance.instances import order
from duelbench.engine.streams import stream
from tests.instances import from_upper_triangle
from tests.playing import counts_of_answers, whole

CERTAIN = from_upper_triangle([1.0, 1.0], [1.0])


# Interleaved Filter


def test_if_drops_what_the_loser_beat():
    """On certain outcomes, the incumbent loses after n duels, n² > 16 n log(T K²); the arms that it beat go, too."""
    matrix, horizon = from_upper_triangle([1.0, 1.0, 1.0], [1.0, 1.0], [1.0]), 5000
    n = math.floor(16 * math.log(horizon * 16)) + 1
    seen = set()
    for seed in range(12):
        played = whole(InterleavedFilter(), matrix, horizon, seed)
        # Arm 0 beats all; any other loses to the lowest of those above it, arm 0, and no arm below is left. So the
        # first incumbent duelled all the others.
        (incumbent,) = [b for b in range(4) if np.count_nonzero(played.duels[b]) == 4 - (b != 0)]
        seen.add(incumbent)
        assert played.informative == n * (3 + max(0, incumbent - 1))
    assert seen == {0, 1, 2, 3}


def begun_filter():
    """Return an interleaved filter on three arms after its first duels: its state, stream, and arms."""
    algorithm, policy = InterleavedFilter(), np.random.default_rng(0)
    state = algorithm.start(3, 1000)
    assert algorithm.recommendation(state) is None
    incumbent, one, _ = algorithm.select(state, 1, 1, policy)
    _, other, _ = algorithm.select(state, 2, 2, policy)
    assert algorithm.recommendation(state) == incumbent
    return algorithm, state, policy, (incumbent, one, other)


@pytest.mark.parametrize(("wins", "kept"), [(201, False), (200, True), (199, True)])
def test_if_pruning(wins, kept, interpreted):
    """A new incumbent removes the arms that the former one has beaten."""
    algorithm, state, policy, (incumbent, one, other) = begun_filter()
    algorithm.update(state, incumbent, one, 0, 400)
    algorithm.update(state, incumbent, other, wins, 400)
    answer = algorithm.select(state, 801, 1000, policy)
    assert answer == ((one, other, 1) if kept else (one, one, 200))
    assert algorithm.recommendation(state) == one


def test_if_former_incumbent(interpreted):
    algorithm, state, policy, (incumbent, one, other) = begun_filter()
    algorithm.update(state, incumbent, one, 0, 400)
    assert algorithm.select(state, 401, 1000, policy)[:2] == (one, other)
    algorithm.update(state, incumbent, other, 5, 5)
    assert state.won.sum() == state.lost.sum() == 0
    algorithm.update(state, one, other, 1, 1)
    assert state.won[other] == 1


# PBR, RankEl, uniform exploration


@pytest.mark.parametrize("horizon", [300, 5000])
def test_exploration_on_certain_outcomes(horizon):
    # PBR: n duels of a pair decide it when n² > 2n · log(2 K² T²); each round has both orders of a pair.
    rounds = math.floor(math.log(2 * 3**2 * horizon**2)) + 1
    played = whole(Pbr(), CERTAIN, horizon, 1)
    assert played.declaration == (0, 6 * rounds)
    assert (played.duels[~np.eye(3, dtype=bool)] == rounds).all()
    # RankEl: when n² > 2n (log(5 K² T / 4) + 4 log n).
    n = next(n for n in range(1, horizon) if n > 2 * (math.log(1.25 * 9 * horizon) + 4 * math.log(n)))
    assert whole(RankEl(), CERTAIN, horizon, 1).declaration == (0, 3 * n)
    # Uniform exploration: when n² > 2n · log(K (K − 1) T²).
    n = math.floor(2 * math.log(6 * horizon**2)) + 1
    assert whole(UniformExploration(), CERTAIN, horizon, 1).declaration == (0, 3 * n)


def test_pairs_of_arms_that_cannot_win():
    """When all certain pairs are decided, arms 2 and 3 have two losses; 0 has three wins and still plays 4."""
    matrix = from_upper_triangle([1.0, 1.0, 1.0, 0.9], [1.0, 1.0, 1.0], [0.51, 1.0], [1.0])
    pbr, rankel = (whole(each, matrix, 100_000, 1) for each in (Pbr(), RankEl(until="sole-winner")))
    assert pbr.declaration[0] == rankel.declaration[0] == 0
    assert pbr.duels[2, 3] == pbr.duels[1, 2] < pbr.duels[0, 4]
    assert rankel.duels[2, 3] == rankel.duels[0, 4] > rankel.duels[1, 2]  # sampled as long as the pair is open


def test_rankel_ends_early():
    """0, 1 and 2 form a cycle and beat 3 and 4, which are even: undecided, but none exceeds three wins."""
    matrix = from_upper_triangle([1.0, 0.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0], [0.5])
    winners = set()
    for seed in range(9):
        played = whole(RankEl(), matrix, 5000, seed)
        winners.add(played.declaration[0])
        assert played.declaration[1] == 10 * played.duels[0, 3] < 5000
    assert winners == {0, 1, 2}
    assert whole(RankEl(until="sole-winner"), matrix, 5000, 1).declaration is None


def test_rankel_declares_possible_winner():
    """When the certain pairs are decided, 0 and 1 have two wins each. Only 1, which is even with 3, may win more."""
    matrix = from_upper_triangle([0.0, 1.0, 1.0], [1.0, 0.5], [1.0])
    for seed in range(5):
        played = whole(RankEl(), matrix, 3000, seed)
        assert played.declaration == (1, 6 * played.duels[0, 1])


# Bandit algorithms: wrapped and naive


@pytest.mark.parametrize(
    ("kind", "matrix", "best"),
    [(Wrapped, from_upper_triangle([1.0]), 0), (Naive, from_upper_triangle([0.0, 1.0], [0.5]), 1)],
)
@pytest.mark.parametrize("rule", ["elimination", "uniform"])
@pytest.mark.parametrize("delta", [None, 0.2])
def test_end_of_bandit_exploration(kind, matrix, best, rule, delta):
    """Two arms, certain outcomes: means are 1 and 0, so that intervals separate when 2 sqrt(log(2NT/δ) / (2n)) < 1."""
    horizon = 2000
    n = math.floor(2 * math.log(2 * 2 * horizon / (delta or 1 / horizon))) + 1
    assert whole(kind(rule=rule, delta=delta), matrix, horizon, 1).declaration == (best, 2 * n)


# Beat the Mean


def test_btm_usual_variant():
    """Its name does not change the random streams."""
    assert parameters_of(Btm()) == {"gamma": 1.3, "confidence_scale": 3.0}
    assert parameters_of(Btm(variant="komiyama"))["variant"] == "komiyama"


def test_btm_recommendation():
    state = Btm().start(4, 1000)
    state.total[:], state.won[:] = [10, 10, 5, 0], [6, 7, 5, 0]
    state.active[2] = False
    assert Btm().recommendation(state) == 1
    state.active[1] = False
    assert Btm().recommendation(state) == 0


@pytest.mark.parametrize("seed", range(6))
def test_btm_blocks_cannot_drop_an_arm(seed, interpreted):
    """All arms stay, even if the best arm wins all duels and the worst loses all."""
    rng = np.random.default_rng(seed)
    algorithm, K = Btm(gamma=1.0, confidence_scale=float(rng.uniform(0.3, 3.0))), int(rng.integers(2, 6))
    state, best, worst = algorithm.start(K, 10**6), 0, K - 1
    fair, t, longest = int(rng.integers(K, 5000)), 1, 0
    while state.declared[0].winner < 0 and t < 10**6:
        first, second, count = algorithm.select(state, t, 10**6, rng)
        certain = count if first == best else 0 if first == worst else count // 2
        wins = rng.binomial(count, 0.5) if t < fair else certain
        active = state.active.sum()
        algorithm.update(state, first, second, int(wins), count)
        if count > 1 and active > 1:
            longest = max(longest, count)
            check = algorithm.start(K, 10**6)._replace(
                active=state.active.copy(), total=state.total.copy(), won=state.won.copy()
            )
            check.progress[0].unjudged = True  # the arms are judged
            check.progress[0].late = True  # and there is no block
            algorithm.select(check, t, t, rng)
            assert check.active.sum() == active
        t += count
    assert longest > 20


# BCB


def test_bcb_holds_to_the_end():
    counts = counts_of_answers(Bcb(), order(2, 0.9), 10**6, 1)
    assert len(counts) < 500
    assert max(counts) > 900_000


@pytest.mark.parametrize("seed", range(6))
def test_bcb_blocks_cannot_end_exploration(seed, interpreted):
    """No arm leads by enough, even if one arm wins all duels, in any order."""
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


# One step of a state


def test_savage_intervals_that_do_not_meet():
    """The interval shrinks to its end nearest to the new interval."""
    for low, high, nearest in ((0.2, 0.3, 0.3), (0.95, 0.97, 0.95)):
        state = catalogue()["savage"]().start(2, 10)
        state.wins[0, 1], state.wins[1, 0] = 900, 100  # 0.9 ± 0.04 at most
        state.low[0, 1], state.high[0, 1] = low, high
        narrow(state._replace(log_term=1.0), 0, 1)
        assert (state.low[0, 1], state.high[0, 1]) == (nearest, nearest)
        assert (state.low[1, 0], state.high[1, 0]) == (1 - nearest, 1 - nearest)


def test_btm_touching_intervals():
    """[0.25, 0.5] and [0.5, 0.75]: the worse arm is dropped, except in the authors' code."""
    for komiyama in (False, True):
        state = Btm().start(2, 10)
        state.total[:], state.won[:] = 4, (3, 1)
        drop_worst(state._replace(scale=0.5, log_inverse_delta=1.0, komiyama=komiyama), stream(0))
        assert state.active.tolist() == [True, komiyama]


def test_bcb_second_best():
    state = Bcb().start(3, 100)
    for first, wins in ((0, 3), (1, 2), (1, 2)):
        Bcb.update(state, first, 2, wins, 3)
    standing = state.standing[0]
    assert (standing.leader, standing.most, standing.next) == (1, 4, 3)


def test_naive_keeps_equal_bounds():
    state = Naive().start(4, 100)._replace(half_log=0.0)
    state.bandit.plays[0], state.bandit.mean[0] = 1, 0.5
    left = state.cursor[0].length
    eliminate(state)
    assert state.cursor[0].length == left > 1
