"""Adding up votes, and rows that are refused."""

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.sources.matrix_csv import MAX_ARMS
from duelbench.sources.votes.tally import PLACES, REASONS, Duel, Refusals, Tally


def test_votes_are_added_up_by_sorted_names():
    tally = Tally()
    tally.add(Duel("b", "a", 1, 0, 0), 2, True)
    tally.add(Duel("a", "b", 1, 0, 0), 0.5, True)
    tally.add(Duel("c", "a", 0, 0, 1), 3, True)
    tally.enter(["d"])
    counts = tally.counts()
    assert counts.names == ("a", "b", "c", "d")
    assert np.array_equal(counts.wins, [[0, 0.5, 0, 0], [2, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    assert np.array_equal(counts.ties, [[0, 0, 3, 0], [0, 0, 0, 0], [3, 0, 0, 0], [0, 0, 0, 0]])


def test_dropped_ties_are_counted_apart_and_keep_their_arms():
    tally = Tally()
    tally.add(Duel("b", "a", 0, 0, 1), 2, False)
    assert tally.dropped_ties == 2
    assert tally.counts().names == ("a", "b")
    assert not tally.counts().votes.any()


def test_names_that_look_alike_are_said():
    tally = Tally()
    tally.add(Duel("GPT-4 o", "gpt-4o", 1, 0, 0), 1, True)
    tally.add(Duel("other", "gpt-4o", 1, 0, 0), 1, True)
    (warning,) = tally.warnings()
    assert "'GPT-4 o', 'gpt-4o'" in warning


@pytest.mark.parametrize(
    ("names", "says"), [([], "fewer than two arms"), (map(str, range(MAX_ARMS + 1)), "at most 5,000 arms")]
)
def test_too_few_and_too_many_arms(names, says):
    tally = Tally()
    tally.enter(names)
    with pytest.raises(UserError, match=says):
        tally.counts()


def test_reasons_are_kept_with_their_first_places_and_only_so_many():
    refusals = Refusals()
    for line in range(1, 10):
        refusals.add("odd" if line % 2 else "even", "f.csv", line)
    odd, even = refusals.told()
    assert (odd.reason, odd.rows, odd.places) == ("odd", 5, ("f.csv:1", "f.csv:3", "f.csv:5"))
    assert (even.rows, len(even.places)) == (4, PLACES)
    assert refusals.first == (1, "odd")
    for line in range(1000):
        refusals.add(str(line), "f.csv", line)
    assert len(refusals.told()) == REASONS + 1
    assert refusals.rows == 1009
