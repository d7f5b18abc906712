"""Algorithms that explore, declare a winner and play it to the end: what their paths in catalogue.py do not show."""

import math
from itertools import chain, repeat
from types import SimpleNamespace

import numpy as np
import pytest

from duelbench.algorithms.algorithm import parameters_of
from duelbench.algorithms.catalogue import catalogue
from duelbench.algorithms.elimination.bcb import Bcb
from duelbench.algorithms.elimination.best_arm import Naive, Wrapped, survivors
from duelbench.algorithms.elimination.btm import Btm, BtmPac, judge
from duelbench.algorithms.elimination.interleaved_filter import InterleavedFilter
from duelbench.algorithms.elimination.racing import Pbr, RankEl, UniformExploration
from duelbench.algorithms.elimination.savage import narrow
from duelbench.conformance.case import order
from duelbench.engine.play import Problem
from duelbench.engine.rollout import Streams
from duelbench.engine.streams import stream
from duelbench.experiment.answers import answers
from tests.instances import from_upper_triangle
from tests.playing import counts_of_answers, whole

CERTAIN = from_upper_triangle([1.0, 1.0], [1.0])


# Interleaved Filter


@pytest.mark.parametrize(("wins", "kept"), [(74, False), (73, True), (72, True)])
def test_if_pruning(wins, kept, interpreted):
    """A new incumbent, which won all 146 duels with the former one, removes the arms that the former one has beaten."""
    outcomes = chain.from_iterable((False, k < wins) for k in range(146))  # n² > 16 n log(T K²) when n is 146
    chances = (0.0 if won else 0.9 for won in chain(outcomes, repeat(False)))
    rngs, named = Streams(SimpleNamespace(random=chances.__next__), np.random.default_rng(0)), []
    algorithm = InterleavedFilter()
    assert algorithm.recommendation(algorithm.start(3, 1000)) is None
    played = answers(
        algorithm,
        np.full((3, 3), 0.5),
        1000,
        rngs,
        look=lambda run, _: named.append(algorithm.recommendation(run.state)),
    )
    (_, incumbent, one, _), (_, _, other, _) = played[:2]
    assert set(named[:292]) == {incumbent}
    assert played[292][1:] == ((one, other, 1) if kept else (one, one, 708))


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
    """Arms 0, 1 and 2 form a cycle and beat 3 and 4. The tie of 3 and 4 is undecided, but none exceeds three wins."""
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
    """The name of the usual variant is not among the parameters, so it does not change the random streams."""
    assert parameters_of(Btm()) == {"gamma": 1.3, "confidence_scale": 3.0}
    assert parameters_of(Btm(variant="komiyama"))["variant"] == "komiyama"


@pytest.mark.parametrize("kind", [Btm, BtmPac])
def test_btm_recommendation(kind, interpreted):
    state = kind().start(4, 1000)
    state.total[:], state.won[:] = [10, 10, 5, 0], [6, 7, 5, 0]
    for out, best in ((2, 1), (1, 0)):
        state.active[out] = False
        assert judge(state, 1.0, stream(0)) == 0
        assert kind().recommendation(state) == best


@pytest.mark.parametrize("seed", range(6))
def test_btm_blocks_cannot_drop_an_arm(seed, interpreted):
    """Blocks drop no arm, even if from some round on the best arm wins all duels and the worst loses all."""
    rng = np.random.default_rng(seed)
    algorithm, K = Btm(gamma=1.0, confidence_scale=float(rng.uniform(0.3, 3.0))), int(rng.integers(2, 6))
    certain = np.full((K, K), 0.5)
    certain[0, 1:] = certain[1:-1, -1] = 1.0
    certain[1:, 0] = certain[-1, 1:-1] = 0.0
    begins, none = [1, int(rng.integers(K, 5000))], np.zeros((1, K, K))
    problem = Problem.changing(begins, [np.full((K, K), 0.5), certain], [none, none])
    longest, active = 0, K

    def look(run, answer):
        nonlocal longest, active
        before, active = active, run.state.active.sum()
        if answer.duels > 1 and before > 1:
            longest = max(longest, answer.duels)
            assert active == before
            copies = {name: getattr(run.state, name).copy() for name in ("active", "total", "won", "ahead")}
            fewest = run.state.total[run.state.active].min()
            radius = run.state.scale * math.sqrt(run.state.log_inverse_delta / fewest)
            assert judge(run.state._replace(**copies), radius, rng) == 0

    answers(algorithm, problem, 10**6, Streams(rng, np.random.default_rng(seed)), look=look)
    assert longest > 20


# BCB


def test_bcb_holds_to_the_end():
    counts = counts_of_answers(Bcb(), order(2, 0.9), 10**6, 1)
    assert len(counts) < 500
    assert max(counts) > 900_000


@pytest.mark.parametrize("seed", range(6))
def test_bcb_blocks_cannot_end_exploration(seed, interpreted):
    """Within a block, no arm leads by enough, even if from some round on one arm wins all duels."""
    rng = np.random.default_rng(seed)
    arms = int(rng.integers(2, 5))
    best, longest = int(rng.integers(arms)), 0
    certain = np.full((arms, arms), 0.5)
    certain[best], certain[:, best] = 1.0, 0.0
    certain[best, best] = 0.5
    begins, none = [1, int(rng.integers(200, 20_000))], np.zeros((1, arms, arms))
    problem = Problem.changing(begins, [np.full((arms, arms), 0.5), certain], [none, none])
    declared = []

    def look(run, answer):
        nonlocal longest
        declared[:] = [run.declaration()]
        state, score = run.state, run.state.score[0]
        assert [score.next, score.most] == np.sort(state.wins)[-2:].tolist()
        if answer.first != answer.second and answer.duels > 1:
            longest = max(longest, answer.duels)
            assert arms * (score.most - score.next) ** 2 <= state.scale * score.rounds
            assert declared == [None]

    answers(Bcb(delta=0.9), problem, 10**5, Streams(rng, np.random.default_rng(seed)), look=look)
    assert declared[0][0] == best
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


@pytest.mark.parametrize("in_order", [False, True])
def test_btm_touching_intervals(in_order):
    """[0.25, 0.5] and [0.5, 0.75]: the worse arm is dropped, except in the authors' code."""
    state = Btm().start(2, 10)._replace(in_order=in_order)
    state.total[:], state.won[:] = 4, (3, 1)
    assert judge(state, 0.25, stream(0)) == 1 - in_order
    assert state.active.tolist() == [True, in_order]


def test_naive_keeps_equal_bounds():
    state = Naive().start(4, 100)._replace(half_log=0.0)
    state.bandit.plays[0], state.bandit.mean[0] = 1, 0.5
    assert survivors(state, 3) == 3


def test_if_drops_what_the_loser_beat():
    """If outcomes are certain, the incumbent loses when n² > 16 n log(T K²); the arms that it beat are dropped, too."""
    matrix, horizon = from_upper_triangle([1.0, 1.0, 1.0], [1.0, 1.0], [1.0]), 5000
    n = math.floor(16 * math.log(horizon * 16)) + 1
    seen = set()
    for seed in range(12):
        played = whole(InterleavedFilter(), matrix, horizon, seed)
        # Arm 0 beats all others. Any other incumbent loses to the arm with the lowest number, arm 0, and the arms that
        # it beat are dropped. So only the first incumbent duelled all the others.
        (incumbent,) = [b for b in range(4) if np.count_nonzero(played.duels[b]) == 4 - (b != 0)]
        seen.add(incumbent)
        assert played.informative == n * (3 + max(0, incumbent - 1))
    assert seen == {0, 1, 2, 3}
