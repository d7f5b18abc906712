"""Who beats whom and what it costs, against the transcription's estimates."""

import math

import numpy as np
import pytest

from duelbench.bounds.evidence import divergence, evidence
from duelbench.literal import ecw_rmed
from duelbench.literal.arithmetic import kl
from duelbench.sources.generators import UniformRandom


@pytest.mark.parametrize("arms", [2, 5, 9])
def test_costs_and_winners_are_the_literal_ones(arms):
    several = 0
    for seed in range(20):
        P = UniformRandom(arms=arms).draw(np.random.default_rng(seed)).P
        estimates = ecw_rmed.Estimates([[0] * arms for _ in range(arms)])
        estimates.set(P.tolist())
        found = evidence(P)
        assert found.arms == arms
        assert found.winners.tolist() == estimates.winners
        assert found.deficits.tolist() == found.least.tolist() == list(estimates.L)
        several += len(found.winners) > 1
        for i in range(arms):
            assert found.rivals(i).tolist() == [j for j in range(arms) if j != i]
            for j in found.rivals(i):
                assert found.beats[i, j] == (P[i, j] > 0.5)
                assert found.cost[i, j] == pytest.approx(estimates.r(i, j) / kl(P[i, j]), rel=1e-9)
        for winner in found.winners:
            assert found.certain(winner)
            for loser in found.rivals(winner):
                losses = [found.cost[loser, j] for j in range(arms) if P[j, loser] > 0.5 and j != winner]
                assert found.prices(loser, winner).tolist() == sorted(losses)
    assert several > 0 or arms == 2


def test_ties_are_free_unless_both_win():
    # 0 beats 1 and ties with 2, which ties with both: 2 would win with two wins.
    found = evidence([[0.5, 0.7, 0.5], [0.3, 0.5, 0.5], [0.5, 0.5, 0.5]])
    assert found.deficits.tolist() == [1, 2, 2]
    assert found.least.tolist() == [0, 1, 0]
    assert not found.certain(0)
    assert math.isinf(found.cost[0, 2])
    # All tie, so all win: nothing is free.
    equal = evidence(np.full((3, 3), 0.5))
    assert equal.least.tolist() == equal.deficits.tolist() == [2, 2, 2]


def test_divergence_keeps_its_digits_near_a_half_and_at_the_ends():
    p = np.array([0.0, 0.3, 0.5, 0.5 + 1e-9, 0.75, 1.0])
    assert divergence(p) == pytest.approx([math.log(2), kl(0.3), 0.0, 2e-18, kl(0.75), math.log(2)], rel=1e-9)
