"""The posterior with ties as a third outcome: its draws and its grid."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import betaln

from duelbench.preferences import posterior as module
from duelbench.preferences.posterior import Posterior
from tests.vote_files import counts_of


@pytest.fixture
def fresh_grids(monkeypatch):
    """Clear cached grids, so that tests may change their constants."""
    yield monkeypatch
    monkeypatch.undo()
    module.strength_grid.cache_clear()
    module.tie_grid.cache_clear()


# Draws


@pytest.mark.parametrize(("ties", "known"), [("half", stats.beta.sf(0.5, 12, 6)), ("model", stats.beta.sf(0.5, 7, 1))])
def test_ties_understate_as_halves(ties, known, fresh_grids):
    """After 6 wins and 10 ties of equal arms, the better one has 0.9283 with half wins, 0.9922 with ties."""
    assert known == pytest.approx({"half": 0.9283, "model": 0.9922}[ties], abs=5e-5)
    fresh_grids.setattr(module, "GHOSTS", (1e7,))
    drawn = Posterior(counts_of([[0, 6], [0, 0]], [[0, 10], [0, 0]]), 2.0, ties).sample(20_000)
    assert drawn.preferred()[0, 1] == pytest.approx(known, abs=4 * math.sqrt(known * (1 - known) / 20_000))


def test_no_ties_no_model():
    votes = counts_of([[0, 6, 2], [1, 0, 4], [3, 3, 0]])
    drawn = [np.concatenate(list(Posterior(votes, None, ties).stacks(np.random.default_rng(1), 30))) for ties in HOW]
    assert drawn[0].tobytes() == drawn[1].tobytes()
    ((_, T),) = Posterior(votes, None, "model").outcomes(np.random.default_rng(1), 5)
    assert not T.any()


def test_no_such_ties():
    with pytest.raises(ValueError, match="'half' or 'model'"):
        Posterior(TIED, None, "drop")


HOW = ("half", "model")
TIED = counts_of([[0, 12, 9], [4, 0, 6], [2, 5, 0]], [[0, 7, 3], [0, 0, 8], [0, 0, 0]])


@pytest.mark.parametrize("ties", HOW)
def test_outcomes_are_those_of_the_matrices(ties):
    posterior = Posterior(TIED, None, ties)
    W, T = map(np.concatenate, zip(*posterior.outcomes(np.random.default_rng(2), 40), strict=True))
    P = np.concatenate([posterior._matrices(each) for each in posterior._at_once(np.random.default_rng(2), 40)])
    assert np.allclose(W + T / 2, P, atol=1e-12)
    assert W + T + W.swapaxes(1, 2) == pytest.approx(np.ones(P.shape))
    assert np.array_equal(T, T.swapaxes(1, 2)) and T.any() == (ties == "model")
    assert np.array_equal(P > 0.5, W - W.swapaxes(1, 2) > 0)


def test_davidson_alone():
    """With an infinite strength no pair deviates: decisive votes and ties follow Davidson's model."""
    ((W, T),) = Posterior(TIED, math.inf, "model").outcomes(np.random.default_rng(3), 10)
    for win, tie in zip(W, T, strict=True):
        odds = np.log(win / win.T)
        assert odds[0, 1] + odds[1, 2] == pytest.approx(odds[0, 2])
        nu = [tie[i, j] / math.sqrt(win[i, j] * win[j, i]) for i, j in ((0, 1), (0, 2), (1, 2))]
        assert nu == pytest.approx([nu[0]] * 3)


def test_draws_by_integration(fresh_grids):
    """For two arms, strengths of 4 and one width of the prior, draws are Beta, averaged over g and ln ν."""
    fresh_grids.setattr(module, "GHOSTS", (1.0,))
    wins, losses, ties = 12, 4, 9
    posterior = Posterior(counts_of([[0, wins], [losses, 0]], [[0, ties], [0, 0]]), 4.0, "model")
    ((W, T),) = posterior.outcomes(np.random.default_rng(3), 1_000)
    tau, p = T[:, 0, 1], W[:, 0, 1] / (1 - T[:, 0, 1])
    g, h, k = np.meshgrid(np.linspace(-8, 8, 21), np.linspace(-8, 8, 21), np.linspace(-7, 6, 21))
    z = g - h
    q, m = 1 / (1 + np.exp(-z)), np.exp(k) / (np.exp(k) + np.exp(z / 2) + np.exp(-z / 2))
    weight = stats.logistic.pdf(g) * stats.logistic.pdf(h) * stats.logistic.pdf(k - math.log(2))
    weight *= np.exp(betaln(4 * q + wins, 4 * (1 - q) + losses) - betaln(4 * q, 4 * (1 - q)))
    weight *= np.exp(betaln(4 * m + ties, 4 * (1 - m) + wins + losses) - betaln(4 * m, 4 * (1 - m)))
    likely = weight > 1e-6 * weight.max()
    q, m, weight = q[likely], m[likely], weight[likely] / weight[likely].sum()
    marks = np.linspace(0.02, 0.98, 49)
    for drawn, a, b in ((p, 4 * q + wins, 4 * (1 - q) + losses), (tau, 4 * m + ties, 4 * (1 - m) + wins + losses)):
        known = np.array([(weight * stats.beta.cdf(mark, a, b)).sum() for mark in marks])
        share = (drawn[:, None] <= marks).mean(axis=0)
        assert abs(share - known).max() < 1.95 / math.sqrt(len(drawn))  # Kolmogorov's quantile for 0.001


# The grid


def grid_votes(wins, ties):
    first, second = np.triu_indices(len(wins), 1)
    tables = wins[first, second], wins[second, first], ties[first, second]
    return module._Votes(len(wins), first, second, *tables)


def test_slope_and_information():
    """The slope is that of the value; the information is its curvature at the expected votes."""
    rng = np.random.default_rng(4)
    x = np.append(rng.normal(size=4), 0.3)[None]
    z = x[0, :4, None] - x[0, :4]
    q, m, n = 1 / (1 + np.exp(-z)), module.tie_shares(z, 0.3), rng.uniform(5, 20, (4, 4))
    n = n + n.T
    worth, tie_worth, ghosts = rng.uniform(0.3, 1, (1, 6)), rng.uniform(0.3, 1, (1, 6)), np.array([3.0])

    def at(votes, x):
        return module._model(votes, worth, tie_worth, ghosts, x)

    for votes in (grid_votes(rng.uniform(0, 9, (4, 4)), n), grid_votes(n * (1 - m) * q, n * m)):
        slope, information = module._derivatives(votes, worth, tie_worth, ghosts, x, at(votes, x))
        steps = 1e-4 * np.eye(5)
        known = [(at(votes, x + e).value - at(votes, x - e).value)[0] / 2e-4 for e in steps]
        assert slope[0] == pytest.approx(known, abs=1e-5)
    second = [
        [sum(s * u * at(votes, x + s * a + u * b).value[0] for s in (-1, 1) for u in (-1, 1)) / -4e-8 for a in steps]
        for b in steps
    ]
    assert information[0] == pytest.approx(np.array(second), abs=1e-4)


def test_most_likely_point():
    grid = module.tie_grid(TIED.wins.tobytes(), TIED.ties.tobytes(), 3, 5.0)
    votes, one = grid_votes(TIED.wins, TIED.ties), np.full(1, 5.0)
    decisive = votes.wins + votes.losses
    worth, tie_worth = 6 / (5 + decisive)[None], 6 / (5 + decisive + votes.ties)[None]
    for mean, ghosts in zip(grid.points.mean, grid.points.ghosts, strict=True):
        model = module._model(votes, worth, tie_worth, ghosts * one / 5, mean[None])
        slope, information = module._derivatives(votes, worth, tie_worth, ghosts * one / 5, mean[None], model)
        assert abs(np.linalg.solve(information[0], slope[0])).max() < 1e-6
    assert (grid.points.prior == 5).all() and (grid.points.tie_prior == 5).all()
    assert grid.cumulative[-1] == pytest.approx(1)


def test_strengths_are_learned():
    """Deviations of tie shares from the model change only r, deviations of decisive shares only s."""
    rng = np.random.default_rng(5)
    K, n = 10, 300
    g = rng.normal(0, 0.7, K)
    wins, ties = np.zeros((2, K, K))
    tables = {}
    for odd in ("ties", "wins"):
        for i in range(K):
            for j in range(i + 1, K):
                z = g[i] - g[j]
                m, q = float(module.tie_shares(np.array(z), 0.0)), 1 / (1 + math.exp(-z))
                ties[i, j] = rng.binomial(n, rng.beta(2 * m, 2 * (1 - m)) if odd == "ties" else m)
                wins[i, j] = rng.binomial(n - ties[i, j], rng.random() if odd == "wins" else q)
                wins[j, i] = n - ties[i, j] - wins[i, j]
        grid = module.tie_grid(wins.tobytes(), (ties + ties.T).tobytes(), K, None)
        weight = np.diff(grid.cumulative, prepend=0)
        tables[odd] = [math.exp(weight @ np.log(each)) for each in (grid.points.prior, grid.points.tie_prior)]
    assert tables["ties"][0] > 100 > 10 > tables["ties"][1]
    assert tables["wins"][1] > 100 > 10 > tables["wins"][0]


# Many arms


@pytest.mark.parametrize("voted", [3, 20])
def test_many_arms_like_few(voted, fresh_grids):
    rng = np.random.default_rng(voted)
    wins, ties = np.zeros((2, 20, 20))
    first, second = np.sort(rng.integers(0, voted, (2, 300)), axis=0)
    np.add.at(wins, (first[:150], second[:150]), 1.0)  # the lower number wins
    np.add.at(ties, (first[150:], second[150:]), 1.0)
    np.fill_diagonal(wins, 0.0)
    posterior = Posterior(counts_of(wins, ties), None, "model")
    few = posterior.sample(1_500)
    fresh_grids.setattr(module, "MANY", 1)
    module.strength_grid.cache_clear()
    module.tie_grid.cache_clear()
    many = Posterior(counts_of(wins, ties), None, "model").sample(1_500, seed=1)
    for arm in range(20):  # within four standard errors of two samples
        assert abs(many.chances()[arm] - few.chances()[arm]) < 0.07
        assert abs(many.borda[:, arm].mean() - few.borda[:, arm].mean()) < 0.02
        assert abs(np.subtract(*np.quantile((many.borda - few.borda)[:, arm], (0.9, 0.1)))) < 0.6
        spreads = [np.std(each.borda[:, arm]) for each in (few, many)]
        assert abs(spreads[0] / spreads[1] - 1) < 0.15
