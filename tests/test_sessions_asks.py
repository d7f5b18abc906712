"""Votes name who has won."""

import pytest

from duelbench.sessions.asks import Vote

TIME = "2026-02-28T23:59:59.900+00:00"


@pytest.mark.parametrize(("answer", "winner"), [("first", "a"), ("second", "b"), ("tie", None)])
def test_the_winner_is_the_arm_that_was_preferred(answer, winner):
    vote = Vote(1, "a", "b", answer, "second" if answer == "tie" else None, "ann", TIME, TIME, True)
    assert vote.winner == winner
