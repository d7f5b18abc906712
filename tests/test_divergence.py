"""RMED: the optima of ECW-RMED and CW-RMED against linear programs, and what paths in catalogue.py do not show."""

import math
from itertools import combinations, islice

import numpy as np
import pytest
from scipy.optimize import linprog

from duelbench.algorithms.divergence import rmed
from duelbench.algorithms.divergence.ecw_rmed import CwRmed
from duelbench.algorithms.divergence.linear_program import new_covering, new_program, solve, surcharges
from duelbench.algorithms.divergence.tournament import (
    count_results,
    least_cost,
    optimal_cost,
    proof,
    proven,
    refresh,
    regret_per_duel,
)
from duelbench.arrays import record
from duelbench.conformance.rounds import streams
from duelbench.sources.generators import UniformRandom
from tests.instances import INSTANCES
from tests.playing import plays
from tests.reference import ecw_rmed
from tests.tournaments import random_tournament, single_winner, tournament_of

# ECW-RMED's optimum, against linear programs and the reference implementation.


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("arms", [6, 8])
def test_ecw_optimum_by_linear_program(arms):
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
                # Constraint (5): any m of them have a total evidence of at least 1.
                rows = [[j in S for j in others] for S in combinations(others, m)]
                costs = [e.r(j, i2) / e.kl(j, i2) for j in others]
                best = linprog(costs, -np.array(rows, float), -np.ones(len(rows)), bounds=(0, None))
                assert least_cost(tournament, i1, i2) == pytest.approx(best.fun, rel=1e-9, abs=1e-12)
            assert optimal_cost(tournament, i1) == ecw_rmed.optimum(e, i1)[0]
    assert seen > 10


# The smallest sum of evidence against a Copeland winner, against all constraints written out one by one.


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("arms", [2, 3, 5, 6])
def test_proof_is_the_smallest_sum(arms, ties):
    for seed in range(20):
        tournament, e = random_tournament(arms, seed, ties)
        for i1 in e.winners:
            sums = [sum(tournament.evidence[pair] for pair in each) for each in ecw_rmed.constraints(e, i1)]
            smallest = proof(tournament, i1)
            assert smallest == pytest.approx(min(sums, default=math.inf), rel=1e-12)
            if sums:
                assert proven(tournament, i1, smallest)
                assert not proven(tournament, i1, smallest * (1 + 1e-9))


# The program of CW-RMED against all constraints written out, and against another formulation where those are too many


EXACT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def least_regret(program, tournament, winner):
    """Return C* of ``winner`` without surcharges, solved independently of earlier solutions."""
    program.stale[:] = True
    solve(program, tournament, winner)
    pairs = [(i, j) for i, j in combinations(range(len(program.q)), 2) if program.q[i, j] > 0.0]
    return sum(regret_per_duel(tournament, i, j) * program.q[i, j] for i, j in pairs)


def coarse_matrix(arms, rng):
    """Preferences with many equal entries, some of them 1/2."""
    P = np.triu(rng.integers(0, 7, (arms, arms)) / 6, 1)
    return P + np.tril(1 - P.T, -1) + np.eye(arms) / 2


def regret_of(tournament, q):
    """The regret of a point, including surcharges."""
    L, K = tournament.losses, len(tournament.losses)
    r = (L[:, None] + L[None, :] - 2 * L.min()) / (2 * (K - 1)) + surcharges(K)
    return float(np.triu(q * r, 1).sum())


@pytest.mark.parametrize("arms", [2, 3, 4, 5, 6])
def test_cw_optimum_is_that_of_all_constraints(arms):
    program = new_program(arms)
    rng = np.random.default_rng(arms)
    seen = 0
    for seed in range(60):
        if seed % 2 == 0:
            tournament, e = random_tournament(arms, seed, ties=seed % 4 == 0)
        else:
            P = coarse_matrix(arms, rng)
            tournament = tournament_of(P)
            e = ecw_rmed.Estimates([[0] * arms for _ in range(arms)])
            e.set(P.tolist())
        winner = single_winner(tournament)
        if winner is None or next(ecw_rmed.constraints(e, winner), None) is None:
            continue
        program.stale[:] = True
        solve(program, tournament, winner)
        cost, optimum = ecw_rmed.optimum_of_program(e, winner)
        assert regret_of(tournament, program.q) == pytest.approx(cost, rel=1e-9)
        q = np.zeros((arms, arms))
        for pair, q_pair in optimum:
            q[pair] = q_pair
        assert np.allclose((np.triu(program.q) - q) * tournament.kl, 0, atol=1e-7)
        assert np.array_equal(program.q, program.q.T)
        seen += 1
    assert seen > 15


def test_cw_optimum_after_other_programs():
    kept_tables, flips = 0, 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        tournament, _ = random_tournament(7, seed)
        program = new_program(7)
        for _ in range(60):
            i, j = np.sort(rng.choice(7, 2, replace=False))
            before = tournament.sign.copy()
            count_results(tournament, i, j, int(rng.random() < tournament.wins[i, j] / 40), 1)
            refresh(tournament)
            program.stale[[i, j]] = True
            flips += not np.array_equal(before, tournament.sign)
            winner = single_winner(tournament)
            if winner is None:
                continue
            table = program.covering.table.copy()
            same = program.summary[0].winner == winner
            solve(program, tournament, winner)
            kept_tables += same and np.array_equal(table, program.covering.table)
            anew = new_program(7)
            solve(anew, tournament, winner)
            assert np.allclose(program.q * tournament.kl, anew.q * tournament.kl, atol=1e-9)
    assert kept_tables > 200
    assert flips > 50


def test_cw_program_without_room():
    arms, seen = 12, 0
    for seed in range(20):
        tournament = tournament_of(UniformRandom(arms=arms).draw(np.random.default_rng(seed)).P)
        winner = single_winner(tournament)
        if winner is None:
            continue
        plenty = new_program(arms)
        expected = least_regret(plenty, tournament, winner)
        unknowns = plenty.covering.size[0].columns
        tight = int(np.sum(plenty.covering.nonbasic[:unknowns] >= unknowns))
        room = tight + 2
        scarce = plenty._replace(
            covering=new_covering(room, arms * (arms - 1) // 2),
            chosen=np.zeros((room, arms), np.bool_),
            rival=np.zeros(room, np.int64),
            dearest=np.zeros(room, np.int64),
            summary=record(winner=-1, known=0, inferiors=0),
        )
        assert least_regret(scarce, tournament, winner) == pytest.approx(expected, rel=1e-9)
        seen += 1
    assert seen > 5


@pytest.mark.parametrize("gap", [1e-4, 1e-6, 1e-9])
def test_cw_program_with_pairs_next_to_a_half(gap):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        P = UniformRandom(arms=8, condorcet=True).draw(rng).P.copy()
        i, j = rng.choice(8, 2, replace=False)
        P[i, j], P[j, i] = (0.5 + gap, 0.5 - gap) if P[i, j] > 0.5 else (0.5 - gap, 0.5 + gap)
        tournament = tournament_of(P)
        winner = single_winner(tournament)
        least = least_regret(new_program(8), tournament, winner)
        assert 0 < least <= optimal_cost(tournament, winner) * (1 + 1e-6)


# The path of CW-RMED with too many constraints to enumerate


MATRICES = {name: INSTANCES[name] for name in ("hudry13",)} | {
    "random16": UniformRandom(arms=16, seed=16).draw(np.random.default_rng(16))
}
USUAL, ODD = {"alpha": 3.0, "beta": 0.01}, {"alpha": 1.2, "beta": 0.05}


def test_cw_path_given_our_optima():
    matrix, solved = MATRICES["hudry13"], 0

    def choose(e):
        nonlocal solved
        if len(e.winners) > 1:
            return ecw_rmed.cheapest(e)
        (i,) = e.winners
        tournament = tournament_of(np.array(e.p))
        program = new_program(e.K)
        solve(program, tournament, i)
        solved += 1
        return i, [((a, b), program.q[a, b]) for a in range(e.K) for b in range(a + 1, e.K)]

    for seed, parameters in ((1, USUAL), (2, ODD)):
        environment, _ = streams(seed, 0)
        steps = ecw_rmed.rounds(matrix.P, environment, **parameters, choose=choose)
        path = np.array(list(islice(steps, 800)))
        assert plays(CwRmed(**parameters), matrix, path, seed)
    assert solved > 40


# The lists of RMED1 and RMED2


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("seed", [0, 1])
def test_candidates_after_outcomes(seed):
    """The arms are those in the paper's lists, also if a round has no outcomes, several, or some of other pairs."""
    rng, arms, f = np.random.default_rng(seed), 8, 1.0
    lists, indices = rmed.all_arms(arms, f), rng.uniform(0, 4, arms)
    told, several = record(outcomes=0, first=0, second=0), 0
    for t in range(10, 1000):
        taken = rmed.next_arm(lists)
        for _ in range(int(rng.choice([0, 1, 2], p=[0.1, 0.8, 0.1]))):
            pair = (taken, rng.integers(arms)) if rng.random() < 0.8 else rng.choice(arms, 2)
            told[0].first, told[0].second = pair
            told[0].outcomes += 1
            indices[list(pair)] = rng.uniform(0, rng.choice([1, 12, 40]), 2)
        best = int(indices.argmin())
        likely = indices - indices[best] <= math.log(t) + f
        expected = np.flatnonzero(likely & ~lists.remaining & ~lists.listed).tolist()
        length = int(lists.cursor[0].next_length)
        ends = lists.cursor[0].position == lists.cursor[0].length
        rmed.add_candidates(lists, indices, best, t, told)
        if ends:
            found = lists.current[length : lists.cursor[0].length]
        else:
            found = lists.upcoming[length : lists.cursor[0].next_length]
        assert found.tolist() == expected
        assert lists.cursor[0].length > 0  # i* is never too unlikely
        several += len(expected) > 1
    assert several > 20
