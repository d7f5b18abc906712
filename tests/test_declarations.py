"""Declarations with the last duel, also with late outcomes, and recommendations after them."""

import numpy as np
import pytest

from duelbench.algorithms.identification.parwis import Parwis
from duelbench.algorithms.identification.single_elimination import Select
from duelbench.conformance.case import order
from duelbench.conformance.rounds import streams
from duelbench.engine.play import Problem, Rules
from duelbench.engine.rollout import Streams, rollout

PLANNED = [Select(duels_per_pair=5), Select(budget=15), Parwis(budget=15), Parwis(budget=15, pairs="top-two")]
"""All end with their 15th duel on four arms."""


def play(algorithm, marks, seed=0, recommend="own", **rules):
    P = order(4, 0.7).P
    rngs = Streams(*streams(seed, 0))
    return rollout(algorithm, Problem(P, 1 - P[None]), np.array(marks), rngs, Rules(**rules), recommend=recommend)


@pytest.mark.parametrize("algorithm", PLANNED)
@pytest.mark.parametrize("rules", [{}, {"stepping": True}, {"votes": True, "max_rounds": 1500}])
def test_declaration_with_the_last_duel(algorithm, rules):
    for seed in range(6):
        long, exact, short = (play(algorithm, [5, end], seed, **rules) for end in (40, 15, 14))
        assert exact.declaration == long.declaration == (exact.recommended[-1], 15)
        assert short.declaration is None
        assert exact.regret[0, 0] == long.regret[0, 0] == short.regret[0, 0]
        assert exact.duels.sum() == 15
        assert exact.votes.tolist() == [5, 15]


def test_declaration_with_late_outcomes():
    assert play(Parwis(budget=15), [15], delay=4).declaration is None
    assert play(Parwis(budget=15), [16], delay=4).declaration == play(Parwis(budget=15), [40], delay=4).declaration


@pytest.mark.parametrize("recommend", ["", "copeland"])
def test_recommendations_after_a_declaration(recommend):
    exact, long = (play(Parwis(budget=15), [5, 15, *more], 2, recommend) for more in ([], [40]))
    assert exact.declaration == long.declaration
    if recommend:
        assert exact.recommended.tolist() == long.recommended[:2].tolist()
