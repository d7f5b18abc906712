"""Each hold is played again: what is said of right ones, and the round in which a wrong one differs.

Whole runs with holds of the catalogue are in test_holds.py and test_holds_random.py, more mistakes in
test_conformance_properties.py.
"""

import pytest

from duelbench.conformance.claims import CheckFailed
from duelbench.conformance.holds import (
    Replay,
    course,
    held_path,
    holds_as_it_steps,
    holds_round_by_round,
    replayed,
    same,
)
from duelbench.conformance.instances import USUAL
from tests.proved import EXPLORER, PLAIN, changed, toy

ORDER = USUAL["order of 4"]


def test_holds_without_chance_are_replayed_and_others_counted(tmp_path):
    found = replayed(toy(tmp_path, PLAIN), ORDER, 3000, 4)
    assert found.exact > found.ended > 3
    assert 3000 > found.rounds > found.longest > 500
    assert (found.random, found.blocks) == (0, 0)
    found = replayed(toy(tmp_path, EXPLORER), ORDER, 3000, 4)
    assert found.random > 20
    assert found.exact == 0


def test_blocks_are_counted():
    from duelbench.algorithms.uniform import Uniform

    found = replayed(Uniform(), ORDER, 3000, 4)
    assert found.blocks > 5
    assert found.exact == found.random == 0


def test_the_round_that_differs_is_named(tmp_path):
    wrong = toy(tmp_path, changed(PLAIN, ("min(last, due - 1)", "min(last, due)")))
    with pytest.raises(CheckFailed, match=r"to t = ([\d,]+), but round by round it duels \(\d, \d\) at t = \1"):
        replayed(wrong, ORDER, 3000, 4)


def test_a_run_may_end_before(tmp_path):
    rest = iter([False] * 10)
    found = replayed(toy(tmp_path, PLAIN), USUAL["cyclic4"], 10_000, 4, lambda: next(rest, True))
    assert 300 < found.played < 1000


def test_replays_of_runs_add_up():
    assert Replay(1, 1, 10, 10, played=9) + Replay(2, 0, 8, 7, 3, 1) == Replay(3, 1, 18, 10, 3, 1, 9)


def test_whole_runs_say_the_same(tmp_path):
    right = toy(tmp_path, PLAIN)
    assert holds_as_it_steps(right, ORDER, [100, 2000], 1)
    assert holds_round_by_round(right, ORDER, 2000, 1)
    assert held_path(right, ORDER, 2000, 1).shape == (2000, 2)
    assert not same(course(right, ORDER, [2000], 1), course(right, ORDER, [2000], 2))
    wrong = toy(tmp_path, changed(PLAIN, ("min(last, due - 1)", "min(last, due)")))
    assert not holds_as_it_steps(wrong, ORDER, range(5, 500, 5), 1)
    assert not holds_round_by_round(wrong, ORDER, 2000, 1)
