"""Envelopes of a posterior's side: integrals above the chances, values distributed as the posterior."""

import numpy as np
import pytest
from scipy import special, stats

from duelbench.algorithms.thompson.envelope import CELLS, WIDTH, no_envelope, propose_gap, set_envelope
from duelbench.kernels.votes import mass_of

COUNTS = [
    (60, 40),
    (520, 480),
    (400, 420),
    (0, 0),
    (5, 0),
    (0, 5),
    (30, 2),
    (80, 20),
    (400, 500),
    (3000, 2700),
    (10**6, 10**6 - 2000),
]


def envelope_of(won, lost, given=1.0):
    envelope = no_envelope(())
    set_envelope(envelope, won, lost, mass_of(won, lost), given)
    return envelope


@pytest.mark.parametrize(("won", "lost"), COUNTS)
def test_integrals_are_above_the_chances_and_hardly_so_for_many_duels(won, lost):
    envelope = envelope_of(won, lost)
    assert envelope.edge[[0, -1]].tolist() == [0.0, 0.5]
    assert (np.diff(envelope.edge) >= 0).all()
    chances = -np.diff(stats.beta.sf(0.5 + envelope.edge, won + 1, lost + 1))
    assert (envelope.mass > chances * (1 - 1e-9) - 1e-15).all()
    assert envelope.mass.sum() < (1.2 if min(won, lost) < 10 else 1.02) * chances.sum()
    assert envelope_of(won, lost, given=0.25).mass == pytest.approx(4 * envelope.mass)


def test_cells_are_narrow_where_the_posterior_is():
    for won, lost in COUNTS:
        edge = envelope_of(won, lost).edge
        width = min(WIDTH * stats.beta.std(won + 1, lost + 1), (0.5 - edge[1]) / CELLS)
        assert np.diff(edge)[1:-1] == pytest.approx(width)


@pytest.mark.parametrize(("won", "lost"), COUNTS)
def test_inverse_divergences_are_those_at_the_edges(won, lost):
    envelope = envelope_of(won, lost)
    theta = 0.5 + envelope.edge
    divergence = special.xlogy(theta, 2 * theta) + special.xlogy(1 - theta, 2 * (1 - theta))
    far = envelope.edge > 1e-3
    assert envelope.inverse[far] == pytest.approx(1 / divergence[far], rel=1e-6)
    assert envelope.inverse[0] == np.inf
    assert (np.diff(envelope.inverse[1:]) <= 0).all()


@pytest.mark.parametrize(("won", "lost"), COUNTS)
def test_accepted_values_are_distributed_as_the_posterior(won, lost):
    """Kolmogorov–Smirnov of 40,000 values: it sees shifts of the distribution function by 1 %."""
    rng = np.random.default_rng([won, lost])
    envelope = envelope_of(won, lost)
    cells = rng.choice(CELLS, 40_000, p=envelope.mass / envelope.mass.sum())
    gaps = np.array([propose_gap(envelope, b, won, lost, rng) for b in cells])
    kept = ~np.isnan(gaps)
    assert (gaps[kept] >= envelope.edge[cells[kept]] - 1e-12).all()
    assert (gaps[kept] <= envelope.edge[cells[kept] + 1] + 1e-12).all()
    side = stats.beta.sf(0.5, won + 1, lost + 1)
    assert kept.mean() == pytest.approx(side / envelope.mass.sum(), abs=0.005)
    ranks = 1 - stats.beta.sf(0.5 + gaps[kept], won + 1, lost + 1) / side
    assert stats.kstest(ranks, "uniform").pvalue > 0.001
