"""Elections of D-TS: the deciding votes that a look ahead finds, against all outcomes of the others."""

from itertools import combinations

import numpy as np
import pytest

from tests.thompson import STATES, foreseen

HELD = [name for name in STATES if name[0] not in ("no hold", "one contender")]


def outcomes(arms, deciding):
    """Return (outcomes, arms): the votes of every arm, for all outcomes of the votes that are not deciding."""
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
def test_deciding_votes_leave_only_likely_leaders_to_lead(equal):
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
        chance = state.votes.chance
        fails = [chance[loser, winner] for winner, loser in deciding]
        assert max(fails) < 0.5
        assert state.forecast[0].p_vote == pytest.approx(1 - np.prod(1 - np.array(fails)))
    assert (shared > 10) != equal


def test_contenders_have_lost_to_fewest():
    for name in STATES:
        state = foreseen(name)
        losses = state.comparisons.losses
        contenders = state.election.contenders[: state.election.lengths[0].contenders]
        assert sorted(contenders) == np.flatnonzero(losses == losses.min()).tolist()


def test_no_vote_more_than_needed_is_deciding():
    """Without any one of them someone else may lead, if a single leader is held for that beats all whom it must."""
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
