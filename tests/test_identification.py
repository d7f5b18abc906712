"""Algorithms that identify the best arm: what the rows of the catalogue do not show."""

import math
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.algorithms.elimination.btm import BtmPac, best_arm, duels_of_every_arm
from duelbench.algorithms.identification import battles, borda_rounds, dkwt, explore_verify, sequential_elimination
from duelbench.algorithms.identification.active_ranking import ActiveRanking
from duelbench.algorithms.identification.battles import DivideAndBattle, HalvingBattle, TraceTheBest
from duelbench.algorithms.identification.borda_rounds import BordaElimination, Secs
from duelbench.algorithms.identification.dkwt import Dkwt
from duelbench.algorithms.identification.explore_verify import ExploreVerify
from duelbench.algorithms.identification.knockout import Knockout
from duelbench.algorithms.identification.parwis import Parwis
from duelbench.algorithms.identification.potential_copeland import Pocowista, TraPocowista, settle
from duelbench.algorithms.identification.seebs import Seebs
from duelbench.algorithms.identification.sequential_elimination import OptMaximize, SequentialElimination
from duelbench.algorithms.identification.single_elimination import Nts, Select, SelectThenVerify
from duelbench.algorithms.ranking.mallows import MallowsMpi
from duelbench.conformance.case import order
from duelbench.conformance.rounds import streams
from duelbench.engine.play import Problem
from duelbench.engine.rollout import LiveRun, Streams, rollout
from duelbench.experiment.answers import answers
from duelbench.kernels.arithmetic import NEVER
from duelbench.preferences.matrix import PreferenceMatrix
from tests.duel_rows import Duels
from tests.instances import INSTANCES, btl
from tests.playing import Shares, played, whole
from tests.reference.beat_the_mean import btm_pac_radius
from tests.reference.parwis import stationary


def recommended(program, P, marks):
    """Return the blocks of a run and the arms recommended after the rounds ``marks``."""
    blocks, run = played(program, P, marks[-1])
    rngs = Streams(Shares(), np.random.default_rng(1))
    return blocks, rollout(program, run.problem, np.array(marks), rngs, recommend="own").recommended.tolist()


def rounds_of(blocks):
    """Return the pair of each round."""
    return [(i, j) for i, j, count in blocks for _ in range(count)]


def scripted(patch, module, wins):
    """Let ``duel`` of a module return these wins in turn; return the list of requests."""
    asked = []

    def duel(world, i, j, count):
        asked.append((int(i), int(j), int(count)))
        return wins[len(asked) - 1]

    patch.setattr(module, "duel", duel)
    return asked


# First passages: Knockout, Sequential-Elimination, Opt-Maximize, MallowsMPI, SEEBS


@pytest.mark.parametrize("algorithm", [SequentialElimination(), TraceTheBest(epsilon=0.5, delta=0.9)])
def test_champion_is_recommended(algorithm, interpreted):
    """The champion is the second arm of the pair; a challenger takes its place by winning."""
    assert algorithm.recommendation(algorithm.start(4, 1)) is None
    blocks, named = recommended(algorithm, order(4, 1.0).P, list(range(1, 301)))
    assert blocks[-1][:2] == (0, 0) and len(set(named)) >= 2
    assert named[:-1] == [champion for _, champion in rounds_of(blocks)[1:]]


def test_prune(interpreted, monkeypatch):
    """Arms that beat the anchor stay, the others do not; there are at most (ln 120)² passes."""
    for better, tests, left in ((True, 22 * 119, 120), (False, 119, 1)):
        state, world, pairs = OptMaximize().start(120, 1), SimpleNamespace(arms=120), []
        monkeypatch.setattr(
            sequential_elimination, "compare_2", lambda *pair, pairs=pairs, better=better: pairs.append(pair) or better
        )
        assert sequential_elimination.prune(world, state, 0) == left
        assert len(pairs) == tests


@pytest.mark.parametrize(("algorithm", "arms"), [(OptMaximize(delta=0.5), 16), (Seebs(), 4)])
def test_anchor_or_pivot_is_recommended(algorithm, arms):
    assert algorithm.recommendation(algorithm.start(arms, 1)) is None
    problem, marks = Problem(order(arms, 0.8).P, np.zeros((1, arms, arms))), np.arange(10, 100_000, 10)
    named = rollout(algorithm, problem, marks, streams(1, 0), recommend="own").recommended
    assert named[-1] == 0
    assert len(set(named.tolist())) >= 2


@pytest.mark.parametrize(
    "algorithm", [Select(duels_per_pair=40), Select(duels_per_pair=40, early_stop=True), Nts(h=0.1)]
)
def test_recommended_within_a_match(algorithm):
    """In the final, the arm that is ahead is recommended from the first duel on, not the first finalist."""
    problem, seconds = Problem(order(4, 1.0).P, np.zeros((1, 4, 4))), 0
    for seed in range(10):
        rngs = streams(seed, 0)
        final = [each for each in answers(algorithm, problem, 2000, rngs) if each.first != each.second][2]
        marks = np.array([final.t, final.t + 1, final.t + 5, 2000])
        named = rollout(algorithm, problem, marks, streams(seed, 0), recommend="own").recommended.tolist()
        assert named == [0] * 4
        seconds += final.second == 0
    assert 0 < seconds < 10


def test_mallows_mpi_never_decides_a_tie():
    played = whole(MallowsMpi(), PreferenceMatrix(np.full((2, 2), 0.5)), 10**8, seed=0)
    assert played.declaration is None
    assert played.informative == 10**8


# Single elimination: SELECT, NTS, SELECT-then-verify


@pytest.mark.parametrize("arms", [2, 3, 5, 8, 17])
def test_bracket(arms):
    """On a certain order, NTS decides at most 2K − ⌊log2 K⌋ − 2 pairs, including all pairs of the winner."""
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
    P = [[0.5, 0.4, 0.4, 0.4], [0.6, 0.5, 0.4, 0.4], [0.6, 0.6, 0.5, 0.4], [0.6, 0.6, 0.6, 0.5]]  # 1 or 2 of 3 duels
    blocks, named = recommended(Select(duels_per_pair=3), P, [3, 6, 9, 100])
    (first, second, _), (third, fourth, _), (fifth, sixth, _), held = blocks
    winners = [i if int(3 * P[i][j]) >= 2 else j for i, j in ((first, second), (third, fourth))]
    assert [count for *_, count in blocks] == [3, 3, 3, 91]
    assert [fifth, sixth] == winners
    assert named[:2] == [winners[0]] * 2  # until the final is played
    assert named[2:] == [held[0]] * 2


@pytest.mark.parametrize("algorithm", [Nts(h=0.3), SelectThenVerify(h=0.3)])
def test_winner_of_the_bracket_is_recommended(algorithm, interpreted):
    blocks, named = recommended(algorithm, order(4, 1.0).P, list(range(1, 100)))
    last = max(t for t, arm in enumerate(named, 1) if arm != 0) if set(named) != {0} else 0
    assert named[-1] == 0 and blocks[-1][:2] == (0, 0)
    assert last < sum(count for i, j, count in blocks if i != j)


def test_select_then_verify_smaller_error():
    def counts(alpha, beta):
        state = SelectThenVerify(h=0.3, alpha=alpha, beta=beta).start(9, 1)
        return state.duels_per_pair, state.boundary

    assert counts(0.1, 0.3) == counts(0.3, 0.1) == counts(0.1, 0.1) != counts(0.3, 0.3)


# DKWT, POCOWISTA


@pytest.mark.parametrize("reuse", [False, True])
def test_dkwt_steps(reuse, interpreted, monkeypatch):
    """h = 1/4: ⌈128 ln(4 π²/(6 · 0.15))⌉ = 484 duels, then h = 1/8 and ⌈512 ln(4 · 4 π²/0.9)⌉ = 2646.

    2p̂ − 1 is 120/484 and then 314/2646, both a little less than h. Over all duels, 434/3130 is more than h = 1/8.
    """
    asked = scripted(monkeypatch, dkwt, [302, 1480, 10**6])
    state, world = Dkwt(delta=0.3, reuse=reuse).start(2, 1), SimpleNamespace(arms=2)
    assert dkwt.winner_of(world, state, 0, 1, 0.15) == 0
    assert [count for *_, count in asked[:2]] == [484, 2646]
    assert len(asked) == (2 if reuse else 3)


def test_dkwt_recommends_the_champion(interpreted):
    """Once a pair is decided, the champion is the first arm of the current pair."""
    assert Dkwt().recommendation(Dkwt().start(3, 1)) is None
    P = order(3, 1.0).P
    pairs = rounds_of(played(Dkwt(), P, 2000)[0])
    assert len(set(pairs)) == 3
    named = {t: Dkwt().recommendation(played(Dkwt(), P, t)[1].state) for t in range(100, 2000, 100)}
    assert named == {t: None if pairs[t] == pairs[0] else pairs[t][0] for t in named}


def test_dkwt_goes_on_where_two_arms_are_equal(interpreted):
    blocks, run = played(Dkwt(), np.full((2, 2), 0.5), 10**12)
    assert run.declaration() is None
    assert len(blocks) > 20 and len({each[:2] for each in blocks}) == 1


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
    """The arm that beats most others is recommended, once a pair is decided."""
    assert Pocowista().recommendation(Pocowista().start(3, 1)) is None
    blocks, named = recommended(Pocowista(), order(3, 1.0).P, list(range(1, 101)))
    (first, second, duels), (third, *_), *_ = blocks
    assert named[duels - 1 :] == [min(first, second)] * (blocks[1][2]) + named[duels - 1 + blocks[1][2] :]
    assert (third == first) == (first < second)  # the loser can beat at most one more
    assert named[-1] == 0


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
    """After 3000 updates without recomputation, the scores are the stationary distribution of the chain."""
    algorithm, rng = Parwis(), np.random.default_rng(arms)
    P = btl(np.exp(0.3 * np.arange(arms))).P
    run = LiveRun(algorithm, Problem(P, np.zeros((1, arms, arms))), np.array([3000]), Streams(rng, rng))
    run.play()
    state = run.state
    wins = np.zeros((arms + 1, arms + 1))
    wins[:arms, :arms] = state.wins
    wins[:arms, arms] = wins[arms, :arms] = 1
    assert np.abs(stationary(wins) - state.score).max() < 1e-13
    assert algorithm.recommendation(state) == arms - 1


def test_parwis_names_no_arm_before_the_first_outcome():
    assert Parwis().recommendation(Parwis().start(3, 100)) is None


@pytest.mark.parametrize(("budget", "right"), [(10, 0.238), pytest.param(60, 0.489, marks=pytest.mark.slow)])
def test_parwis_beside_its_authors_program(budget, right):
    """PARWiS finds the best arm as often as in 3000 runs of the authors' program."""
    row = Duels("parwis", {"budget": budget}, ("parwis", "in line"), runs=400)
    assert abs(row.measured().right - right) < 3 * np.sqrt(0.25 / 400 + 0.25 / 3000)


# Battles: Trace-the-Best, Divide-and-Battle, Halving-Battle


def test_ties_in_a_match(interpreted):
    even = np.full((2, 2), 0.5)
    *matches, (winner, *_) = played(DivideAndBattle(epsilon=0.5), even, 10**9)[0]
    assert [first for first, *_ in matches] == [winner]
    *matches, _ = played(HalvingBattle(epsilon=0.5, delta=0.101), even, 10**9)[0]
    assert len(matches) > 1  # again with more duels, until their number is odd
    assert all(a[2] % 2 == 0 and a[2] < b[2] for a, b in pairwise(matches))
    assert matches[-1][2] % 2 == 1


@pytest.mark.parametrize(("wins", "place"), [(29, 1), (30, 0)])
def test_trace_the_best_champion(wins, place, interpreted, monkeypatch):
    """Of 39 duels, a challenger must win more than 29.25 to take the champion's place."""
    asked = scripted(monkeypatch, battles, [wins, 0, 0, 0])
    state = TraceTheBest(epsilon=0.5, delta=0.9).start(5, 1)
    assert battles.trace(SimpleNamespace(arms=5), state, np.random.default_rng(1)) == asked[0][place]
    assert {count for *_, count in asked} == {39}


# Borda winners: active ranking, Borda elimination, SECS


@pytest.mark.parametrize(
    ("tiers", "sizes"),
    [(None, (1, 4)), ((1,), (1, 4)), ((2, 1), (2, 1, 2)), ((2, 3), (2, 3)), ("order", (1, 1, 1, 1, 1))],
)
def test_tiers_of_active_ranking(tiers, sizes):
    """``tiers`` lists the sizes of the first tiers or of all; arms that are not settled are ranked by their wins."""
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


@pytest.mark.parametrize("name", ["eqs", "tks", "seeks", "pbr-copeland"])
def test_top_that_does_not_fit(name):
    with pytest.raises(ValueError, match="top is 5, and there are 5 arms: choose a smaller top"):
        catalogue()[name](top=5).start(5, 100)


def test_best_score_stays_if_all_arms_would_go(interpreted):
    state = Secs(constant=1e-9).start(3, 100)
    state.won[:] = [500, 510, 505]  # their known duels form a cycle
    state.against[:] = [[0, 500, 0], [0, 0, 510], [505, 0, 0]]
    borda_rounds.mark_low_scores(state, 1000)
    borda_rounds.mark_by_differences(state, 1000)
    assert state.dropped.all()
    borda_rounds.drop(state)
    assert (state.kept[0].left, state.remaining[0]) == (1, 1)


@pytest.mark.parametrize("algorithm", [ActiveRanking(), BordaElimination(), Secs()])
def test_best_score_of_those_left_is_recommended(algorithm):
    state = algorithm.start(4, 100)
    state.won[:] = [5, 9, 7, 12]
    assert algorithm.recommendation(state) == 3
    (state.standing if isinstance(algorithm, ActiveRanking) else state.kept)[0].left = 3
    assert algorithm.recommendation(state) == 1


# BTL models: BTM-PAC


@pytest.mark.parametrize("gamma", [1.0, 1.3, 2.0])
def test_btm_pac_radius_after_enough_duels(gamma):
    K, epsilon, delta = 7, 0.1, 0.05
    N = duels_of_every_arm(K, epsilon, delta, gamma)
    assert math.ceil(36 * gamma**6 / epsilon**2 * math.log(K**3 * N / delta)) == N
    assert btm_pac_radius(N, K, N, delta, gamma, "paper") == pytest.approx(epsilon / (2 * gamma), rel=1e-4)


def test_btm_pac_that_is_never_over():
    assert duels_of_every_arm(5, 1e-9, 1e-300, 1000.0) == NEVER


# Explore-Verify


def test_wrong_candidate_is_found_out(interpreted, monkeypatch):
    """If arm 1 is wrongly the first candidate, it is rejected, and the second exploration begins without its counts."""
    algorithm, P, rng = ExploreVerify(), order(4, 0.8).P, np.random.default_rng(1)
    state, find, stages, seen = algorithm.start(4, 1), explore_verify.find_candidate, [], []

    def find_candidate(state):
        stages.append(len(seen))
        return find(state) if len(stages) > 1 else 1

    def duel(world, i, j, count):
        seen.append((i, algorithm.recommendation(state), int(state.met.sum())))
        return int(rng.random() < P[i, j])

    monkeypatch.setattr(explore_verify, "find_candidate", find_candidate)
    monkeypatch.setattr(explore_verify, "duel", duel)
    assert explore_verify.explore(SimpleNamespace(arms=4), state, rng) == 0
    verified = [each for each in seen[stages[0] :] if each[1] == 1]
    assert verified and all(first != 1 for first, *_ in verified)
    assert seen[stages[0] + len(verified)][1:] == (None, 0)


def test_explore_verify_where_others_are_equal():
    for seed in range(3):
        assert whole(ExploreVerify(), INSTANCES["one winner, the rest tied"], 10**6, seed).declaration[0] == 0


def test_borda_elimination_equal_arms():
    state = BordaElimination().start(3, 100)
    state.won[:] = (1, 5, 5)
    assert borda_rounds.best_arm(state) == 1


def test_btm_pac_declares_the_first_of_equal_arms(interpreted):
    state = BtmPac().start(3, 100)
    state.total[:], state.won[:] = 4, (1, 3, 3)
    assert best_arm(state) == 1


@pytest.mark.parametrize(("wins", "steps"), [(305, 2), (306, 1)])
def test_dkwt_exact_threshold(wins, steps, interpreted, monkeypatch):
    """|2p̂ − 1| = h decides nothing: with h = 1/4, a lead of 122 in 488 duels."""
    asked = scripted(monkeypatch, dkwt, [wins, 10**6])
    delta = 4 * math.pi**2 / (6 * math.exp(487.5 / 128))
    assert dkwt.winner_of(SimpleNamespace(arms=2), Dkwt().start(2, 1), 0, 1, delta) == 0
    assert (asked[0][2], len(asked)) == (488, steps)


def test_explore_verify_equal_arms(interpreted):
    state = ExploreVerify().start(3, 100)
    state.order[:] = (2, 0, 1)
    state.met[:], state.won[:] = 10, 5
    assert explore_verify.lowest_upper_bound(state, 2)[0] == 0
    state.beats[:] = ~np.eye(3, dtype=bool)
    assert explore_verify.find_candidate(state) == 2


@pytest.mark.parametrize("share", [0.5, 0.45, 0.55])
def test_knockout_after_a_tie(share, interpreted):
    """The second arm stands unless the first has won more than half of the duels."""
    (first, second, _), *_ = blocks = played(Knockout(), [[0.5, share], [1 - share, 0.5]], 10**6)[0]
    won = share if first == 0 else 1 - share
    assert blocks[-1][0] == (first if won > 0.5 else second)


@pytest.mark.parametrize("better", [True, False])
def test_challenger_takes_the_place_only_by_winning(better, interpreted, monkeypatch):
    pairs = []
    monkeypatch.setattr(sequential_elimination, "compare_2", lambda *pair: pairs.append(pair[1:3]) or better)
    state, rng = SequentialElimination().start(2, 100), np.random.default_rng(1)
    winner = sequential_elimination.explore_all(SimpleNamespace(arms=2), state, rng)
    assert winner == pairs[0][0 if better else 1]


def test_explore_verify_confidence_by_stage(interpreted, monkeypatch):
    """Stage r verifies its candidate with δ / (2 r²)."""
    confidences = []
    monkeypatch.setattr(explore_verify, "duel", lambda world, i, j, count: int(i < j))
    monkeypatch.setattr(explore_verify, "verify", lambda *given: confidences.append(given[-1]) or len(confidences) == 3)
    state = ExploreVerify(delta=0.1).start(2, 100)
    assert explore_verify.explore(SimpleNamespace(arms=2), state, np.random.default_rng(1)) == 0
    assert confidences == pytest.approx([0.1 / 2, 0.1 / 8, 0.1 / 18])
