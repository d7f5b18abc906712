"""Holds where preferences change: exact up to the change, none beyond it, for every algorithm of the catalogue."""

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.conformance.instances import order
from duelbench.conformance.rounds import pair_tables, streams
from duelbench.conformance.statistics import agreement, disagreement
from duelbench.engine.checkpoints import checkpoints
from duelbench.engine.play import Problem, Rules
from duelbench.engine.problem import problem_of
from duelbench.engine.rollout import Streams, rollout
from duelbench.preferences.changing import Changing
from duelbench.runs.transcription import play_literally
from duelbench.sources.tables import TABLES
from tests.test_runs_transcription import OTHER_DRAWS

BEGINS = (1, 400, 401, 801, 1100)
ORDERS = [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 2, 3], [2, 3, 0, 1], [0, 1, 2, 3]]
MARKS = checkpoints([1500], 5)
DRAWING = ("bcb", "btm", "ccb", "d-ts", "d-ts+", "nts", "rcs", "scb", "uniform")
"""They draw in holds and blocks."""


def counting(matrices):
    """A problem whose "regret" is, for each ordered pair, its duels: a number of its own in each piece."""
    tables = [pair_tables(matrices[0].arms) * 10_000.0**piece for piece in range(2)]
    return Problem.changing(
        BEGINS, [each.P for each in matrices], [tables[piece % 2] for piece in range(len(matrices))]
    )


def play(name, problem, marks, number, **rules):
    return rollout(catalogue()[name](), problem, np.asarray(marks), Streams(*streams(3, number)), Rules(**rules))


@pytest.mark.parametrize("name", [name for name in catalogue() if name not in DRAWING])
def test_holding_is_stepping_from_change_to_change(name):
    """Outcomes are certain, so that blocks of duels draw nothing that matters; each change makes another arm best."""
    problem = counting([order(4, 1.0).relabelled(each) for each in ORDERS])
    held, stepped = (play(name, problem, MARKS, 1, stepping=stepping) for stepping in (False, True))
    assert np.array_equal(held.regret, stepped.regret)
    assert held.declaration == stepped.declaration


@pytest.mark.parametrize("name", list(catalogue()))
def test_the_engine_is_the_transcription_from_change_to_change(name):
    cyclic, marks = TABLES["cyclic4"].matrix(), checkpoints([200], 10)
    orders = {1: [0, 1, 2, 3], 70: [2, 1, 0, 3], 71: [3, 1, 0, 2], 130: [1, 0, 2, 3]}
    changing = Changing([(begin, cyclic.relabelled(each)) for begin, each in orders.items()])

    def both(preferences):
        problem = problem_of(preferences, ("copeland", "borda"))
        slow = play_literally(catalogue()[name](), problem, marks, Streams(*streams(7, 0)))
        fast = rollout(catalogue()[name](), problem, marks, Streams(*streams(7, 0)), Rules(stepping=True))
        assert slow.duels.sum() == 200 == fast.duels.sum()
        same = np.array_equal(slow.regret, fast.regret) and np.array_equal(slow.duels, fast.duels)
        return same and slow.declaration == fast.declaration

    # Some draw otherwise where nothing changes, even if they are asked round by round.
    assert both(changing) or (name in OTHER_DRAWS and not both(cyclic))


@pytest.mark.parametrize("name", DRAWING)
def test_holds_that_draw_are_distributed_as_stepping_from_change_to_change(name):
    problem = counting([order(4, 0.9).relabelled(each) for each in ORDERS])
    marks = [399, 450, 800, 900, 1500]
    held, stepped = (
        np.array([play(name, problem, marks, k + shift, stepping=bool(shift)).regret.ravel() for k in range(150)])
        for shift in (0, 1000)
    )
    assert agreement(held, stepped) > 1e-4


def test_holds_beyond_a_change_would_be_seen():
    """A hold that is told of no change but the first is one beyond the others."""
    problem = counting([order(4, 0.9).relabelled(each) for each in ORDERS])
    deaf = problem._replace(begins=np.array([1, 400, 401, 801, 1200]))
    rows = [
        np.array([play("d-ts", each, [1500], k + shift).regret.ravel() for k in range(150)])
        for each, shift in ((problem, 0), (deaf, 1000))
    ]
    assert disagreement(*rows) < 1e-6
