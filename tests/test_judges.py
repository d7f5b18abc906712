"""Judges who differ: discrimination, order effects, tie habits, and held-out likelihood."""

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.optimize import minimize
from scipy.stats import kendalltau

from duelbench.preferences.scores import curvature, fit
from duelbench.votes.fragility import bradley_terry_fragility, judged_fragility
from duelbench.votes.judge_model import JudgePriors, estimated_priors, fit_judges
from duelbench.votes.judge_tests import held_out
from duelbench.votes.vote_table import VoteTable
from tests.vote_files import rankings, rows_of

ALIKE = JudgePriors(0.0, 0.0, 0.0)
FLAT = 1e-6
"""So few ghosts that the fit is the maximum of the likelihood."""


def table(K, votes, judges=1):
    """Return a table of rows (judge, first, second, outcome, weight); judge −1 is unknown."""
    judge, first, second, outcome, weight = map(np.array, zip(*votes, strict=True))
    names = tuple(f"arm {i}" for i in range(K))
    known = tuple(f"judge {k}" for k in range(judges))
    return VoteTable(names, first, second, outcome, weight.astype(float), judge, np.arange(len(first)), known)


COLUMNS = ("first", "second", "outcome", "weight", "judge", "group")


def selected(votes, rows):
    """Return these rows of a table."""
    return replace(votes, **{column: getattr(votes, column)[rows] for column in COLUMNS})


def simulated(rng, g, theta, votes, delta=None, tie=0.0):
    """Return votes on random pairs in random order by judges with these θ, δ and odds of a tie of equal arms."""
    K, n, judge = len(g), len(theta) * votes, np.repeat(np.arange(len(theta)), votes)
    first = rng.integers(K, size=n)
    second = (first + rng.integers(1, K, size=n)) % K
    x = np.asarray(theta)[judge] * (g[first] - g[second]) + (0.0 if delta is None else np.asarray(delta)[judge])
    odds = np.stack([np.exp(x / 2), np.broadcast_to(tie, len(theta))[judge], np.exp(-x / 2)])
    below = np.cumsum(odds / odds.sum(axis=0), axis=0)[:2] < rng.random(n)
    outcome = 1 - below.sum(axis=0)
    return table(K, zip(judge, first, second, outcome, np.ones(n), strict=True), len(theta))


# The fit


def small():
    """Return 300 votes of four judges and unknown ones on four arms, with ties and an order effect."""
    rng = np.random.default_rng(0)
    votes = simulated(rng, np.array([0.8, 0.3, -0.3, -0.8]), [1.5, 1.0, 0.6, 0.4, 1.0], 60, [0, 0.8, 0, 0.3, 0], 0.6)
    return replace(votes, judge=np.where(votes.judge == 4, -1, votes.judge), judges=votes.judges[:4])


def log_chances_of(parameters, k, i, j):
    """Return the log-probabilities that arm i of four wins against arm j, ties and loses with judge k of four."""
    theta, d, u = parameters[6 + 3 * k : 9 + 3 * k] if k >= 0 else (1.0, 0.0, 0.0)
    x = theta * (parameters[i] - parameters[j]) + parameters[4] + d
    log_odds = np.array([x / 2, parameters[5] + u, -x / 2])
    return log_odds - math.log(sum(map(math.exp, log_odds)))


def log_posterior(parameters, votes, priors, ghosts):
    """Return the log-posterior by the formulas, vote by vote."""
    g, (delta, mu), own = parameters[:4], parameters[4:6], parameters[6:].reshape(4, 3)
    total = -ghosts * sum(math.log(2 + math.exp(s) + math.exp(-s)) for s in g) - (delta**2 + mu**2) / 2e4
    for k, i, j, y in zip(votes.judge, votes.first, votes.second, votes.outcome, strict=True):
        total += log_chances_of(parameters, k, i, j)[1 - y]
    mean = np.array([1.0, 0.0, 0.0])
    return total - (((own - mean) / np.array(priors)) ** 2).sum() / 2


def test_mode():
    """Among points with mean θ = 1, none near the fit or from another optimiser has a higher posterior."""
    votes, priors = small(), JudgePriors()
    fitted = fit_judges(votes)
    own = np.stack(
        [fitted.discrimination.value, fitted.order_effect.value - fitted.order.value, fitted.tie_habit.value], axis=1
    )
    here = np.concatenate([fitted.strength, [fitted.order.value, fitted.log_ties.value], own.ravel()])
    constraint = {"type": "eq", "fun": lambda p: p[6:].reshape(4, 3)[:, 0].mean() - 1}
    start = np.concatenate([np.zeros(6), np.tile([1.0, 0.0, 0.0], 4)])
    found = minimize(
        lambda p: -log_posterior(p, votes, priors, 1.0),
        start,
        method="SLSQP",
        constraints=constraint,
        options={"ftol": 1e-12},
    )
    assert here == pytest.approx(found.x, abs=2e-4)
    assert log_posterior(here, votes, priors, 1.0) >= -found.fun - 1e-9
    assert own[:, 0].mean() == pytest.approx(1.0, abs=1e-9)
    assert fitted.log_likelihood == pytest.approx(log_posterior(here, votes, (math.inf,) * 3, 0.0), abs=1e-3)
    chosen = fitted.log_chances(votes)[np.arange(len(votes)), 1 - votes.outcome]
    assert chosen.sum() == pytest.approx(fitted.log_likelihood)
    assert fitted.votes.tolist() == [60] * 4


def test_errors_by_expected_information():
    """Gradients are finite differences; the mean θ stays at 1."""
    votes, priors, h = small(), JudgePriors(), 1e-5
    fitted = fit_judges(votes)
    own = [fitted.discrimination.value, fitted.order_effect.value - fitted.order.value, fitted.tie_habit.value]
    mode = np.concatenate([fitted.strength, [fitted.order.value, fitted.log_ties.value], np.transpose(own).ravel()])
    information = np.diag([*(1 / np.cosh(fitted.strength / 2) ** 2 / 2), 1e-4, 1e-4, *np.tile(priors, 4) ** -2.0])
    for row in zip(votes.judge, votes.first, votes.second, strict=True):
        chances = np.exp(log_chances_of(mode, *row))
        steps = h * np.eye(len(mode))
        gradient = [(log_chances_of(mode + each, *row) - log_chances_of(mode - each, *row)) / (2 * h) for each in steps]
        information += np.transpose(chances) * gradient @ np.transpose(gradient)
    free = null_space([[0.0] * 6 + [1.0, 0.0, 0.0] * 4])
    covariance = free @ np.linalg.inv(free.T @ information @ free) @ free.T
    theta, delta, u = covariance[6:, 6:].diagonal().reshape(4, 3).T
    assert fitted.covariance == pytest.approx(covariance[:4, :4], rel=1e-5)
    assert fitted.discrimination.error == pytest.approx(np.sqrt(theta), rel=1e-5)
    assert fitted.order_effect.error == pytest.approx(np.sqrt(covariance[4, 4] + 2 * covariance[4, 7::3] + delta))
    assert fitted.tie_habit.error == pytest.approx(np.sqrt(u), rel=1e-5)


def test_weights_are_votes():
    votes = small()
    doubled = replace(votes, weight=np.full(len(votes), 2.0))
    twice = selected(votes, np.tile(np.arange(len(votes)), 2))
    one, other = fit_judges(doubled), fit_judges(twice)
    assert one.strength == pytest.approx(other.strength) and one.gain == pytest.approx(other.gain)
    assert one.covariance == pytest.approx(other.covariance)


def test_alike_without_ties_is_bradley_terry():
    votes = small()
    votes = replace(
        votes, weight=np.where(votes.outcome == 0, 0.0, 1.0), outcome=np.where(votes.outcome == 0, 1, votes.outcome)
    )
    fitted, counts = fit_judges(votes, JudgePriors(0.0, None, 0.0)), votes.counts()
    assert fitted.strength == pytest.approx(fit(counts), abs=1e-8) and fitted.gain == 0.0
    assert fitted.covariance == pytest.approx(np.linalg.inv(curvature(fit(counts), counts.votes)))
    assert fitted.log_ties.value == -100.0 and fitted.order.value == fitted.order.error == 0.0


def test_one_judge_is_average():
    """With one judge the constraint means θ = 1 for all priors, and δ and δ₁ are indistinguishable."""
    votes = small()
    votes = replace(votes, judge=np.zeros(len(votes), int), judges=("only",))
    fitted = fit_judges(votes)
    assert fitted.discrimination.value == pytest.approx([1.0]) and fitted.discrimination.error == pytest.approx(
        [0.0], abs=1e-6
    )
    assert fitted.gain == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("outcome", [[], [1, 1, 1], [0, 0, 0], [1, -1, 0]])
def test_few_votes_have_finite_fits(outcome):
    """Without a prior, none of these votes has a fit. Judges without votes have the prior."""
    votes = selected(table(3, [(0, 0, 1, y, 1) for y in [*outcome, 1]], judges=2), slice(len(outcome)))
    fitted = fit_judges(votes)
    for values in (fitted.strength, fitted.covariance, *fitted.discrimination, *fitted.order_effect, *fitted.tie_habit):
        assert np.isfinite(values).all()
    assert (fitted.discrimination.value[1], fitted.discrimination.error[1]) == pytest.approx((1.0, 0.3))
    assert fitted.opposed == ()


@pytest.mark.parametrize(
    ("priors", "ghosts"),
    [((-0.1, 0.3, 0.5), 1.0), ((0.3, math.nan, 0.5), 1.0), ((0.3, None, math.inf), 1.0), ((0, 0, 0), 0.0)],
)
def test_mistaken_priors(priors, ghosts):
    with pytest.raises(ValueError, match="not"):
        fit_judges(small(), JudgePriors(*priors), ghosts)


# Planted judges


G = np.linspace(1, -1, 8)


def worlds(theta, number, votes=60, **more) -> Iterator[VoteTable]:
    rng = np.random.default_rng(0)
    for _ in range(number):
        yield simulated(rng, G, theta, votes, **more)


def test_opposed_judges_are_found():
    """12 good judges, 6 poor ones, 6 opposed, as in the Crowd-BT paper. Strengths are far better with θ."""
    theta = np.repeat([1.5, 0.3, -1.0], [12, 6, 6])
    rows = []
    for votes in worlds(theta, 12):
        fitted = fit_judges(votes, JudgePriors(1.0, None, 0.0))
        assert fitted.opposed == tuple(f"judge {k}" for k in np.flatnonzero(fitted.discrimination.value < 0))
        wrong = fitted.discrimination.value < 0
        assert wrong[18:].all() and not wrong[:12].any()
        rows.append(
            [kendalltau(fit(votes.counts()), G)[0], kendalltau(fitted.strength, G)[0], fitted.strength.argmax() == 0]
        )
    alike, judges, best = np.mean(rows, axis=0)
    assert alike < 0.93 and judges > 0.97 and best >= 11 / 12


def test_estimated_priors_recover_deviations():
    """Also for judges with so few votes that their shrunken estimates differ by half as much."""
    rng = np.random.default_rng(2)
    theta, delta, u = 1 + 0.5 * rng.standard_normal(60), 0.4 * rng.standard_normal(60), 0.6 * rng.standard_normal(60)
    (votes,) = worlds(theta - theta.mean() + 1, 1, votes=40, delta=delta, tie=0.6 * np.exp(u))
    found = estimated_priors(votes)
    assert found == pytest.approx((theta.std(), delta.std(), u.std()), abs=0.12)
    assert estimated_priors(replace(votes, judges=(*votes.judges, "silent"))) == pytest.approx(found)


# Held-out votes


def test_held_out():
    (equal,) = worlds(np.ones(12), 1)
    (mixed,) = worlds(np.repeat([1.6, 0.0], [6, 6]), 1, votes=200)
    assert not held_out(equal).supported and held_out(mixed, JudgePriors(0.5, 0.0, 0.0)).supported
    with pytest.raises(ValueError, match="at least as many groups of votes, not 720"):
        held_out(replace(equal, group=np.arange(len(equal)) % 720), folds=1441)
    with pytest.raises(ValueError, match="1 folds"):
        held_out(equal, folds=1)


def test_held_out_by_hand():
    """Equal weights, two groups, two folds: each group predicts the other."""
    votes = replace(small(), group=np.arange(300) % 2)
    halves = [selected(votes, slice(half, None, 2)) for half in (0, 1)]
    loss = {ALIKE: np.zeros(2), JudgePriors(): np.zeros(2)}
    for priors, half in itertools.product(loss, (0, 1)):
        chances = fit_judges(halves[1 - half], priors).log_chances(halves[half])
        loss[priors][half] = -chances[np.arange(150), 1 - halves[half].outcome].sum()
    found, gain = held_out(votes, folds=2), loss[ALIKE] - loss[JudgePriors()]
    assert (found.alike * 300, found.judges * 300) == pytest.approx((loss[ALIKE].sum(), loss[JudgePriors()].sum()))
    assert found.error * 300 == pytest.approx(abs(gain[0] - gain[1]) / math.sqrt(2))


# Published data


@cache
def wmt13(decisive):
    """Return the WMT 2013 French–English votes: the pairs of each ranking of five, the left one first."""
    votes = rankings("wmt13_fr_en.csv.gz")
    return selected(votes, votes.outcome != 0) if decisive else votes


def test_wmt13_order_effect():
    fitted = fit_judges(wmt13(True), ALIKE, FLAT)
    assert fitted.order.value == pytest.approx(-0.005, abs=5e-4)
    assert fitted.order.error == pytest.approx(0.007, abs=5e-4)
    assert fitted.log_likelihood == pytest.approx(-53257.4, abs=0.3)
    ties = fit_judges(wmt13(False), JudgePriors(0.0, None, 0.0), FLAT)
    assert -ties.log_likelihood / 99_960 == pytest.approx(1.021482, abs=5e-7)
    assert math.exp(ties.log_ties.value) == pytest.approx(0.49325, abs=1e-5)


def test_wmt13_gain():
    """The numbers are from a fit with a free mean θ, c: the fit with mean 1 and standard deviation 0.3 / c.

    Such a fit has c = 1 / (1 + the variance of θ / c), where the penalty on c θ has its minimum along c.
    """
    c = 1.0
    for _ in range(6):
        fitted = fit_judges(wmt13(True), JudgePriors(0.3 / c, None, 0.0), FLAT)
        c = 1.0 / (1.0 + fitted.discrimination.value.var())
    assert fitted.gain == pytest.approx(343, abs=0.6)
    assert (np.argsort(fitted.strength) == np.argsort(fit(wmt13(True).counts()))).all()
    theta, researcher = c * fitted.discrimination.value, np.array(["res" in name for name in fitted.judges])
    means = [np.average(theta[kind], weights=fitted.votes[kind]) for kind in (researcher, ~researcher)]
    assert means == pytest.approx([0.85, 0.81], abs=0.005)


def test_wmt13_held_out():
    """The numbers are from other folds and a fit with free mean θ, which predicts slightly worse."""
    found = held_out(wmt13(True), JudgePriors(0.3, None, 0.0))
    assert found.alike == pytest.approx(0.65997, abs=1e-4) and found.judges == pytest.approx(0.65920, abs=2e-4)
    assert found.supported


@pytest.mark.parametrize(
    ("season", "without", "with_order", "delta", "nu"),
    [("2012-13", 365.8701, 357.0852, 0.5956, 1.0212), ("2008-9", 359.1372, 349.6637, 0.6125, 0.8905)],
)
def test_football(season, without, with_order, delta, nu):
    """The home team is shown first. The ν of Davidson and Beaver is that of this model times exp(δ / 2)."""
    games = [row for row in rows_of("football.csv.gz") if row["season"] == season]
    rows = [(row["home"], row["away"], row["result"]) for row in games]
    teams = sorted({home for home, *_ in rows})
    outcome = {"home": 1, "tie": 0, "away": -1}
    votes = table(20, [(-1, teams.index(h), teams.index(a), outcome[result], 1) for h, a, result in rows])
    fitted = fit_judges(votes, ALIKE, FLAT)
    assert -fit_judges(votes, JudgePriors(0.0, None, 0.0), FLAT).log_likelihood == pytest.approx(without, abs=1e-4)
    assert -fitted.log_likelihood == pytest.approx(with_order, abs=1e-4)
    assert fitted.order.value == pytest.approx(delta, abs=6e-5)
    assert math.exp(fitted.log_ties.value) == pytest.approx(nu, abs=6e-5)
    if season == "2012-13":
        assert math.exp(fitted.log_ties.value + fitted.order.value / 2) == pytest.approx(1.3755, abs=1e-4)


# Fragility


@pytest.mark.parametrize("change", ["drop", "turn"])
def test_fragility(change):
    """With equal judges and no order effect it is that of Bradley–Terry; otherwise it follows the judges."""
    rng = np.random.default_rng(6)
    votes = simulated(rng, np.array([0.7, 0.4, 0.0, -0.6]), [1.0, 1.0], 150)
    plain = fit_judges(votes, JudgePriors(0.0, None, 0.0))
    found = judged_fragility(votes, plain, change, range(4))
    expected = bradley_terry_fragility(votes.counts(), change)
    assert (found.winner, found.rival, found.total) == (expected.winner, expected.rival, 300)
    assert expected.votes <= found.votes <= expected.votes + 1
    differ = simulated(rng, np.array([0.7, 0.4, 0.0, -0.6]), [1.8, 1.8, -1.0], 150, tie=0.3)
    fit_of_all = fit_judges(differ)
    found = judged_fragility(differ, fit_of_all, change, (0, 1, 2))
    assert found.winner == np.argmax(fit_of_all.strength) and 1 < found.votes < 60
    assert judged_fragility(differ, fit_of_all, change, (2,)) is None
