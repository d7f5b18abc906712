"""The rules by which a dataset changes: when, and which of them make no sense."""

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.sources.changes import ChangeRules
from duelbench.sources.parameters import validated


def rules(**written):
    return validated(ChangeRules, written)


def begins(horizon, seed=1, **written):
    return rules(**written).begins(horizon, np.random.default_rng(seed))


def test_breakpoints_are_where_the_authors_code_has_them():
    """M = 4 segments of T = 10: the new matrix holds from round ⌊mT/M⌋ + 1 on."""
    assert begins(10, breakpoints=3) == [3, 6, 8]
    assert begins(1e6, breakpoints=9) == [m * 100_000 + 1 for m in range(1, 10)]


def test_breakpoints_at_random_are_different_rounds_after_the_first():
    found = [begins(9, seed, breakpoints=8, placed="at random") for seed in range(3)]
    assert found == [list(range(2, 10))] * 3
    found = [begins(1000, seed, breakpoints=2, placed="at random") for seed in range(2000)]
    assert all(1 < one < other <= 1000 for one, other in found)
    assert abs(np.mean(found) - 501) < 4 * 1000 / np.sqrt(12 * 4000)
    assert rules(breakpoints=2, placed="at random").random and not rules(breakpoints=2).random


def test_other_ways_to_say_when():
    assert begins(10, every=3) == [4, 7, 10]
    assert begins(10, rounds=[2, 9]) == [2, 9]
    steps = begins(10_000, per_decade=10)
    assert steps[:7] == list(range(2, 9))  # in every round at first
    later = np.array(steps[-20:])
    assert np.allclose(later[1:] / later[:-1], 10**0.1, rtol=0.01)


@pytest.mark.parametrize(
    "written", [{"breakpoints": 7}, {"every": 7}, {"rounds": [4, 5, 90]}, {"per_decade": 7}, {"every": 50}]
)
def test_they_are_counted_without_being_made(written):
    assert rules(**written).count(100) == len(begins(100, **written))


def test_what_determines_the_pieces_is_the_rounds_and_not_how_they_were_said():
    even = rules(breakpoints=3).identity(12)
    assert even == rules(every=3).identity(12) == rules(rounds=[4, 7, 10]).identity(12)
    others = [
        rules(breakpoints=3).identity(16),
        rules(breakpoints=3, winner="may stay").identity(12),
        rules(breakpoints=3, walk=0.1).identity(12),
        rules(breakpoints=3, walk=0.2).identity(12),
        rules(breakpoints=3, to="cyclic4").identity(12),
        rules(breakpoints=3, placed="at random").identity(12),
        rules(breakpoints=3, placed="at random").identity(13),
    ]
    assert all(one != other for k, one in enumerate([even, *others]) for other in others[k:])


@pytest.mark.parametrize(
    ("written", "key", "says"),
    [
        ({}, (), "say when it changes: breakpoints, rounds, every or per_decade"),
        ({"every": 3, "breakpoints": 2}, ("every",), "breakpoints and every both say when"),
        ({"every": 3, "from": "a", "to": "b"}, ("to",), "from and to both say what it changes to"),
        ({"every": 3, "from": "a", "walk": 0.1}, ("walk",), "from and walk both"),
        ({"every": 3, "placed": "at random"}, ("placed",), "only breakpoints are placed"),
        ({"every": 3, "walk": 0.1, "winner": "may stay"}, ("winner",), "with walk no matrix is drawn"),
        ({"rounds": [9, 9]}, ("rounds", 1), "round 9 does not come after 9"),
        ({"rounds": [1]}, ("rounds", 0), "greater than or equal to 2"),
        ({"breakpoint": 2}, ("breakpoint",), "breakpoints"),
        ({"every": 3, "winner": "changes"}, ("winner",), "must change"),
        ({"breakpoints": 0}, ("breakpoints",), "greater than or equal to 1"),
    ],
)
def test_rules_that_make_no_sense_are_refused(written, key, says):
    with pytest.raises(UserError, match=says) as raised:
        rules(**written)
    assert raised.value.key == key


@pytest.mark.parametrize(
    ("written", "key", "says"),
    [
        ({"breakpoints": 100}, ("breakpoints",), "only 100 rounds"),
        ({"rounds": [5, 101]}, ("rounds", 1), "round 101 is beyond the horizon, 100"),
        ({"every": 100}, ("every",), "nothing changes in 100 rounds"),
    ],
)
def test_changes_beyond_the_horizon_are_refused(written, key, says):
    with pytest.raises(UserError, match=says) as raised:
        rules(**written).check(100)
    assert raised.value.key == key
    rules(**written).check(101)


def test_too_many_changes_are_refused():
    with pytest.raises(UserError, match="10,000,000"):
        rules(every=1).check(10_000_001)
