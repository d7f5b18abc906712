"""Votes are counted pair by pair; coins of ties are told to the algorithm and are no votes for anybody."""

import pytest

from duelbench.errors import UserError
from duelbench.sessions.events import Pair
from duelbench.sessions.tally import Tally, best_of


def test_wins_ties_and_votes_from_elsewhere():
    tally = Tally(["a", "b"])
    tally.win(0, 1, 3)
    tally.tie(1, 0)
    tally.add_arm("c")
    tally.add(2, 0, Pair(first="c", second="a", wins=4, losses=1, ties=5, coins=2))
    assert [tally.place(name) for name in "abc"] == [0, 1, 2]
    with pytest.raises(UserError, match="there is no arm 'd'"):
        tally.place("d")
    counts = tally.counts()
    assert counts.names == ("a", "b", "c")
    assert counts.wins.tolist() == [[0, 3, 1], [0, 0, 0], [4, 0, 0]]
    assert counts.ties.tolist() == [[0, 1, 5], [1, 0, 0], [5, 0, 0]]
    assert (tally.won(0, 1), tally.won(1, 0)) == (3, 1)
    assert (tally.won(2, 0), tally.won(0, 2)) == (6, 4)


def test_the_best_counts_a_tie_for_both():
    tally = Tally(["a", "b", "c"])
    tally.win(1, 0, 2)
    tally.tie(0, 1)
    tally.tie(0, 2)
    assert best_of(tally.counts()) == 1
    tally.win(2, 1, 1)
    tally.win(2, 0, 1)
    assert best_of(tally.counts()) == 2
