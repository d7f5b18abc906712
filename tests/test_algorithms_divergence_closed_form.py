"""ECW-RMED's optimum, against linear programs and the transcription."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog

from duelbench.algorithms.divergence.closed_form import least_cost, optimal_cost
from duelbench.literal import ecw_rmed
from tests.tournaments import random_tournament


@pytest.mark.parametrize("arms", [6, 8])
def test_the_optimum_is_that_of_the_linear_program(arms):
    seen = 0
    for seed in range(40):
        tournament, e = random_tournament(arms, seed)
        for i1 in e.winners:
            for i2 in range(arms):
                others = [j for j in e.S[i2] if j != i1]
                m = e.L[i2] - e.L1 + 1
                if i2 == i1 or len(others) < m:
                    continue
                seen += len(others) > m
                # (5): every m of them have evidence 1 together.
                rows = [[j in S for j in others] for S in combinations(others, m)]
                costs = [e.r(j, i2) / e.kl(j, i2) for j in others]
                best = linprog(costs, -np.array(rows, float), -np.ones(len(rows)), bounds=(0, None))
                assert least_cost(tournament, i1, i2) == pytest.approx(best.fun, rel=1e-9, abs=1e-12)
            assert optimal_cost(tournament, i1) == ecw_rmed.optimum(e, i1)[0]
    assert seen > 10
