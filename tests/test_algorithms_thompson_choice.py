"""D-TS and D-TS+ at frozen counts: how often each duel is chosen, holds included, against what it should be.

While no informative duel is counted, the choices of successive rounds are independent with one distribution over the
ordered pairs. For D-TS that distribution is computed here from the definition, to many digits, so that deviations from
a self-duel that come once in 10⁹ rounds are still checked. For D-TS+ it is sampled from the literal transcription.
"""

import math
from itertools import combinations, product

import numpy as np
import pytest
from scipy import special, stats

from duelbench.algorithms.thompson.dts import Dts
from duelbench.algorithms.thompson.dts_plus import DtsPlus
from duelbench.algorithms.thompson.rounds import ROUND, look_ahead
from duelbench.algorithms.thompson.votes import vote_results
from duelbench.kernels.confidence import count_duels
from tests.comparison import crowd_choice


def core(state):
    """Return what D-TS and D-TS+ have in common."""
    return getattr(state, "dts", state)


def state_at(algorithm, w, t):
    """Return a state that has seen the counts ``w`` and is about to play round ``t``."""
    arms = len(w)
    whole = algorithm.start(arms, 1)
    state = core(whole)
    state.comparisons.clock[0].now = t
    for i, j in combinations(range(arms), 2):
        if w[i, j] + w[j, i] > 0:
            vote_results(state.votes, i, j, 0, 0, int(w[i, j]), int(w[j, i]))
            count_duels(state.comparisons, i, j, int(w[i, j]), int(w[i, j] + w[j, i]))
    return whole


def decided(w, t, alpha):
    """Return (K, K): +1 where i beats j with confidence, −1 where it loses, else 0."""
    n = np.maximum(w + w.T, 1)
    return np.where((w - w.T) ** 2 / (4 * n) <= alpha * math.log(t), 0, np.sign(w - w.T))


def best_of(w, first, rivals, prior):
    """Return the probability of each arm to be the argmax of θ², 1/2 for ``first``, by Gauss–Legendre quadrature."""
    a, b = w[rivals, first][:, None] + prior, w[first, rivals][:, None] + prior
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


def choice(w, t, alpha, prior=1.0):
    """Return (K, K): the probability that D-TS duels first against second in round ``t``."""
    K = len(w)
    sign = decided(w, t, alpha)
    losses = np.sum(sign < 0, axis=1)
    C = np.flatnonzero(losses == losses.min())
    pairs = list(combinations(range(K), 2))
    above = {(i, j): stats.beta.sf(0.5, w[i, j] + prior, w[j, i] + prior) for i in range(K) for j in range(K)}
    leads = np.zeros(K)
    for upper_wins in product((True, False), repeat=len(pairs)):
        votes = np.zeros(K)
        chance = 1.0
        for (i, j), win in zip(pairs, upper_wins, strict=True):
            votes[i if win else j] += 1
            chance *= above[(i, j) if win else (j, i)]
        leaders = C[votes[C] == votes[C].max()]
        leads[leaders] += chance / len(leaders)
    table = np.zeros((K, K))
    for first in np.flatnonzero(leads):
        rivals = [i for i in range(K) if i != first and sign[i, first] <= 0]
        table[first] = leads[first] * (best_of(w, first, rivals, prior) if rivals else np.arange(K) == first)
    return table


def tally(algorithm, w, t, calls, seed, longest=10**12, equal=False):
    """Return the rounds (K, K) that ``calls`` answers choose at frozen counts, asked for random numbers of rounds.

    With ``alike`` nobody tells self-duels apart.
    """
    policy, ask = np.random.default_rng([seed, 1]), np.random.default_rng([seed, 2])
    state = state_at(algorithm, w, t)
    algorithm.merge_equal_self_duels(state, np.full((len(w), len(w)), equal))
    rounds = np.zeros((len(w), len(w)), np.int64)
    # Checkpoints of every size, so that holds are cut, due rounds carried over and shared holds paid in parts.
    sizes = np.exp(ask.uniform(0, math.log(longest), calls)).astype(int)
    for size in sizes.tolist():
        first, second, count = algorithm.select(state, t, t + size - 1, policy)
        assert 1 <= count <= size
        assert count == 1 or first == second
        rounds[first, second] += count
    return rounds + np.diag(core(state).pending)


def fit(rounds, chance):
    """Return the p-value of a chi-square test that ``rounds`` come from ``chance``; rare cells are pooled."""
    expected = rounds.sum() * chance.ravel() / chance.sum()
    seen = rounds.ravel().astype(float)
    rare = expected < 10
    seen = np.append(seen[~rare], seen[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    if expected[-1] < 10:
        # Too few even together for chi-square: Poisson, or impossible.
        if seen[-1] > 0 and stats.poisson.sf(seen[-1] - 1, expected[-1]) < 1e-4:
            return 0.0
        seen, expected = seen[:-1], expected[:-1] * seen[:-1].sum() / expected[:-1].sum()
    return float(stats.chisquare(seen, expected).pvalue) if len(seen) > 1 else 1.0


def random_state(seed, K):
    """Counts of every kind (unseen to many, even to one-sided), a round, and α from eager to cautious."""
    rng = np.random.default_rng([seed, K])
    w = np.zeros((K, K), np.int64)
    for i, j in combinations(range(K), 2):
        n = int(rng.choice([0, 2, 8, 30, 100, 400], p=[0.02, 0.03, 0.15, 0.3, 0.3, 0.2]))
        w[i, j] = rng.binomial(n, rng.uniform(0.2, 0.8))
        w[j, i] = n - w[i, j]
    return w, int(rng.integers(2, 1000)), float(rng.choice([0.01, 0.05, 0.2, 0.51]))


# Seeds of ``random_state`` by what D-TS then makes of the state, K: seeds.
SEEDS = {
    "no hold": {2: (0,), 3: (1, 4, 7, 9), 4: (3, 6, 8, 10), 5: (3, 4, 6, 7), 6: (1, 2)},
    "one contender": {2: (2,), 3: (2, 6, 32, 44), 4: (2, 4, 5, 85, 11), 5: (0, 9, 26, 458), 6: (30,)},
    "one leader of several contenders": {2: (1,), 3: (8, 22, 642), 4: (7, 14, 384), 5: (1, 344), 6: (12, 101)},
    "all contenders lead": {
        3: (11, 80, 466, 147),
        4: (67, 366, 381, 36, 1214, 5436),
        5: (69, 446, 119, 757),
        6: (4387,),
    },
    "several leaders of more contenders": {4: (31, 1369, 2037, 1379, 1748), 5: (354, 1637, 1969), 6: (1588, 1416)},
}
STATES = [(kind, K, seed) for kind in SEEDS for K, seeds in SEEDS[kind].items() for seed in seeds]


def p_of(name, seed=7, calls=8_000, stretch=1.0, **mistaken):
    """Return the p-value of D-TS in a state of STATES, held against ``mistaken`` arguments of ``choice``."""
    _, K, number = name
    w, t, alpha = random_state(number, K)
    rounds = tally(Dts(alpha=alpha), w, t, calls, seed)
    np.fill_diagonal(rounds, np.diag(rounds) * stretch)
    return fit(rounds, choice(**{"w": w, "t": t, "alpha": alpha} | mistaken))


def named(name):
    return "{}, K={}, {}".format(*name)


def test_the_states_are_what_they_are_called():
    for kind, K, seed in STATES:
        w, t, alpha = random_state(seed, K)
        state = state_at(Dts(alpha=alpha), w, t)
        look_ahead(state)
        contenders, leaders = state.election.contenders[K], state.election.likely[K]
        assert (state.forecast[ROUND] < 1.0) == (kind != "no hold")
        assert {
            "no hold": True,
            "one contender": contenders == 1,
            "one leader of several contenders": 1 == leaders < contenders,
            "all contenders lead": 1 < leaders == contenders,
            "several leaders of more contenders": 1 < leaders < contenders,
        }[kind]


# At fixed seeds, so that 0.001 for each of 70 is no matter of luck.


@pytest.mark.parametrize("name", STATES, ids=named)
def test_dts_duels_as_often_as_defined(name):
    assert p_of(name) > 0.001


def p_of_plus(K, seed, equal=False):
    w, t, alpha = random_state(seed, K)
    replicas = 150_000
    policy = np.random.default_rng([seed, K])
    first, second = crowd_choice(np.broadcast_to(w, (replicas, K, K)), t, policy, alpha, True)
    literal = np.bincount(first * K + second, minlength=K * K).reshape(K, K)
    rounds = tally(DtsPlus(alpha=alpha), w, t, 20_000, seed, longest=1000, equal=equal)
    both = np.stack([(lumped(each) if equal else each).ravel() for each in (literal, rounds)])
    rare = both.sum(axis=0) * both.sum(axis=1).min() < 20 * both.sum()
    both = np.c_[both[:, ~rare], both[:, rare].sum(axis=1)]
    both = both[:, both.sum(axis=0) > 0]
    return stats.chi2_contingency(both, correction=False).pvalue if both.shape[1] > 1 else 1.0


PLUS_SEEDS = {3: (1, 2, 4, 8, 11, 18, 22, 80), 4: (2, 3, 7, 14, 27, 31, 34, 36, 67, 298), 5: (0, 1, 3, 69, 161, 757)}


@pytest.mark.parametrize(("K", "seed"), [(K, seed) for K in PLUS_SEEDS for seed in PLUS_SEEDS[K]])
def test_dts_plus_duels_as_often_as_its_transcription(K, seed):
    assert p_of_plus(K, seed) > 0.001


# Where nobody tells self-duels apart.


def is_common(algorithm, w, t):
    """Tell whether a hold leaves open which of several arms leads."""
    state = state_at(algorithm, w, t)
    algorithm.merge_equal_self_duels(state, np.full((len(w), len(w)), True))
    state = core(state)
    look_ahead(state)
    return state.forecast[ROUND] < 1.0 and state.election.likely[len(w)] > 1


COMMON = [name for name in STATES if name[0] in ("all contenders lead", "several leaders of more contenders")]


@pytest.mark.parametrize("name", STATES, ids=named)
def test_dts_duels_as_often_as_defined_when_self_duels_are_alike(name):
    w, t, alpha = random_state(name[2], name[1])
    rounds = tally(Dts(alpha=alpha), w, t, 8_000, 7, equal=True)
    assert fit(lumped(rounds), lumped(choice(w, t, alpha))) > 0.001


@pytest.mark.parametrize(("K", "seed"), [(K, seed) for K in PLUS_SEEDS for seed in PLUS_SEEDS[K]])
def test_dts_plus_duels_as_often_as_its_transcription_when_self_duels_are_alike(K, seed):
    assert p_of_plus(K, seed, equal=True) > 0.001


def test_common_holds_are_among_these_states():
    for algorithm, names, enough in (
        (Dts, COMMON, 15),
        (DtsPlus, [(None, K, seed) for K in PLUS_SEEDS for seed in PLUS_SEEDS[K]], 5),
    ):
        states = [random_state(seed, K) for _, K, seed in names]
        assert sum(is_common(algorithm(alpha=alpha), w, t) for w, t, alpha in states) >= enough


def test_an_arm_taken_for_disturbed_too_often_is_seen():
    # As if somewhat more of the rounds in which someone exceeds 1/2 against some arm were so against the first.
    seen = 0
    for _, K, number in COMMON:
        w, t, alpha = random_state(number, K)
        if not is_common(Dts(alpha=alpha), w, t):
            continue
        rounds = lumped(tally(Dts(alpha=alpha), w, t, 8_000, 7, equal=True)).astype(float)
        rounds[~np.eye(K, dtype=bool)] *= 1.25
        seen += fit(rounds, lumped(choice(w, t, alpha))) < 1e-3
    assert seen >= 12


# Quiet rounds that time ends: a decided pair turns undecided on the way.


def crossing(K, seed):
    """Return a state, the round at which a decided pair turns undecided, and the choices before and after."""
    w, t, alpha = random_state(seed, K)
    turn = int(state_at(Dts(alpha=alpha), w, t).comparisons.clock[0].expiry)
    return w, alpha, turn, choice(w, turn - 1, alpha), choice(w, turn, alpha)


def play_through(algorithm, w, start, stop, episodes, seed):
    """Return the rounds (stop - start, K, K) chosen at start … stop - 1 with frozen counts and real time."""
    policy, ask = np.random.default_rng([seed, 1]), np.random.default_rng([seed, 2])
    rounds = np.zeros((stop - start, len(w), len(w)), np.int64)
    for _ in range(episodes):
        state = state_at(algorithm, w, start)
        t = start
        while t < stop:
            last = min(stop - 1, t + int(ask.exponential(30)))
            while t <= last:
                first, second, count = algorithm.select(state, t, last, policy)
                rounds[t - start : t - start + count, first, second] += 1
                t += count
    return rounds


def lumped(table):
    """Return the table with all self-duels in one cell."""
    table = table.copy()
    total = np.trace(table)
    np.fill_diagonal(table, 0)
    table[0, 0] = total
    return table


CROSSINGS = [
    (3, 346),
    (3, 706),
    (4, 34),
    (4, 445),
    (4, 823),
    (4, 924),
    (5, 215),
    (5, 372),
    (5, 422),
    (5, 458),
    (5, 757),
]


@pytest.mark.parametrize(("K", "seed"), CROSSINGS)
def test_a_hold_ends_where_a_pair_turns_undecided(K, seed):
    w, alpha, turn, before, after = crossing(K, seed)
    rounds = play_through(Dts(alpha=alpha), w, turn - 60, turn + 60, 500, seed)
    assert fit(rounds[:60].sum(axis=0), before) > 0.001
    assert fit(rounds[60:].sum(axis=0), after) > 0.001
    # A common hold of several leaders is paid one leader after the other, so in a given round only their sum counts.
    assert fit(lumped(rounds[59]), lumped(before)) > 0.001
    assert fit(lumped(rounds[60]), lumped(after)) > 0.001
    # One round early or late would be seen.
    assert fit(lumped(rounds[60]), lumped(before)) < 1e-3
    assert fit(lumped(rounds[59]), lumped(after)) < 1e-3


# Small mistakes that must be seen.


SOME = STATES[::3]


def test_a_hold_that_is_too_long_is_seen():
    holding = [name for name in SOME if name[0] != "no hold"]
    assert sum(p_of(name, stretch=1.2) < 1e-3 for name in holding) > 0.6 * len(holding)


def test_a_larger_alpha_is_seen():
    seen = 0
    for name in STATES:
        w, t, alpha = random_state(name[2], name[1])
        if np.abs(choice(w, t, alpha) - choice(w, t, 1.2 * alpha)).max() > 0.02:
            assert p_of(name, alpha=1.2 * alpha) < 1e-3
            seen += 1
    assert seen >= 5


def test_the_prior_is_seen():
    # Beta(w, l) in place of Beta(w + 1, l + 1).
    seen = []
    for name in SOME:
        w, _, _ = random_state(name[2], name[1])
        if w[~np.eye(len(w), dtype=bool)].min() > 0:
            seen.append(p_of(name, prior=0.0) < 1e-3)
    assert len(seen) >= 8
    assert sum(seen) >= 5


def test_swapped_wins_are_seen():
    for name in SOME:
        w, _, _ = random_state(name[2], name[1])
        assert np.abs(w - w.T).max() < 5 or p_of(name, w=w.T) < 1e-3


def test_plain_dts_is_seen_to_be_another_algorithm_than_dts_plus():
    seen = 0
    for K in PLUS_SEEDS:
        for seed in PLUS_SEEDS[K]:
            w, t, alpha = random_state(seed, K)
            seen += fit(tally(DtsPlus(alpha=alpha), w, t, 20_000, seed, longest=1000), choice(w, t, alpha)) < 1e-3
    assert seen >= 5


def test_a_wrong_share_of_a_common_hold_is_seen():
    # Leaders that are disturbed unequally get unequal shares of the quiet rounds; equal shares would be wrong.
    seen = 0
    for name in STATES:
        _, K, number = name
        w, t, alpha = random_state(number, K)
        state = state_at(Dts(alpha=alpha), w, t)
        look_ahead(state)
        leaders = state.election.likely[: state.election.likely[K]]
        if state.forecast[ROUND] == 1.0 or len(leaders) == 1:
            continue
        rounds = tally(Dts(alpha=alpha), w, t, 8_000, 7)
        rounds[leaders, leaders] = rounds[leaders, leaders].mean()
        seen += fit(rounds, choice(w, t, alpha)) < 1e-3
    assert seen >= 8
