"""Standings: by hand where that is possible, else against the posterior that they are about."""

import numpy as np
import pytest

from duelbench.preferences.bradley_terry import fit
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.posterior import Posterior
from duelbench.sessions.standings import Estimate, chances, standings, strengths_of


def counts(wins, ties=0.0):
    wins = np.array(wins, dtype=float)
    return PairCounts(
        tuple(f"arm {k}" for k in range(len(wins))), wins, np.full_like(wins, ties) * (1 - np.eye(len(wins)))
    )


THREE = counts([[0, 6, 20], [4, 0, 12], [0, 8, 0]], ties=2)


@pytest.mark.parametrize("notion", ["copeland", "condorcet", "borda"])
def test_chances_are_those_of_the_posterior(notion):
    found = standings(THREE, notion=notion, draws=300, seed=4)
    known = Posterior(THREE).chances(np.random.default_rng(4), draws=300, notion=notion)
    assert {row.arm: row.chance for row in found.arms} == dict(enumerate(known))
    assert np.array_equal(chances(THREE, notion=notion, draws=300, seed=4), known)
    assert (found.leader, found.recommended, found.chance) == (0, None, known[0])
    assert found.error == pytest.approx(np.sqrt(known[0] * (1 - known[0]) / 300))


def test_what_has_been_counted():
    found = standings(THREE, draws=20)
    assert [row.arm for row in found.arms] == [0, 1, 2]
    first = found.arms[0]
    assert first[:6] == (0, "arm 0", 34, 26, 4, 4)
    assert first.share.value == (26 + 2) / 34
    assert first.share.low < first.share.value < first.share.high
    assert (found.votes, found.ties, found.unseen) == (56, 6, 0)


def test_scores_are_means_over_matrices_drawn():
    found = standings(THREE, draws=200, seed=1)
    posterior, rng = Posterior(THREE), np.random.default_rng(1)
    drawn = [posterior.draw(rng) for _ in range(200)]
    for row in found.arms:
        assert row.beats.value == pytest.approx(np.mean([matrix.wins()[row.arm] for matrix in drawn]))
        borda = [matrix.borda_scores()[row.arm] for matrix in drawn]
        assert row.borda.value == pytest.approx(np.mean(borda))
        inside = [row.borda.low <= each <= row.borda.high for each in borda]
        assert 0.94 <= np.mean(inside) <= 0.96


def test_strengths_are_bradley_terrys_above_their_mean():
    found = standings(THREE, draws=20)
    known = fit(THREE) - fit(THREE).mean()
    assert [row.strength.value for row in found.arms] == pytest.approx(list(known))


def test_intervals_of_strengths_cover_them():
    """Strengths are drawn from a prior somewhat narrower than that of the fit, so the intervals are a little long."""
    rng = np.random.default_rng(5)
    inside = []
    for _ in range(250):
        true = rng.normal(0, 1, 4)
        p = 1 / (1 + np.exp(true[None, :] - true[:, None]))
        upper = np.triu(rng.binomial(20, p), 1)
        wins = upper + np.tril(20 - upper.T, -1)
        found = strengths_of(counts(wins), range(4))
        inside += [each.low <= value <= each.high for each, value in zip(found, true - true.mean(), strict=True)]
    assert 0.93 <= np.mean(inside) <= 0.98


def test_the_pair_that_decides():
    """Arm 0 surely beats arm 2, and arm 1 does; who is best is what 0 against 1 is."""
    votes = counts([[0, 15, 200], [12, 0, 200], [0, 0, 0]])
    (pair,) = standings(votes, draws=400).deciding
    assert (pair.first, pair.second, pair.wins, pair.losses, pair.ties) == (0, 1, 15, 12, 0)
    assert 0.5 < pair.p < 0.9
    assert (pair.if_so, pair.if_not) == (1, 0)
    (pair,) = standings(votes, recommended=1, draws=400).deciding
    assert (pair.first, pair.if_so, pair.if_not) == (0, 0, 1)


def test_the_arm_that_is_probably_preferred_comes_first_in_a_pair():
    votes = counts([[0, 12, 200], [15, 0, 200], [0, 0, 0]])
    (pair,) = standings(votes, draws=400).deciding
    assert (pair.first, pair.second, pair.wins, pair.losses, pair.if_so, pair.if_not) == (1, 0, 15, 12, 1, 0)


def test_when_nothing_is_open_no_pair_decides():
    assert standings(counts([[0, 900], [100, 0]]), draws=50).deciding == ()


def test_the_recommended_arm_is_the_one_that_is_asked_about():
    found = standings(THREE, recommended=2, draws=100)
    assert (found.leader, found.recommended) == (2, 2)
    assert found.chance == found.arms[2].chance < found.arms[0].chance


def test_before_any_vote_all_arms_are_alike():
    found = standings(counts(np.zeros((4, 4))), draws=2000, notion="borda")
    assert all(abs(row.chance - 0.25) < 0.05 for row in found.arms)
    assert all(row.share is None and row.strength.value == 0 for row in found.arms)
    assert (found.votes, found.unseen) == (0, 6)


def test_votes_on_arms_that_were_withdrawn_still_count_for_the_others():
    """Arms 0 and 1 have never met; arm 2, which both have met, is gone."""
    votes = counts([[0, 0, 40], [0, 0, 10], [10, 40, 0]])
    found = standings(votes, taking_part=[0, 1], draws=300)
    assert [row.arm for row in found.arms] == [0, 1]
    assert found.chance > 0.75
    assert (found.votes, found.unseen) == (100, 1)
    assert found.arms[0].beats.high == 1
    assert chances(votes, taking_part=[0, 1], draws=50)[2] == 0


def test_any_arm_may_be_withdrawn():
    """Without arm 0, which beats all, arm 2 is best, and surely."""
    found = standings(counts([[0, 40, 40], [1, 0, 5], [1, 60, 0]]), taking_part=[1, 2], draws=200)
    assert (found.leader, found.arms[0].arm) == (2, 2)
    assert found.chance > 0.99
    assert found.arms[0].borda.value > 0.8


def test_the_last_arm_is_best():
    found = standings(THREE, taking_part=[1], draws=5)
    assert (found.leader, found.chance, found.deciding) == (1, 1.0, ())
    assert found.arms[0].beats == Estimate(0, 0, 0)


@pytest.mark.parametrize("how", [{"taking_part": []}, {"recommended": 2, "taking_part": [0, 1]}])
def test_arms_that_do_not_take_part_cannot_be_recommended(how):
    with pytest.raises(ValueError, match="does not take part"):
        standings(THREE, draws=5, **how)


def test_the_numbers_are_the_same_each_time():
    assert standings(THREE, draws=50) == standings(THREE, draws=50)
    assert standings(THREE, draws=50) != standings(THREE, draws=50, seed=1)
