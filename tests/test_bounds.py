"""Constants of lower bounds: by hand, by definition, and against the papers."""

import math

import numpy as np
import pytest

from duelbench.bounds import (
    ccb_bound_constant,
    divergence,
    ecw_bound_constant,
    lower_bound_constant,
    rmed_bound_constant,
)
from duelbench.sources.generators import UniformRandom
from duelbench.sources.published_matrices import TABLES
from tests.reference import ecw_rmed
from tests.reference.conventions import kl


def estimates(P):
    e = ecw_rmed.Estimates([[0] * len(P) for _ in P])
    e.set(P.tolist())
    return e


def random_matrix(arms, seed):
    """A random matrix without probabilities near 1/2, for which solvers are too inaccurate."""
    P = UniformRandom(arms=arms).draw(np.random.default_rng([arms, seed])).P
    P = np.where(np.abs(P - 0.5) < 0.02, np.where(P < 0.5, 0.48, 0.52), P)
    np.fill_diagonal(P, 0.5)
    return P


def test_constants_by_hand():
    P = [[0.5, 0.6], [0.4, 0.5]]
    assert lower_bound_constant(P) == pytest.approx(0.5 / kl(0.6))
    assert ecw_bound_constant(P) == pytest.approx(0.5 / kl(0.6))
    # Table 2 of the paper: r = 1/3 for each of the winner's three pairs; with a Condorcet winner, ECW-RMED asks for no
    # other pairs.
    P = TABLES["cyclic4"].matrix().P
    assert ecw_bound_constant(P) == pytest.approx(3 * (2 / 6) / kl(0.6))
    # C*: any two of the winner's results must have a total evidence of 1, and so must the two losses of each rival. One
    # half on each is cheapest.
    assert lower_bound_constant(P) == pytest.approx(3 * 0.5 * (2 / 6) / kl(0.6) + 3 * 0.5 * (4 / 6) / kl(0.9))


@pytest.mark.parametrize("arms", [3, 4, 5, 6])
def test_all_constraints(arms):
    for seed in range(12):
        P = random_matrix(arms, seed)
        e = estimates(P)
        expected = min(ecw_rmed.optimum_of_program(e, i, surcharge=0)[0] for i in e.winners)
        assert lower_bound_constant(P) == pytest.approx(expected, rel=1e-6)
        assert ecw_bound_constant(P) == pytest.approx(min(ecw_rmed.optimum(e, i)[0] for i in e.winners), rel=1e-12)


def with_ties(arms, seed, ties):
    """A random matrix with some exact ties."""
    P = random_matrix(arms, seed)
    rng = np.random.default_rng([arms, seed, ties])
    pairs = np.argwhere(np.triu(np.ones((arms, arms)), 1))
    for i, j in rng.choice(pairs, ties, replace=False):
        P[i, j] = P[j, i] = 0.5
    return P


@pytest.mark.parametrize("ties", [0, 1, 2, 3])
def test_lower_bound_by_enumeration(ties):
    infinite = finite = 0
    for arms, seeds in ((3, 10), (4, 12), (5, 10)):
        for seed in range(seeds):
            P = with_ties(arms, seed, ties)
            expected = ecw_rmed.lower_bound(P.tolist())
            assert lower_bound_constant(P) == pytest.approx(expected, rel=1e-6), P
            infinite += math.isinf(expected)
            finite += 0.0 < expected < math.inf
    assert finite > 3
    assert (infinite > 0) == (ties > 1)  # a single tie never decides: choose the winner in it


def test_constants_of_ties():
    everything = np.full((3, 3), 0.5)
    assert lower_bound_constant(everything) == ecw_bound_constant(everything) == 0.0  # all arms are equally good
    assert ccb_bound_constant(everything) == math.inf
    # Arm 0 beats all: the tie of the others decides nothing.
    P = np.array([[0.5, 0.7, 0.8], [0.3, 0.5, 0.5], [0.2, 0.5, 0.5]])
    assert lower_bound_constant(P) == pytest.approx(0.5 / kl(0.7) + 0.5 / kl(0.8))
    # One win each for 0 and 1, and 2 may have another.
    P = np.array([[0.5, 0.7, 0.5], [0.3, 0.5, 0.6], [0.5, 0.4, 0.5]])
    assert lower_bound_constant(P) < math.inf  # the tie counts for 0 or is irrelevant
    P = np.array([[0.5, 0.5, 0.7], [0.5, 0.5, 0.5], [0.3, 0.5, 0.5]])
    assert lower_bound_constant(P) == ecw_bound_constant(P) == math.inf  # 1 may have two wins


def test_ccb():
    # One winner without losses and a gap of 0.1: K (C + L + 1) / Δ² is half of what the CCB paper states, 2K(C+L+1)/Δ².
    assert ccb_bound_constant(TABLES["cyclic4"].matrix().P) == pytest.approx(4 * 2 / 0.01)
    # Three winners that lose once each.
    P = TABLES["mslr5-non-condorcet"].matrix().P
    gap = TABLES["mslr5-non-condorcet"].matrix().smallest_gap()
    assert ccb_bound_constant(P) == pytest.approx(5 * (3 + 1 + 1) / gap**2)


def test_rmed():
    # cyclic4: each other arm loses to the winner (0.6) and to one of the others (0.9), which is the cheaper proof.
    assert rmed_bound_constant(TABLES["cyclic4"].matrix().P) == pytest.approx(3 * (0.1 + 0.1) / (2 * kl(0.9)))
    # arithmetic8: arm i is beaten by all arms before it.
    expected = sum(min((0.05 * i + 0.05 * j) / (2 * kl(0.5 + 0.05 * (i - j))) for j in range(i)) for i in range(1, 8))
    assert rmed_bound_constant(TABLES["arithmetic8"].matrix().P) == pytest.approx(expected)
    assert math.isnan(rmed_bound_constant(TABLES["tennis8"].matrix().P))
    assert math.isfinite(rmed_bound_constant(TABLES["sushi16"].matrix().P))  # a tie among losers proves nothing


def test_divergence():
    p = np.array([0.0, 0.3, 0.5, 0.5 + 1e-9, 0.75, 1.0])
    assert divergence(p) == pytest.approx([math.log(2), kl(0.3), 0.0, 2e-18, kl(0.75), math.log(2)], rel=1e-9)
