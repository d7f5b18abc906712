"""The posterior is right if what it says of worlds drawn at random comes true as often as it says.

Worlds are drawn, votes on them counted, and the true probability's place among the draws of the posterior looked at.
"""

import dataclasses
import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import betaln

import duelbench.preferences.posterior as module
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.posterior import Posterior, best_arms

PAIR = PairCounts(("a", "b"), np.array([[0.0, 30], [10, 0]]), np.zeros((2, 2)))


def bradley_terry(rng, arms):
    strength = rng.normal(0, 0.7, arms)
    return 1 / (1 + np.exp(strength[None] - strength[:, None]))


def btl_uniform(rng, arms):
    weight = 1 - rng.random(arms)
    return weight[:, None] / np.add.outer(weight, weight)


def beside_bradley_terry(rng, arms, prior=20):
    q = bradley_terry(rng, arms)
    P = np.triu(rng.beta(prior * q, prior * (1 - q)), 1)
    return P + np.tril(1 - P.T, -1) + np.eye(arms) / 2


def unrelated(rng, arms):
    P = np.triu(rng.random((arms, arms)), 1)
    return P + np.tril(1 - P.T, -1) + np.eye(arms) / 2


def voted(P, rng, each, unseen=0.3):
    """Return votes on a world: Poisson many on each pair, on some pairs none."""
    arms = len(P)
    met = np.triu(rng.poisson(each, P.shape) * (rng.random(P.shape) > unseen), 1)
    won = rng.binomial(met, P)
    return PairCounts(tuple(map(str, range(arms))), (won + (met - won).T).astype(float), np.zeros(P.shape))


def off(worlds, world, arms, each, strength=None, draws=99):
    """Return how much too small an 80 % interval is, of pairs with votes and without, and P(best) promised too much.

    Among 99 draws and the truth, were it one of them, each place is as likely: 80 of 100 are inside. P(best) is that of
    the arm for which it is largest.
    """
    rng = np.random.default_rng(0)
    upper = np.triu_indices(arms, 1)
    inside, seen, promised, met = [], [], [], []
    for _ in range(worlds):
        P = world(rng, arms)
        counts = voted(P, rng, each)
        posterior = Posterior(counts, strength)
        drawn = np.concatenate(list(posterior.stacks(rng, draws)))
        below = (drawn < P).sum(axis=0)[upper]
        inside += ((below >= 10) & (below < 90)).tolist()
        seen += (counts.votes[upper] > 0).tolist()
        chances = best_arms(drawn, "copeland").mean(axis=0)
        promised.append(chances.max())
        met.append(best_arms(P, "copeland")[chances.argmax()])
    covered, known = np.array(inside), np.array(seen)
    return 0.8 - covered[known].mean(), 0.8 - covered[~known].mean(), np.mean(promised) - np.mean(met)


@pytest.mark.parametrize("world", [bradley_terry, beside_bradley_terry, unrelated])
def test_intervals_cover_and_promises_are_kept(world):
    seen, unseen, promised = off(50, world, 8, 20)
    assert abs(seen) < 0.09 and abs(unseen) < 0.12 and abs(promised) < 0.15


@pytest.mark.slow
@pytest.mark.parametrize("world", [bradley_terry, beside_bradley_terry, unrelated])
@pytest.mark.parametrize("each", [4, 20])
def test_intervals_cover_and_promises_are_kept_in_many_worlds(world, each):
    seen, unseen, promised = off(400, world, 12, each)
    assert abs(seen) < 0.06 and abs(unseen) < 0.1
    assert abs(promised) < (0.15 if world is unrelated else 0.08)  # few votes do not show that pairs are unrelated


def test_strengths_without_an_error_of_their_own_are_noticed(monkeypatch):
    fitted = module._fitted
    monkeypatch.setattr(module, "_fitted", lambda *a: (f := fitted(*a))._replace(spread=0 * f.spread))
    assert off(40, bradley_terry, 8, 20, strength=math.inf)[0] > 0.3


@pytest.mark.parametrize("world", [beside_bradley_terry, unrelated])
def test_a_prior_ten_times_as_strong_is_noticed(world):
    assert off(40, world, 8, 20, strength=200.0)[1] > 0.15


def test_draws_of_a_pair_have_the_distribution_that_integration_gives():
    """Of two arms, with a strength of 4 and one width of the prior: the Beta distribution, averaged over margins."""
    rng = np.random.default_rng(3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "GHOSTS", (1.0,))
        drawn = np.array([Posterior(PAIR, 4.0).draw(rng).P[0, 1] for _ in range(300)])
    g, h = np.meshgrid(*[np.linspace(-8, 8, 49)] * 2)
    q = 1 / (1 + np.exp(h - g))
    weight = stats.logistic.pdf(g) * stats.logistic.pdf(h)
    weight *= np.exp(betaln(4 * q + 30, 4 * (1 - q) + 10) - betaln(4 * q, 4 * (1 - q)))
    weight /= weight.sum()

    def below(p):
        return np.array([(weight * stats.beta.cdf(each, 4 * q + 30, 4 * (1 - q) + 10)).sum() for each in p])

    assert stats.kstest(drawn, below).pvalue > 1e-3


@pytest.mark.parametrize("strength", [None, 5.0, math.inf])
def test_stacks_are_what_is_drawn_one_by_one(strength, monkeypatch):
    monkeypatch.setattr(module, "ENTRIES", 70)  # stacks of 70 // 36 and of 70 // 4 matrices
    for counts in (voted(unrelated(np.random.default_rng(1), 6), np.random.default_rng(2), 5), PAIR):
        posterior = Posterior(counts, strength)
        ours, one_by_one = np.random.default_rng(3), np.random.default_rng(3)
        stacks = np.concatenate(list(posterior.stacks(ours, 40)))
        assert np.array_equal(stacks, [posterior.draw(one_by_one).P for _ in range(40)])
        assert ours.random() == one_by_one.random()


@pytest.mark.parametrize("notion", ["copeland", "condorcet", "borda"])
def test_the_best_arms_of_a_stack_are_those_of_each(notion):
    P = np.stack([unrelated(np.random.default_rng(seed), 5) for seed in range(30)])
    assert np.array_equal(best_arms(P, notion), [best_arms(each, notion) for each in P])


def test_bradley_terry_alone_gives_matrices_of_strengths():
    P = Posterior(voted(unrelated(np.random.default_rng(1), 5), np.random.default_rng(2), 9), math.inf)
    odds = np.log(1 / P.draw(np.random.default_rng(3)).P - 1)
    assert odds[0, 1] + odds[1, 2] == pytest.approx(odds[0, 2])


def test_the_strength_is_learned():
    rng = np.random.default_rng(4)
    cyclic, straight = (Posterior(voted(world(rng, 12), rng, 200)) for world in (unrelated, bradley_terry))

    def strength(posterior):
        weight = np.diff(posterior._grid.cumulative, prepend=0)
        return math.exp(sum(w * math.log(each) for w, each in zip(weight, posterior._grid.points.prior, strict=True)))

    assert strength(cyclic) < 5 and strength(straight) > 100


def test_chances_by_notion():
    names = tuple("abc")
    sure = np.array([[0, 900.0, 100], [100, 0, 900], [900, 100, 0]])  # a cycle
    posterior = Posterior(PairCounts(names, sure, np.zeros((3, 3))))
    chances = {notion: posterior.chances(np.random.default_rng(1), 100, notion) for notion in ("copeland", "condorcet")}
    assert chances["copeland"].tolist() == [1, 1, 1] and chances["condorcet"].tolist() == [0, 0, 0]
    assert posterior.chances(np.random.default_rng(1), 100, "borda").sum() == 1


def test_ties_are_half_a_win_and_the_counts_decide():
    tied = PairCounts(PAIR.names, PAIR.wins - 5 * (PAIR.wins > 0), np.array([[0.0, 10], [10, 0]]))
    draws = [Posterior(each).draw(np.random.default_rng(1)).P for each in (PAIR, tied)]
    assert (draws[0] == draws[1]).all()


@pytest.mark.parametrize("strength", [0.0, -1.0, math.nan])
def test_a_strength_is_above_zero(strength):
    with pytest.raises(ValueError, match="above 0"):
        Posterior(PAIR, strength)


def test_it_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Posterior(PAIR).strength = 3.0
