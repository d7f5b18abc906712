"""D-TS+ with a separate rare co-leader, at frozen counts, and its envelopes for proposals."""

import math
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from scipy import special, stats

from duelbench.algorithms.thompson.dts_plus import (
    BINS,
    CASES,
    CELLS,
    OTHERS,
    PAIRS,
    RESOLUTION,
    DtsPlus,
    loss_of,
    mass_at,
    new_envelope,
    propose_gap,
    propose_regret,
    set_apart,
    set_envelope,
)
from duelbench.algorithms.thompson.election import find_contenders
from duelbench.compiling.jit import kernel
from duelbench.kernels.posteriors import mass_of
from tests.thompson import crowd_table, lumped, p_of_same, state_at, tally

# Envelopes of one side of a posterior: integrals above the chances, values distributed as the posterior.


COUNTS = [(60, 40), (400, 420), (0, 0), (5, 0), (0, 5), (80, 20), (400, 500), (3000, 2700), (10**6, 10**6 - 2000)]


def envelope_of(won, lost, given=1.0):
    envelope = new_envelope(())
    set_envelope(envelope, won, lost, mass_of(won, lost), given)
    return envelope


@pytest.mark.parametrize(("won", "lost"), COUNTS)
def test_envelope_integrals(won, lost):
    envelope = envelope_of(won, lost)
    assert envelope.edge[[0, -1]].tolist() == [0.0, 0.5]
    assert (np.diff(envelope.edge) >= 0).all()
    chances = -np.diff(stats.beta.sf(0.5 + envelope.edge, won + 1, lost + 1))
    assert (envelope.mass > chances * (1 - 1e-9) - 1e-15).all()
    assert envelope.mass.sum() < (1.2 if min(won, lost) < 10 else 1.02) * chances.sum()
    assert envelope_of(won, lost, given=0.25).mass == pytest.approx(4 * envelope.mass)


@pytest.mark.parametrize(("won", "lost"), COUNTS)
def test_envelope_inverse_divergences(won, lost):
    envelope = envelope_of(won, lost)
    theta = 0.5 + envelope.edge
    divergence = special.xlogy(theta, 2 * theta) + special.xlogy(1 - theta, 2 * (1 - theta))
    far = envelope.edge > 1e-3
    assert envelope.inverse[far] == pytest.approx(1 / divergence[far], rel=1e-6)
    assert envelope.inverse[0] == np.inf
    assert (np.diff(envelope.inverse[1:]) <= 0).all()


@kernel
def propose_gaps(envelope, cells, won, lost, gaps, rng):
    for k in range(len(cells)):
        gaps[k] = propose_gap(envelope, cells[k], won, lost, rng)


@pytest.mark.parametrize(("won", "lost"), COUNTS)
def test_envelope_accepted_values(won, lost):
    """A Kolmogorov–Smirnov test of 40,000 values detects shifts of the distribution function by 1 %."""
    rng = np.random.default_rng([won, lost])
    envelope = envelope_of(won, lost)
    cells = rng.choice(CELLS, 40_000, p=envelope.mass / envelope.mass.sum())
    gaps = np.empty(len(cells))
    propose_gaps(envelope, cells, won, lost, gaps, rng)
    kept = ~np.isnan(gaps)
    assert (gaps[kept] >= envelope.edge[cells[kept]] - 1e-12).all()
    assert (gaps[kept] <= envelope.edge[cells[kept] + 1] + 1e-12).all()
    side = stats.beta.sf(0.5, won + 1, lost + 1)
    assert kept.mean() == pytest.approx(side / envelope.mass.sum(), abs=0.005)
    ranks = 1 - stats.beta.sf(0.5 + gaps[kept], won + 1, lost + 1) / side
    assert stats.kstest(ranks, "uniform").pvalue > 0.001


# D-TS+ with a separate rare co-leader, at frozen counts: duels as frequent as in the reference implementation.


def circle(seed, leaders, lowest):
    """Return counts of leaders that beat each other in a circle; two others surely lose to one of them.

    The first one or two leaders have pairs near 1/2, at least ``lowest`` standard deviations away, so that they
    rarely have the least estimated regret.
    """
    K = leaders + 2
    rng = np.random.default_rng([seed, K, 3])
    w = np.zeros((K, K), np.int64)
    uncertain = int(rng.integers(1, 3))
    size = int(rng.choice([100, 400, 1600]))
    master = rng.integers(0, leaders, K)
    for i, j in combinations(range(K), 2):
        n = int(size * rng.uniform(0.5, 2))
        if j < leaders:
            deviations = 7.0 if j - i <= leaders // 2 else -7.0
        elif i >= leaders:
            deviations = rng.normal()
        elif master[j] == i:
            deviations = 7.0
        else:
            deviations = rng.uniform(2, 4.5) if i >= uncertain else rng.uniform(lowest, 2.5)
        w[i, j] = round(n / 2 + deviations * math.sqrt(n) / 2)
        w[j, i] = n - w[i, j]
    return w, 10**7, 0.51


# Seed, leaders, and the least deviations of pairs near 1/2; the number of answers.
STATES = {
    "rare": ((4, 3, 0.0), 90_000),
    "hardly rare": ((28, 3, 0.0), 90_000),
    "rare, both cases alike": ((9, 3, 0.0), 60_000),
    "likely to lose to an other": ((34, 3, -1.5), 200_000),
}


names = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "hardly rare" else pytest.mark.slow) for name in STATES]
)


def counts_of(name):
    return circle(*STATES[name][0])


@cache
def played(name):
    """Return the state after many rounds without learning, and their (K, K) duels."""
    w, t, alpha = counts_of(name)
    algorithm = DtsPlus(alpha=alpha)
    state = state_at(algorithm, w, t)
    return state, tally(algorithm, w, t, STATES[name][1], 3, longest=3_000, equal=True, state=state)


@names
def test_beside_reference(name):
    of_reference = crowd_table(*counts_of(name), 400_000)
    assert p_of_same(lumped(of_reference), lumped(played(name)[1])) > 0.001


@names
def test_weights(name):
    """Q and λ by their definitions, from the envelopes; no value of a pair of cells is outside its bin."""
    state, _ = played(name)
    co, chance = state.co_leader, state.dts.posteriors.chance
    x, sure = co.order[OTHERS], co.order[OTHERS + 1 :]

    def mass(i):
        return np.outer(co.envelope.mass[i, 0], co.envelope.mass[i, 1]).ravel()

    def bins(case, i, edges):
        parts = [loss_of(co, case, o) * co.envelope.inverse[i, o, edges] for o in range(OTHERS)]
        return np.minimum(np.add.outer(*parts).ravel() * co.scale[0], BINS - 1).astype(int)

    cells = np.arange(CELLS)
    for case in range(CASES):
        weight = mass(x) * chance[co.order[1 - case], co.order[case]]
        for a in sure:
            reached = bins(case, a, cells)
            assert np.array_equal(co.bins[a, case], reached)
            assert [mass_at(co, a, p) for p in range(PAIRS)] == pytest.approx(mass(a))
            weight *= [mass(a)[reached >= n].sum() for n in bins(case, x, cells + 1)]
        assert np.array_equal(co.bins[x, case], bins(case, x, cells + 1))
        assert co.share[case] == pytest.approx(weight, rel=1e-9)
        assert co.rates[case] == pytest.approx(weight.sum())
    # The least R of a sure leader determines the width of bins, with θ at most some way from its mean.
    middling = [sum(loss_of(co, 0, o) * co.envelope.inverse[a, o, CELLS // 2] for o in range(OTHERS)) for a in sure]
    assert RESOLUTION / co.scale[0] == pytest.approx(min(middling))


@names
def test_losses(name):
    """ℓ of the others follows from a poll in which all sure votes go the likely way and x beats the others."""
    state, _ = played(name)
    co, election = state.co_leader, state.dts.election
    K = len(co.order)
    deciding = election.deciding[: election.lengths[0].deciding]
    chances = [state.dts.posteriors.chance[winner, loser] for winner, loser in deciding]
    assert state.dts.forecast[0].p_vote == pytest.approx(1 - np.prod(chances))
    for case in range(CASES):
        beats = np.zeros((K, K), bool)
        for winner, loser in deciding:
            assert state.dts.posteriors.chance[winner, loser] > 0.5
            beats[winner, loser] = True
        beats[co.order[OTHERS], co.order[:OTHERS]] = True
        beats[co.order[1 - case], co.order[case]] = True
        assert np.sum(beats | beats.T) == np.sum(beats) * 2 == K * (K - 1)
        wins = beats.sum(axis=1)
        assert (wins[co.order[OTHERS:]] == wins.max()).all()
        for o in range(OTHERS):
            assert loss_of(co, case, o) == (wins.max() - wins[co.order[o]]) / 2


def test_accepted_share():
    """The share of accepted proposals for a sure leader is the share of its posterior in the envelope."""
    state, _ = played("hardly rare")
    co, comparisons, rng = state.co_leader, state.dts.comparisons, np.random.default_rng(1)
    for a in co.order[OTHERS + 1 :]:
        mass = np.array([mass_at(co, a, p) for p in range(PAIRS)])
        places = rng.choice(PAIRS, 20_000, p=mass / mass.sum())
        regrets = np.array([propose_regret(co, comparisons, 0, a, p, rng) for p in places])
        accepted = ~np.isnan(regrets)
        assert np.isfinite(regrets[accepted]).all()
        # The masses of a sure leader are conditional on votes on their likely sides.
        assert accepted.mean() == pytest.approx(1 / mass.sum(), abs=4e-3)
        assert accepted.mean() < 0.99


@pytest.mark.parametrize("K", [2, 3, 4, 5, 6])
def test_no_circle_no_rare_co_leader(K):
    """In a total order no rare co-leader is set apart, although all arms are contenders."""
    w = np.triu(np.full((K, K), 60), 1) + np.tril(np.full((K, K), 40), -1)
    state = state_at(DtsPlus(alpha=0.51), w, 10**7)
    state.dts.equal[:] = True
    find_contenders(state.dts.election, state.dts.comparisons.losses)
    assert state.dts.election.lengths[0].contenders == K
    assert not set_apart(state, 1.0)
