"""D-TS and D-TS+ at frozen counts: states, and the choice of duels by definition and in rounds.

While no informative duel is counted, the choices of successive rounds are independent with one distribution over the
ordered pairs. For D-TS that distribution is computed here from the definition, to many digits, so that deviations from
a self-duel that come once in 10⁹ rounds are still checked. For D-TS+ it is sampled from the reference implementation.
"""

import math
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from scipy import special, stats

from duelbench.algorithms.thompson.dts import Dts, look_ahead
from duelbench.kernels.blocks import WHOLE
from duelbench.kernels.confidence import count_duels
from duelbench.kernels.posteriors import add_results
from tests.comparison import crowd_choice


def core(state):
    """Return the state that D-TS and D-TS+ share."""
    return getattr(state, "dts", state)


def state_at(algorithm, w, t):
    """Return a state that has seen the counts ``w`` and is about to play round ``t``."""
    arms = len(w)
    whole = algorithm.start(arms, 1)
    state = core(whole)
    state.comparisons.clock[0].now = t
    for i, j in combinations(range(arms), 2):
        if w[i, j] + w[j, i] > 0:
            add_results(state.posteriors, i, j, 0, 0, int(w[i, j]), int(w[j, i]))
            count_duels(state.comparisons, i, j, int(w[i, j]), int(w[i, j] + w[j, i]))
    return whole


def decided(w, t, alpha):
    """Return (K, K): +1 where i beats j with confidence, −1 where it loses, else 0."""
    n = np.maximum(w + w.T, 1)
    return np.where((w - w.T) ** 2 / (4 * n) <= alpha * math.log(t), 0, np.sign(w - w.T))


def best_of(w, first, rivals):
    """Return the probability that each arm is the argmax of θ², 1/2 for ``first``, by Gauss–Legendre quadrature."""
    a, b = w[rivals, first][:, None] + 1, w[first, rivals][:, None] + 1
    nodes, weights = np.polynomial.legendre.leggauss(30)
    edges = np.concatenate([[0.0], 2.0 ** np.arange(-16, 1)])
    width = np.diff(edges)[:, None] / 4
    x = (0.5 + edges[:-1, None] / 2 + width * (1 + nodes)).ravel()
    below = special.betainc(a, b, x)
    density = stats.beta.pdf(x, a, b)
    chance = np.zeros(len(w))
    for k, rival in enumerate(rivals):
        others = np.prod(np.delete(below, k, axis=0), axis=0)
        chance[rival] = np.sum((width * weights).ravel() * density[k] * others)
    chance[first] = np.prod(special.betainc(a, b, 0.5))
    # The maximum is somewhere: a check of the quadrature.
    assert chance.sum() == pytest.approx(1.0, abs=1e-9)
    return chance


def choice(w, t, alpha):
    """Return (K, K): the probability that D-TS duels first against second in round ``t``."""
    K = len(w)
    sign = decided(w, t, alpha)
    losses = np.sum(sign < 0, axis=1)
    C = np.flatnonzero(losses == losses.min())
    pairs = list(combinations(range(K), 2))
    above = {(i, j): stats.beta.sf(0.5, w[i, j] + 1, w[j, i] + 1) for i in range(K) for j in range(K)}
    # All outcomes of the votes at once.
    posteriors, chance = np.zeros((2 ** len(pairs), K), int), np.ones(2 ** len(pairs))
    for k, (i, j) in enumerate(pairs):
        win = np.arange(2 ** len(pairs)) >> k & 1
        posteriors[:, i] += win
        posteriors[:, j] += 1 - win
        chance *= np.where(win, above[i, j], above[j, i])
    leaders = posteriors[:, C] == posteriors[:, C].max(axis=1, keepdims=True)
    leads = np.zeros(K)
    leads[C] = (chance / leaders.sum(axis=1)) @ leaders
    table = np.zeros((K, K))
    for first in np.flatnonzero(leads):
        rivals = [i for i in range(K) if i != first and sign[i, first] <= 0]
        table[first] = leads[first] * (best_of(w, first, rivals) if rivals else np.arange(K) == first)
    return table


def tally(algorithm, w, t, calls, seed, longest=10**12, equal=False, state=None):
    """Return the rounds (K, K) that ``calls`` answers choose at frozen counts, asked for random numbers of rounds.

    With ``equal``, self-duels are not distinguished. Pass the ``state`` of ``state_at`` to use it afterwards.
    """
    policy, ask = np.random.default_rng([seed, 1]), np.random.default_rng([seed, 2])
    state = state_at(algorithm, w, t) if state is None else state
    algorithm.merge_equal_self_duels(state, np.full((len(w), len(w)), equal))
    rounds = np.zeros((len(w), len(w)), np.int64)
    # Intervals of all sizes, so that some holds are cut and due rounds are carried over.
    sizes = np.exp(ask.uniform(0, math.log(longest), calls)).astype(int)
    for size in sizes.tolist():
        answer = algorithm.select(state, t, t + size - 1, policy)
        assert 1 <= answer[2] <= size
        assert answer[2] == 1 or answer[0] == answer[1]
        for first, second, count in duels_of(algorithm, state, answer):
            rounds[first, second] += count
    return rounds


def duels_of(algorithm, state, answer):
    """Return the duels of an answer: those of each arm, if several share a hold."""
    shares = algorithm.hold_shares(state)
    if shares is None or not shares[WHOLE].any():
        return [answer]
    held = [(arm, arm, count) for arm, count in enumerate(shares[WHOLE].tolist()) if count]
    assert sum(count for _, _, count in held) == answer[2]
    shares[WHOLE] = 0
    return held


def fit(rounds, chance):
    """Return the p-value of a chi-square test that ``rounds`` come from ``chance``; rare cells are pooled."""
    expected = rounds.sum() * chance.ravel() / chance.sum()
    seen = rounds.ravel().astype(float)
    rare = expected < 10
    seen = np.append(seen[~rare], seen[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    if expected[-1] < 10:
        # Too few for chi-square even if pooled: Poisson, or impossible.
        if seen[-1] > 0 and stats.poisson.sf(seen[-1] - 1, expected[-1]) < 1e-4:
            return 0.0
        seen, expected = seen[:-1], expected[:-1] * seen[:-1].sum() / expected[:-1].sum()
    return float(stats.chisquare(seen, expected).pvalue) if len(seen) > 1 else 1.0


def random_state(seed, K):
    """Random counts (from none to many, from even to one-sided), a round, and an α."""
    rng = np.random.default_rng([seed, K])
    w = np.zeros((K, K), np.int64)
    for i, j in combinations(range(K), 2):
        n = int(rng.choice([0, 2, 8, 30, 100, 400], p=[0.02, 0.03, 0.15, 0.3, 0.3, 0.2]))
        w[i, j] = rng.binomial(n, rng.uniform(0.2, 0.8))
        w[j, i] = n - w[i, j]
    return w, int(rng.integers(2, 1000)), float(rng.choice([0.01, 0.05, 0.2, 0.51]))


def lumped(table):
    """Return the table with all self-duels in one cell."""
    table = table.copy()
    total = np.trace(table)
    np.fill_diagonal(table, 0)
    table[0, 0] = total
    return table


def crowd_table(w, t, alpha, replicas):
    """Return the (K, K) duels of ``replicas`` independent rounds of the reference implementation of D-TS+."""
    K, crowd = len(w), 5_000  # arrays fit into the processor's cache
    policy = np.random.default_rng([t, K, 2])
    total = np.zeros(K * K, np.int64)
    for _ in range(replicas // crowd):
        first, second = crowd_choice(np.broadcast_to(w, (crowd, K, K)), t, policy, alpha, True)
        total += np.bincount(first * K + second, minlength=K * K)
    return total.reshape(K, K)


def p_of_same(one, other):
    """Return the p-value that two tables of counts have the same distribution; rare kinds are pooled."""
    both = np.stack([np.ravel(one), np.ravel(other)])
    rare = both.sum(axis=0) * both.sum(axis=1).min() < 20 * both.sum()
    both = np.c_[both[:, ~rare], both[:, rare].sum(axis=1)]
    both = both[:, both.sum(axis=0) > 0]
    return stats.chi2_contingency(both, correction=False).pvalue if both.shape[1] > 1 else 1.0


# Seeds of ``random_state`` by the state that D-TS then reaches; K: seeds.
SEEDS = {
    "no hold": {2: (0,), 3: (1, 4, 7, 9), 4: (3, 6, 8, 10), 5: (3, 4, 6, 7), 6: (1, 2)},
    "one contender": {2: (2,), 3: (2, 6, 32, 44), 4: (2, 4, 5, 85, 11), 5: (0, 9, 26, 458), 6: (30,)},
    "one leader of several contenders": {2: (1,), 3: (8, 22, 642), 4: (7, 14, 384), 5: (1, 344), 6: (12, 101)},
    "all contenders lead": {3: (11, 80, 466, 147), 4: (67, 366, 381, 36, 1214, 5436), 5: (69, 446, 119), 6: (4387,)},
    "several leaders of more contenders": {4: (31, 1369, 2037, 1379, 1748), 5: (354, 1637, 1969), 6: (1588, 1416)},
}
STATES = [(kind, K, seed) for kind in SEEDS for K, seeds in SEEDS[kind].items() for seed in seeds]


@cache
def foreseen(name, equal=False):
    """Return the state of D-TS after it has looked ahead."""
    w, t, alpha = random_state(name[2], name[1])
    state = state_at(Dts(alpha=alpha), w, t)
    state.equal[:] = equal
    look_ahead(state)
    return state
