"""Inference from votes: counts, Bradley–Terry strengths, the posterior, intervals, and when to stop."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize
from scipy.special import betaln
from scipy.stats import binomtest

import duelbench.preferences.posterior as module
from duelbench.preferences import posterior as posteriors
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.posterior import Posterior
from duelbench.preferences.samples import best_arms
from duelbench.preferences.scores import curvature, fit, log_prior, most_likely
from duelbench.proportions import wilson
from tests.choosing import mirrored
from tests.vote_files import counts_of

# Intervals of proportions


@pytest.mark.parametrize(("right", "trials"), [(0, 1), (1, 1), (0, 20), (17, 20), (20, 20), (999, 1000)])
def test_wilson(right, trials):
    known = binomtest(right, trials).proportion_ci(method="wilson")
    assert wilson(right / trials, trials) == pytest.approx((known.low, known.high))


def test_wilson_contains_share():
    """Intervals contain the share; plain rounding would fail for a share of 1 and 614 of these numbers of trials."""
    assert all(wilson(0.0, trials)[0] == 0.0 and wilson(1.0, trials)[1] == 1.0 for trials in range(1, 2_001))
    assert all(low <= right / 37 <= high for right in range(38) for low, high in [wilson(right / 37, 37)])


# Counts


WINS = [[0, 3, 1], [2, 0, 0], [0, 4.5, 0]]
TIES = [[0, 1, 0], [1, 0, 2], [0, 2, 0]]


def counted(wins=WINS, ties=TIES, names=("ann", "bob", "cy")):
    return PairCounts(tuple(names), np.array(wins, dtype=float), np.array(ties, dtype=float))


def test_counts():
    assert counted().votes.tolist() == [[0, 6, 1], [6, 0, 6.5], [1, 6.5, 0]]
    assert counted().halved().tolist() == [[0, 3.5, 1], [2.5, 0, 1], [0, 5.5, 0]]
    with pytest.raises(ValueError, match="read-only"):
        counted().wins[0, 1] = 9
    some = counted().chosen([2, 1])
    assert some.names == ("cy", "bob")
    assert some.wins.tolist() == [[0, 4.5], [0, 0]]
    assert some.ties.tolist() == [[0, 2], [2, 0]]


@pytest.mark.parametrize(
    "wrong",
    [
        {"names": ("ann", "ann", "cy")},
        {"names": ("ann", "bob")},
        {"wins": np.eye(3)},
        {"wins": -np.array(WINS)},
        {"wins": np.full((3, 3), np.nan)},
        {"ties": np.triu(TIES)},
        {"ties": np.zeros((2, 2))},
    ],
)
def test_no_counts(wrong):
    with pytest.raises(ValueError):
        counted(**wrong)


# Bradley–Terry


def votes_of(strength, each, rng):
    P = 1 / (1 + np.exp(strength[None] - strength[:, None]))
    wins = np.triu(rng.binomial(each, P), 1)
    return wins + np.triu(each - wins, 1).T


@pytest.mark.parametrize("ghosts", [1.0, 7.5])
def test_maximum_of_scipy(ghosts):
    rng = np.random.default_rng(1)
    won = votes_of(rng.normal(size=5), 9, rng) * rng.uniform(0.2, 2, (5, 5))

    def loss(g):
        return (won * np.logaddexp(0, g[None] - g[:, None])).sum() - log_prior(g, ghosts)

    assert most_likely(won, ghosts) == pytest.approx(minimize(loss, np.zeros(5), tol=1e-9).x, abs=1e-5)


def test_curvature():
    rng = np.random.default_rng(2)
    won, g, e = votes_of(np.zeros(4), 5, rng), rng.normal(size=4), 1e-4

    def value(g):
        return log_prior(g, 3.0) - (won * np.logaddexp(0, g[None] - g[:, None])).sum()

    steps = np.eye(4) * e
    second = [[value(g + a + b) - value(g + a - b) - value(g - a + b) + value(g - a - b) for a in steps] for b in steps]
    assert curvature(g, won + won.T, 3.0) == pytest.approx(-np.array(second) / (4 * e**2), abs=1e-4)


def test_no_maximum_likelihood():
    g = fit(counts_of([[0, 5, 0], [0, 0, 0], [0, 0, 0]]))  # one arm wins all, one was never compared
    assert np.isfinite(g).all() and g[0] > g[2] > g[1] and g[2] == pytest.approx(0, abs=1e-9)


def test_ties_in_fit():
    tied = counts_of([[0, 1, 3], [0, 0, 2], [1, 1, 0]], [[0, 4, 0], [0, 0, 0], [0, 0, 0]])
    assert fit(tied) == pytest.approx(fit(counts_of([[0, 3, 3], [2, 0, 2], [1, 1, 0]])))


# The posterior: calibration in random worlds


PAIR = counts_of([[0, 30], [10, 0]])


def bradley_terry(rng, arms):
    strength = rng.normal(0, 0.7, arms)
    return 1 / (1 + np.exp(strength[None] - strength[:, None]))


def beside_bradley_terry(rng, arms, prior=20):
    q = bradley_terry(rng, arms)
    return mirrored(rng.beta(prior * q, prior * (1 - q)))


def unrelated(rng, arms):
    return mirrored(rng.random((arms, arms)))


def voted(P, rng, each, unseen=0.3):
    """Return votes from a true matrix: a Poisson number on each pair, and none on some pairs."""
    met = np.triu(rng.poisson(each, P.shape) * (rng.random(P.shape) > unseen), 1)
    won = rng.binomial(met, P)
    return counts_of(won + (met - won).T)


@pytest.mark.parametrize("world", [bradley_terry, beside_bradley_terry, unrelated])
def test_coverage(world):
    """Coverage of 80 % intervals for pairs with and without votes, and calibration of the largest P(best).

    If the true matrix is like another draw, its ranks among 99 draws are equally likely, and 80 of 100 are inside.
    """
    rng, upper = np.random.default_rng(0), np.triu_indices(8, 1)
    inside, seen, promised, met = [], [], [], []
    for _ in range(50):
        P = world(rng, 8)
        counts = voted(P, rng, 20)
        drawn = np.concatenate(list(Posterior(counts).stacks(rng, 99)))
        below = (drawn < P).sum(axis=0)[upper]
        inside += ((below >= 10) & (below < 90)).tolist()
        seen += (counts.votes[upper] > 0).tolist()
        chances = best_arms(drawn, "copeland").mean(axis=0)
        promised.append(chances.max())
        met.append(best_arms(P, "copeland")[chances.argmax()])
    covered, known = np.array(inside), np.array(seen)
    assert abs(0.8 - covered[known].mean()) < 0.09 and abs(0.8 - covered[~known].mean()) < 0.12
    assert abs(np.mean(promised) - np.mean(met)) < 0.15


def test_draws_by_integration():
    """For two arms, a strength of 4 and one width of the prior, draws follow a mixture of Beta distributions."""
    rng = np.random.default_rng(3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "GHOSTS", (1.0,))
        drawn = np.array([Posterior(PAIR, 4.0).draw(rng).P[0, 1] for _ in range(300)])
    g, h = np.meshgrid(*[np.linspace(-8, 8, 25)] * 2)
    q = 1 / (1 + np.exp(h - g))
    weight = stats.logistic.pdf(g) * stats.logistic.pdf(h)
    weight *= np.exp(betaln(4 * q + 30, 4 * (1 - q) + 10) - betaln(4 * q, 4 * (1 - q)))
    weight /= weight.sum()

    def below(p):
        return np.array([(weight * stats.beta.cdf(each, 4 * q + 30, 4 * (1 - q) + 10)).sum() for each in p])

    assert stats.kstest(drawn, below).pvalue > 1e-3


@pytest.mark.parametrize("strength", [None, 5.0, math.inf])
def test_stacks(strength, monkeypatch):
    monkeypatch.setattr(module, "ENTRIES", 70)  # stacks of 70 // 36 and of 70 // 4 matrices
    for counts in (voted(unrelated(np.random.default_rng(1), 6), np.random.default_rng(2), 5), PAIR):
        posterior = Posterior(counts, strength)
        ours, one_by_one = np.random.default_rng(3), np.random.default_rng(3)
        stacks = np.concatenate(list(posterior.stacks(ours, 40)))
        assert np.array_equal(stacks, [posterior.draw(one_by_one).P for _ in range(40)])
        assert ours.random() == one_by_one.random()


def test_strength_is_learned():
    rng = np.random.default_rng(4)
    cyclic, straight = (Posterior(voted(world(rng, 12), rng, 200)) for world in (unrelated, bradley_terry))

    def strength(posterior):
        weight = np.diff(posterior._grid.cumulative, prepend=0)
        return math.exp(sum(w * math.log(each) for w, each in zip(weight, posterior._grid.points.prior, strict=True)))

    assert strength(cyclic) < 5 and strength(straight) > 100


def test_chances_by_notion():
    posterior = Posterior(counts_of([[0, 900, 100], [100, 0, 900], [900, 100, 0]]))  # a cycle
    chances = {notion: posterior.chances(np.random.default_rng(1), 100, notion) for notion in ("copeland", "condorcet")}
    assert chances["copeland"].tolist() == [1, 1, 1] and chances["condorcet"].tolist() == [0, 0, 0]
    assert posterior.chances(np.random.default_rng(1), 100, "borda").sum() == 1


@pytest.mark.parametrize("ties", ["half", "model"])
def test_small_grid_of_many_arms(ties, monkeypatch):
    """For thirty arms with few votes, a sixth of them ties, a small grid gives nearly the draws of the whole one."""
    rng = np.random.default_rng(6)
    g = rng.normal(0, 0.7, 30)
    met = 5 * np.triu(rng.integers(0, 2, (30, 30)), 1)
    tied = rng.binomial(met, 1 / 6)
    won = rng.binomial(met - tied, 1 / (1 + np.exp(g - g[:, None])))
    counts = PairCounts(tuple(map(str, range(30))), (won + (met - tied - won).T).astype(float), tied + tied.T)
    posterior = Posterior(counts, ties=ties)
    monkeypatch.setattr(module, "MANY", 20)
    monkeypatch.setattr(module, "MANY", 20)
    whole = posterior.sample(1500)
    monkeypatch.setattr(module, "MOST_WITH_VOTES", 20)
    small = posterior.sample(1500, seed=1)
    assert np.abs(whole.chances() - small.chances()).max() < 0.06
    assert np.abs(whole.borda.mean(axis=0) - small.borda.mean(axis=0)).max() < 0.01
    assert np.abs(whole.borda.std(axis=0) / small.borda.std(axis=0) - 1).max() < 0.12


def test_ties_in_posterior():
    draws = [Posterior(each).draw(np.random.default_rng(1)).P for each in (PAIR, counts_of([[0, 25], [5, 0]], 10))]
    assert (draws[0] == draws[1]).all()


# Stopping at a probability of 0.95


def test_arms_without_votes(monkeypatch):
    monkeypatch.setattr(posteriors, "MANY", 1)  # strengths of these arms are drawn separately
    posteriors.strength_grid.cache_clear()
    posterior = Posterior(counts_of([[0, 3, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]), math.inf)
    specs = np.concatenate(list(posterior.stacks(np.random.default_rng(5), 4_000)))[:, 2, 3]
    tables = np.concatenate([W for W, _ in posterior.outcomes(np.random.default_rng(6), 4_000)])[:, 2, 3]
    spreads = [np.std(np.log(P / (1.0 - P))) for P in (specs, tables)]
    posteriors.strength_grid.cache_clear()
    assert spreads[0] == pytest.approx(spreads[1], rel=0.1)


@pytest.mark.parametrize("notion", ["copeland", "borda"])
def test_quick(notion):
    """With a small grid and normal distributions, the errors of probabilities are a few hundredths."""
    rng, off = np.random.default_rng(3), []
    for s in (3.0, 30.0, 300.0):
        g = rng.normal(0, 0.7, 8)
        q = 1 / (1 + np.exp(g - g[:, None]))
        P = np.triu(rng.beta(s * q, s * (1 - q)), 1)
        won = rng.binomial(12, np.triu(P, 1))
        counts = counts_of(won + np.triu(12 - won, 1).T)
        slow, quick = (Posterior(counts, quick=each).chances(rng, 3000, notion) for each in (False, True))
        off.append(np.abs(slow - quick).max())
    assert max(off) < 0.08 and np.mean(off) < 0.05


UNTIL = 0.95


def expected_world(rng, arms):
    """A world drawn from the prior."""
    return Posterior(counts_of(np.zeros((arms, arms)))).draw(rng).P


def stopped(world, runs, arms, every, most, draws=300, times=1):
    """Return, for sessions that stopped, whether their arm was best, and the stated probability of this.

    In two of three votes, the leader meets an arm that may be best, as algorithms choose it. Sessions may stop after
    every ``every`` votes, and each vote counts ``times`` times.
    """
    right, promised = [], []
    for run in range(runs):
        rng = np.random.default_rng([12, run])
        P, wins, now = world(rng, arms), np.zeros((arms, arms)), np.full(arms, 1 / arms)
        for vote in range(1, most + 1):
            i, j = rng.choice(arms, 2, replace=False)
            if rng.random() < 2 / 3:
                i = int(now.argmax())
                others = np.where(np.arange(arms) == i, 0, now + 0.05)
                j = int(rng.choice(arms, p=others / others.sum()))
            winner, loser = (i, j) if rng.random() < P[i, j] else (j, i)
            wins[winner, loser] += 1
            if vote % every == 0:
                now = Posterior(counts_of(times * wins)).sample(draws, seed=vote).chances()
                if now.max() >= UNTIL:
                    right.append(best_arms(P, "copeland")[now.argmax()])
                    promised.append(now.max())
                    break
    return np.array(right), np.array(promised)


def test_early_stop_is_noticed():
    right, promised = stopped(expected_world, 60, 3, 5, 20, draws=200, times=10)
    assert right.mean() < promised.mean() - 3 * np.sqrt(UNTIL * (1 - UNTIL) / len(right))


@pytest.mark.slow
def test_stopping_in_many_worlds():
    """The share of sessions that are right is not significantly below the stated probability."""
    right, promised = stopped(expected_world, 75, 5, 20, 500)
    assert len(right) > 30
    assert right.mean() > promised.mean() - 0.04 - 3 * np.sqrt(UNTIL * (1 - UNTIL) / len(right))
