"""D-TS among many arms: votes by the word, and rounds compared with few arms and with the definition."""

import math
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy import stats

from duelbench.algorithms.thompson import dts as module
from duelbench.algorithms.thompson.dts import Dts
from duelbench.algorithms.thompson.many_arms import MANY, propose_outsider
from duelbench.algorithms.thompson.words import (
    DIGITS,
    LANES,
    add_losses,
    forget_polled,
    losses_of,
    lowest,
    new_words,
    population,
    set_digits,
    won,
)
from duelbench.compiling.jit import kernel
from duelbench.conformance.rounds import streams
from duelbench.conformance.statistics import agreement, resolution
from duelbench.kernels.votes import new_votes
from tests.comparison import crowd_regret
from tests.thompson import STATES, choice, fit, p_of_same, random_state, state_at, tally
from tests.thompson_runs import MATRICES, ours, tables_of

# Votes by the word: the chance of each lane, independence, and counts of lost votes.


ARMS = 2 * LANES + 10
CHANCES = (0.5, 0.75, 0.25, 0.875, 0.3, 0.7001, 0.5 + 2.0**-11, 1 / 256, 1e-3, 1e-290, 1.0, 1 - 1e-9, 255.5 / 256)
DRAWS = 500_000


def words_of(chances):
    """Return the words and votes of arm 0, with chances against arms 1, 2, …; it has not met the others."""
    words, votes = new_words(ARMS), new_votes(ARMS)
    for j, chance in enumerate(chances, start=1):
        votes.chance[0, j] = chance
        set_digits(words, votes, 0, j)
    return words, votes


@kernel
def count_wins(words, votes, v, lanes, draws, rng, single, pairs):
    """Count how often arm 0 wins each lane of word v, and each pair of the first twenty lanes."""
    for _ in range(draws):
        wins = won(words, votes, 0, v, lanes, rng)
        for a in range(single.shape[0]):
            single[a] += wins >> a & 1
        for a in range(20):
            for b in range(a):
                pairs[a, b] += (wins >> a) & (wins >> b) & 1


def deviations(shares, expected):
    """Return the differences of shares of ``DRAWS`` from expected ones in standard errors."""
    return np.abs(shares - expected) / np.sqrt(np.maximum(expected * (1 - expected), 1 / DRAWS) / DRAWS)


def test_wins_of_lanes():
    words, votes = words_of(CHANCES)
    single, pairs = np.zeros(LANES, np.int64), np.zeros((20, 20), np.int64)
    count_wins(words, votes, 0, int(words.arms[0]) & ~1, DRAWS, np.random.default_rng(1), single, pairs)
    chances = np.array([0.0, *CHANCES, *[0.5] * (LANES - len(CHANCES) - 1)])
    assert deviations(single / DRAWS, chances).max() < 4.5
    assert single[1 + CHANCES.index(1.0)] == DRAWS
    assert single[1 + CHANCES.index(1e-290)] == 0
    both = np.outer(chances[:20], chances[:20])
    assert deviations(pairs / DRAWS, both)[np.tril_indices(20, -1)].max() < 4.5


def test_lanes_that_vote(interpreted):
    words, votes = words_of(CHANCES)
    rng = np.random.default_rng(2)
    for lanes in (0, 1 << 5, 0b1010, int(words.arms[1])):
        for v in (0, 1):
            for _ in range(50):
                assert won(words, votes, 0, v, lanes, rng) & ~lanes == 0


@pytest.mark.parametrize(("met", "draws"), [((), 1), ((0.75, 0.25, 0.5), 2)])
def test_variates_of_pairs_that_have_hardly_met(met, draws):
    words, votes = words_of(met)
    rng, other = np.random.default_rng(3), np.random.default_rng(3)
    won(words, votes, 0, 0, int(words.arms[0]), rng)
    other.random(draws)
    assert rng.random() == other.random()


def test_words_cover_the_arms():
    assert [population(int(lanes)) for lanes in new_words(ARMS).arms] == [LANES, LANES, 10]
    assert [population(int(lanes)) for lanes in new_words(2 * LANES).arms] == [LANES, LANES]
    assert len(new_words(0).arms) == 0


def test_population_and_lowest():
    rng = np.random.default_rng(4)
    for word in [1, 1 << 52, (1 << 53) - 1, *rng.integers(1, 1 << 53, 200).tolist()]:
        assert population(word) == bin(word).count("1")
        assert 1 << lowest(word) == word & -word
    assert population(0) == 0


def test_losses(interpreted):
    words, rng = new_words(ARMS), np.random.default_rng(5)
    for _ in range(2):
        lost = np.zeros((3, LANES), int)
        for _ in range(300):
            v = int(rng.integers(3))
            flags = rng.random(LANES) < rng.choice([0.02, 0.5, 1.0])
            add_losses(words, v, sum(1 << lane for lane in np.flatnonzero(flags).tolist()))
            lost[v] += flags
        assert [[losses_of(words, v, lane) for lane in range(LANES)] for v in range(3)] == lost.tolist()
        forget_polled(words)
    assert losses_of(words, 0, 0) == 0


def test_losses_to_all_others():
    for arms in (2, 3, 4, 7, 8, 9, 31, 33):
        words = new_words(arms)
        for _ in range(arms - 1):
            add_losses(words, 0, int(words.arms[0]))
        assert {losses_of(words, 0, lane) for lane in range(arms)} == {arms - 1}


def test_digits_of_a_changing_chance():
    words, votes = words_of([])
    for chance in (0.75, 0.3, 0.5, 1.0, 0.999, 0.25):
        votes.chance[0, 60] = chance
        set_digits(words, votes, 0, 60)
        v, lane = divmod(60, LANES)
        number = sum((int(words.digits[0, v, k]) >> lane & 1) << (DIGITS - 1 - k) for k in range(DIGITS))
        assert number == min(int(chance * 2**DIGITS), 2**DIGITS - 1)
        assert (words.longer[0, v] >> lane & 1) == (chance in (0.3, 1.0, 0.999))
        assert words.met[0, v] == 1 << lane
    elsewhere = words.digits.copy()
    elsewhere[0, v] &= ~(1 << lane)
    assert not elsewhere.any()


# D-TS among many arms, applied to few, for which the definition gives the choice of each duel.


ROUNDS = 10_000
FRONTS = {"polled all": 10**6, "one in front": -(10**6), "as it comes": None}
"""Assumed lost votes of the leaders in the last poll, which determine the front."""


@pytest.fixture
def _many(monkeypatch):
    monkeypatch.setattr(module, "MANY", 1)


def many_at(w, t, alpha, rate=None):
    """Return the state of D-TS among many arms at the counts ``w``, with another λ if ``rate`` is given."""
    state = Dts(alpha=alpha).start(len(w), 1)
    if rate is not None:
        state.many.weight[:] = math.cosh(rate / 2) ** (len(w) - 1)
        state = state._replace(many=state.many._replace(rate=rate, boost=math.exp(rate)))
    state.comparisons.clock[0].now = t
    for i, j in combinations(range(len(w)), 2):
        if w[i, j] + w[j, i] > 0:
            Dts.update(state, i, j, int(w[i, j]), int(w[i, j] + w[j, i]))
    return state


def table_of(state, front, rounds=ROUNDS, seed=1):
    """Return the counts of chosen duels at frozen counts, without holds."""
    table = np.zeros(state.votes.chance.shape, np.int64)
    policy = np.random.default_rng(seed)
    state.rest[0].left = 10**9  # until it looks ahead
    for _ in range(rounds):
        if FRONTS[front] is not None:
            state.many.latest[0].lost = FRONTS[front]
        first, second, _ = Dts.select(state, state.comparisons.clock[0].now, 10**6, policy)
        table[first, second] += 1
    return table


def one_sided(seed, K):
    """Counts with unmet and nearly decided pairs, and a few much better arms."""
    rng = np.random.default_rng([seed, K, 7])
    w = np.zeros((K, K), np.int64)
    for i in range(K):
        for j in range(i + 1, K):
            n = int(rng.choice([0, 1, 2, 5, 20, 90], p=[0.2, 0.2, 0.2, 0.2, 0.1, 0.1]))
            w[i, j] = rng.binomial(n, 0.75 if i < 2 else 0.5)
            w[j, i] = n - w[i, j]
    return w, int(rng.integers(2, 1000)), 0.51


def outsiders(seed, K):
    """Counts by which arm 0 mostly leads, 1 and 2 seldom, and the others never: they surely lose to it."""
    w = np.ones((K, K), np.int64)
    few, more = ((2, 4), (1, 3), (3, 5))[seed]
    w[1:3, 3:], w[3:, 1:3] = few, more
    w[0, 1:3], w[1:3, 0] = more, few
    w[0, 3:], w[3:, 0] = 20, 0
    return w, 50, 0.51


CASES = [(outsiders, 1, 5), (one_sided, 2, 5)]
MORE = [(outsiders, 0, 6), (one_sided, 0, 3), (one_sided, 1, 6), (random_state, 3, 5), (random_state, 354, 5)]
CASES += [pytest.param(case, marks=pytest.mark.slow) for case in MORE]


def named(case):
    return f"{case[0].__name__}, K={case[2]}, {case[1]}"


@pytest.mark.usefixtures("_many")
@pytest.mark.parametrize("rate", [None, 1.2])
@pytest.mark.parametrize("case", CASES, ids=named)
def test_duels_are_as_frequent_as_defined(case, rate):
    kind, seed, K = case
    w, t, alpha = kind(seed, K)
    defined = choice(w, t, alpha)
    for front in FRONTS:
        assert fit(table_of(many_at(w, t, alpha, rate), front), defined) > 0.0005


@pytest.mark.usefixtures("_many")
@pytest.mark.parametrize("name", STATES[3::6], ids=lambda name: "{}, K={}, {}".format(*name))
def test_holds_are_those_of_few_arms(name):
    w, t, alpha = random_state(name[2], name[1])
    assert fit(tally(Dts(alpha=alpha), w, t, 4_000, 9, state=many_at(w, t, alpha)), choice(w, t, alpha)) > 0.0005


# Several words of arms, compared with votes cast one by one.


def large(K, front, chance):
    """Counts of K arms, some of which have met; ``front`` arms win with this chance; the last surely loses."""
    rng = np.random.default_rng([K, front])
    ahead = np.arange(K)[:, None] < front
    shares = [[0.6, 0.2, 0.1, 0.1], [0.2, 0.3, 0.2, 0.3]]
    n = np.triu(np.where(ahead, *(rng.choice([0, 1, 3, 30], (K, K), p=shares[k]) for k in (1, 0))), 1)
    upper = rng.binomial(n, np.broadcast_to(np.where(ahead, chance, 0.5), (K, K)))
    w = upper + (n - upper).T
    w[-1, 0], w[0, -1] = 0, 100
    return w


MORE_WORDS = [pytest.param(*each, marks=pytest.mark.slow) for each in ((60, 0, 0.5), (110, 12, 0.9))]


@pytest.mark.parametrize(("K", "front", "chance"), [(60, 3, 0.9), *MORE_WORDS])
def test_several_words_are_as_vote_by_vote(K, front, chance, monkeypatch):
    w, rounds = large(K, front, chance), 5_000
    one_by_one = table_of(state_at(Dts(), w, 50), "as it comes", rounds)
    monkeypatch.setattr(module, "MANY", 1)
    for place, kind in enumerate(FRONTS):
        by_words = table_of(many_at(w, 50, 0.51), kind, rounds, seed=2 + place)
        for axis in (0, 1):
            assert p_of_same(one_by_one.sum(axis=axis), by_words.sum(axis=axis)) > 0.0005
        assert by_words.sum(axis=1)[-1] == 0  # it surely loses


def test_outsiders_are_as_vote_by_vote(monkeypatch):
    """All results against arm 0 are certain, so it has 42 votes; the others have hardly met and seldom have as many."""
    w = np.zeros((60, 60), np.int64)
    w[0, 1:43], w[43:, 0], w[1, 2:9] = 200, 200, 1
    rounds, cautious = 20_000, 1e9  # so that no arm surely loses

    def led(state, front, seed):
        table = table_of(state, front, rounds, seed).sum(axis=1)
        return [table[0], table[1], table[2:43].sum(), table[43:].sum()]

    one_by_one = led(state_at(Dts(alpha=cautious), w, 50), "as it comes", 1)
    monkeypatch.setattr(module, "MANY", 1)
    assert 0.02 < 1 - one_by_one[0] / rounds < 0.06
    assert p_of_same(one_by_one, led(many_at(w, 50, cautious), "one in front", 2)) > 0.001


@pytest.mark.usefixtures("_many")
def test_several_outsiders_reach_the_front():
    """A circle of three with equal certain votes: whichever is proposed, they lead in 1 of 3 cases."""
    w = np.zeros((4, 4), np.int64)
    w[0, 1] = w[1, 2] = w[2, 0] = w[:3, 3] = 300
    state, policy, calls, led = many_at(w, 50, 1e9), np.random.default_rng(1), 3_000, 0
    many, election = state.many, state.election
    election.contenders[:3] = [0, 1, 2]
    for _ in range(calls):
        forget_polled(many.words)
        election.lengths[0].contenders, election.lengths[0].leaders, many.latest[0].lost = 3, 0, 1
        propose_outsider(many, election, state.votes, 0, policy.random() * many.weight[:3].sum(), policy)
        assert election.lengths[0].leaders in (0, 3)
        led += election.lengths[0].leaders == 3
    assert abs(led / calls - 1 / 3) < 4 * math.sqrt(2 / 9 / calls)


# Whole runs, which compile the loop of the engine; quick tests choose single duels after real outcomes.


@pytest.mark.slow
@pytest.mark.usefixtures("_many")
@pytest.mark.parametrize("name", ["cyclic4", "six-rankers"])
def test_runs_are_distributed_as_the_reference(name):
    marks, runs, matrix = (5, 150, 500), 1200, MATRICES[name]
    tables = tables_of(matrix)
    reference = crowd_regret(matrix, marks, runs, 11, tables, plus=False)
    wide = ours(Dts(), matrix, marks, runs)
    assert agreement(reference, wide) > 0.001
    assert resolution(reference[:, :3], wide[:, :3]) < 0.08


@pytest.mark.usefixtures("_many")
def test_many_arms_interpreted(request):
    P = np.where(np.triu(np.ones((60, 60)), 1) > 0, 0.8, np.where(np.eye(60) > 0, 0.5, 0.2))

    def played(K, rounds):
        environment, policy = streams(3, 0)
        state, duels, t = Dts().start(K, rounds), [], 1
        while t <= rounds:
            first, second, count = Dts.select(state, t, rounds, policy)
            Dts.update(state, first, second, int(first != second and environment.random() < P[first, second]), count)
            duels.append((first, second, count))
            t += count
        return duels

    compiled = played(60, 2), played(6, 200)
    request.getfixturevalue("interpreted")
    assert not Dts.compiled()
    assert (played(60, 2), played(6, 200)) == compiled


def test_number_of_arms_that_are_many():
    assert MANY == 136
    assert Dts().start(MANY, 1).many is None
    assert Dts().start(MANY + 1, 1).many.weight.size == MANY + 1


@pytest.mark.usefixtures("_many")
def test_weights_and_words():
    environment, policy = streams(5, 0)
    algorithm, K = Dts(), 6
    state = algorithm.start(K, 1)
    ask = np.random.default_rng(1)
    for t in range(1, 400):  # any duels, also foreign ones
        algorithm.select(state, t, t, policy)
        i, j = ask.choice(K, 2, replace=False).tolist()
        count = int(ask.integers(1, 4))
        algorithm.update(state, i, j, int(environment.binomial(count, 0.6)), count)
    chance, many = state.votes.chance, state.many
    boosted = 1 + (math.exp(many.rate) - 1) * chance
    np.fill_diagonal(boosted, 1)
    assert many.weight == pytest.approx(np.prod(boosted, axis=1) * math.exp(-many.rate * (K - 1) / 2), rel=1e-9)
    words = new_words(K)
    for i, j in permutations(range(K), 2):
        set_digits(words, state.votes, i, j)
    for name in ("digits", "longer", "met"):
        assert np.array_equal(getattr(many.words, name), getattr(words, name)), name
    tail = stats.binom.sf(np.arange(K) - 1, K - 1, 0.5)  # for arms that have not met
    fresh = algorithm.start(K, 1).many
    assert (fresh.weight[0] * np.exp(-many.rate * (np.arange(K) - (K - 1) / 2)) >= tail).all()
