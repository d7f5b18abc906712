"""Wrapped algorithms that begin anew are as they were at first, to the last field of their states."""

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.algorithms.monitored import restarting as compiled
from duelbench.conformance.rounds import Rounds, streams
from duelbench.sources.tables import TABLES
from tests.monitored import interpreted, ws_w_rounds

restarting = interpreted(compiled)

RESTARTS = {
    "ws-w": lambda state: restarting.restart_standing(state.standing),
    "ws-s": restarting.restart_ws_s,
    "btw": lambda state: restarting.restart_line(state.line),
    "mbtw": restarting.restart_mbtw,
    "rucb": lambda state: restarting.restart_rucb(state, catalogue()["rucb"]().start(5, 10**9)),
}


def contents(state):
    """Return all that is in a state, but what may be between the fields of a record."""
    return [contents(part) for part in state] if isinstance(state, tuple) else np.asarray(state).tolist()


@pytest.mark.parametrize("name", RESTARTS)
@pytest.mark.parametrize("late", [False, True])
def test_nothing_is_left(name, late):
    algorithm, P = catalogue()[name](), TABLES["mslr5-condorcet"].matrix().P
    run = Rounds(algorithm, P, 10**9, streams(1, 0))
    run.answer(500)
    if late:
        for _ in range(2):
            answer = algorithm.select(run.state, run.t, run.t, run.luck.policy)
        algorithm.update(run.state, *answer[:2], 0, 1)
    fresh = contents(algorithm.start(5, 10**9))
    assert contents(run.state) != fresh
    RESTARTS[name](run.state)
    assert contents(run.state) == fresh


def test_nothing_is_left_of_the_rounds_of_ws_w():
    plain, rng = ws_w_rounds(), np.random.default_rng(1)
    rounds = plain.no_rounds(5)
    for _ in range(100):
        first, second, count = plain.next_of_round(rounds, 1, rng)
        plain.learn_of_round(rounds, first, second, int(rng.integers(2)), count)
    assert contents(rounds) != contents(plain.no_rounds(5))
    plain.restart_rounds(rounds)
    assert contents(rounds) == contents(plain.no_rounds(5))
