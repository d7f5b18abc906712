"""RMED: lists, divergences and tournaments, and what paths do not show (catalogue.py)."""

import math

import numpy as np
import pytest

from duelbench.algorithms.divergence import arm_lists, pair_lists
from duelbench.algorithms.divergence.closed_form import optimal_cost
from duelbench.algorithms.divergence.constraints import gains
from duelbench.algorithms.divergence.empirical_divergence import champion, count_duels, no_divergences, opponent
from duelbench.algorithms.divergence.rmed2 import Rmed2
from duelbench.algorithms.divergence.rmed2fh import Rmed2Fh
from duelbench.algorithms.divergence.tournament import count_results, no_results, refresh
from duelbench.arrays import record
from duelbench.conformance.rounds import pair_tables, simulate, streams
from duelbench.literal import ecw_rmed, rmed1, rmed2
from tests.instances import INSTANCES

pytestmark = pytest.mark.usefixtures("interpreted")

# The lists of arms, and the round at which a hold ends, against a search through the rounds.


def test_all_pairs_before_the_lists():
    lists = arm_lists.all_arms(4, 0.0)
    pairs = []
    while lists.cursor[0].first < 3:
        pairs.append(arm_lists.first_duel(lists)[:2])
    assert pairs == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def test_next_list_of_arms():
    lists = arm_lists.all_arms(3, 1.0)
    indices = np.array([0.5, 4.0, 0.0])
    order = []
    for t in (4, 5, 6):
        order.append(arm_lists.next_arm(lists))
        arm_lists.add_candidates(lists, indices, 2, t, record(outcomes=1, first=order[-1], second=2))
    assert order == [0, 1, 2]
    # Arm 0 was taken at round 4 and lies within log 4 + 1, arm 1 never does, arm 2 is the best one.
    cursor = lists.cursor[0]
    assert (cursor.position, cursor.length, cursor.next_length) == (0, 2, 0)
    assert lists.current[:2].tolist() == [0, 2]
    assert lists.remaining.tolist() == [True, False, True]
    assert not lists.listed.any()


@pytest.mark.parametrize("f", [0.0, 1.5])
def test_hold_ends_with_the_list(f):
    rng = np.random.default_rng(3)
    lists = arm_lists.all_arms(3, f)
    assert arm_lists.hold(lists, np.zeros(3), 0, 5, 100) == 1  # the list is longer than one arm
    lists.cursor[0].length = 1
    ends = set()
    for _ in range(200):
        indices = np.array([*rng.uniform(f, f + 6, 1), 0.0, *rng.uniform(f + 1, f + 9, 1)])
        t = int(rng.integers(2, 200))
        found = arm_lists.hold(lists, indices, 1, t, 300)
        count = 1
        while t + count - 1 < 300 and min(indices[0], indices[2]) > math.log(t + count - 1) + f:
            count += 1
        assert found == count
        ends.add("at once" if count == 1 else "late" if t + count - 1 == 300 else "between")
    assert ends == {"at once", "between", "late"}


def plain_candidates(indices, best, t, f, remaining, listed):
    """Return the arms that the text lists after round t."""
    limit = math.log(t) + f
    waiting = [j for j in range(len(indices)) if not remaining[j] and not listed[j]]
    return [j for j in waiting if indices[j] - indices[best] <= limit]


def disagreements(seed, mistake=None):
    """Play lists with outcomes now and then of other pairs, none or several; return how often they are others."""
    rng, arms, f = np.random.default_rng(seed), 8, 1.0
    lists, indices = arm_lists.all_arms(arms, f), rng.uniform(0, 4, arms)
    told, wrong, several = record(outcomes=0, first=0, second=0), 0, 0
    for t in range(10, 1500):
        taken = arm_lists.next_arm(lists)
        for _ in range(int(rng.choice([0, 1, 2], p=[0.1, 0.8, 0.1]))):
            pair = (taken, rng.integers(arms)) if rng.random() < 0.8 else rng.choice(arms, 2)
            told[0].first, told[0].second = pair
            told[0].outcomes += 1
            indices[list(pair)] = rng.uniform(0, rng.choice([1, 12, 40]), 2)
        best = int(indices.argmin())
        expected = plain_candidates(indices, best, t, f, lists.remaining, lists.listed)
        length = int(lists.cursor[0].next_length)
        ends = lists.cursor[0].position == lists.cursor[0].length
        if mistake == "nearest":
            lists.cursor[0].nearest = np.inf
        elif mistake == "outcomes":
            told[0].outcomes = 1
        arm_lists.add_candidates(lists, indices, best, t, told)
        found = lists.current[length : lists.cursor[0].length] if ends else lists.upcoming[length:]
        found = found if ends else found[: lists.cursor[0].next_length - length]
        wrong += found.tolist() != expected
        several += len(expected) > 1
        if lists.cursor[0].length == 0:  # as i* is never too unlikely this takes a mistake
            return wrong + 1
    assert several > 20
    return wrong


def test_candidates_after_outcomes():
    assert [disagreements(seed) for seed in range(4)] == [0] * 4
    for mistake in ("nearest", "outcomes"):
        assert disagreements(0, mistake) > 0


# The lists of pairs, and the pairs that line 4 wants, against the transcription.


def test_lists_of_pairs():
    lists = pair_lists.all_pairs(4)
    assert lists.current[:6].tolist() == [1, 2, 3, 6, 7, 11]
    assert pair_lists.begin_pass(lists)
    assert pair_lists.take_pair(lists) == 1
    assert not pair_lists.begin_pass(lists)
    pair_lists.add_pair(lists, 4, 2, 0)  # still to come
    for pair in ((1, 0), (0, 1), (3, 3)):
        pair_lists.add_pair(lists, 4, *pair)
    assert [pair_lists.take_pair(lists) for _ in range(5)] == [2, 3, 6, 7, 11]
    assert pair_lists.begin_pass(lists)
    assert lists.current[: lists.cursor[0].length].tolist() == [1, 15]
    assert np.flatnonzero(lists.remaining).tolist() == [1, 15]
    assert not lists.listed.any()


def test_demanded_pairs_are_the_reference():
    rng = np.random.default_rng(1)
    for alpha, beta in ((3.0, 0.01), (0.5, 0.2)):
        wins, demands = np.zeros((5, 5), np.int64), pair_lists.no_demands(5, alpha, beta)
        t, wanted = 1, 0
        for _ in range(1500):
            pair = pair_lists.demanded(demands, wins, t)
            expected = next(ecw_rmed.required(wins.tolist(), t, alpha, beta), None)
            assert divmod(pair, 5) == expected if pair >= 0 else expected is None
            wanted += pair >= 0
            if pair < 0:  # a list of a few pairs follows
                for _ in range(rng.integers(1, 4)):
                    i, j = sorted(rng.choice(5, 2, replace=False))
                    wins[(i, j) if rng.random() < 0.5 else (j, i)] += 1
                    pair_lists.watch(demands, wins, i, j)
            else:
                i, j = divmod(pair, 5)
                wins[(i, j) if rng.random() < 0.5 else (j, i)] += 1
                pair_lists.watch(demands, wins, i, j)
            t += int(rng.integers(1, 40))
        assert 0 < wanted < 1500


# The divergences that RMED1 and RMED2 add up, and RMED1's opponent, against the transcription.


@pytest.mark.parametrize("arms", [2, 3, 7])
def test_indices_and_opponents_are_the_reference(arms):
    rng = np.random.default_rng(arms)
    state, w = no_divergences(arms), [[0] * arms for _ in range(arms)]
    chosen = set()
    for _ in range(400):
        i, j = rng.choice(arms, 2, replace=False).tolist()
        count = int(rng.choice([1, 1, 5]))
        wins = int(rng.binomial(count, 0.7 if i < j else 0.3))
        count_duels(state, i, j, wins, count)
        count_duels(state, i, i, 0, 3)  # teaches nothing
        w[i][j] += wins
        w[j][i] += count - wins
        assert state.wins.tolist() == w
        assert state.indices.tolist() == [rmed1.I(w, i) for i in range(arms)]
        best = rmed2.best(w)
        for arm in range(arms):
            m = opponent(state, arm, best)
            assert m == rmed2.rmed1_rule(w, arm)
            chosen.add("best" if m == best else "other")
    assert chosen == {"best", "other"}


@pytest.mark.parametrize("arms", [2, 3, 9])
def test_champion_has_the_least_index(arms):
    rng = np.random.default_rng(arms)
    state, seen = no_divergences(arms), set()
    for _ in range(600):
        assert champion(state) == np.argmin(state.indices)
        seen.add(champion(state))
        for _ in range(int(rng.integers(1, 4))):
            i, j = rng.choice(arms, 2, replace=False).tolist()
            count_duels(state, i, j, int(rng.integers(2)), 1)
            assert state.news[0].best in (-1, np.argmin(state.indices))
    assert len(seen) > 1
    assert [int(state.news[0][name]) for name in ("first", "second")] == [i, j]


def test_champion_kept_too_long():
    state, wrong = no_divergences(4), 0
    rng = np.random.default_rng(1)
    for _ in range(200):
        kept = champion(state)
        i, j = rng.choice(4, 2, replace=False).tolist()
        count_duels(state, i, j, int(rng.integers(2)), 1)
        state.news[0].best = kept
        wrong += champion(state) != np.argmin(state.indices)
    assert wrong > 10


# A tournament that follows its results, against one computed anew.


@pytest.mark.parametrize("arms", [2, 5, 12])
def test_tournament_is_kept_up_to_date(arms):
    rng = np.random.default_rng(arms)
    kept = no_results(arms)
    for step in range(600):
        i, j = rng.choice(arms, 2, replace=False)
        count = int(rng.integers(1, 4))
        count_results(kept, i, j, int(rng.integers(count + 1)), count)
        if step % 7 and step > 5:
            continue
        refresh(kept)
        anew = no_results(arms)
        for a in range(arms):
            for b in range(a + 1, arms):
                if n := kept.wins[a, b] + kept.wins[b, a]:
                    count_results(anew, a, b, kept.wins[a, b], n)
        refresh(anew)
        for name in ("wins", "sign", "kl", "evidence", "losses", "summary"):
            assert np.array_equal(getattr(kept, name), getattr(anew, name)), name
        for a in range(arms):
            losses, won = anew.losses[a], gains(anew, a)
            assert won == (anew.sign[a] > 0).sum()
            for name, members in (("superiors", losses), ("inferiors", won)):
                assert np.array_equal(getattr(kept, name)[a, :members], getattr(anew, name)[a, :members]), name
            if losses == anew.summary[0].least_losses:
                assert optimal_cost(kept, a) == optimal_cost(anew, a)


# RMED2


def test_rmed2_share_of_every_pair():
    matrix = INSTANCES["six-rankers"]
    duels = simulate(Rmed2(), matrix.P, pair_tables(6), np.array([10**5]), *streams(5, 0)).duels
    assert ((duels + duels.T)[~np.eye(6, dtype=bool)] >= 3 * np.log(np.log(1e5))).all()
    duels = simulate(Rmed2Fh(), matrix.P, pair_tables(6), np.array([9 * 15]), *streams(5, 0)).duels
    passes = np.ceil(3 * np.log(np.log(9 * 15)))
    assert (np.triu(duels, 1)[np.triu_indices(6, 1)] >= passes).all()


@pytest.mark.parametrize(("horizon", "alpha", "passes"), [(135, 3.0, 5), (10**8, 0.5, 2), (2, 3.0, 1)])
def test_rmed2fh_passes(horizon, alpha, passes):
    assert passes == (max(1, math.ceil(alpha * math.log(math.log(horizon)))) if horizon > 2 else 1)
    algorithm, matrix = Rmed2Fh(alpha=alpha), INSTANCES["six-rankers"]
    environment, policy = streams(5, 0)
    state = algorithm.start(6, horizon)
    expected = [(i, j) for _ in range(passes) for i in range(6) for j in range(i + 1, 6)]
    for t, pair in enumerate(expected[:horizon], start=1):
        first, second, count = algorithm.select(state, t, t, policy)
        assert sorted((first, second)) == list(pair)
        algorithm.update(state, first, second, int(environment.random() < matrix.P[first, second]), count)
