import numpy as np
import pytest
from scipy.optimize import minimize

from duelbench.preferences.bradley_terry import curvature, fit, log_prior, most_likely
from duelbench.preferences.counts import PairCounts


def counts(wins, ties=None):
    wins = np.array(wins, float)
    return PairCounts(tuple("abcdefgh"[: len(wins)]), wins, np.zeros_like(wins) if ties is None else np.array(ties))


def votes_of(strength, each, rng):
    P = 1 / (1 + np.exp(strength[None] - strength[:, None]))
    wins = np.triu(rng.binomial(each, P), 1)
    return wins + np.triu(each - wins, 1).T


def test_the_strength_of_a_single_pair_is_what_calculus_says():
    # 8 votes to 2 and the ghosts: by symmetry g and -g, and 8 - 10 σ(2g) + 1 - 2 σ(g) = 0
    g, other = fit(counts([[0, 8], [2, 0]]))
    assert g == pytest.approx(-other)
    assert 8 - 10 / (1 + np.exp(-2 * g)) + 1 - 2 / (1 + np.exp(-g)) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("ghosts", [1.0, 7.5])
def test_it_is_the_maximum_that_scipy_finds(ghosts):
    rng = np.random.default_rng(1)
    won = votes_of(rng.normal(size=5), 9, rng) * rng.uniform(0.2, 2, (5, 5))

    def loss(g):
        return (won * np.logaddexp(0, g[None] - g[:, None])).sum() - log_prior(g, ghosts)

    assert most_likely(won, ghosts) == pytest.approx(minimize(loss, np.zeros(5), tol=1e-9).x, abs=1e-5)


def test_many_at_once_are_each_alone():
    """Some need more steps than others, and shorter ones."""
    rng = np.random.default_rng(5)
    won = np.stack([votes_of(rng.normal(0, scale, 4), each, rng) for scale in (0, 1, 9) for each in (0, 3, 900)])
    ghosts = np.array([1.0, 2.0, 20.0] * 3)
    alone = [most_likely(table, each) for table, each in zip(won, ghosts, strict=True)]
    assert np.array_equal(most_likely(won, ghosts), alone)
    assert np.array_equal(
        curvature(np.array(alone), won + won.swapaxes(1, 2), ghosts)[4], curvature(alone[4], won[4] + won[4].T, 2.0)
    )


def test_curvature_is_the_derivative_of_the_slope():
    rng = np.random.default_rng(2)
    won, g, e = votes_of(np.zeros(4), 5, rng), rng.normal(size=4), 1e-4

    def value(g):
        return log_prior(g, 3.0) - (won * np.logaddexp(0, g[None] - g[:, None])).sum()

    steps = np.eye(4) * e
    second = [[value(g + a + b) - value(g + a - b) - value(g - a + b) + value(g - a - b) for a in steps] for b in steps]
    assert curvature(g, won + won.T, 3.0) == pytest.approx(-np.array(second) / (4 * e**2), abs=1e-4)


def test_strengths_exist_where_maximum_likelihood_does_not():
    g = fit(counts([[0, 5, 0], [0, 0, 0], [0, 0, 0]]))  # one has won all, one was never compared
    assert np.isfinite(g).all() and g[0] > g[2] > g[1] and g[2] == pytest.approx(0, abs=1e-9)


def test_a_tie_is_half_a_win_for_both():
    ties = [[0, 4, 0], [4, 0, 0], [0, 0, 0]]
    assert fit(counts([[0, 1, 3], [0, 0, 2], [1, 1, 0]], ties)) == pytest.approx(
        fit(counts([[0, 3, 3], [2, 0, 2], [1, 1, 0]]))
    )


def test_many_votes_on_many_arms_give_the_strengths_back():
    rng = np.random.default_rng(3)
    g = rng.normal(size=200)
    found = fit(PairCounts(tuple(map(str, range(200))), votes_of(g, 100, rng), np.zeros((200, 200))))
    error = found - found.mean() - (g - g.mean())
    assert 0.01 < error.std() < 0.03  # about sqrt(1 / (200 · 100 · 0.18)) = 0.017
