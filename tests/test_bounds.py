"""The asymptotic constants: by hand, against all constraints, against the theorems and the paper's Table 1."""

import math
import os
from pathlib import Path

import numpy as np
import pytest

from duelbench.bounds import ecw_bound_constant, lower_bound_constant
from duelbench.kernels import copeland
from duelbench.kernels.copeland_program import WinnerProgram
from duelbench.preferences.generators import UniformRandom
from duelbench.preferences.tables import TABLES
from tests.reference import cw_rmed, ecw_rmed
from tests.reference.arithmetic import kl
from tests.test_kernels_copeland import random_tournament


def estimates(P):
    e = ecw_rmed.Estimates([[0] * len(P) for _ in P])
    e.set(P.tolist())
    return e


def random_matrix(arms, seed):
    """A random matrix without probabilities so near 1/2 that a solver's accuracy would show."""
    P = UniformRandom(arms=arms).draw(np.random.default_rng([arms, seed])).P
    P = np.where(np.abs(P - 0.5) < 0.02, np.where(P < 0.5, 0.48, 0.52), P)
    np.fill_diagonal(P, 0.5)
    return P


def test_constants_by_hand():
    P = [[0.5, 0.6], [0.4, 0.5]]
    assert lower_bound_constant(P) == pytest.approx(0.5 / kl(0.6))
    assert ecw_bound_constant(P) == pytest.approx(0.5 / kl(0.6))
    # Table 2 of the paper: r = 1/3 for each of the winner's three pairs; with a Condorcet winner they are all that
    # ECW-RMED asks for.
    P = TABLES["cyclic4"].matrix().P
    assert ecw_bound_constant(P) == pytest.approx(3 * (2 / 6) / kl(0.6))
    # C*: evidence 1 together on any two of the winner's results, and on the two losses of each rival. One half on each
    # is cheapest.
    assert lower_bound_constant(P) == pytest.approx(3 * 0.5 * (2 / 6) / kl(0.6) + 3 * 0.5 * (4 / 6) / kl(0.9))


@pytest.mark.parametrize("arms", [3, 4, 5, 6])
def test_constants_are_those_of_all_constraints(arms):
    for seed in range(12):
        P = random_matrix(arms, seed)
        e = estimates(P)
        expected = min(cw_rmed.optimum(e, i)[0] for i in e.winners)
        assert lower_bound_constant(P) == pytest.approx(expected, rel=1e-6)
        assert ecw_bound_constant(P) == pytest.approx(min(ecw_rmed.optimum(e, i)[0] for i in e.winners), rel=1e-12)


def test_the_constants_are_equal_with_several_winners_and_ordered_else():
    several, gaps = 0, 0
    for seed in range(60):
        P = random_matrix(9, seed)
        lower, efficient = lower_bound_constant(P), ecw_bound_constant(P)
        if len(estimates(P).winners) > 1:
            several += 1
            assert lower == pytest.approx(efficient, rel=1e-6)
        else:
            gaps += efficient > lower * 1.01
            assert lower <= efficient * (1 + 1e-6)
    assert several > 10
    assert gaps > 5


def test_relabelling_changes_nothing():
    rng = np.random.default_rng(5)
    for seed in range(5):
        P = random_matrix(8, seed)
        order = rng.permutation(8)
        assert lower_bound_constant(P[np.ix_(order, order)]) == pytest.approx(lower_bound_constant(P), rel=1e-6)
        assert ecw_bound_constant(P[np.ix_(order, order)]) == pytest.approx(ecw_bound_constant(P), rel=1e-12)


def test_a_program_solved_again_and_again_stays_optimal():
    again = 0
    for seed in range(30):
        tournament, e = random_tournament(6, seed)
        if len(e.winners) > 1:
            continue
        kept = WinnerProgram(tournament, e.winners[0])
        sign = tournament.sign.copy()
        rng = np.random.default_rng(seed)
        for _ in range(40):
            i, j = np.sort(rng.choice(6, 2, replace=False))
            if sign[i, j] == 0:
                continue
            # The better arm wins again, so nobody changes sides.
            copeland.count_results(tournament, i, j, int(sign[i, j] > 0), 1)
            copeland.refresh(tournament)
            assert np.array_equal(tournament.sign, sign)
            anew = WinnerProgram(tournament, e.winners[0])
            costs = kept.costs(tournament)
            assert costs @ kept.solve(tournament) == pytest.approx(costs @ anew.solve(tournament), rel=1e-6)
            again += 1
    assert again > 200


def test_ties_are_nobodys_loss():
    P = np.array([[0.5, 0.7, 0.5], [0.3, 0.5, 0.8], [0.5, 0.2, 0.5]])
    e = estimates(P)
    assert e.winners == [0]
    assert lower_bound_constant(P) == pytest.approx(cw_rmed.optimum(e, 0)[0])
    assert math.isfinite(ecw_bound_constant(P))
    assert lower_bound_constant(np.full((3, 3), 0.5)) == ecw_bound_constant(np.full((3, 3), 0.5)) == 0.0


def table_1_sample(size):
    """Constants of random 16-arm submatrices of the MSLR informational matrix with |p - 1/2| >= 0.005."""
    directory = os.environ.get("DUELBENCH_DATA")
    file = Path(directory or "") / "MSLR_Informational_PMat.npz"
    if directory is None or not file.exists():
        pytest.skip("needs MSLR_Informational_PMat.npz in the directory named by DUELBENCH_DATA")
    with np.load(file) as archive:
        P = archive["PMat"]
    near = (np.abs(P - 0.5) < 0.005) & ~np.eye(len(P), dtype=bool)
    rng = np.random.default_rng(2016)
    sample = []
    while len(sample) < size:
        arms = rng.permutation(len(P))[:16]
        if not near[np.ix_(arms, arms)].any():
            submatrix = P[np.ix_(arms, arms)]
            sample.append((lower_bound_constant(submatrix), ecw_bound_constant(submatrix)))
    return np.array(sample)


def test_table_1():
    sample = table_1_sample(700)
    mean, error = sample.mean(axis=0), sample.std(axis=0, ddof=1) / np.sqrt(len(sample))
    assert (error < 0.04 * mean).all()
    # The paper averages 10⁴ draws and prints two digits.
    assert (np.abs(mean - [670, 730]) < 4 * error + 5).all()
    # The two means share most of their noise.
    ratio = mean[1] / mean[0]
    assert 725 / 675 < ratio < 735 / 665
