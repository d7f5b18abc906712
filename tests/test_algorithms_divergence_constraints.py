"""The smallest sum of evidence against a Copeland winner, against all constraints written out one by one."""

import math

import pytest

from duelbench.algorithms.divergence.constraints import proof, proven
from duelbench.literal import ecw_rmed
from tests.tournaments import random_tournament


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("arms", [2, 3, 5, 6])
def test_the_smallest_sum_is_that_of_all_constraints(arms, ties):
    for seed in range(20):
        tournament, e = random_tournament(arms, seed, ties)
        for i1 in e.winners:
            sums = [sum(tournament.evidence[pair] for pair in each) for each in ecw_rmed.constraints(e, i1)]
            smallest = proof(tournament, i1)
            assert smallest == pytest.approx(min(sums, default=math.inf), rel=1e-12)
            if sums:
                assert proven(tournament, i1, smallest)
                assert not proven(tournament, i1, smallest * (1 + 1e-9))
