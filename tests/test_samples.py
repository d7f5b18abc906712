"""Statistics of matrices drawn from a posterior: best arms, margins, ranks, orders and the next pair."""

import math
from itertools import pairwise

import numpy as np
import pytest

from duelbench.preferences.posterior import Posterior
from duelbench.preferences.samples import Samples, best_arms
from tests.vote_files import counts_of

FOUR = counts_of([[0, 6, 9, 12], [5, 0, 7, 9], [4, 6, 0, 8], [1, 2, 4, 0]], ties=3)


def matrices(draws, ties="model"):
    posterior = Posterior(FOUR, None, ties)
    return np.concatenate([posterior._matrices(each) for each in posterior._at_once(np.random.default_rng(0), draws)])


def from_matrices(P, margin=0.0, strengths=None):
    """Return the statistics of given matrices."""
    draws, n = P.shape[:2]
    upper = np.triu_indices(n, 1)
    return Samples(
        tuple(range(n)),
        (P > 0.5).sum(axis=2).astype(float),
        (P + margin > 0.5).sum(axis=2) - 1.0 if margin else (P > 0.5).sum(axis=2).astype(float),
        (P.sum(axis=2) - 0.5) / (n - 1),
        np.zeros((draws, n)) if strengths is None else strengths,
        np.packbits(P[:, upper[0], upper[1]] > 0.5, axis=1),
        margin,
    )


# The sample agrees with the matrices


@pytest.mark.parametrize(("ties", "margin"), [("half", 0.0), ("half", 0.05), ("model", 0.05)])
def test_sample(ties, margin):
    P, samples = matrices(200, ties), Posterior(FOUR, None, ties).sample(200, margin=margin)
    assert samples.arms == (0, 1, 2, 3) and samples.draws == 200
    known = from_matrices(P, margin)
    assert np.array_equal(samples.wins, known.wins) and np.array_equal(samples.nearly, known.nearly)
    assert np.allclose(samples.borda, known.borda, atol=1e-12) and np.array_equal(samples.above, known.above)
    for notion in ("copeland", "condorcet", "borda"):
        assert np.array_equal(samples.best(notion), best_arms(P, notion))
        assert np.array_equal(samples.chances(notion), best_arms(P, notion).mean(axis=0))
        found = Posterior(FOUR, None, ties).chances(np.random.default_rng(0), 200, notion)
        assert samples.chances(notion) == pytest.approx(found)
    assert samples.preferred() == pytest.approx(np.where(np.eye(4), 0.5, (P > 0.5).mean(axis=0)))


@pytest.mark.parametrize("notion", ["copeland", "borda"])
def test_draws_of_specs(notion):
    """Matrices drawn one by one have the same distribution, within four standard errors."""
    one_by_one = np.concatenate(list(Posterior(FOUR).stacks(np.random.default_rng(1), 4_000)))
    samples = Posterior(FOUR).sample(4_000)
    known = best_arms(one_by_one, notion).mean(axis=0)
    assert abs(samples.chances(notion) - known).max() < 4 * math.sqrt(0.5 / 4_000)
    borda = (one_by_one.sum(axis=2) - 0.5) / 3
    assert samples.borda.mean(axis=0) == pytest.approx(borda.mean(axis=0), abs=0.01)
    assert samples.borda.std(axis=0) == pytest.approx(borda.std(axis=0), rel=0.05)
    assert samples.preferred() == pytest.approx(np.where(np.eye(4), 0.5, (one_by_one > 0.5).mean(axis=0)), abs=0.04)


# Margins


CLOSE = np.array([[[0.5, 0.49, 0.9], [0.51, 0.5, 0.8], [0.1, 0.2, 0.5]]])
CYCLE = np.array([[[0.5, 0.49, 0.51, 0.9], [0.51, 0.5, 0.2, 0.9], [0.49, 0.8, 0.5, 0.4], [0.1, 0.1, 0.6, 0.5]]])


@pytest.mark.parametrize(
    ("P", "margin", "copeland", "condorcet", "borda"),
    [
        (CLOSE, 0.0, [0, 1, 0], [0, 1, 0], [1, 0, 0]),  # Borda: 0.695, 0.655, 0.15
        (CLOSE, 0.02, [1, 1, 0], [1, 1, 0], [1, 0, 0]),
        (CLOSE, 0.05, [1, 1, 0], [1, 1, 0], [1, 1, 0]),
        (CYCLE, 0.0, [1, 1, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]),  # wins 2, 2, 1, 1; Borda .633, .537, .563, .267
        (CYCLE, 0.02, [1, 1, 1, 0], [1, 0, 0, 0], [1, 0, 0, 0]),
        (CYCLE, 0.11, [1, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 0]),
    ],
)
def test_margin_by_hand(P, margin, copeland, condorcet, borda):
    samples = from_matrices(P, margin)
    assert samples.within_margin("copeland").tolist() == copeland
    assert samples.within_margin("condorcet").tolist() == condorcet
    assert samples.within_margin("borda").tolist() == borda


# Ranks and orders


@pytest.mark.parametrize("order", [[0, 1, 3, 2], [2, 0, 1, 3], [1, 2, 0, 3]])
@pytest.mark.parametrize("margin", [0.0, 0.05])
@pytest.mark.parametrize("notion", ["copeland", "borda"])
def test_orders_by_pairs(notion, margin, order):
    """An order is right if no arm exceeds an earlier one; the top k if no other arm exceeds one of them."""
    samples = from_matrices(matrices(300), margin)
    scores, near = samples.scores(notion), samples.borda + margin if notion == "borda" else samples.nearly
    wrong = [(scores[:, order[j]] > near[:, order[i]], i, j) for i in range(4) for j in range(i + 1, 4)]
    any_wrong = np.any([each for each, _, _ in wrong], axis=0)
    assert samples.in_order(order, notion) == pytest.approx(1 - any_wrong.mean())
    for k, chance in enumerate(samples.tops(order, notion), start=1):
        crossing = [each for each, i, j in wrong if i < k <= j]
        assert chance == pytest.approx(1 - np.any(crossing, axis=0).mean())
    assert samples.tops(order, notion)[0] == pytest.approx(samples.within_margin(notion)[order[0]])


# The next pair


def test_gap_variance():
    """The gap variance equals the formula for a normal distribution with the draws' covariance, pair by pair."""
    rng = np.random.default_rng(1)
    g = rng.normal([1.0, 0.0, 0.3, -1.0], [0.3, 0.5, 0.2, 0.4], (400, 4))
    g[:, 1] += g[:, 0] / 2
    samples = from_matrices(matrices(400), strengths=g)
    mean, C = g.mean(axis=0), np.cov(g.T)
    order = np.argsort(-mean)
    found = samples.gap_variance()
    for i in range(4):
        for j in range(4):
            d = np.eye(4)[i] - np.eye(4)[j]
            p = 1 / (1 + math.exp(mean[j] - mean[i]))
            v, total = p * (1 - p), 0.0
            for k, below in pairwise(order):
                a = np.eye(4)[k] - np.eye(4)[below]
                above = (g[:, k] > g[:, below]).mean()
                weight = (min(above, 1 - above) * 400 + 0.5) / 401 / (a @ C @ a)
                total += weight * v * (a @ C @ d) ** 2 / (1 + v * (d @ C @ d))
            assert found[i, j] == pytest.approx(total, abs=1e-12)
    i, j = samples.next_pair()
    assert found[i, j] == found.max()
