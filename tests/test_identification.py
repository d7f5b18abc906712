"""Algorithms that identify the best arm: what the rows of the catalogue do not show."""

import math
from itertools import pairwise

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.algorithms.identification import knockout, sequential_elimination
from duelbench.algorithms.identification.active_ranking import ActiveRanking
from duelbench.algorithms.identification.borda_elimination import BordaElimination
from duelbench.algorithms.identification.borda_rounds import best_place, finish_round
from duelbench.algorithms.identification.btm_pac import BtmPac, best_arm, duels_of_every_arm, judge
from duelbench.algorithms.identification.divide_and_battle import DivideAndBattle
from duelbench.algorithms.identification.dkwt import Dkwt
from duelbench.algorithms.identification.dkwt import judge as judge_pair
from duelbench.algorithms.identification.explore_verify import (
    ExploreVerify,
    begin_verification,
    interval,
    lowest_upper_bound,
    verify,
)
from duelbench.algorithms.identification.halving_battle import HalvingBattle
from duelbench.algorithms.identification.knockout import Knockout
from duelbench.algorithms.identification.mallows_mpi import MallowsMpi
from duelbench.algorithms.identification.nts import Nts
from duelbench.algorithms.identification.opt_maximize import PRUNING, OptMaximize, learn, next_pruned
from duelbench.algorithms.identification.parwis import Parwis
from duelbench.algorithms.identification.pl_pac import PlPac, found, good_enough
from duelbench.algorithms.identification.pocowista import Pocowista
from duelbench.algorithms.identification.potential_copeland import settle
from duelbench.algorithms.identification.secs import Secs
from duelbench.algorithms.identification.seebs import Seebs
from duelbench.algorithms.identification.select import Select
from duelbench.algorithms.identification.select_then_verify import SelectThenVerify
from duelbench.algorithms.identification.sequential_elimination import SequentialElimination
from duelbench.algorithms.identification.tra_pocowista import TraPocowista
from duelbench.algorithms.identification.trace_the_best import TraceTheBest
from duelbench.conformance.instances import order
from duelbench.conformance.rounds import Rounds, streams
from duelbench.kernels.arithmetic import NEVER
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.reference.beat_the_mean import btm_pac_radius
from duelbench.reference.parwis import stationary
from tests.comparison import mutated
from tests.duel_rows import Duels
from tests.instances import INSTANCES, btl
from tests.playing import whole

# First passages: Knockout, Sequential-Elimination, Opt-Maximize, MallowsMPI, SEEBS


@pytest.mark.parametrize(("kind", "champion_first"), [(SequentialElimination, False), (MallowsMpi, True)])
def test_champion_is_recommended(kind, champion_first, interpreted):
    algorithm, policy = kind(), np.random.default_rng(0)
    state = algorithm.start(3, 1000)
    assert algorithm.recommendation(state) is None
    pair = algorithm.select(state, 1, 1, policy)[:2]
    champion, challenger = pair if champion_first else pair[::-1]
    t = 2
    while True:
        assert algorithm.recommendation(state) == champion
        algorithm.update(state, *pair, int(not champion_first), 1)
        if algorithm.select(state, t, t, policy)[:2] != pair:
            break
        t += 1
    assert algorithm.recommendation(state) == challenger


def test_prune(interpreted):
    """Arms that beat the anchor stay, ties do not; there are at most (ln 120)² passes."""
    state, rng, tests = OptMaximize().start(120, 1), np.random.default_rng(1), 0
    progress, test = state.progress[0], state.test[0]
    state.challenge.cursor[0].champion = 0
    progress.phase = PRUNING
    while next_pruned(state):
        test.verdict = 1
        learn(state, rng)
        tests += 1
    assert (tests, progress.kept) == (22 * 119, 120)
    test.verdict = 0
    learn(state, rng)
    assert progress.kept == 120


@pytest.mark.parametrize(("algorithm", "arms"), [(OptMaximize(delta=0.5), 16), (Seebs(), 4)])
def test_anchor_or_pivot_is_recommended(algorithm, arms, interpreted):
    run, named = Rounds(algorithm, order(arms, 0.8).P, 10**6, streams(1, 0)), []
    assert algorithm.recommendation(run.state) is None
    while algorithm.declaration(run.state) is None:
        run.answer()
        named.append(algorithm.recommendation(run.state))
    assert named[-1] == 0
    assert len(set(named)) >= 2


SORTED = """        for a in range(progress.length):
            for b in range(a + 1, progress.length):
                if state.arms[b] < state.arms[a]:
                    state.arms[a], state.arms[b] = state.arms[b], state.arms[a]
        progress.position = 0
"""


@pytest.mark.slow
def test_opt_maximize_best_arm_first(tmp_path):
    """The counted implementation goes through the arms in numerical order in its last step, and the best has number 0:
    it skips the tests of the arms before the best. A random order takes a tenth more duels."""
    shuffling = "        shuffle(state.arms, progress.length, rng)\n        progress.position = 0\n"
    by_number = mutated("opt_maximize", {shuffling: SORTED}, tmp_path, "OptMaximize")
    counted = Duels("opt-maximize", {"delta": 0.1}, "0.6, K = 16", 17_154, 286, 1000)
    assert counted.measured(by_number(delta=0.1)).deviation(17_154, 286) < 3
    assert counted.measured().deviation(17_154, 286) > 4


def test_mallows_mpi_never_decides_a_tie():
    played = whole(MallowsMpi(), PreferenceMatrix(np.full((2, 2), 0.5)), 10**8, seed=0)
    assert played.declaration is None
    assert played.informative == 10**8


# Single elimination: SELECT, NTS, SELECT-then-verify


@pytest.mark.parametrize("arms", [2, 3, 5, 8, 17])
def test_bracket(arms):
    """On a certain order, NTS decides at most 2K − ⌊log2 K⌋ − 2 pairs, and all pairs of the winner."""
    matrix = PreferenceMatrix(np.triu(np.ones((arms, arms)), 1) + np.eye(arms) / 2)
    for seed in range(4):
        bracket = whole(Select(duels_per_pair=1), matrix, 100, seed)
        assert bracket.declaration == (0, arms - 1)
        met = bracket.duels + bracket.duels.T - 2 * np.diag(bracket.duels.diagonal())
        rounds = (met.sum(axis=1)).max()
        assert rounds <= np.ceil(np.log2(arms))
        tested = whole(Nts(h=0.49), matrix, 1000, seed)
        pairs = np.triu(tested.duels + tested.duels.T, 1) > 0
        assert tested.declaration[0] == 0
        assert pairs[0, 1:].all()
        assert pairs.sum() <= 2 * arms - np.floor(np.log2(arms)) - 2
        verified = whole(SelectThenVerify(h=0.49), matrix, 1000, seed)
        assert verified.declaration[0] == 0


def test_select_recommendation(interpreted):
    """The arm that has advanced furthest is recommended."""
    algorithm, rng = Select(duels_per_pair=3), np.random.default_rng(1)
    state = algorithm.start(4, 100)
    assert algorithm.recommendation(state) is None
    first, second, count = algorithm.select(state, 1, 100, rng)
    assert count == 3
    assert algorithm.recommendation(state) is None
    algorithm.update(state, first, second, 1, 3)
    assert algorithm.recommendation(state) == second
    third, fourth, _ = algorithm.select(state, 4, 100, rng)
    algorithm.update(state, third, fourth, 3, 3)
    assert algorithm.recommendation(state) == second
    assert algorithm.select(state, 7, 100, rng) == (second, third, 3)
    assert algorithm.recommendation(state) == second
    algorithm.update(state, second, third, 0, 3)
    assert algorithm.recommendation(state) == third  # also where the budget ends here
    assert algorithm.declaration(state) is None
    assert algorithm.select(state, 10, 100, rng) == (third, third, 91)
    assert algorithm.recommendation(state) == third
    assert algorithm.declaration(state) == (third, 9)


@pytest.mark.parametrize("algorithm", [Nts(h=0.3), SelectThenVerify(h=0.3)])
def test_winner_of_the_bracket_is_recommended(algorithm, interpreted):
    rng, state, t = np.random.default_rng(1), algorithm.start(4, 1), 1
    P = order(4, 1.0).P
    while algorithm.declaration(state) is None:
        first, second, count = algorithm.select(state, t, 10_000, rng)
        algorithm.update(state, first, second, int(P[first, second]) * count, count)
        t += count
        if state.stage[0].phase == 2:
            assert algorithm.recommendation(state) == 0
    assert algorithm.recommendation(state) == 0


def test_select_takes_one_number_of_duels():
    with pytest.raises(ValueError, match="remove one of them"):
        Select(duels_per_pair=3, budget=100)


def test_select_then_verify_smaller_error():
    counts = {SelectThenVerify(h=0.3, alpha=a, beta=b).start(9, 1)[:3] for a, b in ((0.1, 0.3), (0.3, 0.1), (0.1, 0.1))}
    assert len(counts) == 1
    assert counts != {SelectThenVerify(h=0.3, alpha=0.3, beta=0.3).start(9, 1)[:3]}


# DKWT, POCOWISTA


def test_dkwt_steps(interpreted):
    """δ' = 0.3/2, h = 1/4: ⌈128 ln(4 π²/(6 · 0.15))⌉ = 484 duels, then h = 1/8 and ⌈512 ln(4 · 4 π²/0.9)⌉ = 2646."""
    for reuse, second in ((False, 0), (True, 302)):
        algorithm, rng = Dkwt(delta=0.3, reuse=reuse), np.random.default_rng(0)
        state = algorithm.start(2, 1)
        first, other, count = algorithm.select(state, 1, 10**6, rng)
        assert count == 484
        algorithm.update(state, first, other, 302, count)  # 2p̂ − 1 is 120/484, a little less than h
        assert algorithm.select(state, 485, 10**6, rng) == (first, other, 2646)
        assert (state.pair[0].wins, state.pair[0].duels) == (second, 484 * reuse)
        algorithm.update(state, first, other, 1489, 2646)  # 332/2646 is a little more
        decided = algorithm.select(state, 3131, 10**6, rng)
        assert decided[:2] == (first, first)
        assert algorithm.declaration(state) == (first, 3130)


def test_dkwt_recommends_the_champion(interpreted):
    algorithm, rng = Dkwt(), np.random.default_rng(0)
    state = algorithm.start(3, 1)
    first, second, count = algorithm.select(state, 1, 10**6, rng)
    assert algorithm.recommendation(state) is None
    algorithm.update(state, first, second, 0, count)
    champion, third, again = algorithm.select(state, 1 + count, 10**6, rng)
    assert champion == second == algorithm.recommendation(state)
    algorithm.update(state, champion, third, 0, again)
    assert algorithm.select(state, 1 + 2 * count, 10**6, rng)[0] == third == algorithm.recommendation(state)


def test_dkwt_goes_on_where_two_arms_are_equal(interpreted):
    state, rng = Dkwt().start(2, 1), np.random.default_rng(0)
    t = 1
    for _ in range(40):
        first, second, count = Dkwt().select(state, t, 2**61, rng)
        t += count
        Dkwt().update(state, first, second, count // 2, count)
        if t > 2**60:
            break
    assert Dkwt().declaration(state) is None


@pytest.mark.parametrize("arms", [2, 3, 7])
def test_pairs_of_pocowista(arms):
    matrix = PreferenceMatrix(np.triu(np.ones((arms, arms)), 1) + np.eye(arms) / 2)
    for seed in range(4):
        for algorithm in (TraPocowista(), Pocowista()):
            played = whole(algorithm, matrix, 10_000, seed)
            pairs = (np.triu(played.duels + played.duels.T, 1) > 0).sum()
            assert played.declaration[0] == 0
            assert pairs == arms - 1 if isinstance(algorithm, TraPocowista) else pairs <= 2 * arms - 3


def test_pocowista_recommendation(interpreted):
    """The arm that beats most others is recommended."""
    algorithm, rng = Pocowista(), np.random.default_rng(1)
    state = algorithm.start(3, 1)
    first, second, count = algorithm.select(state, 1, 1000, rng)
    assert algorithm.recommendation(state) is None
    algorithm.update(state, first, second, 0, 0, count)
    t = 1 + count
    assert algorithm.select(state, t, 1000, rng)[0] != first  # that arm can beat at most one more
    assert algorithm.recommendation(state) == second


def test_what_follows_from_ties(interpreted):
    state = TraPocowista().start(5, 1)
    settle(state, 0, 1, False)
    settle(state, 3, 4, False)
    for first, second in ((1, 2), (2, 3)):
        settle(state, first, second, True)
        settle(state, second, first, True)
    assert np.argwhere(np.triu(state.tied)).tolist() == [[1, 2], [1, 3], [2, 3]]
    assert np.argwhere(state.beats).tolist() == [[0, 1], [0, 2], [0, 3], [0, 4], [1, 4], [2, 4], [3, 4]]
    assert state.score.tolist() == state.potential.tolist() == [8, 4, 4, 4, 0]


# PARWiS


@pytest.mark.parametrize("arms", [2, 8])
def test_parwis_scores_stay_those_of_the_chain(arms, interpreted):
    """They are updated 3000 times and never recomputed."""
    algorithm, rng = Parwis(), np.random.default_rng(arms)
    P = btl(np.exp(0.3 * np.arange(arms))).P
    state = algorithm.start(arms, 1)
    for t in range(1, 3001):
        first, second, _ = algorithm.select(state, t, t, rng)
        algorithm.update(state, first, second, int(rng.random() < P[first, second]), 1)
    wins = np.zeros((arms + 1, arms + 1))
    wins[:arms, :arms] = state.wins
    wins[:arms, arms] = wins[arms, :arms] = 1
    assert np.abs(stationary(wins) - state.score).max() < 1e-13
    assert algorithm.recommendation(state) == arms - 1


def test_parwis_declares_after_the_last_outcome(interpreted):
    parwis, rng = Parwis(budget=3), np.random.default_rng(1)
    state = parwis.start(3, 100)
    assert parwis.recommendation(state) is None
    asked = [parwis.select(state, t, 100, rng)[:2] for t in (1, 2, 3)]
    for first, second in asked:
        top, other, count = parwis.select(state, 4, 100, rng)
        assert (top == other, count) == (True, 1) and parwis.declaration(state) is None
        parwis.update(state, first, second, 1, 1)
    winner, _, count = parwis.select(state, 4, 100, rng)
    assert count == 97
    assert parwis.declaration(state) == (winner, 3)
    assert parwis.recommendation(state) == winner


AUTHORS = {1: 0.238, 3: 0.395, 6: 0.489, 8: 0.550}


@pytest.mark.parametrize("tens", [pytest.param(k, marks=() if k == 6 else pytest.mark.slow) for k in AUTHORS])
def test_parwis_beside_its_authors_program(tens):
    """It finds the best arm as often as in their 3000 runs; a budget of 40 duels instead of 60 is detected."""
    near = 3 * np.sqrt(0.25 / 1500 + 0.25 / 3000)
    row = Duels("parwis", {"budget": 10 * tens}, ("parwis", "in line"), runs=1500)
    assert abs(row.measured().right - AUTHORS[tens]) < near
    if tens == 6:
        assert abs(row.measured(budget=40).right - AUTHORS[tens]) > near


# Battles: Trace-the-Best, Divide-and-Battle, Halving-Battle


def matches_of(algorithm, arms, won):
    """Play whole matches, the first arm winning ``won(first, second)`` of every duel; yield them, then the winner."""
    state, rng, t = algorithm.start(arms, 1), np.random.default_rng(3), 1
    while algorithm.declaration(state) is None:
        first, second, count = algorithm.select(state, t, 10**9, rng)
        if first != second:
            yield first, second, count
            algorithm.update(state, first, second, int(won(first, second) * count), count)
            t += count
    yield algorithm.declaration(state)


def test_ties_in_a_match(interpreted):
    *matches, (winner, _) = matches_of(DivideAndBattle(epsilon=0.5), 2, lambda *_: 0.5)
    assert [first for first, *_ in matches] == [winner]
    *matches, _ = matches_of(HalvingBattle(epsilon=0.5, delta=0.101), 2, lambda *_: 0.5)
    assert len(matches) > 1  # again with more duels, until their number is odd
    assert all(a[2] % 2 == 0 and a[2] < b[2] for a, b in pairwise(matches))
    assert matches[-1][2] % 2 == 1


def test_trace_the_best_champion(interpreted):
    algorithm = TraceTheBest(epsilon=0.5, delta=0.9)  # 36 duels: a challenger must win more than 27 of them
    for wins, champion in ((27, "stays"), (28, "goes")):
        state, rng = algorithm.start(5, 1), np.random.default_rng(1)
        assert algorithm.recommendation(state) is None
        first, second, count = algorithm.select(state, 1, 1000, rng)
        assert (count, algorithm.recommendation(state)) == (39, second)
        algorithm.update(state, first, second, wins + 2, count)
        algorithm.select(state, 40, 1000, rng)
        assert algorithm.recommendation(state) == (second if champion == "stays" else first)


# Borda winners: active ranking, Borda elimination, SECS


@pytest.mark.parametrize(
    ("tiers", "sizes"),
    [(None, (1, 4)), ((1,), (1, 4)), ((2, 1), (2, 1, 2)), ((2, 3), (2, 3)), ("order", (1, 1, 1, 1, 1))],
)
def test_tiers_of_active_ranking(tiers, sizes):
    """The first tiers may be all; the ranking has settled arms in their tiers, the others by their wins."""
    algorithm = ActiveRanking(tiers=tiers, radius="program")
    state = algorithm.start(5, 100)
    state.won[:] = [5, 1, 7, 3, 2]
    assert tuple(map(len, algorithm.ranking(state))) == sizes
    assert sum(algorithm.ranking(state), ()) == (2, 0, 3, 4, 1)
    declared, _ = whole(algorithm, order(5, 0.7), 100_000, 1).declaration
    if tiers is None:
        assert declared == 0
    else:
        assert tuple(map(set, declared)) == tuple(
            set(range(sum(sizes[:k]), sum(sizes[: k + 1]))) for k in range(len(sizes))
        )


@pytest.mark.parametrize("tiers", [(6,), (5,), (3, 3), ()])
def test_tiers_that_do_not_fit(tiers):
    with pytest.raises(ValueError, match="do not divide 5 arms"):
        ActiveRanking(tiers=tiers).start(5, 100)


@pytest.mark.parametrize("name", ["eqs", "tks", "seeks", "pbr-copeland"])
def test_top_that_does_not_fit(name):
    with pytest.raises(ValueError, match="top is 5, and there are 5 arms: choose a smaller top"):
        catalogue()[name](top=5).start(5, 100)


def test_best_score_stays_if_all_arms_would_go(interpreted):
    algorithm = Secs(constant=1e-9)
    state = algorithm.start(3, 100)
    state.cursor[0].rounds = 1000
    state.won[:] = [500, 510, 505]  # in a circle, by their known duels
    state.against[:] = [[0, 500, 0], [0, 0, 510], [505, 0, 0]]
    finish_round(state)
    assert (state.cursor[0].left, state.remaining[0]) == (1, 1)


@pytest.mark.parametrize("algorithm", [ActiveRanking(), BordaElimination(), Secs()])
def test_best_score_of_those_left_is_recommended(algorithm):
    state = algorithm.start(4, 100)
    state.won[:] = [5, 9, 7, 12]
    assert algorithm.recommendation(state) == 3
    state.cursor[0].left = 3
    assert algorithm.recommendation(state) == 1


# BTL models: PL-PAC, BTM-PAC


def test_pl_pac_recommends_the_best_of_those_left(interpreted):
    algorithm = PlPac()
    state = algorithm.start(4, 100)
    for i, j in ((2, 0), (2, 1), (0, 1), (3, 2), (3, 0), (3, 1)):
        state.met[i, j] = state.met[j, i] = 3
        state.won[i, j], state.won[j, i] = 2, 1
    assert algorithm.recommendation(state) == 3
    state.cursor[0].left = 3
    assert algorithm.recommendation(state) == 2


def test_pl_pac_declares_the_arm_with_most_wins(interpreted):
    """In one of about a thousand runs several arms are good enough at once."""
    state = PlPac(epsilon=0.3).start(3, 100)
    for i, j, wins in ((0, 1, 490), (0, 2, 480), (1, 2, 495)):
        state.met[i, j] = state.met[j, i] = 1000
        state.won[i, j], state.won[j, i] = wins, 1000 - wins
    assert [good_enough(state, i) for i in range(3)] == [True] * 3
    assert found(state) == 2


@pytest.mark.parametrize("gamma", [1.0, 1.3, 2.0])
def test_btm_pac_radius_after_enough_duels(gamma):
    K, epsilon, delta = 7, 0.1, 0.05
    N = duels_of_every_arm(K, epsilon, delta, gamma)
    assert math.ceil(36 * gamma**6 / epsilon**2 * math.log(K**3 * N / delta)) == N
    assert btm_pac_radius(N, K, N, delta, gamma, "paper") == pytest.approx(epsilon / (2 * gamma), rel=1e-4)


def test_btm_pac_that_is_never_over():
    assert duels_of_every_arm(5, 1e-9, 1e-300, 1000.0) == NEVER


def test_btm_pac_recommendation():
    state = BtmPac().start(4, 1000)
    state.total[:], state.won[:] = [10, 10, 5, 0], [6, 7, 5, 0]
    state.active[2] = False
    assert BtmPac().recommendation(state) == 1
    state.active[1] = False
    assert BtmPac().recommendation(state) == 0


# Explore-Verify


def test_wrong_candidate_is_found_out(interpreted):
    algorithm, rngs = ExploreVerify(), streams(1, 0)
    P = order(4, 0.8).P
    state = algorithm.start(4, 1)
    algorithm.select(state, 1, 1, rngs.policy)
    state.beats[1] = True  # as if arm 1 had beaten all others
    state.beats[1, 1] = False
    state.settled[:] = True
    state.met[:] = 10
    state.won[:] = np.round(10 * P)
    state.cursor[0].place = 100
    t = 1
    while state.cursor[0].stage == 1:
        first, second, count = algorithm.select(state, t, t, rngs.policy)
        if state.cursor[0].stage == 1:
            assert algorithm.recommendation(state) == 1
            assert first != 1
        algorithm.update(state, first, second, int(rngs.environment.random() < P[first, second]), count)
        t += 1
        assert t < 5000
    assert algorithm.declaration(state) is None
    assert not state.met.sum() - 2  # the first duel of the next exploration
    assert algorithm.recommendation(state) is None


def test_explore_verify_where_others_are_equal():
    for seed in range(3):
        assert whole(ExploreVerify(), INSTANCES["one winner, the rest tied"], 10**6, seed).declaration[0] == 0


def test_borda_elimination_equal_arms():
    state = BordaElimination().start(3, 100)
    state.won[:] = (1, 5, 5)
    assert best_place(state) == 1


def test_btm_pac_touching_intervals(interpreted):
    """[0, 0.5] and [0.5, 1]: the worse arm is dropped."""
    state = BtmPac().start(2, 100)._replace(practical=False, scale=1.0)
    state.total[:], state.won[:] = 4, (4, 0)
    judge(state, streams(0, 0).policy)
    assert state.active.tolist() == [True, False]


def test_btm_pac_declares_the_first_of_equal_arms(interpreted):
    state = BtmPac().start(3, 100)
    state.total[:], state.won[:] = 4, (1, 3, 3)
    assert best_arm(state) == 1


def test_dkwt_exact_threshold(interpreted):
    """|2p̂ − 1| = h decides nothing: with h = 1/4, a lead of 2 in 8 duels."""
    for wins, goes_on in ((5, True), (6, False)):
        state = Dkwt().start(2, 100)
        pair, cursor = state.pair[0], state.cursor[0]
        pair.first, pair.second, pair.wins, pair.duels = 0, 1, wins, 8
        cursor.step, cursor.position = 1, 2
        judge_pair(state, 9)
        assert (state.cursor[0].step > 1, state.declared[0].winner) == ((True, -1) if goes_on else (False, 0))


def test_explore_verify_equal_arms(interpreted):
    state = ExploreVerify().start(3, 100)
    state.order[:] = (2, 0, 1)
    state.met[:], state.won[:] = 10, 5
    assert lowest_upper_bound(state, 2)[0] == 0
    state.beats[:] = ~np.eye(3, dtype=bool)
    assert begin_verification(state)
    assert state.cursor[0].candidate == 2


@pytest.mark.parametrize(("verdict", "winner"), [(1, 0), (0, 1), (-1, 1)])
def test_knockout_after_a_tie(verdict, winner, interpreted):
    state = Knockout().start(2, 100)
    progress, test = state.progress[0], state.test[0]
    progress.left, progress.kept, progress.place, progress.rounds = 2, 0, 2, 1
    test.first, test.second, test.verdict = 0, 1, verdict
    knockout.proceed(state, 10, np.random.default_rng(1))
    assert state.declared[0].winner == winner


@pytest.mark.parametrize(("verdict", "winner"), [(1, 1), (0, 0), (-1, 0)])
def test_sequential_elimination_after_a_tie(verdict, winner, interpreted):
    state = SequentialElimination().start(2, 100)
    cursor, test = state.challenge.cursor[0], state.test[0]
    cursor.champion, cursor.length, cursor.position = 0, 2, 2
    test.first, test.second, test.verdict = 1, 0, verdict
    sequential_elimination.proceed(state, 10, np.random.default_rng(1))
    assert state.declared[0].winner == winner


def test_explore_verify_confidence_by_stage(interpreted):
    """Stage r has δ / (2 r²): the duels with which an arm loses in the first stage do not suffice in the third."""
    for stage, loses in ((1, True), (3, False)):
        state = ExploreVerify(delta=0.1).start(2, 100)
        state.order[:] = (0, 1)
        cursor = state.cursor[0]
        cursor.stage, cursor.verifying, cursor.candidate, cursor.rounds = stage, True, 0, 100
        state.lost[:] = (True, False)
        enough = [interval(wins, 100, 2, 0.1 / 2)[1] < 0 for wins in range(51)]
        state.wins[1] = sum(enough) - 1  # the most wins with which it loses at δ / 2
        verify(state, 200)
        assert bool(state.lost[1]) == loses
