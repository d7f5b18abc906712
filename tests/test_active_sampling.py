"""Active sampling: the fit of the strengths, open questions, and recommendations."""

from itertools import combinations, pairwise

import numpy as np
import pytest

from duelbench.algorithms.active_sampling.arena_pairs import ArenaPairs
from duelbench.algorithms.active_sampling.bradley_terry import (
    difference_variance,
    fit_strengths,
    new_strength_posterior,
    order_doubt,
    refit_if_due,
)
from duelbench.algorithms.active_sampling.doubt import Doubt
from duelbench.algorithms.active_sampling.gap_variance import GapVariance, weigh
from duelbench.algorithms.catalogue import catalogue
from duelbench.preferences.samples import Samples
from duelbench.preferences.scores import curvature, most_likely

NAMES = ("doubt", "gap-variance")
LEARNING_FROM_ANY = (*NAMES, "arena-pairs", "asap", "crowd-bt", "hybrid-mst", "swiss")
interpreted = pytest.mark.usefixtures("interpreted")


def random_wins(arms, most, seed):
    """Return random numbers of wins; some pairs have no votes."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, most, (arms, arms)) * (rng.random((arms, arms)) < 0.6) * (1 - np.eye(arms, dtype=int))


def posterior_of(wins, ghosts=1.0, start=None):
    posterior = new_strength_posterior(len(wins))
    if start is not None:
        posterior.strength[:] = start
    fit_strengths(posterior, wins, ghosts)
    return posterior


# The fit

ONE_SIDED = np.array([[0, 100_000, 0], [0, 0, 40], [0, 0, 0]])


@interpreted
@pytest.mark.parametrize(
    ("wins", "ghosts"),
    [
        (np.zeros((2, 2), int), 1.0),
        (ONE_SIDED, 1.0),
        (random_wins(6, 30, 1), 0.01),
        (random_wins(12, 3, 2), 1.0),
        (random_wins(12, 3000, 3) / 2, 5.0),
    ],
)
def test_fit(wins, ghosts):
    """The mode agrees with ``preferences.scores`` from any starting point; the covariance is the inverse Hessian."""
    g = most_likely(wins, ghosts)
    C = np.linalg.inv(curvature(g, wins + wins.T, ghosts))
    for start in (None, g, np.linspace(-30, 30, len(wins)), g + 0.01):
        posterior = posterior_of(wins, ghosts, start)
        assert posterior.strength == pytest.approx(g, abs=1e-7)
        assert posterior.covariance == pytest.approx(C, rel=1e-6, abs=1e-9)


@interpreted
def test_doubt_is_that_of_draws():
    posterior = posterior_of(random_wins(5, 6, 4))
    g, C = posterior.strength, posterior.covariance
    drawn = np.random.default_rng(0).multivariate_normal(g, C, size=200_000)
    for i, j in combinations(range(5), 2):
        share = (drawn[:, i] > drawn[:, j]).mean()
        assert order_doubt(posterior, i, j) == order_doubt(posterior, j, i)
        assert order_doubt(posterior, i, j) == pytest.approx(min(share, 1 - share), abs=0.005)
        assert difference_variance(C, i, j) == pytest.approx(np.var(drawn[:, i] - drawn[:, j]), rel=0.02)


@interpreted
def test_reduction_is_that_of_draws():
    """The reduction agrees with ``Samples.gap_variance``, which uses draws of the strengths."""
    algorithm = GapVariance()
    state = algorithm.start(6, 1)
    state.strengths.wins[:] = random_wins(6, 9, 5)
    state.strengths.counted[0].votes = state.strengths.wins.sum()
    GapVariance.select(state, 1, 1, np.random.default_rng(0))
    posterior, none = posterior_of(state.strengths.wins), np.zeros((50_000, 6))
    drawn = np.random.default_rng(0).multivariate_normal(posterior.strength, posterior.covariance, size=len(none))
    worlds = Samples(tuple(range(6)), none, none, none, drawn, np.zeros((len(none), 2), np.uint8))
    assert state.reduction == pytest.approx(worlds.gap_variance()[np.triu_indices(6, 1)], rel=0.06)


# What is asked


@interpreted
def test_open_questions():
    """Open questions reduce the covariance like received votes, before and after a fit."""
    state, rng = GapVariance().start(5, 1), np.random.default_rng(1)
    for i, j in combinations(range(5), 2):
        GapVariance.update(state, i, j, 7, 10)

    def demand_expected():
        g, wins = state.strengths.posterior.strength, state.strengths.wins
        fit = most_likely(wins) if state.strengths.counted[0].fitted == state.strengths.counted[0].votes else g
        assert g == pytest.approx(fit, abs=1e-7)
        C = np.linalg.inv(curvature(g, wins + wins.T + state.open + state.open.T))
        assert state.strengths.posterior.covariance == pytest.approx(C, rel=1e-6)

    asked = [GapVariance.select(state, t, t, rng)[:2] for t in range(1, 41)]
    assert state.open.sum() == 40
    assert max(map(asked.count, asked)) <= 16  # if open questions were ignored, all 40 would be on one pair
    demand_expected()
    for first, second in asked[:20]:
        GapVariance.update(state, second, first, 0, 1)
    assert state.open.sum() == 20
    GapVariance.select(state, 41, 41, rng)
    assert state.strengths.counted[0].fitted == 120
    demand_expected()
    for first, second in asked:  # some of these answers belong to no open question
        GapVariance.update(state, first, second, 1, 1)
    assert state.open.sum() <= 1


@interpreted
def test_open_questions_do_not_change_weights():
    """M uses the covariance with the open questions, but weights without them."""
    state, rng = GapVariance().start(4, 1), np.random.default_rng(1)
    GapVariance.update(state, 0, 1, 8, 10)
    GapVariance.update(state, 2, 3, 3, 10)
    for t in range(1, 4):
        GapVariance.select(state, t, t, rng)
    assert {1, 2} <= set(state.open.flat)
    posterior, wins = posterior_of(state.strengths.wins), state.strengths.wins
    C = np.linalg.inv(curvature(posterior.strength, wins + wins.T + state.open + state.open.T))
    M = np.zeros((4, 4))
    for upper, lower in pairwise(np.argsort(-posterior.strength)):
        weight = order_doubt(posterior, upper, lower) / difference_variance(posterior.covariance, upper, lower)
        M += weight * np.outer(C[upper] - C[lower], C[upper] - C[lower])
    assert state.explained == pytest.approx(M, rel=1e-6, abs=1e-9)
    state.strengths.counted[0].fitted = -1
    assert refit_if_due(state.strengths)
    weigh(state)
    assert state.explained == pytest.approx(M, rel=1e-6, abs=1e-9)


@interpreted
def test_no_doubt_left():
    """If the order of each pair is certain in double precision, all pairs are still asked."""
    state, rng = Doubt().start(3, 1), np.random.default_rng(1)
    for i, j in combinations(range(3), 2):
        Doubt.update(state, i, j, 900_000, 1_000_000)
    asked = {Doubt.select(state, t, t, rng)[:2] for t in range(1, 50)}
    assert asked == set(combinations(range(3), 2))


@interpreted
def test_first_round_of_arena_pairs():
    """Arena-pairs first asks for the pairs without votes."""
    state, rng = ArenaPairs().start(4, 1), np.random.default_rng(1)
    ArenaPairs.update(state, 1, 0, 1, 1)
    ArenaPairs.update(state, 2, 3, 2, 5)
    asked = {ArenaPairs.select(state, t, t, rng)[:2] for t in range(1, 5)}
    assert asked == {(0, 2), (0, 3), (1, 2), (1, 3)}


@pytest.mark.parametrize(
    ("name", "parameters"), [("hybrid-mst", {}), ("asap", {}), ("asap", {"approximate": False}), ("crowd-bt", {})]
)
def test_gains_after_many_votes(name, parameters, request):
    """Gains are finite and positive, whatever the outcomes; the asked pairs include all arms."""
    if name != "crowd-bt":  # crowd-bt goes through all votes one by one
        request.getfixturevalue("interpreted")
    algorithm = catalogue()[name](**parameters)
    rng = np.random.default_rng(1)
    for wins in (ONE_SIDED, random_wins(3, 1_000_000, 7), random_wins(3, 100_000, 8)):
        state = algorithm.start(3, 1)
        for i, j in combinations(range(3), 2):
            algorithm.update(state, i, j, wins[i, j], wins[i, j] + wins[j, i])
        pairs = [algorithm.select(state, t, t, rng)[:2] for t in (1, 2)]
        gain = state.gain if name == "crowd-bt" else state.gains.gain
        assert all(0 < gain[i, j] < np.inf for i, j in combinations(range(3), 2)), wins
        assert name == "crowd-bt" or set(sum(pairs, ())) == {0, 1, 2}


@interpreted
@pytest.mark.parametrize("name", LEARNING_FROM_ANY)
def test_recommendation(name):
    """The first of the strongest arms is recommended, given all votes, including votes since the last fit."""
    algorithm = catalogue()[name]()
    state, rng = algorithm.start(3, 1), np.random.default_rng(1)
    assert algorithm.recommendation(state) is None
    algorithm.select(state, 1, 1, rng)
    algorithm.update(state, 2, 0, 5, 5)
    assert algorithm.recommendation(state) == 2
    algorithm.update(state, 1, 0, 5, 5)
    assert algorithm.recommendation(state) == 1
    algorithm.update(state, 0, 0, 0, 1)
    if "strengths" in state._fields:
        assert state.strengths.counted[0].votes == 10
    assert algorithm.recommendation(state) == 1
