"""Cells of a posterior's side: integrals and bounds above the truth, values distributed as the posterior."""

import math

import numpy as np
import pytest
from scipy import special, stats

from duelbench.algorithms.thompson.envelope import (
    CELLS,
    CENTRE,
    LOWEST,
    SCALE,
    START,
    WIDTH,
    draw_in_cell,
    no_cells,
    set_cells,
)
from duelbench.algorithms.thompson.votes import mass_of

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


def cells_of(won, lost, below=True, given=1.0):
    cells = no_cells(())
    assert set_cells(cells, won, lost, mass_of(won, lost), given, below)
    return cells


def edges(cells):
    """Return θ at the edges of all cells."""
    z = cells.side[START] + WIDTH * np.arange(CELLS - 1)
    inner = np.clip(cells.side[CENTRE] + z / cells.side[SCALE], 0, math.pi / 2)
    return 0.5 + 0.5 * np.sin(np.r_[0.0, inner, math.pi / 2])


def divergence(theta):
    return (special.xlogy(theta, 2 * theta) + special.xlogy(1 - theta, 2 * (1 - theta))).clip(1e-300)


@pytest.mark.parametrize(("won", "lost"), COUNTS)
def test_integrals_are_above_the_chances_and_hardly_so_for_many_duels(won, lost):
    cells = cells_of(won, lost)
    chances = -np.diff(stats.beta.sf(edges(cells), won + 1, lost + 1))
    assert (cells.mass > chances * (1 - 1e-9) - 1e-15).all()
    assert cells.mass.sum() < (1.2 if min(won, lost) < 10 else 1.08) * chances.sum()
    if abs(won - lost) < 0.2 * (won + lost):
        assert cells.mass.sum() < 1.02 * chances.sum()
    assert cells_of(won, lost, given=0.25).mass == pytest.approx(4 * cells.mass)


@pytest.mark.parametrize(("won", "lost"), COUNTS)
def test_inverse_divergences_are_bounds(won, lost):
    cells = cells_of(won, lost)
    theta, some = edges(cells), cells.mass > 0
    least = 1 / divergence(theta[1:])
    assert (cells.inverse[some] <= least[some] * (1 + 1e-9)).all()
    assert cells.inverse[some] == pytest.approx(least[some], rel=0.05)
    most = 1 / divergence(theta[:-1])
    above = cells_of(won, lost, below=False).inverse
    assert (above[some] >= most[some] * (1 - 1e-9)).all()
    finite = some & (most < 1e200)
    assert above[finite] == pytest.approx(most[finite], rel=0.125)
    near = finite & (theta[1:] < 0.8)
    assert above[near] == pytest.approx(most[near], rel=0.01)
    assert cells.inverse[near] == pytest.approx(least[near], rel=0.02)


@pytest.mark.parametrize(("won", "lost"), COUNTS)
def test_values_are_distributed_as_the_posterior(won, lost):
    rng = np.random.default_rng([won, lost])
    cells = cells_of(won, lost)
    theta = edges(cells)
    places = rng.choice(CELLS, 40_000, p=cells.mass / cells.mass.sum())
    values = np.array([draw_in_cell(cells, b, won, lost, rng) for b in places])
    kept = values > 0
    assert (values[kept] >= theta[places[kept]] - 1e-12).all()
    assert (values[kept] <= theta[places[kept] + 1] + 1e-12).all()
    side = stats.beta.sf(0.5, won + 1, lost + 1)
    assert kept.mean() == pytest.approx(side / cells.mass.sum(), abs=0.008)
    ranks = 1 - stats.beta.sf(values[kept], won + 1, lost + 1) / side
    assert stats.kstest(ranks, "uniform").pvalue > 0.001


def test_cells_are_set_once_for_the_same_counts():
    cells = cells_of(60, 40)
    mass = cells.mass.copy()
    assert not set_cells(cells, 60, 40, mass_of(60, 40), 1.0, True)
    assert set_cells(cells, 61, 40, mass_of(61, 40), 1.0, True)
    assert (cells.mass != mass).any()
    assert set_cells(cells, 61, 40, mass_of(61, 40), 1.0, False)
    assert set_cells(cells, 61, 40, mass_of(61, 40), 0.9, False)


def test_a_side_that_begins_above_the_first_cell_leaves_it_empty():
    for won, lost in COUNTS:
        cells = cells_of(won, lost)
        assert (cells.mass[0] == 0.0) == (cells.side[START] > LOWEST)
