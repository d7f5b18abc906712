"""D-TS+ with a rare co-leader set apart, at frozen counts: duels as often as the transcription has them.

Every state has some 10⁴ duels of the rare co-leader that it was proposed for, so that an error of 5 % of them is seen.
"""

import math
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from duelbench.algorithms.thompson.dts_plus import DtsPlus
from duelbench.algorithms.thompson.envelope import CELLS
from duelbench.algorithms.thompson.rare_co_leaders import BINS, CASES, RESOLUTION
from tests.thompson import crowd_table, lumped, p_of_same, random_state, state_at, tally


def circle(seed, K):
    """Return counts of three arms that beat each other in a circle; the others lose to one of them for sure.

    The first one or two arms have pairs near 1/2 with the others: they seldom have the least estimated regret.
    """
    rng = np.random.default_rng([seed, K, 3])
    w = np.zeros((K, K), np.int64)
    uncertain = int(rng.integers(1, 3))
    size = int(rng.choice([100, 400, 1600]))
    master = rng.integers(0, 3, K)
    for i, j in combinations(range(K), 2):
        n = int(size * rng.uniform(0.5, 2))
        if j < 3:
            deviations = -7.0 if (i, j) == (0, 2) else 7.0
        elif i >= 3:
            deviations = rng.normal()
        elif master[j] == i:
            deviations = 7.0
        else:
            deviations = rng.uniform(2, 4.5) if i >= uncertain else rng.uniform(0, 2.5)
        w[i, j] = round(n / 2 + deviations * math.sqrt(n) / 2)
        w[j, i] = n - w[i, j]
    return w, 10**7, 0.51


# Where the counts come from, K, seed; sure leaders, others, whether their vote is open, votes that x must win.
STATES = {
    "one sure leader, sure votes": (random_state, 4, 67, (1, 2, False, 0)),
    "one sure leader, sure votes again": (random_state, 4, 1315, (1, 2, False, 0)),
    "one other": (random_state, 4, 125, (2, 1, False, 1)),
    "one other again": (random_state, 4, 1440, (2, 1, False, 1)),
    "an open vote": (circle, 5, 4, (2, 2, True, 2)),
    "an open vote, hardly rare": (circle, 5, 28, (2, 2, True, 2)),
    "an open vote, both cases alike": (circle, 5, 9, (2, 2, True, 2)),
}
CALLS = 60_000


def counts_of(name):
    make, K, seed, _ = STATES[name]
    return make(seed, K)


@cache
def played(name):
    """Return the state after many rounds in which nothing is learned, and the (K, K) duels of these."""
    w, t, alpha = counts_of(name)
    algorithm = DtsPlus(alpha=alpha)
    state = state_at(algorithm, w, t)
    return state, tally(algorithm, w, t, CALLS, 3, longest=3_000, equal=True, state=state)


@cache
def literal(name):
    w, t, alpha = counts_of(name)
    return crowd_table(w, t, alpha, 600_000)


def p_of(name, rounds):
    return p_of_same(lumped(literal(name)), lumped(rounds))


@pytest.mark.parametrize("name", STATES)
def test_the_states_are_what_they_are_called(name):
    state, rounds = played(name)
    co, election = state.co_leader, state.dts.election
    group = co.group[0]
    others = co.others[: group.others]
    assert state.apart[0].current
    assert (group.sure, group.others, bool(group.open)) == STATES[name][3][:3]
    deciding = {frozenset(pair) for pair in election.deciding[: election.lengths[0].deciding].tolist()}
    must_win = [frozenset((int(group.rare), int(j))) not in deciding for j in others]
    assert sum(must_win) == STATES[name][3][3]
    duels = rounds[group.rare].sum() - rounds[group.rare, group.rare]
    assert duels > 1_000


@pytest.mark.parametrize("name", STATES)
def test_duels_are_as_frequent_as_in_the_transcription(name):
    assert p_of(name, played(name)[1]) > 0.001


def test_an_error_of_a_few_percent_is_seen():
    seen = 0
    for name in STATES:
        state, rounds = played(name)
        x = state.co_leader.group[0].rare
        wrong = rounds.astype(float)
        wrong[x] *= 0.93
        wrong[x, x] = rounds[x, x]
        seen += p_of(name, wrong) < 1e-3
    assert seen >= 5


@pytest.mark.parametrize("name", STATES)
def test_tables_are_the_sums_over_pairs_of_cells(name):
    """Q, A and λ by their definitions, from the envelopes."""
    state, _ = played(name)
    co, chance = state.co_leader, state.dts.votes.chance
    group = co.group[0]

    def bins(case, i, edges):
        bound = sum(co.loss[case, o] * co.envelope.inverse[i, o, edges].reshape((-1, 1)[:: 1 - 2 * o]) for o in (0, 1))
        return np.minimum(bound / group.unit, BINS - 1).astype(int)

    def mass(i):
        return np.outer(co.envelope.mass[i, 0], co.envelope.mass[i, 1])

    cells = np.arange(CELLS)
    for case in range(CASES if group.open else 1):
        acceptance = np.ones(BINS)
        for a in co.sure[: group.sure]:
            reached = bins(case, a, cells)
            tail = [mass(a)[reached >= n].sum() for n in range(BINS)]
            assert co.tail[case, a] == pytest.approx(tail, abs=1e-12)
            acceptance *= tail
        assert co.acceptance[case] == pytest.approx(acceptance, abs=1e-12)
        odds = chance[co.others[1 - case], co.others[case]] if group.open else 1.0
        rate = odds * (mass(group.rare) * acceptance[bins(case, group.rare, cells + 1)]).sum()
        assert co.rates[case] == pytest.approx(rate)
    # The bins are as wide as the least R of a sure leader asks, as far as it is estimated from the counts.
    w = state.dts.comparisons.wins
    share = {(a, j): w[a, j] / (w[a, j] + w[j, a]) for a in co.sure[: group.sure] for j in co.others[: group.others]}
    least = min(
        sum(co.loss[0, o] / kl(share[a, co.others[o]]) for o in range(group.others)) for a in co.sure[: group.sure]
    )
    assert group.unit * RESOLUTION == pytest.approx(least)


def kl(p):
    return p * math.log(2 * p) + (1 - p) * math.log(2 * (1 - p))


@pytest.mark.parametrize("name", STATES)
def test_losses_are_those_of_the_votes(name):
    """ℓ of the others, by counting the votes of a poll in which sure votes are likely ones and x wins the rest."""
    state, _ = played(name)
    co, chance = state.co_leader, state.dts.votes.chance
    group, election = co.group[0], state.dts.election
    K = len(chance)
    for case in range(CASES if group.open else 1):
        beats = np.zeros((K, K), bool)
        for winner, loser in election.deciding[: election.lengths[0].deciding]:
            assert chance[winner, loser] > 0.5
            beats[winner, loser] = True
        settled = beats | beats.T
        beats[group.rare] |= ~settled[group.rare] & (np.arange(K) != group.rare)
        if group.open:
            beats[co.others[1 - case], co.others[case]] = True
        assert np.sum(beats | beats.T) == K * (K - 1)
        wins = beats.sum(axis=1)
        leaders = [*co.sure[: group.sure], group.rare]
        assert (wins[leaders] == wins.max()).all()
        for o in range(group.others):
            assert co.loss[case, o] == (wins.max() - wins[co.others[o]]) / 2
