"""D-TS and D-TS+ at frozen counts: how often each duel is chosen, also in holds, and the elections behind it.

The distribution of D-TS is computed to many digits (thompson.py), so a chi-square test of 4,000 answers, each of up to
10¹² rounds, detects errors of a few percent even in events that happen once in 10⁹ rounds. That of D-TS+ is sampled.
"""

from itertools import combinations

import numpy as np
import pytest

from duelbench.algorithms.thompson.dts import Dts
from duelbench.algorithms.thompson.dts_plus import DtsPlus
from tests.thompson import (
    STATES,
    choice,
    crowd_table,
    duels_of,
    fit,
    foreseen,
    lumped,
    p_of_same,
    random_state,
    state_at,
    tally,
)

COMMON = [name for name in STATES if name[0] in ("all contenders lead", "several leaders of more contenders")]


def test_states_are_what_they_are_called():
    for name in STATES:
        state = foreseen(name)
        contenders, leaders = state.election.lengths[0].contenders, state.election.lengths[0].likely
        assert (state.forecast[0].p_informative < 1.0) == (name[0] != "no hold")
        assert {
            "no hold": True,
            "one contender": contenders == 1,
            "one leader of several contenders": 1 == leaders < contenders,
            "all contenders lead": 1 < leaders == contenders,
            "several leaders of more contenders": 1 < leaders < contenders,
        }[name[0]]
    # In a hold for equal self-duels the leader is often open among several arms.
    common = [foreseen(name, equal=True) for name in COMMON]
    assert sum(each.forecast[0].p_informative < 1.0 and each.election.lengths[0].likely > 1 for each in common) >= 15


# Seeds are fixed, so a level of 0.001 in each test never fails by chance.


@pytest.mark.parametrize("name", STATES[::2], ids=lambda name: "{}, K={}, {}".format(*name))
def test_duels_are_as_frequent_as_defined(name):
    w, t, alpha = random_state(name[2], name[1])
    defined = choice(w, t, alpha)
    assert fit(tally(Dts(alpha=alpha), w, t, 4_000, 7), defined) > 0.001
    if name in COMMON:  # otherwise no arms share self-duels
        together = tally(Dts(alpha=alpha), w, t, 4_000, 7, equal=True)
        assert fit(lumped(together), lumped(defined)) > 0.001


# Uninformative rounds that end with time: a decided pair becomes undecided.


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
                for first, second, count in duels_of(algorithm, state, algorithm.select(state, t, last, policy)):
                    rounds[t - start : t - start + count, first, second] += 1
                    t += count
    return rounds


@pytest.mark.parametrize(("K", "seed"), [(3, 346), (5, 422)])
def test_hold_ends_where_a_pair_turns_undecided(K, seed):
    w, t, alpha = random_state(seed, K)
    turn = int(state_at(Dts(alpha=alpha), w, t).comparisons.clock[0].expiry)
    before, after = choice(w, turn - 1, alpha), choice(w, turn, alpha)
    rounds = play_through(Dts(alpha=alpha), w, turn - 60, turn + 60, 250, seed)
    assert fit(rounds[:60].sum(axis=0), before) > 0.001
    assert fit(rounds[60:].sum(axis=0), after) > 0.001
    # A common hold of several leaders plays one leader after the other, so in a given round only their sum counts.
    assert fit(lumped(rounds[59]), lumped(before)) > 0.001
    assert fit(lumped(rounds[60]), lumped(after)) > 0.001
    # This detects one round early or late.
    assert fit(lumped(rounds[60]), lumped(before)) < 1e-3
    assert fit(lumped(rounds[59]), lumped(after)) < 1e-3


# D-TS+. 100,000 rounds of its reference implementation reveal an error of 10 % if 1 % of the rounds are informative,
# and of 2 % if 20 % are.


@pytest.mark.parametrize(("K", "seed"), [(3, 1), (4, 27)])
def test_dts_plus_beside_reference(K, seed):
    w, t, alpha = random_state(seed, K)
    of_reference = crowd_table(w, t, alpha, 100_000)
    separate, equal = (
        tally(DtsPlus(alpha=alpha), w, t, 20_000, seed, longest=1000, equal=equal) for equal in (False, True)
    )
    assert p_of_same(of_reference, separate) > 0.001
    assert p_of_same(lumped(of_reference), lumped(equal)) > 0.001


# Elections: the deciding votes that a look ahead finds, compared with all outcomes of the others


HELD = [name for name in STATES if name[0] not in ("no hold", "one contender")]


def outcomes(arms, deciding):
    """Return (outcomes, arms): the votes for every arm, given the deciding votes, in all outcomes of the others."""
    fixed = {frozenset(pair) for pair in deciding}
    free = [pair for pair in combinations(range(arms), 2) if frozenset(pair) not in fixed]
    won = np.zeros((2 ** len(free), arms), int)
    for winner, _ in deciding:
        won[:, winner] += 1
    for k, (i, j) in enumerate(free):
        first = np.arange(2 ** len(free)) >> k & 1
        won[:, i] += first
        won[:, j] += 1 - first
    return won


@pytest.mark.parametrize("equal", [False, True])
def test_deciding_votes(equal):
    shared = 0
    for name in HELD:
        state = foreseen(name, equal)
        election, lengths = state.election, state.election.lengths[0]
        if state.forecast[0].p_informative == 1.0:
            continue
        deciding = election.deciding[: lengths.deciding].tolist()
        contenders, likely = election.contenders[: lengths.contenders], election.likely[: lengths.likely]
        won = outcomes(name[1], deciding)[:, contenders]
        leads = won == won.max(axis=1, keepdims=True)
        assert not leads[:, ~np.isin(contenders, likely)].any()
        if state.status[0].shared:  # they are elected together
            assert leads[:, np.isin(contenders, likely)].all()
            shared += 1
        chance = state.posteriors.chance
        fails = [chance[loser, winner] for winner, loser in deciding]
        assert max(fails) < 0.5
        assert state.forecast[0].p_vote == pytest.approx(1 - np.prod(1 - np.array(fails)))
    assert (shared > 10) != equal


def test_no_vote_more_is_deciding():
    """In many holds with a single leader, another arm may draw level if one deciding vote is left out."""
    seen = 0
    for name in HELD:
        state = foreseen(name)
        election, lengths = state.election, state.election.lengths[0]
        if state.forecast[0].p_informative == 1.0 or lengths.likely > 1:
            continue
        deciding = election.deciding[: lengths.deciding].tolist()
        leader, contenders = election.likely[0], election.contenders[: lengths.contenders]
        for k in range(len(deciding)):
            won = outcomes(name[1], deciding[:k] + deciding[k + 1 :])
            rivals = [i for i in contenders if i != leader]
            seen += (won[:, rivals].max(axis=1) >= won[:, leader]).any()
    assert seen > 20
