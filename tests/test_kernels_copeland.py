"""The bounds for Copeland winners, against constraints written out one by one; the lists; the thresholds."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog

from duelbench.algorithms.divergence import pair_lists
from duelbench.algorithms.divergence import tournament as tournaments
from duelbench.kernels.thresholds import NEVER, first_round_beyond_log, first_round_beyond_root_log
from duelbench.literal import ecw_rmed
from duelbench.sources.generators import UniformRandom


def random_tournament(arms, seed, ties=False):
    """A random tournament, as a kernel's state and as the transcription has it, with random counts."""
    rng = np.random.default_rng([arms, seed])
    P = UniformRandom(arms=arms).draw(rng).P
    counts = rng.integers(1, 40, (arms, arms))
    tournament = tournaments.no_results(arms)
    w = [[0] * arms for _ in range(arms)]
    for i in range(arms):
        for j in range(i + 1, arms):
            won = int(rng.binomial(counts[i, j], P[i, j])) if not ties or rng.random() < 0.8 else counts[i, j]
            count = int(counts[i, j]) if not ties or won < counts[i, j] else 2 * int(counts[i, j])
            w[i][j], w[j][i] = int(won), int(count - won)
            tournaments.count_results(tournament, i, j, won, count)
    tournaments.refresh(tournament)
    return tournament, ecw_rmed.Estimates(w)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("arms", [2, 3, 5, 6])
def test_the_smallest_sum_is_that_of_all_constraints(arms, ties):
    for seed in range(20):
        tournament, e = random_tournament(arms, seed, ties)
        for i1 in e.winners:
            sums = [sum(tournament.evidence[pair] for pair in each) for each in ecw_rmed.constraints(e, i1)]
            smallest = tournaments.proof(tournament, i1)
            assert smallest == pytest.approx(min(sums, default=math.inf), rel=1e-12)
            if sums:
                assert tournaments.proven(tournament, i1, smallest)
                assert not tournaments.proven(tournament, i1, smallest * (1 + 1e-9))


@pytest.mark.parametrize("arms", [6, 8])
def test_the_optimum_is_that_of_the_linear_program(arms):
    seen = 0
    for seed in range(40):
        tournament, e = random_tournament(arms, seed)
        for i1 in e.winners:
            for i2 in range(arms):
                others = [j for j in e.S[i2] if j != i1]
                m = e.L[i2] - e.L1 + 1
                if i2 == i1 or len(others) < m:
                    continue
                seen += len(others) > m
                # (5): every m of them have evidence 1 together.
                rows = [[j in S for j in others] for S in combinations(others, m)]
                costs = [e.r(j, i2) / e.kl(j, i2) for j in others]
                best = linprog(costs, -np.array(rows, float), -np.ones(len(rows)), bounds=(0, None))
                assert tournaments.least_cost(tournament, i1, i2) == pytest.approx(best.fun, rel=1e-9, abs=1e-12)
            assert tournaments.optimal_cost(tournament, i1) == ecw_rmed.optimum(e, i1)[0]
    assert seen > 10


@pytest.mark.parametrize("arms", [2, 5, 12])
def test_a_tournament_kept_up_to_date_is_one_computed_anew(arms):
    rng = np.random.default_rng(arms)
    kept = tournaments.no_results(arms)
    for step in range(600):
        i, j = rng.choice(arms, 2, replace=False)
        count = int(rng.integers(1, 4))
        tournaments.count_results(kept, i, j, int(rng.integers(count + 1)), count)
        if step % 7 and step > 5:
            continue
        tournaments.refresh(kept)
        anew = tournaments.no_results(arms)
        for a in range(arms):
            for b in range(a + 1, arms):
                if n := kept.wins[a, b] + kept.wins[b, a]:
                    tournaments.count_results(anew, a, b, kept.wins[a, b], n)
        tournaments.refresh(anew)
        for name in ("wins", "sign", "kl", "evidence", "losses", "summary"):
            assert np.array_equal(getattr(kept, name), getattr(anew, name)), name
        for a in range(arms):
            losses, won = anew.losses[a], tournaments.gains(anew, a)
            assert won == (anew.sign[a] > 0).sum()
            for name, members in (("superiors", losses), ("inferiors", won)):
                assert np.array_equal(getattr(kept, name)[a, :members], getattr(anew, name)[a, :members]), name
            if losses == anew.summary[tournaments.LEAST]:
                assert tournaments.optimal_cost(kept, a) == tournaments.optimal_cost(anew, a)


def test_lists_hold_every_pair_once():
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
    assert lists.current[: lists.cursor[pair_lists.LENGTH]].tolist() == [1, 15]
    assert np.flatnonzero(lists.remaining).tolist() == [1, 15]
    assert not lists.listed.any()


def test_line_4_wants_what_the_transcription_wants():
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


def test_first_rounds():
    for value in (0.0, 0.3, math.log(7), 5.5, 20.0):
        t = first_round_beyond_log(value)
        assert math.log(t) > value
        assert math.log(t - 1) <= value
    assert first_round_beyond_log(-1.0) == 1
    assert first_round_beyond_log(math.inf) == NEVER
    for value in range(1, 13):
        t = first_round_beyond_root_log(value, 3.0)
        assert 3.0 * math.sqrt(math.log(t)) > value
        assert 3.0 * math.sqrt(math.log(t - 1)) <= value
    assert first_round_beyond_root_log(0.0, 3.0) == 2
    assert first_round_beyond_root_log(20.0, 3.0) == NEVER
